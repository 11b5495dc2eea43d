import { Check, CircleAlert, X } from "lucide-react";
import { useNotices } from "../lib/notices";
import { useText } from "../text";
import { Button, IconButton } from "./Button";
import { Icon } from "./Icon";
import styles from "./Toaster.module.css";

/** Short messages at the lower edge. */
export function Toaster() {
  const text = useText();
  const { notices, dismiss } = useNotices();
  return (
    <div aria-live="polite" className={styles.toaster} role="status">
      {notices.map((notice) => (
        <div className={styles.notice} data-testid={`notice-${notice.kind}`} key={notice.id}>
          <span className={styles[notice.kind]}>
            <Icon of={notice.kind === "done" ? Check : CircleAlert} />
          </span>
          <span className={styles.message}>
            {notice.message}
            {notice.hint && <span className={styles.hint}>{notice.hint}</span>}
          </span>
          {notice.action && (
            <Button
              kind="quiet"
              onClick={() => {
                notice.action?.run();
                dismiss(notice.id);
              }}
              small
            >
              {notice.action.label}
            </Button>
          )}
          <IconButton icon={X} label={text.action.dismiss} onClick={() => dismiss(notice.id)} small />
        </div>
      ))}
    </div>
  );
}
