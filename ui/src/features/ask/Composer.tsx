import { ArrowUp, Square } from "lucide-react";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { cx } from "../../components/cx";
import { HowToSearch } from "../../components/HowToSearch";
import { Icon } from "../../components/Icon";
import { composing } from "../../lib/ime";
import { stopAnswer } from "../../lib/stop";
import { openReader, useView } from "../../lib/view";
import { useText } from "../../text";
import styles from "./Composer.module.css";

/** Where questions are written. */
export function Composer({
  busy,
  more,
  onAsk,
}: {
  busy: boolean;
  more: boolean;
  onAsk: (question: string) => void;
}) {
  const text = useText();
  const { draft, chat, set } = useView();
  const field = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState(draft);
  const [kept, setKept] = useState(draft);
  if (kept !== draft) {
    setKept(draft);
    setTyped(draft);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: another chat wants its question
  useEffect(() => field.current?.focus(), [chat]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it grows with what is typed
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight}px`;
  }, [typed]);

  const ready = typed.trim() !== "" && !busy;
  const send = () => {
    if (!ready) return;
    const question = typed.trim();
    setTyped("");
    onAsk(question);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    }
    if (event.key === "Escape" && busy && !openReader()) {
      event.preventDefault();
      stopAnswer();
    }
  };

  return (
    <div className={styles.composer}>
      <div className={styles.line}>
        <textarea
          aria-label={text.ask.placeholder}
          className={styles.input}
          data-testid="ask-input"
          onBlur={() => set({ draft: typed })}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder={more ? text.ask.placeholderMore : text.ask.placeholder}
          ref={field}
          rows={1}
          value={typed}
        />
        <HowToSearch />
        {busy ? (
          <button
            aria-label={text.ask.stop}
            className={cx(styles.send, styles.stop)}
            data-testid="ask-stop"
            onClick={stopAnswer}
            data-tip={text.ask.stop}
            type="button"
          >
            <Square aria-hidden="true" fill="currentColor" size={11} strokeWidth={0} />
          </button>
        ) : (
          <button
            aria-label={text.ask.send}
            className={styles.send}
            data-testid="ask-send"
            disabled={!ready}
            onClick={send}
            data-tip={text.ask.send}
            type="button"
          >
            <Icon of={ArrowUp} />
          </button>
        )}
      </div>
    </div>
  );
}
