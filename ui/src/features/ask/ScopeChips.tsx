import { Book, Filter, Folder, ListFilter, Tag, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { IconButton } from "../../components/Button";
import { FileIcon } from "../../components/FileIcon";
import { Icon } from "../../components/Icon";
import { openMenuUnder } from "../../components/Menu";
import { baseName } from "../../lib/format";
import { DEFAULT_LIBRARY } from "../../lib/library";
import { useRead } from "../../queries/hooks";
import { libraryName, useText } from "../../text";
import { NarrowDialog } from "./NarrowDialog";
import styles from "./ScopeChips.module.css";
import { useWhere, type Where } from "./scope";

/** Where the chat looks: libraries, and what they are narrowed to. Each can be taken out, and more put in. */
export function ScopeChips() {
  const text = useText();
  const { where, change } = useWhere();
  const [narrowing, setNarrowing] = useState(false);
  const without = <T,>(list: T[], one: T) => list.filter((other) => other !== one);
  const { folders, tags, documents, filters } = where;
  return (
    <>
      <ul aria-label={text.chats.where} className={styles.chips} data-testid="scope">
        <LibraryChip change={change} where={where} />
        {folders.map((folder) => (
          <Chip
            icon={<Icon of={Folder} />}
            key={`folder ${folder.path}`}
            name={baseName(folder.path)}
            remove={() => change({ folders: without(folders, folder) })}
            tip={folder.path}
          />
        ))}
        {documents.map((document) => (
          <Chip
            icon={<FileIcon type={document.media_type} />}
            key={`document ${document.id}`}
            name={document.title}
            remove={() => change({ documents: without(documents, document) })}
          />
        ))}
        {tags.map((tag) => (
          <Chip
            icon={<Icon of={Tag} />}
            key={`tag ${tag}`}
            name={tag}
            remove={() => change({ tags: without(tags, tag) })}
          />
        ))}
        {filters.map((filter) => (
          <Chip
            icon={<Icon of={Filter} />}
            key={`filter ${filter}`}
            name={filter}
            remove={() => change({ filters: without(filters, filter) })}
          />
        ))}
        <li>
          <IconButton
            aria-haspopup="dialog"
            data-testid="scope-narrow"
            icon={ListFilter}
            label={text.chats.narrow}
            onClick={() => setNarrowing(true)}
            small
          />
        </li>
      </ul>
      {narrowing && <NarrowDialog change={change} close={() => setNarrowing(false)} where={where} />}
    </>
  );
}

/** Which libraries; a menu chooses others. Only where there is a choice. */
function LibraryChip({ where, change }: { where: Where; change: (next: Partial<Where>) => void }) {
  const text = useText();
  const libraries = useRead("library.list", {}).data?.libraries ?? [];
  if (libraries.length < 2) return null;
  const all = where.libraries.includes("*");
  const chosen = where.libraries.length === 0 ? [DEFAULT_LIBRARY] : where.libraries;
  const words = all
    ? text.scope.everywhere
    : chosen.length === 1
      ? libraryName(text, chosen[0] ?? DEFAULT_LIBRARY)
      : text.chats.inLibraries(chosen.length);
  const toggle = (name: string) => {
    const next = all
      ? [name]
      : chosen.includes(name)
        ? chosen.filter((one) => one !== name)
        : [...chosen, name];
    change({ libraries: next.length === 0 ? [name] : next });
  };
  return (
    <li>
      <button
        aria-haspopup="menu"
        className={styles.library}
        data-testid="scope-library"
        onClick={(event) =>
          openMenuUnder(event.currentTarget, text.scope.label, [
            { label: text.scope.everywhere, checked: all, run: () => change({ libraries: ["*"] }) },
            "-",
            ...libraries.map(({ name }) => ({
              label: libraryName(text, name),
              checked: !all && chosen.includes(name),
              run: () => toggle(name),
            })),
          ])
        }
        type="button"
      >
        <Icon of={Book} />
        <span>{words}</span>
      </button>
    </li>
  );
}

interface ChipProps {
  icon: ReactNode;
  name: string;
  tip?: string;
  remove: () => void;
}

function Chip({ icon, name, tip, remove }: ChipProps) {
  const text = useText();
  return (
    <li className={styles.chip} data-testid="scope-chip">
      {icon}
      <span data-tip={tip ?? name}>{name}</span>
      <IconButton icon={X} label={text.chats.takeOut(name)} onClick={remove} small />
    </li>
  );
}
