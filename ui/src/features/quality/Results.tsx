import { Gauge, Play } from "lucide-react";
import { useState } from "react";
import type { EvaluationRun } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Empty, Failed } from "../../components/Empty";
import { Select } from "../../components/Field";
import { Column } from "../../components/Pane";
import { Skeleton } from "../../components/Skeleton";
import { ago, moment } from "../../lib/format";
import { useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { type Text, useText } from "../../text";
import { Chart } from "./Chart";
import { Failures } from "./Failures";
import { Metrics } from "./Metrics";
import styles from "./QualityView.module.css";
import { settingWords } from "./settings";
import { Working } from "./Working";
import { useWork } from "./work";

interface ResultsProps {
  library: string;
  show: (part: "questions") => void;
}

/** What a run says in one line: when, and with what. */
export function runWords(text: Text, run: EvaluationRun): string {
  const { chunking = "", fusion = "" } = run.settings;
  return `${moment(text, run.created)} · ${settingWords(text, { chunking, fusion })}`;
}

/** The last run, or another: metrics, failures, and what changed since an earlier one. */
export function Results({ library, show }: ResultsProps) {
  const text = useText();
  const run = useDo();
  const questions = useRead("quality.questions", { library });
  const runs = useRead("quality.runs", { library });
  const job = useWork("evaluation", library);
  const [chosen, setChosen] = useState<string | null>(null);
  const [against, setAgainst] = useState<string | null>(null);

  const all = runs.data?.runs ?? [];
  const shown = all.find((one) => one.id === chosen) ?? all.at(-1);
  const before = all.filter((one) => one.id !== shown?.id);
  const earlier = all.slice(
    0,
    Math.max(
      0,
      all.findIndex((one) => one.id === shown?.id),
    ),
  );
  // Without a choice, the run before this one over as many questions.
  const other =
    before.find((one) => one.id === against) ??
    (against === "none" ? undefined : earlier.findLast((one) => one.questions === shown?.questions));
  const whole = useRead("quality.show", { library, id: shown?.id ?? "" }, { enabled: shown !== undefined });
  const comparison = useRead(
    "quality.compare",
    { library, first: other?.id ?? "", second: shown?.id ?? "" },
    { enabled: other !== undefined && shown !== undefined },
  );

  const failure = runs.isError ? runs : questions;
  if (failure.isError && !failure.data) return <Failed error={failure.error} retry={failure.refetch} />;
  if (!runs.data || !questions.data)
    return (
      <Column>
        <Skeleton label={text.library.loading} lines={6} />
      </Column>
    );

  const count = questions.data.questions.length;
  const ask = () => {
    setChosen(null);
    void run("quality.run", { library });
  };
  if (!shown && !job)
    return (
      <Empty
        body={count > 0 ? text.quality.noRunsBody(count) : text.quality.emptyBody}
        icon={Gauge}
        testid="quality-empty"
        title={count > 0 ? text.quality.noRuns : text.quality.empty}
      >
        {count > 0 ? (
          <Button data-testid="quality-run" icon={Play} kind="primary" onClick={ask}>
            {text.quality.run}
          </Button>
        ) : (
          <Button kind="primary" onClick={() => show("questions")}>
            {text.quality.toQuestions}
          </Button>
        )}
      </Empty>
    );

  return (
    <Column>
      <div className={styles.head}>
        <p className={styles.lead}>
          {shown && (
            <>
              {text.quality.asked(shown.questions, shown.outcomes.found ?? 0)}
              <span className={styles.quiet} data-tip={runWords(text, shown)}>
                {ago(text, shown.created)}
              </span>
            </>
          )}
        </p>
        <Button
          data-testid="quality-run"
          disabled={job !== undefined || count === 0}
          icon={Play}
          kind="primary"
          onClick={ask}
        >
          {text.quality.run}
        </Button>
      </div>
      {job && <Working count job={job} label={text.quality.running} />}
      {shown && (
        <>
          {before.length > 0 && (
            <div className={styles.choice}>
              <Select
                change={setChosen}
                label={text.quality.shown}
                options={all.toReversed().map((one) => ({ value: one.id, label: runWords(text, one) }))}
                testid="quality-shown"
                value={shown.id}
              />
              <span className={styles.quiet}>{text.quality.against}</span>
              <Select
                change={setAgainst}
                label={text.quality.against}
                options={[
                  { value: "none", label: text.quality.againstNone },
                  ...before.toReversed().map((one) => ({ value: one.id, label: runWords(text, one) })),
                ]}
                testid="quality-against"
                value={other?.id ?? "none"}
              />
            </div>
          )}
          <Metrics comparison={other ? comparison.data : undefined} run={shown} />
          {whole.isError && <Failed error={whole.error} inline retry={whole.refetch} />}
          {whole.data && <Failures library={library} run={whole.data} />}
          {all.length > 1 && <Chart choose={setChosen} runs={all} shown={shown.id} />}
        </>
      )}
    </Column>
  );
}
