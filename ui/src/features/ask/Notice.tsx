import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Icon } from "../../components/Icon";
import styles from "./Notice.module.css";

interface NoticeProps {
  icon: LucideIcon;
  title: string;
  body: string;
  children?: ReactNode;
}

/** What people have to know of an answer, or of the lack of one, before they go on. */
export function Notice({ icon, title, body, children }: NoticeProps) {
  return (
    <div className={styles.notice}>
      <Icon of={icon} />
      <div>
        <p className={styles.title}>{title}</p>
        <p className={styles.body}>{body}</p>
        {children && <div className={styles.actions}>{children}</div>}
      </div>
    </div>
  );
}
