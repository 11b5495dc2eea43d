import { Copy, MessageSquareQuote, RotateCcw, ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import type { AnswerDto, TurnDto } from "../../bindings/types";
import { Button, IconButton } from "../../components/Button";
import { notify } from "../../lib/notices";
import { useView } from "../../lib/view";
import { useDo } from "../../queries/useDo";
import { libraryName, useText } from "../../text";
import styles from "./Actions.module.css";

interface ActionsProps {
  answer: AnswerDto;
  kept: TurnDto | null;
  onAgain: (() => void) | null;
}

/** What can be done with an answer. */
export function Actions({ answer, kept, onAgain }: ActionsProps) {
  const text = useText();
  const run = useDo();
  const chat = useView((view) => view.chat);
  const [noting, setNoting] = useState(false);
  const said = answer.answer.trim() !== "";
  const copied = async (words: string) => {
    await navigator.clipboard.writeText(words);
    notify({ kind: "done", message: text.action.copied });
  };
  const copySources = async (turn: number) => {
    const made = chat !== null && (await run("chats.export", { id: chat, turn }));
    if (made) await copied(made.markdown.trim());
  };
  const rate = async (turn: TurnDto, rating: "good" | "bad" | null, note?: string) => {
    if (chat === null) return;
    const rated = await run("chats.rate", { id: chat, turn: turn.number, rating, note: note ?? null });
    setNoting(rated !== undefined && rating === "bad" && note === undefined);
    if (rated && rated.libraries.length > 0) {
      const names = rated.libraries.map((name) => libraryName(text, name)).join(text.comma);
      notify({ kind: "done", message: text.chats.nowAQuestion(names) });
    }
  };
  const isRateable = kept !== null && (said || answer.reason === "not_in_library");
  return (
    <>
      <span className={styles.actions}>
        {said && (
          <IconButton icon={Copy} label={text.ask.copyAnswer} onClick={() => copied(answer.answer)} small />
        )}
        {kept && said && (
          <IconButton
            data-testid="copy-sources"
            icon={MessageSquareQuote}
            label={text.chats.copySources}
            onClick={() => copySources(kept.number)}
            small
          />
        )}
        {onAgain && (
          <IconButton data-testid="again" icon={RotateCcw} label={text.chats.again} onClick={onAgain} small />
        )}
        {isRateable && (
          <>
            <IconButton
              aria-pressed={kept.rating === "good"}
              data-testid="rate-good"
              icon={ThumbsUp}
              label={text.chats.good}
              on={kept.rating === "good"}
              onClick={() => rate(kept, kept.rating === "good" ? null : "good")}
              small
            />
            <IconButton
              aria-pressed={kept.rating === "bad"}
              data-testid="rate-bad"
              icon={ThumbsDown}
              label={text.chats.bad}
              on={kept.rating === "bad"}
              onClick={() => rate(kept, kept.rating === "bad" ? null : "bad")}
              small
            />
          </>
        )}
      </span>
      {noting && kept && <Note cancel={() => setNoting(false)} keep={(note) => rate(kept, "bad", note)} />}
    </>
  );
}

/** Why an answer was not good, if people want to say it. */
function Note({ keep, cancel }: { keep: (note: string) => void; cancel: () => void }) {
  const text = useText();
  const [note, setNote] = useState("");
  return (
    <form
      className={styles.note}
      onSubmit={(event) => {
        event.preventDefault();
        keep(note.trim());
      }}
    >
      <input
        aria-label={text.chats.note}
        // biome-ignore lint/a11y/noAutofocus: it was asked for by the button before it
        autoFocus
        className={styles.field}
        data-testid="rate-note"
        onChange={(event) => setNote(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          cancel();
        }}
        placeholder={`${text.chats.note} ${text.chats.noteHint}`}
        value={note}
      />
      <Button disabled={note.trim() === ""} small submit>
        {text.chats.noteSave}
      </Button>
    </form>
  );
}
