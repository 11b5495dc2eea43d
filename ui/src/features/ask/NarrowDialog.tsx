import { Folder, Tag } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Dialog } from "../../components/Dialog";
import { Field } from "../../components/Field";
import { FileIcon } from "../../components/FileIcon";
import { Icon } from "../../components/Icon";
import { count } from "../../lib/format";
import { useRested } from "../../lib/hooks";
import { useRead } from "../../queries/hooks";
import { useText } from "../../text";
import styles from "./NarrowDialog.module.css";
import type { Where } from "./scope";

interface NarrowDialogProps {
  where: Where;
  change: (next: Partial<Where>) => void;
  close: () => void;
}

/** Folders, tags and documents by name, each put in or taken out at once. */
export function NarrowDialog({ where, change, close }: NarrowDialogProps) {
  const text = useText();
  const [words, setWords] = useState("");
  const wanted = useRested(words.trim(), 120);
  const { folders, tags, documents } = where;
  const found = useRead("scope.find", { libraries: where.libraries, words: wanted }, { keep: true }).data;
  const nothing = found && found.folders.length + found.tags.length + found.documents.length === 0;
  const toggle = <T,>(list: T[], same: (one: T) => boolean, one: T) =>
    list.some(same) ? list.filter((other) => !same(other)) : [...list, one];
  return (
    <Dialog
      body={text.chats.narrowBody}
      close={close}
      closing={text.chats.done}
      title={text.chats.narrowTitle}
    >
      <Field
        autoFocus
        label={text.chats.narrowFind}
        onChange={(event) => setWords(event.target.value)}
        testid="scope-words"
        value={words}
      />
      <div className={styles.found}>
        <Group title={text.chats.folders}>
          {found?.folders.map(({ library, path, name, documents: holds }) => {
            const same = (one: { path: string }) => one.path === path;
            return (
              <Row
                chosen={folders.some(same)}
                hint={count(text, holds)}
                icon={<Icon of={Folder} />}
                key={path}
                name={name}
                tip={path}
                toggle={() => change({ folders: toggle(folders, same, { library, path }) })}
              />
            );
          })}
        </Group>
        <Group title={text.chats.tags}>
          {found?.tags.map(({ name, documents: have }) => (
            <Row
              chosen={tags.includes(name)}
              hint={count(text, have)}
              icon={<Icon of={Tag} />}
              key={name}
              name={name}
              toggle={() => change({ tags: toggle(tags, (one) => one === name, name) })}
            />
          ))}
        </Group>
        <Group title={text.chats.documents}>
          {found?.documents.map((document) => {
            const same = (one: { id: string }) => one.id === document.id;
            return (
              <Row
                chosen={documents.some(same)}
                icon={<FileIcon type={document.media_type} />}
                key={document.id}
                name={document.title}
                toggle={() => change({ documents: toggle(documents, same, document) })}
              />
            );
          })}
        </Group>
        {nothing && <p className={styles.nothing}>{text.chats.nothing}</p>}
      </div>
    </Dialog>
  );
}

function Group({ title, children }: { title: string; children: ReactNode[] | undefined }) {
  if (!children || children.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      <ul>{children}</ul>
    </section>
  );
}

interface RowProps {
  icon: ReactNode;
  name: string;
  hint?: string;
  tip?: string;
  chosen: boolean;
  toggle: () => void;
}

function Row({ icon, name, hint, tip, chosen, toggle }: RowProps) {
  return (
    <li>
      <label className={styles.row} data-testid="scope-choice" data-tip={tip}>
        <input checked={chosen} onChange={toggle} type="checkbox" />
        {icon}
        <span className={styles.name}>{name}</span>
        {hint && <span className={styles.hint}>{hint}</span>}
      </label>
    </li>
  );
}
