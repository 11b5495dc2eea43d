import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../components/cx";
import { Icon } from "../../components/Icon";
import styles from "./Bar.module.css";

interface BarProps {
  kind: "advice" | "warning";
  icon: LucideIcon;
  testid: string;
  words: ReactNode;
  /** What can be done. */
  children: ReactNode;
}

/** A line above the documents that asks for a decision; a warning is read out at once. */
export function Bar({ kind, icon, testid, words, children }: BarProps) {
  return (
    <div
      className={cx(styles.bar, styles[kind])}
      data-testid={testid}
      role={kind === "warning" ? "alert" : "status"}
    >
      <Icon of={icon} />
      <div className={styles.words}>{words}</div>
      {children}
    </div>
  );
}
