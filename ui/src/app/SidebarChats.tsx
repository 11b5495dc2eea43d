import { Copy, FileDown, Pencil, Pin, PinOff, Search, Trash2 } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import type { ChatDto } from "../bindings/types";
import { IconButton } from "../components/Button";
import { cx } from "../components/cx";
import { isMenuKey, MenuButton, type MenuItems, openMenuAt } from "../components/Menu";
import { useRested } from "../lib/hooks";
import { composing } from "../lib/ime";
import { useView } from "../lib/view";
import { useRead } from "../queries/hooks";
import { useChatActions } from "../queries/useChatActions";
import { useText } from "../text";
import styles from "./Sidebar.module.css";

/** Chats that are listed before people ask for more. */
const LISTED = 100;

/** The chats: pinned ones first, or those that hold the words looked for. */
export function Chats({ title }: { title: (find: ReactNode) => ReactNode }) {
  const text = useText();
  const [finding, setFinding] = useState(false);
  const [words, setWords] = useState("");
  const [listed, setListed] = useState(LISTED);
  const [renaming, setRenaming] = useState<string | null>(null);
  const wanted = useRested(finding ? words.trim() : "", 120);
  const { data } = useRead("chats.list", wanted === "" ? {} : { words: wanted }, { keep: true });
  const end = () => {
    setFinding(false);
    setWords("");
  };
  const chats = data?.chats ?? [];
  const find = (
    <IconButton
      aria-expanded={finding}
      className={styles.sectionAction}
      data-testid="chats-find"
      icon={Search}
      label={text.chats.find}
      onClick={() => (finding ? end() : setFinding(true))}
      small
    />
  );
  return (
    <>
      {title(find)}
      {finding && (
        <input
          aria-label={text.chats.find}
          // biome-ignore lint/a11y/noAutofocus: it was asked for by the button before it
          autoFocus
          className={styles.find}
          data-testid="chats-words"
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || composing(event)) return;
            event.preventDefault();
            end();
          }}
          placeholder={text.chats.findHint}
          value={words}
        />
      )}
      {data && chats.length === 0 && (
        <p className={styles.quiet}>{wanted === "" ? text.nav.noChats : text.chats.none}</p>
      )}
      <ul className={styles.list}>
        {chats.slice(0, listed).map((chat) => (
          <Row
            chat={chat}
            key={chat.id}
            renaming={renaming === chat.id}
            setRenaming={(on) => setRenaming(on ? chat.id : null)}
          />
        ))}
        {chats.length > listed && (
          <li>
            <button
              className={cx(styles.row, styles.older)}
              onClick={() => setListed(listed + LISTED)}
              type="button"
            >
              {text.chats.more(chats.length - listed)}
            </button>
          </li>
        )}
      </ul>
    </>
  );
}

interface RowProps {
  chat: ChatDto;
  renaming: boolean;
  setRenaming: (on: boolean) => void;
}

function Row({ chat, renaming, setRenaming }: RowProps) {
  const text = useText();
  const { view, chat: current, openChat } = useView();
  const actions = useChatActions();
  const row = useRef<HTMLButtonElement>(null);
  const on = view === "ask" && chat.id === current;
  const menu: MenuItems = [
    { label: text.action.rename, icon: Pencil, hint: "F2", run: () => setRenaming(true) },
    {
      label: chat.pinned ? text.chats.unpin : text.chats.pin,
      icon: chat.pinned ? PinOff : Pin,
      run: () => void actions.pin(chat),
    },
    { label: text.chats.exportTo, icon: FileDown, run: () => void actions.save(chat) },
    { label: text.ask.copyMarkdown, icon: Copy, run: () => void actions.copy(chat) },
    "-",
    {
      label: text.action.remove,
      icon: Trash2,
      danger: true,
      hint: text.key.delete,
      run: () => void actions.remove(chat),
    },
  ];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "F2") setRenaming(true);
    else if (event.key === "Delete") void actions.remove(chat);
    else if (isMenuKey(event)) return openMenuAt(event, chat.title, menu);
    else return;
    event.preventDefault();
  };
  if (renaming) {
    const end = async (title: string | null) => {
      setRenaming(false);
      requestAnimationFrame(() => row.current?.focus());
      if (title !== null && title !== "" && title !== chat.title) await actions.rename(chat, title);
    };
    return (
      <li className={styles.item}>
        <Rename end={end} title={chat.title} />
      </li>
    );
  }
  return (
    <li className={styles.item}>
      <button
        aria-current={on ? "page" : undefined}
        aria-keyshortcuts="F2 Delete"
        className={cx(styles.row, on && styles.selected, chat.excerpt !== undefined && styles.found)}
        data-testid="chat"
        data-tip={chat.title}
        onClick={() => openChat(chat.id)}
        onContextMenu={(event) => openMenuAt(event, chat.title, menu)}
        onDoubleClick={() => setRenaming(true)}
        onKeyDown={onKeyDown}
        ref={row}
        type="button"
      >
        <span className={styles.lines}>
          <span className={cx(styles.label, styles.title)}>{chat.title}</span>
          {chat.excerpt !== undefined && <span className={styles.excerpt}>{chat.excerpt}</span>}
        </span>
        {chat.pinned && (
          <>
            <Pin aria-hidden="true" className={styles.pin} size={12} strokeWidth={1.5} />
            <span className="visually-hidden">{text.chats.pinned}</span>
          </>
        )}
      </button>
      <MenuButton className={styles.more} items={menu} label={text.nav.more(chat.title)} small />
    </li>
  );
}

/** The title as a field: Enter keeps it, Escape does not, and leaving it keeps it as well. */
function Rename({ title, end }: { title: string; end: (title: string | null) => Promise<void> }) {
  const text = useText();
  const [typed, setTyped] = useState(title);
  const over = useRef(false);
  const close = (kept: string | null) => {
    if (over.current) return;
    over.current = true;
    void end(kept);
  };
  return (
    <input
      aria-label={text.ask.chatName}
      // biome-ignore lint/a11y/noAutofocus: it was asked for
      autoFocus
      className={styles.renaming}
      data-testid="chat-title"
      onBlur={() => close(typed.trim())}
      onChange={(event) => setTyped(event.target.value)}
      onFocus={(event) => event.target.select()}
      onKeyDown={(event) => {
        if (composing(event)) return;
        if (event.key === "Enter") close(typed.trim());
        else if (event.key === "Escape") close(null);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      value={typed}
    />
  );
}
