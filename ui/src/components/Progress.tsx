import { cx } from "./cx";
import styles from "./Progress.module.css";

/** How far something is. Without a total it only says that it goes on. */
export function Progress({ done, total, label }: { done: number; total: number | null; label: string }) {
  const share = total ? Math.min(1, done / total) : null;
  return (
    <div
      aria-label={label}
      aria-valuemax={total ?? undefined}
      aria-valuemin={0}
      aria-valuenow={total ? done : undefined}
      className={styles.track}
      role="progressbar"
    >
      <div
        className={cx(styles.bar, share === null && styles.unknown)}
        style={share === null ? undefined : { inlineSize: `${share * 100}%` }}
      />
    </div>
  );
}
