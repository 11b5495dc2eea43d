import { LibraryBig, type LucideIcon, MessageSquare, Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { cx } from "../components/cx";
import { FileIcon } from "../components/FileIcon";
import { Icon } from "../components/Icon";
import { Kbd } from "../components/Kbd";
import { CHORDS } from "../lib/chords";
import { useRested } from "../lib/hooks";
import { composing } from "../lib/ime";
import { rankByName } from "../lib/rankByName";
import { useView } from "../lib/view";
import { useRead } from "../queries/hooks";
import { libraryName, useText } from "../text";
import type { Command } from "./commands";
import styles from "./Palette.module.css";

interface Entry {
  key: string;
  group: string;
  label: string;
  about?: string;
  icon?: LucideIcon;
  type?: string;
  chord?: string;
  run: () => void;
}

/** Everything by name: commands, libraries, chats, documents. */
export function Palette({ commands }: { commands: Command[] }) {
  const text = useText();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const { library, set, show, enter: choose, openChat, read } = useView();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);

  const libraries = useRead("library.list", {}).data?.libraries ?? [];
  const chats = useRead("chats.list", {}).data?.chats ?? [];
  const name = useRested(query.trim(), 80);
  const documents =
    useRead("documents.list", { library, name, limit: 5 }, { enabled: name.length > 1, keep: true }).data
      ?.documents ?? [];

  useEffect(() => {
    dialog.current?.showModal();
    input.current?.focus();
  }, []);

  const entries = useMemo(() => {
    const wanted = query.trim();
    const close = (run: () => void) => () => {
      set({ palette: false });
      run();
    };
    const groups: Entry[][] = [
      commands
        .filter((command) => command.id !== "palette")
        .map(({ id, label, icon, run }) => ({
          key: id,
          group: text.palette.actions,
          label,
          icon,
          chord: CHORDS[id],
          run: close(run),
        })),
      libraries.map((one) => ({
        key: `library ${one.name}`,
        group: text.palette.libraries,
        label: libraryName(text, one.name),
        about: text.nav.documents(one.documents),
        icon: LibraryBig,
        run: close(() => {
          choose(one.name);
          show("library");
        }),
      })),
      chats.map((chat) => ({
        key: `chat ${chat.id}`,
        group: text.palette.chats,
        label: chat.title,
        icon: MessageSquare,
        run: close(() => openChat(chat.id)),
      })),
    ];
    const found = groups.flatMap((group, index) =>
      rankByName(group, wanted).slice(0, wanted === "" ? [40, 0, 0][index] : [8, 4, 4][index]),
    );
    if (wanted === "") return found;
    for (const document of wanted.length > 1 ? documents : []) {
      found.push({
        key: document.id,
        group: text.palette.documents,
        label: document.title,
        about: document.path,
        type: document.media_type,
        run: close(() => read({ document: document.id, library: document.library, title: document.title })),
      });
    }
    found.push(
      {
        key: "search for",
        group: text.nav.search,
        label: text.palette.searchFor(wanted),
        icon: Search,
        run: close(() => {
          set({ query: wanted });
          show("search");
        }),
      },
      {
        key: "ask for",
        group: text.nav.search,
        label: text.palette.askFor(wanted),
        icon: MessageSquare,
        run: close(() => {
          set({ draft: wanted });
          openChat(null);
        }),
      },
    );
    return found;
  }, [query, commands, libraries, chats, documents, text, set, show, choose, openChat, read]);

  const chosen = Math.min(at, entries.length - 1);
  useEffect(() => {
    list.current?.querySelector(`[data-at="${chosen}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event)) return;
    if (event.key === "ArrowDown") setAt((chosen + 1) % entries.length);
    else if (event.key === "ArrowUp") setAt((chosen - 1 + entries.length) % entries.length);
    else if (event.key === "Enter") entries[chosen]?.run();
    else if (event.key === "k" && (event.ctrlKey || event.metaKey)) set({ palette: false });
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      aria-label={text.action.palette}
      className={styles.palette}
      data-testid="palette"
      onCancel={(event) => {
        event.preventDefault();
        set({ palette: false });
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) set({ palette: false });
      }}
      ref={dialog}
    >
      <div className={styles.inside}>
        <input
          aria-activedescendant={`${id}-${chosen}`}
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-expanded="true"
          aria-label={text.palette.placeholder}
          autoComplete="off"
          className={styles.input}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          placeholder={text.palette.placeholder}
          ref={input}
          role="combobox"
          spellCheck={false}
          value={query}
        />
        <div className={styles.list} id={`${id}-list`} ref={list} role="listbox" tabIndex={-1}>
          {entries.map((entry, index) => (
            <div key={entry.key} role="presentation">
              {entry.group !== entries[index - 1]?.group && index > 0 && <hr className={styles.line} />}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above holds the focus and takes the keys */}
              <div
                aria-selected={index === chosen}
                className={cx(styles.entry, index === chosen && styles.chosen)}
                data-at={index}
                id={`${id}-${index}`}
                onClick={entry.run}
                onPointerMove={() => setAt(index)}
                role="option"
                tabIndex={-1}
              >
                {entry.icon ? <Icon of={entry.icon} /> : <FileIcon type={entry.type ?? ""} />}
                <span className={styles.label}>{entry.label}</span>
                {entry.about && <span className={styles.about}>{entry.about}</span>}
                {entry.chord && <Kbd chord={entry.chord} quiet />}
              </div>
            </div>
          ))}
          {entries.length === 0 && <p className={styles.nothing}>{text.palette.nothing}</p>}
        </div>
      </div>
    </dialog>
  );
}
