import { CircleCheck } from "lucide-react";
import type { EvaluationRun, QuestionResultDto } from "../../bindings/types";
import { useText } from "../../text";
import styles from "./QualityView.module.css";
import { openRight } from "./work";

/** In the order of the stages. */
const STAGES = [
  "gone",
  "not_converted",
  "not_retrieved",
  "ranked_low",
  "lost_in_fusion",
  "lost_in_reranking",
  "gated",
] as const;

/** The questions that failed, by the stage at which they were lost. */
export function Failures({ run, library }: { run: EvaluationRun; library: string }) {
  const text = useText();
  const results = run.results ?? [];
  const failed = results.filter((result) => result.outcome !== "found");
  return (
    <section aria-label={text.quality.failures} className={styles.section}>
      <h2 className={styles.title}>{text.quality.failures}</h2>
      {failed.length === 0 ? (
        <p className={styles.allFound}>
          <CircleCheck aria-hidden="true" size={16} strokeWidth={1.5} />
          {text.quality.noFailures}
        </p>
      ) : (
        STAGES.map((stage) => {
          const mine = failed.filter((result) => result.outcome === stage);
          if (mine.length === 0) return null;
          return (
            <div className={styles.stage} key={stage}>
              <h3 className={styles.stageTitle}>
                {text.quality.stage[stage]}
                <span className={styles.count}>{mine.length}</span>
              </h3>
              <p className={styles.hint}>{text.quality.stageHint[stage]}</p>
              <ul className={styles.list}>
                {mine.map((result) => (
                  <Failure key={result.text} library={library} result={result} />
                ))}
              </ul>
            </div>
          );
        })
      )}
    </section>
  );
}

function Failure({ result, library }: { result: QuestionResultDto; library: string }) {
  const text = useText();
  const [right] = result.right;
  const rank = (value: number | null) => value ?? "—";
  const body = (
    <>
      <span className={styles.question}>{result.text}</span>
      <span className={styles.source}>
        {right?.title ?? text.quality.unknownDocument}
        {(result.lexical !== null || result.dense !== null) &&
          ` · ${text.quality.ranks(rank(result.lexical), rank(result.dense))}`}
      </span>
    </>
  );
  const there = right !== undefined && result.outcome !== "gone";
  return (
    <li data-testid="quality-failure">
      {there ? (
        <button className={styles.open} onClick={() => openRight(library, right)} type="button">
          {body}
        </button>
      ) : (
        <div className={styles.open}>{body}</div>
      )}
    </li>
  );
}
