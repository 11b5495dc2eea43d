import styles from "./Skeleton.module.css";

const WIDTHS = ["92%", "78%", "86%", "64%", "88%", "72%"];

/** Lines where text will stand. Shown only once a wait is long enough to be noticed. */
export function Skeleton({ lines, label }: { lines: number; label: string }) {
  return (
    <div aria-busy="true" aria-label={label} className={styles.skeleton} role="status">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike
        <span className={styles.line} key={index} style={{ inlineSize: WIDTHS[index % WIDTHS.length] }} />
      ))}
    </div>
  );
}
