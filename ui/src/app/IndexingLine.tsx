import type { ActivityDto } from "../bindings/types";
import { percent } from "../lib/format";
import { useView } from "../lib/view";
import { useRead } from "../queries/hooks";
import { type Text, useText } from "../text";
import styles from "./Sidebar.module.css";

/** All background work in one line. */
export function workLine(text: Text, activity: ActivityDto | undefined, failed: boolean) {
  if (failed) return { state: "unreachable", words: text.activity.unreachable };
  const progress = activity?.progress ?? [];
  const sum = (key: "done" | "total" | "embedding" | "converting") =>
    progress.reduce((total, one) => total + one[key], 0);
  const [done, total, embedding, converting] = [
    sum("done"),
    sum("total"),
    sum("embedding"),
    sum("converting"),
  ];
  if (progress.some((one) => one.paused)) {
    return {
      state: "paused",
      words: total > 0 ? text.activity.pausedLine(done, total) : text.activity.paused,
    };
  }
  if (converting > 0 || (total > done && total > 0)) {
    return { state: "working", words: text.activity.short(done, total) };
  }
  if (embedding > 0) return { state: "working", words: text.activity.embedding(embedding) };
  if (progress.some((one) => one.scanning)) return { state: "working", words: text.activity.scanning };
  const job = activity?.jobs.find((one) => one.state === "running");
  if (job) {
    const kind = text.activity.kind[job.kind as keyof typeof text.activity.kind] ?? job.kind;
    const share = job.done !== null && job.total ? ` ${percent(text, job.done / job.total)}` : "";
    return { state: "working", words: `${kind}${share}` };
  }
  return { state: "idle", words: text.activity.idle };
}

/** The one place where background work shows itself. Opens Activity. */
export function IndexingLine({ folded }: { folded: boolean }) {
  const text = useText();
  const show = useView((view) => view.show);
  const { data, isError } = useRead("activity", {});
  const { state, words } = workLine(text, data, isError);
  return (
    <button
      aria-label={`${text.nav.activity}${text.colon}${words}`}
      className={styles.indexing}
      data-state={state}
      data-testid="indexing-line"
      onClick={() => show("activity")}
      data-tip={words}
      type="button"
    >
      <span className={styles.dot} data-state={state} />
      {!folded && <span className={styles.label}>{words}</span>}
    </button>
  );
}
