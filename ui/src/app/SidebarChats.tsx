import { Copy, Pencil, Trash2 } from "lucide-react";
import type { ChatDto } from "../bindings/types";
import { cx } from "../components/cx";
import { MenuButton, type MenuItems, openMenuAt } from "../components/Menu";
import { useView } from "../lib/view";
import { useRead } from "../queries/hooks";
import { useChatActions } from "../queries/useChatActions";
import { useText } from "../text";
import styles from "./Sidebar.module.css";

export function Chats() {
  const text = useText();
  const { data } = useRead("chats.list", {});
  const { view, chat: current, openChat } = useView();
  const actions = useChatActions();
  const menu = (chat: ChatDto): MenuItems => [
    { label: text.action.rename, icon: Pencil, run: () => actions.rename(chat) },
    { label: text.ask.copyMarkdown, icon: Copy, run: () => void actions.copy(chat) },
    "-",
    { label: text.action.remove, icon: Trash2, danger: true, run: () => void actions.remove(chat) },
  ];
  if (data && data.chats.length === 0) return <p className={styles.quiet}>{text.nav.noChats}</p>;
  return (
    <ul className={styles.list}>
      {data?.chats.map((chat) => {
        const on = view === "ask" && chat.id === current;
        return (
          <li className={styles.item} key={chat.id}>
            <button
              aria-current={on ? "page" : undefined}
              className={cx(styles.row, on && styles.selected)}
              data-testid="chat"
              onClick={() => openChat(chat.id)}
              onContextMenu={(event) => openMenuAt(event, chat.title, menu(chat))}
              data-tip={chat.title}
              type="button"
            >
              <span className={cx(styles.label, styles.title)}>{chat.title}</span>
            </button>
            <MenuButton className={styles.more} items={menu(chat)} label={text.nav.more(chat.title)} small />
          </li>
        );
      })}
    </ul>
  );
}
