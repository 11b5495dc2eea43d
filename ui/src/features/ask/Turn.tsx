import { BookX, Boxes, Copy, RotateCcw, Search } from "lucide-react";
import type { AnswerDto, ModelDto } from "../../bindings/types";
import { Button, IconButton } from "../../components/Button";
import { Failed } from "../../components/Empty";
import { Trace } from "../../components/Trace";
import { notify } from "../../lib/notices";
import { useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";
import { type Text, useText } from "../../text";
import { AnswerText } from "./AnswerText";
import type { Live } from "./answering";
import { Conflicts } from "./Conflicts";
import { Notice } from "./Notice";
import { Nearest, Sources } from "./Sources";
import { Support } from "./Support";
import styles from "./Turn.module.css";

interface TurnProps {
  question: string;
  answer: AnswerDto | null;
  live: Live | null;
  last: boolean;
  onRetry: () => void;
}

/** A question and what became of it. */
export function Turn({ question, answer, live, last, onRetry }: TurnProps) {
  const text = useText();
  return (
    <article className={styles.turn}>
      <h2 className={styles.question}>
        <span className="visually-hidden">
          {text.ask.you}
          {text.colon}
        </span>
        {question}
      </h2>
      {answer ? (
        <Answered answer={answer} onRetry={last ? onRetry : null} />
      ) : live?.error ? (
        <Failed error={live.error} inline retry={onRetry} />
      ) : (
        live && <Working live={live} />
      )}
    </article>
  );
}

/** Why there is no answer: the model does not speak the language (`model` says which), is left out, or is not there. */
function NoModel({ model }: { model: string | null }) {
  const text = useText();
  const show = useView((view) => view.show);
  const models = useRead("models.list", {}, { enabled: model === null }).data?.models ?? [];
  const isThere = (one: ModelDto) => one.state === "installed" || one.state === "remote";
  const answering = models.filter((one) => one.role === "language_model");
  const leftOut = answering.some(isThere) ? undefined : answering.find((one) => one.state === "left_out");
  const [title, body] = model
    ? [text.ask.otherLanguageTitle, text.ask.otherLanguageBody(model)]
    : leftOut
      ? [text.ask.leftOutTitle, text.ask.leftOutBody(leftOut.name)]
      : [text.ask.noModelTitle, text.ask.noModelBody];
  return (
    <Notice body={body} icon={Boxes} title={title}>
      <Button onClick={() => show("models")}>{text.ask.noModelAction}</Button>
    </Notice>
  );
}

/** What is happening, in one line. */
function doing(text: Text, { stage, progress, hop }: Live): string {
  if (progress && stage?.name === "summarise") return text.ask.stage.part(progress.done, progress.total);
  switch (stage?.name) {
    case undefined:
      return text.ask.stage.start;
    case "read":
      return text.ask.stage.read(stage.passages, stage.documents);
    case "generate":
      return text.ask.stage.generate;
    case "verify":
      return text.ask.stage.verify;
    case "inventory":
      return text.ask.stage.inventory;
    default:
      return hop ? text.ask.stage.hop(hop) : text.ask.stage.search;
  }
}

function Working({ live }: { live: Live }) {
  const text = useText();
  const words = doing(text, live);
  return (
    <>
      <p aria-live="polite" className={styles.stage} data-testid="ask-stage">
        <span className={styles.pulse} />
        {words}
      </p>
      {live.text !== "" && (
        <div data-testid="answer" data-state="writing">
          <AnswerText answer={live.text} citations={live.citations} claims={live.claims} />
        </div>
      )}
      <Conflicts conflicts={live.conflicts} />
    </>
  );
}

/** Those of answers from before they were kept have no sides. */
function conflictsOf(answer: AnswerDto) {
  return answer.conflicts.filter((conflict) => conflict.sides?.length === 2);
}

function Answered({ answer, onRetry }: { answer: AnswerDto; onRetry: (() => void) | null }) {
  const text = useText();
  const copy = () => {
    void navigator.clipboard.writeText(answer.answer);
    notify({ kind: "done", message: text.action.copied });
  };

  if (answer.reason === "not_in_library") {
    return (
      <div data-reason={answer.reason} data-state="done" data-testid="answer">
        <Notice
          body={answer.mode === "exhaustive" ? answer.answer : text.ask.notHereBody}
          icon={BookX}
          title={text.ask.notHereTitle}
        />
        {answer.nearest.length > 0 && <Nearest hits={answer.nearest} />}
        <div className={styles.foot}>
          <Trace summary={text.ask.how} trace={answer.trace} />
        </div>
      </div>
    );
  }
  if (answer.reason === "no_model") {
    return (
      <div data-reason={answer.reason} data-state="done" data-testid="answer">
        <NoModel model={answer.model ?? null} />
        <Conflicts conflicts={conflictsOf(answer)} />
        {answer.nearest.length > 0 && <Nearest hits={answer.nearest} />}
      </div>
    );
  }
  if (answer.reason === "retrieval_failed") {
    return (
      <div data-reason={answer.reason} data-state="done" data-testid="answer">
        <Notice body={text.ask.retrievalBody} icon={Search} title={text.ask.retrievalTitle}>
          {onRetry && <Button onClick={onRetry}>{text.action.retry}</Button>}
        </Notice>
      </div>
    );
  }
  return (
    <div data-state="done" data-testid="answer">
      {answer.answer.trim() === "" ? (
        <p className={styles.none}>{text.ask.emptyAnswer}</p>
      ) : (
        <AnswerText answer={answer.answer} citations={answer.citations} claims={answer.claims} />
      )}
      {answer.mode === "stopped" && <p className={styles.stopped}>{text.ask.stopped}</p>}
      <Support answer={answer} />
      <Conflicts conflicts={conflictsOf(answer)} />
      {answer.citations.length > 0 && <Sources citations={answer.citations} />}
      <div className={styles.foot}>
        <Trace summary={answer.model ? text.ask.byModel(answer.model) : text.ask.how} trace={answer.trace} />
        <span className={styles.actions}>
          <IconButton icon={Copy} label={text.ask.copyAnswer} onClick={copy} small />
          {onRetry && <IconButton icon={RotateCcw} label={text.ask.again} onClick={onRetry} small />}
        </span>
      </div>
    </div>
  );
}
