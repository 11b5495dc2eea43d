import { useState } from "react";
import type { HitDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { Field } from "../../components/Field";
import { Runs } from "../../components/Runs";
import { toProblem } from "../../host";
import { useRested } from "../../lib/hooks";
import { useRead, useWrite } from "../../queries/hooks";
import { useText } from "../../text";
import { problemSentence } from "../../text/problems";
import styles from "./QualityView.module.css";

/** Passages to choose from. */
const HITS = 8;

interface WriteDialogProps {
  library: string;
  close: () => void;
  /** A question that is there already. */
  asked?: string;
}

/** A question by hand: what is asked, and which passages answer it. */
export function WriteDialog({ library, close, asked = "" }: WriteDialogProps) {
  const text = useText();
  const write = useWrite("quality.write");
  const [question, setQuestion] = useState(asked);
  const [words, setWords] = useState("");
  const [marked, setMarked] = useState<HitDto[]>([]);
  const wanted = useRested((words.trim() || question.trim()).slice(0, 500), 150);
  const search = useRead(
    "search",
    { query: wanted, libraries: [library], n: HITS, snippets: true },
    { enabled: wanted !== "", keep: true },
  );
  const hits = wanted === "" ? [] : (search.data?.hits ?? []);
  const isMarked = (hit: HitDto) => marked.some((one) => one.passage.id === hit.passage.id);
  // What was marked stays in sight, whatever is looked for next.
  const shown = [...marked, ...hits.filter((hit) => !isMarked(hit))];
  const ready = question.trim() !== "" && marked.length > 0 && !write.isPending;
  const problem = write.isError ? problemSentence(text, toProblem(write.error)) : null;

  const save = () => {
    if (!ready) return;
    const right = marked.map(({ document, passage }) => ({
      document: document.id,
      start: passage.start,
      end: passage.end,
    }));
    write.mutate({ library, text: question.trim(), right }, { onSuccess: close });
  };
  const toggle = (hit: HitDto) =>
    setMarked(isMarked(hit) ? marked.filter((one) => one.passage.id !== hit.passage.id) : [...marked, hit]);

  return (
    <Dialog
      actions={
        <Button data-testid="quality-save" disabled={!ready} kind="primary" submit>
          {text.action.save}
        </Button>
      }
      body={text.quality.writeBody}
      close={close}
      submit={save}
      title={text.quality.writeTitle}
    >
      <Field
        autoFocus
        error={problem && [problem.message, problem.hint].filter(Boolean).join(" ")}
        label={text.quality.questionLabel}
        onChange={(event) => setQuestion(event.target.value)}
        placeholder={text.quality.questionHint}
        testid="quality-text"
        value={question}
      />
      <Field
        label={text.quality.lookFor}
        onChange={(event) => setWords(event.target.value)}
        placeholder={text.quality.lookForHint}
        testid="quality-look"
        value={words}
      />
      <ul aria-label={text.quality.passages} className={styles.choices}>
        {shown.map((hit) => (
          <li key={hit.passage.id}>
            <label className={styles.choiceRow} data-testid="quality-passage">
              <input checked={isMarked(hit)} onChange={() => toggle(hit)} type="checkbox" />
              <span className={styles.body}>
                <span className={styles.source}>{hit.document.title}</span>
                <span className={styles.quote}>
                  {hit.snippet?.length ? <Runs runs={hit.snippet} /> : hit.passage.text}
                </span>
              </span>
            </label>
          </li>
        ))}
        {shown.length === 0 && (
          <li className={styles.nothing}>
            {wanted === "" ? text.quality.lookFirst : text.quality.nothingFound}
          </li>
        )}
      </ul>
    </Dialog>
  );
}
