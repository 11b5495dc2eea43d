import { BookX, Boxes, CircleAlert, Search } from "lucide-react";
import type { AnswerDto, ModelDto, TurnDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Failed } from "../../components/Empty";
import { Trace } from "../../components/Trace";
import { useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";
import { useText } from "../../text";
import { problemSentence } from "../../text/problems";
import { Actions } from "./Actions";
import { AnswerText } from "./AnswerText";
import type { Live } from "./answering";
import { Notice } from "./Notice";
import { Question } from "./Question";
import { Nearest, Sources } from "./Sources";
import { Support } from "./Support";
import styles from "./Turn.module.css";

interface TurnProps {
  question: string;
  answer: AnswerDto | null;
  live: Live | null;
  /** As the program has it, once it has. */
  kept: TurnDto | null;
  /** Another question is being answered. */
  busy: boolean;
  /** Asks: further on, or in the place of a turn. */
  onAsk: (question: string, instead: number | null) => void;
}

/** A question and what became of it. */
export function Turn({ question, answer, live, kept, busy, onAsk }: TurnProps) {
  const number = kept?.number ?? live?.params.instead ?? null;
  const again = () => onAsk(question, number);
  return (
    <article className={styles.turn}>
      <Question
        busy={busy}
        key={number}
        kept={kept}
        onAsk={(changed) => onAsk(changed, number)}
        question={question}
      />
      {answer ? (
        <Answered answer={answer} busy={busy} kept={kept} onAgain={again} />
      ) : live?.error ? (
        <Failed error={live.error} inline retry={again} />
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

function Working({ live }: { live: Live }) {
  const text = useText();
  const { stage } = live;
  const words =
    stage === null
      ? text.ask.stage.start
      : stage.name === "read"
        ? text.ask.stage.read(stage.passages, stage.documents)
        : stage.name === "generate"
          ? text.ask.stage.generate
          : text.ask.stage.search;
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
    </>
  );
}

interface AnsweredProps {
  answer: AnswerDto;
  kept: TurnDto | null;
  busy: boolean;
  onAgain: () => void;
}

/** An answer, or what there is instead of one, and what can be done with it. */
function Answered({ answer, kept, busy, onAgain }: AnsweredProps) {
  const text = useText();
  return (
    <div data-reason={answer.reason ?? undefined} data-state="done" data-testid="answer">
      <Said answer={answer} onAgain={busy ? null : onAgain} />
      <div className={styles.foot}>
        <Trace summary={answer.model ? text.ask.byModel(answer.model) : text.ask.how} trace={answer.trace} />
        <Actions answer={answer} kept={kept} onAgain={busy ? null : onAgain} />
      </div>
      {kept?.note && (
        <p className={styles.note}>
          {text.chats.bad}
          {text.colon}
          {kept.note}
        </p>
      )}
    </div>
  );
}

function Said({ answer, onAgain }: { answer: AnswerDto; onAgain: (() => void) | null }) {
  const text = useText();
  const { reason, nearest } = answer;
  const near = nearest.length > 0 && <Nearest hits={nearest} />;
  if (reason === "not_in_library") {
    return (
      <>
        <Notice body={text.ask.notHereBody} icon={BookX} title={text.ask.notHereTitle} />
        {near}
      </>
    );
  }
  if (reason === "no_model") {
    return (
      <>
        <NoModel model={answer.model ?? null} />
        {near}
      </>
    );
  }
  const retry = onAgain && <Button onClick={onAgain}>{text.action.retry}</Button>;
  if (reason === "retrieval_failed") {
    return (
      <Notice body={text.ask.retrievalBody} icon={Search} title={text.ask.retrievalTitle}>
        {retry}
      </Notice>
    );
  }
  const words = answer.answer.trim() !== "" && (
    <AnswerText answer={answer.answer} citations={answer.citations} claims={answer.claims} />
  );
  if (reason === "failed") {
    const said = answer.problem ? problemSentence(text, answer.problem) : null;
    return (
      <>
        {words}
        <Notice
          body={[said?.message, said?.hint].filter(Boolean).join(" ")}
          icon={CircleAlert}
          title={text.chats.failed}
        >
          {retry}
        </Notice>
      </>
    );
  }
  return (
    <>
      {words || <p className={styles.none}>{text.ask.emptyAnswer}</p>}
      {answer.mode === "stopped" && <p className={styles.stopped}>{text.ask.stopped}</p>}
      <Support answer={answer} />
      {answer.citations.length > 0 && <Sources citations={answer.citations} />}
    </>
  );
}
