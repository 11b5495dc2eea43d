import { Lock, TriangleAlert } from "lucide-react";
import type { DocumentDto } from "../bindings/types";
import { type Text, useText } from "../text";
import { reasonSentence } from "../text/problems";
import styles from "./StateMark.module.css";

/** A small mark for a state; the word beside it says the same. */
export function Mark({ state }: { state: string }) {
  const shared = { "aria-hidden": true, className: `${styles.mark} ${styles[state] ?? ""}` } as const;
  if (state === "needs_password") return <Lock {...shared} size={11} strokeWidth={2} />;
  if (state === "failed") return <TriangleAlert {...shared} size={11} strokeWidth={2} />;
  return (
    <svg {...shared} fill="none" stroke="currentColor" strokeWidth="1.5" viewBox="0 0 10 10">
      {state === "ready" && <circle cx="5" cy="5" fill="currentColor" r="3.25" stroke="none" />}
      {(state === "words" || state === "partial") && (
        <>
          <circle cx="5" cy="5" r="3.25" />
          <path d="M5 1.75a3.25 3.25 0 0 1 0 6.5z" fill="currentColor" stroke="none" />
        </>
      )}
      {(state === "waiting" || state === "names") && (
        <circle cx="5" cy="5" r="3.25" strokeDasharray="2 1.4" />
      )}
      {state === "no_text" && <path d="M2 5h6" strokeLinecap="round" />}
      {state === "skipped" && <path d="M2 5h6" strokeLinecap="round" />}
      {state === "missing" && <path d="m2.5 2.5 5 5m0-5-5 5" strokeLinecap="round" />}
    </svg>
  );
}

/** `failed: the file is damaged`. */
export function stateWords(text: Text, document: DocumentDto): string {
  const word = text.state[document.state as keyof typeof text.state] ?? document.state;
  // Where the state is the whole reason, it would be said twice.
  const plain = document.state === "ready" || document.code === document.state;
  const reason = plain ? "" : reasonSentence(text, document.code, document.reason);
  return reason === "" || reason === word ? word : `${word}${text.colon}${reason}`;
}

/** The same with all that the program knows of the cause, in its own English. */
export function stateInFull(text: Text, document: DocumentDto): string {
  const ours = reasonSentence(text, document.code, document.reason);
  const own = document.reason ?? "";
  const words = stateWords(text, document);
  return own.startsWith(ours) ? words + own.slice(ours.length) : `${words}\n${own}`.trimEnd();
}

export function StateMark({ document }: { document: DocumentDto }) {
  const words = stateWords(useText(), document);
  return (
    <span className={styles.state}>
      <Mark state={document.state} />
      <span className={styles.label} data-tip={words}>
        {words}
      </span>
    </span>
  );
}
