import { BookX } from "lucide-react";
import { useRef } from "react";
import type { AnswerDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { useText } from "../../text";
import { Notice } from "./Notice";
import { Nearest } from "./Sources";
import styles from "./Support.module.css";

/** Says under an answer how much of it the documents do not carry; nothing where they carry all of it. */
export function Support({ answer }: { answer: AnswerDto }) {
  const text = useText();
  const shown = useRef(0);
  const { claims, nearest, mode } = answer;
  const doubtful = claims.filter((claim) => claim.verdict !== "supported").length;
  const nothing = claims.length > 0 ? doubtful === claims.length : mode === "top-k" && !answer.grounded;
  if (nothing) {
    return (
      <div className={styles.nothing} data-testid="unsupported">
        <Notice body={text.ask.nothingSupportedBody} icon={BookX} title={text.ask.nothingSupportedTitle} />
        {nearest.length > 0 && <Nearest hits={nearest} />}
      </div>
    );
  }
  if (doubtful === 0) return null;
  // With each press to the next of them, from the last to the first.
  const showNext = (button: Element) => {
    const all = button.closest("article")?.querySelectorAll<HTMLElement>("[data-verdict]") ?? [];
    const next = all[shown.current % all.length];
    shown.current += 1;
    next?.scrollIntoView({ block: "nearest" });
    next?.focus({ preventScroll: true });
  };
  return (
    <div className={styles.some} data-testid="unsupported">
      <p>
        {text.ask.unsupportedCount(doubtful)}{" "}
        {claims.length > 1 && text.ask.supported(claims.length - doubtful, claims.length)}
      </p>
      <Button kind="quiet" onClick={({ currentTarget }) => showNext(currentTarget)} small>
        {text.ask.showUnsupported}
      </Button>
    </div>
  );
}
