import { Check, FlaskConical } from "lucide-react";
import type { TuneCandidate, TuneDto } from "../../bindings/types";
import { choose } from "../../components/asking";
import { Button } from "../../components/Button";
import { cx } from "../../components/cx";
import { Empty, Failed } from "../../components/Empty";
import { Column } from "../../components/Pane";
import { Skeleton } from "../../components/Skeleton";
import { ago, bytes, count, duration, percent } from "../../lib/format";
import { notify } from "../../lib/notices";
import { useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { type Text, useText } from "../../text";
import { points } from "./Metrics";
import table from "./Metrics.module.css";
import styles from "./QualityView.module.css";
import { chunkingWords, fusionWords, rerankWords, settingWords } from "./settings";
import { Working } from "./Working";
import { useWork } from "./work";

/** Fewer questions tell nothing. */
const FEWEST = 10;

/** With every reranker that is here. */
const RERANKERS = ["all"];

/** Tries ways to cut and to join, and rerankers, on a copy of the library, and applies what is really better. */
export function Tune({ library, show }: { library: string; show: (part: "questions") => void }) {
  const text = useText();
  const run = useDo();
  const questions = useRead("quality.questions", { library });
  const tuned = useRead("quality.tuned", { library });
  const settings = useRead("library.settings", { name: library });
  const job = useWork("tuning", library);
  const number = questions.data?.questions.length ?? 0;

  const begin = async () => {
    const cost = await run("quality.estimate", { library, rerankers: RERANKERS });
    if (!cost) return;
    const answer = await choose({
      title: text.quality.tuneTitle(cost.candidates),
      body: text.quality.tuneBody(cost.questions, duration(text, cost.seconds), bytes(text, cost.bytes)),
      choices: [{ id: "begin", label: text.quality.tuneBegin, kind: "primary" }],
    });
    if (answer === "begin") await run("quality.tune", { library, rerankers: RERANKERS });
  };
  const apply = async (candidate: TuneCandidate) => {
    const changes = candidate.settings;
    const changed = await run("library.settings", { name: library, changes });
    if (changed) notify({ kind: "done", message: text.quality.applied, hint: text.quality.appliedHint });
  };

  const failure = tuned.isError ? tuned : questions;
  if (failure.isError && !failure.data) return <Failed error={failure.error} retry={failure.refetch} />;
  if (!tuned.data || !questions.data)
    return (
      <Column>
        <Skeleton label={text.library.loading} lines={6} />
      </Column>
    );
  const last = tuned.data.last;
  if (number < FEWEST && !last)
    return (
      <Empty
        body={text.quality.tuneFewBody(FEWEST, number)}
        icon={FlaskConical}
        testid="tune-few"
        title={text.quality.tuneFew}
      >
        <Button kind="primary" onClick={() => show("questions")}>
          {text.quality.toQuestions}
        </Button>
      </Empty>
    );
  const button = (
    <Button
      data-testid="tune-begin"
      disabled={job !== undefined || number < FEWEST}
      icon={FlaskConical}
      kind="primary"
      onClick={() => void begin()}
    >
      {last ? text.quality.tuneAgain : text.quality.tuneBegin}
    </Button>
  );
  if (!last && !job)
    return (
      <Empty body={text.quality.tuneIntro} icon={FlaskConical} testid="tune-empty" title={text.quality.tune}>
        {button}
      </Empty>
    );
  const now = settings.data?.settings ?? {};
  return (
    <Column>
      <div className={styles.head}>
        <p className={styles.lead}>
          {last && (
            <>
              {verdict(text, last)}
              <span className={styles.quiet}>{ago(text, last.created)}</span>
            </>
          )}
        </p>
        {button}
      </div>
      {job && <Working count job={job} label={text.quality.tuning} />}
      {last && <Table apply={apply} now={now} tuned={last} />}
      {last && <p className={styles.hint}>{text.quality.tuneNote(last.questions)}</p>}
    </Column>
  );
}

/** Whether anything that was tried is really better. */
function verdict(text: Text, tuned: TuneDto): string {
  const winner = tuned.winner === null ? undefined : tuned.candidates[tuned.winner];
  return winner ? text.quality.tuneWon(settingWords(text, winner.settings)) : text.quality.tuneStays;
}

interface TableProps {
  tuned: TuneDto;
  now: { [key: string]: string };
  apply: (candidate: TuneCandidate) => void;
}

function Table({ tuned, now, apply }: TableProps) {
  const text = useText();
  const verdicts = text.quality.short as { [name: string]: string };
  return (
    <div className={styles.wide}>
      <table className={cx(table.table, styles.tuned)} data-testid="tune-table">
        <thead>
          <tr>
            <th scope="col">{text.quality.cutting}</th>
            <th scope="col">{text.quality.joining}</th>
            <th scope="col">{text.quality.rereading}</th>
            <th className={table.number} scope="col">
              {text.quality.passageCount}
            </th>
            <th className={table.number} data-tip={text.quality.metricTip["ndcg@10"]} scope="col">
              {text.quality.metricShort}
            </th>
            <th className={table.number} data-tip={text.quality.changeTip} scope="col">
              {text.quality.change}
            </th>
            <th scope="col">{text.quality.isReal}</th>
            <th aria-label={text.quality.apply} scope="col" />
          </tr>
        </thead>
        <tbody>
          {tuned.candidates.map((candidate, at) => {
            const { chunking = "", fusion = "", rerank = "auto" } = candidate.settings;
            const inUse =
              now.chunking === chunking &&
              (now.fusion ?? "auto") === fusion &&
              (now.rerank ?? "auto") === rerank;
            const { difference } = candidate;
            const won = tuned.winner === at;
            return (
              <tr key={`${chunking} ${fusion} ${rerank}`}>
                <th data-tip={chunking} scope="row">
                  {chunkingWords(text, chunking)}
                </th>
                <td>{fusionWords(text, fusion)}</td>
                <td>{rerankWords(text, rerank)}</td>
                <td className={table.number}>{count(text, candidate.passages)}</td>
                <td className={table.number}>{percent(text, candidate.metrics["ndcg@10"] ?? 0)}</td>
                <td className={table.number}>{difference ? points(text, difference.difference) : ""}</td>
                <td className={cx(styles.real, won && styles.won)}>
                  {difference ? (verdicts[difference.verdict] ?? difference.verdict) : ""}
                </td>
                <td className={styles.apply}>
                  {inUse ? (
                    <span className={styles.inUse}>
                      <Check aria-hidden="true" size={14} strokeWidth={1.75} />
                      {text.quality.inUse}
                    </span>
                  ) : (
                    <Button
                      aria-label={text.quality.applyOne(settingWords(text, candidate.settings))}
                      data-testid={won ? "tune-apply" : undefined}
                      kind={won ? "primary" : "quiet"}
                      onClick={() => apply(candidate)}
                      small
                    >
                      {text.quality.apply}
                    </Button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
