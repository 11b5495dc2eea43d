import type { LucideIcon } from "lucide-react";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { toProblem } from "../host";
import { useText } from "../text";
import { problemSentence } from "../text/problems";
import { Button } from "./Button";
import { cx } from "./cx";
import styles from "./Empty.module.css";

interface EmptyProps {
  icon?: LucideIcon;
  title: string;
  body?: string | null;
  children?: ReactNode;
  inline?: boolean;
  alert?: boolean;
  testid?: string;
}

/** Nothing to show: what this is, what to do next, one button. */
export function Empty({ icon: Picture, title, body, children, inline, alert, testid }: EmptyProps) {
  return (
    <div
      className={cx(styles.empty, inline && styles.inline)}
      data-testid={testid}
      role={alert ? "alert" : undefined}
    >
      {Picture && (
        <span className={cx(styles.picture, alert && styles.alert)}>
          <Picture aria-hidden="true" size={22} strokeWidth={1.4} />
        </span>
      )}
      <h2 className={styles.title}>{title}</h2>
      {body && <p className={styles.body}>{body}</p>}
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  );
}

/** A read that failed: what happened, what to do, and trying again. */
export function Failed({ error, retry, inline }: { error: unknown; retry?: () => void; inline?: boolean }) {
  const text = useText();
  const { message, hint } = problemSentence(text, toProblem(error));
  return (
    <Empty alert body={hint} icon={CircleAlert} inline={inline} testid="failed" title={message}>
      {retry && <Button onClick={retry}>{text.action.retry}</Button>}
    </Empty>
  );
}
