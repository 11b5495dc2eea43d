import type { ReactNode } from "react";
import styles from "./Header.module.css";

/** The top of a view: its title, something about it, and its actions. */
export function Header({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className={styles.header}>
      <h1 className={styles.title}>{title}</h1>
      {about && <div className={styles.about}>{about}</div>}
      <div className={styles.actions}>{children}</div>
    </header>
  );
}
