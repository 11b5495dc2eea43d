import { ListPlus, PenLine, Sparkles, Trash2 } from "lucide-react";
import { useState } from "react";
import type { QuestionDto } from "../../bindings/types";
import { choose } from "../../components/asking";
import { Button, IconButton } from "../../components/Button";
import { cx } from "../../components/cx";
import { Empty, Failed } from "../../components/Empty";
import { Column } from "../../components/Pane";
import { Skeleton } from "../../components/Skeleton";
import { notify } from "../../lib/notices";
import { useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import { NotGood } from "./NotGood";
import styles from "./QualityView.module.css";
import { Working } from "./Working";
import { WriteDialog } from "./WriteDialog";
import { openRight, useWork } from "./work";

/** Questions that are made at a time. */
const COUNT = 30;

/** The library's own questions, each with the passage that answers it. */
export function Questions({ library }: { library: string }) {
  const text = useText();
  const run = useDo();
  const list = useRead("quality.questions", { library });
  const info = useRead("app.info", {}).data;
  const job = useWork("questions", library);
  const [writing, setWriting] = useState<string | null>(null);
  const questions = list.data?.questions ?? [];

  const make = async () => {
    const made = await run("quality.generate", { library, count: COUNT });
    if (!made) return;
    const n = made.questions.length;
    notify({
      kind: "done",
      message: text.quality.made(n),
      hint: n < COUNT ? text.quality.madeFewer(made.tried) : null,
    });
  };
  const remove = async (gone: QuestionDto[]) => {
    const answer = await choose({
      title: text.quality.removeTitle(gone.length),
      body: gone.length === 1 ? gone[0]?.text : text.quality.removeBody,
      choices: [{ id: "remove", label: text.action.remove, kind: "danger" }],
    });
    if (answer === "remove") await run("quality.remove", { library, ids: gone.map(({ id }) => id) });
  };

  const actions = (
    <>
      <Button data-testid="quality-write" icon={PenLine} onClick={() => setWriting("")}>
        {text.quality.write}
      </Button>
      <Button
        data-testid="quality-generate"
        disabled={job !== undefined}
        icon={Sparkles}
        kind="primary"
        onClick={() => void make()}
      >
        {text.quality.generate}
      </Button>
    </>
  );
  if (list.isError && !list.data) return <Failed error={list.error} retry={list.refetch} />;
  return (
    <>
      {list.data && <NotGood known={questions} library={library} mark={setWriting} />}
      {list.isPending ? (
        <Column>
          <Skeleton label={text.library.loading} lines={6} />
        </Column>
      ) : questions.length === 0 && !job ? (
        <Empty
          body={info?.language_model ? text.quality.noneBody : text.quality.noneBodyNoModel}
          icon={ListPlus}
          testid="quality-none"
          title={text.quality.none}
        >
          {actions}
        </Empty>
      ) : (
        <Column>
          <div className={styles.head}>
            <p className={styles.lead}>{text.quality.count(questions.length)}</p>
            {questions.length > 0 && (
              <Button kind="quiet" onClick={() => void remove(questions)}>
                {text.quality.removeAll}
              </Button>
            )}
            {actions}
          </div>
          {job && <Working count job={job} label={text.quality.generating} />}
          <ul className={styles.list}>
            {questions.toReversed().map((question) => (
              <Row
                key={question.id}
                library={library}
                question={question}
                remove={() => void remove([question])}
              />
            ))}
          </ul>
        </Column>
      )}
      {writing !== null && <WriteDialog asked={writing} close={() => setWriting(null)} library={library} />}
    </>
  );
}

function Row(props: { question: QuestionDto; library: string; remove: () => void }) {
  const { question, library, remove } = props;
  const text = useText();
  const kind = text.quality.kind[question.kind as keyof typeof text.quality.kind] ?? question.kind;
  const tip = text.quality.kindTip[question.kind as keyof typeof text.quality.kindTip];
  return (
    <li className={styles.row} data-testid="quality-question">
      <div className={styles.body}>
        <p className={styles.question}>{question.text}</p>
        {question.right.map((right) => {
          const gone = right.state !== "here";
          const words = (
            <>
              <span className={styles.source}>
                {right.title}
                {gone && (
                  <span className={styles.gone}>
                    {" · "}
                    {text.quality.rightState[right.state as "gone" | "not_converted"]}
                  </span>
                )}
              </span>
              {right.quote && <span className={cx(styles.quote)}>{right.quote}</span>}
            </>
          );
          const key = `${right.document} ${right.start} ${right.quote}`;
          return gone ? (
            <div className={styles.right} key={key}>
              {words}
            </div>
          ) : (
            <button
              className={styles.right}
              key={key}
              onClick={() => openRight(library, right)}
              type="button"
            >
              {words}
            </button>
          );
        })}
      </div>
      <span className={styles.kind} data-tip={tip}>
        {kind}
      </span>
      <IconButton icon={Trash2} label={text.quality.removeOne(question.text)} onClick={remove} small />
    </li>
  );
}
