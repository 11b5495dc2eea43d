import { useState } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { Progress } from "../../components/Progress";
import { Skeleton } from "../../components/Skeleton";
import { toProblem } from "../../host";
import { duration } from "../../lib/format";
import { useRead, useWrite } from "../../queries/hooks";
import { useText } from "../../text";
import { problemSentence } from "../../text/problems";
import styles from "./ContextDialog.module.css";

/** Lines of context of a library: how far they are, and before they are begun what they cost and how they read. */
export function ContextDialog({ library, close }: { library: string; close: () => void }) {
  const text = useText();
  const words = text.library;
  const [tried, setTried] = useState(false);
  const state = useRead("library.enrichment", { name: library });
  const trial = useRead(
    "library.enrichment",
    { name: library, estimate: true },
    { enabled: tried, gcTime: 0 },
  );
  const settings = useWrite("library.settings");
  const now = state.data;
  const estimate = trial.data?.estimate;
  const failed = settings.error ?? trial.error ?? state.error;
  const problem = failed ? problemSentence(text, toProblem(failed)) : null;
  const turn = (value: "on" | "off") =>
    settings.mutate({ name: library, changes: { enrichment: value } }, { onSuccess: close });

  return (
    <Dialog
      actions={
        now &&
        (now.on ? (
          <Button data-testid="context-off" disabled={settings.isPending} onClick={() => turn("off")}>
            {words.contextOff}
          </Button>
        ) : estimate ? (
          <Button data-testid="context-on" disabled={settings.isPending} kind="primary" submit>
            {words.contextOn}
          </Button>
        ) : (
          <Button data-testid="context-try" disabled={tried && !trial.isError} kind="primary" submit>
            {words.contextTry}
          </Button>
        ))
      }
      body={words.contextBody}
      close={close}
      closing={now?.on ? text.action.close : undefined}
      submit={() => {
        if (!now || now.on) return;
        if (estimate) turn("on");
        else if (tried) void trial.refetch();
        else setTried(true);
      }}
      title={words.context}
    >
      {problem && (
        <p className={styles.failed} role="alert">
          {[problem.message, problem.hint].filter(Boolean).join(" ")}
        </p>
      )}
      {now?.on && (
        <div className={styles.state} data-testid="context-state">
          <p>{words.contextState(now.lines, now.passages, now.waiting)}</p>
          {now.waiting > 0 && (
            <Progress done={now.passages - now.waiting} label={words.context} total={now.passages} />
          )}
        </div>
      )}
      {tried && !estimate && !trial.isError && <Skeleton label={words.contextTrying} lines={4} />}
      {estimate && (
        <div className={styles.state} data-testid="context-estimate">
          <p>
            {words.contextCost(estimate.passages, estimate.model, duration(text, estimate.seconds))}
            {!estimate.local && ` ${words.contextSent(estimate.tokens_read, estimate.tokens_written)}`}
          </p>
          <ul className={styles.samples}>
            {estimate.samples.map((sample) => (
              <li key={sample.passage}>
                <p className={styles.line}>{sample.line ?? words.contextNone}</p>
                <p className={styles.passage}>{sample.passage}</p>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}
