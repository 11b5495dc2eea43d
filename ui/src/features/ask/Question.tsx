import { ChevronLeft, ChevronRight, Pencil } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { TurnDto } from "../../bindings/types";
import { Button, IconButton } from "../../components/Button";
import { composing } from "../../lib/ime";
import { useView } from "../../lib/view";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import styles from "./Question.module.css";

interface QuestionProps {
  question: string;
  kept: TurnDto | null;
  busy: boolean;
  onAsk: (question: string) => void;
}

/** A question; it can be changed, which begins a branch beside it, and the branches beside it can be gone through. */
export function Question({ question, kept, busy, onAsk }: QuestionProps) {
  const text = useText();
  const [editing, setEditing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const end = () => {
    setEditing(false);
    requestAnimationFrame(() => opener.current?.focus());
  };
  if (editing) {
    return (
      <Edit
        cancel={end}
        question={question}
        send={(changed) => {
          setEditing(false);
          onAsk(changed);
        }}
      />
    );
  }
  return (
    <div className={styles.head}>
      <h2 className={styles.question}>
        <span className="visually-hidden">
          {text.ask.you}
          {text.colon}
        </span>
        {question}
      </h2>
      {kept && (
        <span className={styles.actions}>
          {kept.siblings.length > 1 && <Branches busy={busy} turn={kept} />}
          <IconButton
            className={styles.edit}
            data-testid="question-edit"
            disabled={busy}
            icon={Pencil}
            label={text.chats.edit}
            onClick={() => setEditing(true)}
            ref={opener}
            small
          />
        </span>
      )}
    </div>
  );
}

/** `‹ 2 of 3 ›` */
function Branches({ turn, busy }: { turn: TurnDto; busy: boolean }) {
  const text = useText();
  const run = useDo();
  const chat = useView((view) => view.chat);
  const { siblings, number } = turn;
  const at = siblings.indexOf(number);
  const step = (by: number) => {
    const next = siblings[at + by];
    if (next !== undefined && chat !== null) void run("chats.branch", { id: chat, turn: next });
  };
  return (
    <span className={styles.branches}>
      <IconButton
        disabled={busy || at === 0}
        icon={ChevronLeft}
        label={text.chats.earlierBranch}
        onClick={() => step(-1)}
        small
      />
      <span aria-label={text.chats.branchLabel(at + 1, siblings.length)} data-testid="branch" role="status">
        {text.chats.branch(at + 1, siblings.length)}
      </span>
      <IconButton
        disabled={busy || at === siblings.length - 1}
        icon={ChevronRight}
        label={text.chats.laterBranch}
        onClick={() => step(1)}
        small
      />
    </span>
  );
}

interface EditProps {
  question: string;
  send: (question: string) => void;
  cancel: () => void;
}

function Edit({ question, send, cancel }: EditProps) {
  const text = useText();
  const [typed, setTyped] = useState(question);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(question.length, question.length);
  }, [question]);
  const ready = typed.trim() !== "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event)) return;
    if (event.key === "Enter" && !event.shiftKey && ready) {
      event.preventDefault();
      send(typed.trim());
    } else if (event.key === "Escape") {
      // Not for the Reader, which closes by the same key.
      event.preventDefault();
      event.stopPropagation();
      cancel();
    }
  };
  return (
    <div className={styles.editing}>
      <textarea
        aria-label={text.chats.editLabel}
        className={styles.field}
        data-testid="question-field"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        ref={field}
        rows={Math.min(6, typed.split("\n").length + 1)}
        value={typed}
      />
      <div className={styles.buttons}>
        <Button onClick={cancel} small>
          {text.action.cancel}
        </Button>
        <Button disabled={!ready} kind="primary" onClick={() => send(typed.trim())} small>
          {text.chats.editAsk}
        </Button>
      </div>
    </div>
  );
}
