import type { ReactNode } from "react";
import { cx } from "./cx";
import styles from "./Pane.module.css";

/** A view whose head stays while the rest scrolls. */
export function Pane({ head, children }: { head: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.view}>
      {head}
      <div className={styles.scroll}>{children}</div>
    </div>
  );
}

/** What stands in a pane, no wider than reads well. */
export function Column({ above, children }: { above?: "flush" | "roomy"; children: ReactNode }) {
  return <div className={cx(styles.column, above && styles[above])}>{children}</div>;
}
