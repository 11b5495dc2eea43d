import { Boxes, FolderPlus, MessageSquare } from "lucide-react";
import type { DocumentDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Empty } from "../../components/Empty";
import { FileIcon } from "../../components/FileIcon";
import { baseName } from "../../lib/format";
import { SEARCHABLE } from "../../lib/states";
import { useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";
import { useAdd } from "../../queries/useAdd";
import { libraryName, useText } from "../../text";
import styles from "./Start.module.css";

/** The newest documents, among which there is something to ask about. */
const LOOKED_AT = 100;

/** Types that people write for others to read; no code and no tables. */
const PROSE = /pdf|word|opendocument\.text|rtf|epub|html|markdown|text\/plain/;

/** Documents to ask about: prose with something in it, first those with a title of their own. A file's name makes no good question. */
export function worthAsking(documents: DocumentDto[]): DocumentDto[] {
  const named = ({ title, path }: DocumentDto) => title !== baseName(path);
  const prose = documents.filter(({ media_type, passages }) => PROSE.test(media_type) && passages > 1);
  return [...prose.filter(named), ...prose.filter((one) => !named(one))].slice(0, 3);
}

/** Whether a model reads and writes what this is written in. A model that names no languages takes them all. */
function speaks(languages: string[] | undefined, words: string): boolean {
  const language = /\p{Script=Han}/u.test(words) ? "zh" : "en";
  return languages === undefined || languages.length === 0 || languages.includes(language);
}

/** Ask before anything was asked: what it is, and questions that this library can answer. */
export function Start({ onAsk }: { onAsk: (question: string) => void }) {
  const text = useText();
  const { library, everywhere, show, scope } = useView();
  const chosen = scope.documents ?? [];
  const { addFolder } = useAdd();
  const info = useRead("app.info", {});
  const documents = useRead("documents.list", {
    library,
    states: SEARCHABLE,
    order: "modified",
    limit: LOOKED_AT,
  });
  const models = useRead("models.list", {});
  if (!documents.isSuccess || !info.isFetched || !models.isFetched) return null;

  if (documents.data.total === 0 && !everywhere) {
    return (
      <Empty
        body={text.library.emptyBody}
        icon={FolderPlus}
        testid="ask-first"
        title={text.library.emptyTitle}
      >
        <Button kind="primary" onClick={addFolder}>
          {text.action.addFolder}
        </Button>
      </Empty>
    );
  }
  if (info.data && info.data.language_model === null) {
    return (
      <Empty body={text.ask.noModelBody} icon={Boxes} testid="ask-no-model" title={text.ask.noModelTitle}>
        <Button kind="primary" onClick={() => show("models")}>
          {text.ask.noModelAction}
        </Button>
      </Empty>
    );
  }
  const title = everywhere ? text.ask.emptyTitleEverywhere : text.ask.emptyTitle(libraryName(text, library));
  const model = models.data?.models.find((one) => one.id === info.data?.language_model);
  const fluent = speaks(model?.languages, text.ask.emptyBody);
  const readable = documents.data.documents.filter((one) => speaks(model?.languages, one.title));
  const titles = !fluent ? [] : chosen.length > 0 ? chosen : worthAsking(readable);
  return (
    <div className={styles.start}>
      <Empty body={text.ask.emptyBody} icon={MessageSquare} inline title={title} />
      {model && !fluent && <p className={styles.note}>{text.ask.onlyOther(model.name)}</p>}
      {titles.length > 0 && (
        <ul aria-label={text.ask.suggestions} className={styles.questions}>
          {text.ask.suggest.map((suggest, index) => {
            const document = titles[index % titles.length];
            if (!document) return null;
            const question = suggest(document.title);
            return (
              <li key={question}>
                <button className={styles.question} onClick={() => onAsk(question)} type="button">
                  <FileIcon type={document.media_type} />
                  <span>{question}</span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
