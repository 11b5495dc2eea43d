import type { QuestionDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Column } from "../../components/Pane";
import { DEFAULT_LIBRARY } from "../../lib/library";
import { useRead } from "../../queries/hooks";
import { useText } from "../../text";
import styles from "./QualityView.module.css";

interface NotGoodProps {
  library: string;
  known: QuestionDto[];
  mark: (question: string) => void;
}

/** Answers of chats that people called not good: once the right passage is marked, their questions measure the search. */
export function NotGood({ library, known, mark }: NotGoodProps) {
  const text = useText();
  const rated = useRead("chats.rated", {}).data?.turns ?? [];
  const isHere = (libraries: string[]) =>
    libraries.includes("*") ||
    libraries.includes(library) ||
    (libraries.length === 0 && library === DEFAULT_LIBRARY);
  const open = rated.filter(
    ({ question, libraries }) => isHere(libraries) && !known.some((one) => one.text === question),
  );
  if (open.length === 0) return null;
  return (
    <Column>
      <section aria-label={text.chats.badTitle(open.length)}>
        <p className={styles.lead}>{text.chats.badTitle(open.length)}</p>
        <p className={styles.source}>{text.chats.badBody}</p>
        <ul className={styles.list}>
          {open.map(({ chat, turn, question, note }) => (
            <li className={styles.row} data-testid="quality-not-good" key={`${chat} ${turn}`}>
              <div className={styles.body}>
                <p className={styles.question}>{question}</p>
                {note && <p className={styles.source}>{note}</p>}
              </div>
              <Button onClick={() => mark(question)} small>
                {text.chats.mark}
              </Button>
            </li>
          ))}
        </ul>
      </section>
    </Column>
  );
}
