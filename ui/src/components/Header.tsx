import type { ReactNode } from "react";
import { cx } from "./cx";
import styles from "./Header.module.css";

interface HeaderProps {
  title: string;
  about?: ReactNode;
  /** As wide as a column of text, for views that are one. */
  column?: boolean;
  children?: ReactNode;
}

/** The top of a view: its title, something about it, and its actions. */
export function Header({ title, about, column, children }: HeaderProps) {
  return (
    <header className={cx(styles.header, column && styles.column)}>
      <h1 className={styles.title}>{title}</h1>
      {about && <div className={styles.about}>{about}</div>}
      <div className={styles.actions}>{children}</div>
    </header>
  );
}
