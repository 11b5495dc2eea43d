import {
  ChevronRight,
  Eye,
  EyeOff,
  Files,
  FileText,
  Folder,
  FolderOpen,
  Globe,
  MessageSquare,
  RefreshCw,
  StickyNote,
  Trash2,
  Unplug,
} from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import type { FolderDto, FolderRef, SourceDto } from "../../bindings/types";
import { choose } from "../../components/asking";
import { cx } from "../../components/cx";
import { Icon } from "../../components/Icon";
import { isMenuKey, MenuButton, type MenuItems, openMenuAt } from "../../components/Menu";
import { count } from "../../lib/format";
import { useView } from "../../lib/view";
import { useHost, useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { useLibraryActions } from "../../queries/useLibraryActions";
import { useText } from "../../text";
import styles from "./FolderTree.module.css";

interface TreeProps {
  library: string;
  sources: SourceDto[];
  total: number;
  folder: FolderRef | null;
  select: (folder: FolderRef | null) => void;
}

/** Sources and their folders. */
export function FolderTree({ library, sources, total, folder, select }: TreeProps) {
  const text = useText();
  const roots = useRead("folders.list", { library });
  const menu = useSourceMenu();

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-tree-row]")];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const to =
      event.key === "ArrowDown"
        ? at + 1
        : event.key === "ArrowUp"
          ? at - 1
          : event.key === "Home"
            ? 0
            : rows.length - 1;
    if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    rows[Math.max(0, Math.min(to, rows.length - 1))]?.focus();
  };

  return (
    <nav aria-label={text.library.folders} className={styles.tree} onKeyDown={onKeyDown}>
      <Row
        chosen={folder === null}
        count={total}
        icon={<Icon of={Files} />}
        level={0}
        name={text.library.all}
        onSelect={() => select(null)}
      />
      {roots.data?.folders.map((root) => {
        const source = sources.find((one) => one.id === root.folder.source);
        return (
          <Branch
            folder={root}
            key={root.folder.source}
            level={0}
            library={library}
            menu={source ? menu(source, root.name, () => select(null)) : []}
            path={source?.kind === "folder" ? source.path : null}
            select={select}
            selected={folder}
            source={source}
          />
        );
      })}
    </nav>
  );
}

const KIND_ICONS = { files: FileText, texts: StickyNote, pages: Globe };

interface BranchProps {
  library: string;
  folder: FolderDto;
  level: number;
  source?: SourceDto;
  menu?: MenuItems;
  /** Where it lies on the disk. */
  path: string | null;
  selected: FolderRef | null;
  select: (folder: FolderRef) => void;
}

function Branch({ library, folder, level, source, menu = [], path, selected, select }: BranchProps) {
  const text = useText();
  const askIn = useView((view) => view.askIn);
  const [open, setOpen] = useState(false);
  const children = useRead("folders.list", { library, parent: folder.folder }, { enabled: open, keep: true });
  const chosen = selected?.source === folder.folder.source && selected.path === folder.folder.path;
  const kind = source?.kind as keyof typeof KIND_ICONS | "folder" | undefined;
  const single = { files: text.library.single, texts: text.library.texts, pages: text.library.pages };
  const name = kind && kind !== "folder" ? single[kind] : folder.name;
  const icon =
    kind && kind !== "folder" ? (
      <Icon of={KIND_ICONS[kind]} />
    ) : (
      <Icon of={open && folder.has_folders ? FolderOpen : Folder} />
    );
  return (
    <>
      <Row
        chosen={chosen}
        count={folder.documents}
        icon={icon}
        level={level}
        menu={[
          path !== null && {
            label: text.chats.askFolder,
            icon: MessageSquare,
            run: () => askIn({ library, path }),
          },
          ...menu,
        ]}
        name={name}
        note={
          source?.kind === "folder" &&
          (!source.present ? text.library.absent : source.watched ? null : text.library.notWatching)
        }
        onSelect={() => select(folder.folder)}
        open={folder.has_folders ? open : undefined}
        setOpen={setOpen}
        title={source?.path ?? undefined}
        absent={source?.present === false}
        watched={source?.kind === "folder" && source.present && source.watched}
      />
      {open &&
        children.data?.folders.map((child) => (
          <Branch
            folder={child}
            key={child.folder.path}
            level={level + 1}
            library={library}
            path={path === null ? null : `${path}/${child.name}`}
            select={select}
            selected={selected}
          />
        ))}
    </>
  );
}

interface RowProps {
  name: string;
  icon: ReactNode;
  count: number;
  level: number;
  chosen: boolean;
  onSelect: () => void;
  open?: boolean;
  setOpen?: (open: boolean) => void;
  menu?: MenuItems;
  note?: string | null | false;
  title?: string;
  watched?: boolean;
  absent?: boolean;
}

function Row(props: RowProps) {
  const {
    name,
    icon,
    count: documents,
    level,
    chosen,
    onSelect,
    open,
    setOpen,
    menu = [],
    note,
    title,
    watched,
    absent,
  } = props;
  const text = useText();
  const hasMenu = menu.some(Boolean);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowRight" && open === false) setOpen?.(true);
    else if (event.key === "ArrowLeft" && open) setOpen?.(false);
    else if (hasMenu && isMenuKey(event)) return openMenuAt(event, name, menu);
    else return;
    event.preventDefault();
  };
  return (
    <div className={cx(styles.row, chosen && styles.chosen)} style={{ "--level": level } as never}>
      {open !== undefined && (
        <button
          aria-expanded={open}
          aria-label={name}
          className={styles.opener}
          onClick={() => setOpen?.(!open)}
          tabIndex={-1}
          type="button"
        >
          <ChevronRight
            aria-hidden="true"
            className={cx(styles.chevron, open && styles.open)}
            size={14}
            strokeWidth={1.5}
          />
        </button>
      )}
      <button
        aria-current={chosen ? "true" : undefined}
        aria-expanded={open}
        aria-label={`${name}${text.comma}${text.nav.documents(documents)}${note ? text.comma + note : ""}`}
        className={styles.body}
        data-tree-row=""
        onClick={onSelect}
        onContextMenu={hasMenu ? (event) => openMenuAt(event, name, menu) : undefined}
        onDoubleClick={() => open !== undefined && setOpen?.(!open)}
        onKeyDown={onKeyDown}
        aria-description={title}
        data-tip={title}
        type="button"
      >
        {icon}
        <span className={styles.name}>{name}</span>
        {(watched || note) && (
          <span className={styles.watched} data-tip={note || text.library.watching}>
            {watched ? (
              <Eye aria-hidden="true" size={12} strokeWidth={1.5} />
            ) : absent ? (
              <Unplug aria-hidden="true" size={12} strokeWidth={1.5} />
            ) : (
              <EyeOff aria-hidden="true" size={12} strokeWidth={1.5} />
            )}
          </span>
        )}
        <span className={styles.count}>{count(text, documents)}</span>
      </button>
      {hasMenu && (
        <MenuButton className={styles.more} items={menu} label={text.nav.more(name)} small tabIndex={-1} />
      )}
    </div>
  );
}

/** What can be done with a source. */
function useSourceMenu() {
  const text = useText();
  const host = useHost();
  const run = useDo();
  const { sync } = useLibraryActions();
  return (source: SourceDto, name: string, removed: () => void): MenuItems => {
    if (source.kind !== "folder") return [];
    const { id, library, path, watched } = source;
    return [
      {
        label: text.library.watchSource,
        icon: watched ? Eye : EyeOff,
        checked: watched,
        run: () => void run("source.watch", { id, library, watched: !watched }),
      },
      { label: text.library.syncNow, icon: RefreshCw, run: () => void sync(library) },
      path !== null && {
        label: text.action.reveal,
        icon: FolderOpen,
        run: () => void host.reveal(path).catch(() => {}),
      },
      "-",
      {
        label: text.library.removeSource,
        icon: Trash2,
        danger: true,
        run: async () => {
          const answer = await choose({
            title: text.library.removeSourceTitle(name),
            body: text.library.removeSourceBody,
            choices: [
              { id: "keep", label: text.library.keepDocuments },
              { id: "drop", label: text.library.dropDocuments, kind: "danger" },
            ],
          });
          if (answer === null) return;
          removed();
          await run("source.remove", { id, library, keep: answer === "keep" });
        },
      },
    ];
  };
}
