import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { useText } from "../text";
import { Button } from "./Button";
import styles from "./Dialog.module.css";

interface DialogProps {
  title: string;
  body?: string;
  children?: ReactNode;
  /** The buttons; a Cancel stands before them. Without any there is only something to be read. */
  actions?: ReactNode;
  /** What the button that only closes says, where that is not "Cancel". */
  closing?: string;
  close: () => void;
  submit?: () => void;
}

/** A question that has to be answered first. The platform's own modal: it keeps the focus inside and gives it back. */
export function Dialog({ title, body, children, actions, closing, close, submit }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const text = useText();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit?.();
  };
  return (
    <dialog
      aria-describedby={body ? `${id}-body` : undefined}
      aria-labelledby={`${id}-title`}
      className={styles.dialog}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      ref={ref}
    >
      <form onSubmit={onSubmit}>
        <h2 className={styles.title} id={`${id}-title`}>
          {title}
        </h2>
        {body && (
          <p className={styles.body} id={`${id}-body`}>
            {body}
          </p>
        )}
        {children && <div className={styles.fields}>{children}</div>}
        <div className={styles.actions}>
          <Button onClick={close}>{closing ?? (actions ? text.action.cancel : text.action.close)}</Button>
          {actions}
        </div>
      </form>
    </dialog>
  );
}
