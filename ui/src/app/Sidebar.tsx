import {
  Activity,
  Boxes,
  Gauge,
  LibraryBig,
  type LucideIcon,
  MessageSquare,
  Plus,
  Search,
  Settings,
  SquarePen,
} from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../components/Button";
import { cx } from "../components/cx";
import { Icon } from "../components/Icon";
import { Kbd } from "../components/Kbd";
import { CHORDS, type CommandId } from "../lib/chords";
import { ariaKeys } from "../lib/keys";
import { useView, type ViewName } from "../lib/view";
import { useHost } from "../queries/hooks";
import { useLibraryActions } from "../queries/useLibraryActions";
import { useText } from "../text";
import { IndexingLine } from "./IndexingLine";
import styles from "./Sidebar.module.css";
import { Chats } from "./SidebarChats";
import { Libraries, LibrarySwitch } from "./SidebarLibraries";

const ABOVE: [ViewName & CommandId, LucideIcon][] = [
  ["search", Search],
  ["ask", MessageSquare],
  ["library", LibraryBig],
  ["quality", Gauge],
];
const BELOW: [ViewName & CommandId, LucideIcon][] = [
  ["activity", Activity],
  ["models", Boxes],
  ["settings", Settings],
];

export function Sidebar({ folded }: { folded: boolean }) {
  const text = useText();
  const { create } = useLibraryActions();
  const openChat = useView((view) => view.openChat);
  return (
    <nav aria-label={text.nav.label} className={cx("shell-sidebar", styles.sidebar, folded && styles.folded)}>
      <ul className={styles.top}>
        {ABOVE.map(([view, icon]) => (
          <NavRow folded={folded} icon={icon} key={view} view={view} />
        ))}
      </ul>
      {folded ? (
        <LibrarySwitch />
      ) : (
        <div className={styles.middle}>
          <section aria-label={text.nav.libraries} className={styles.section}>
            <SectionTitle icon={Plus} label={text.nav.newLibrary} run={create} title={text.nav.libraries} />
            <Libraries />
          </section>
          <section aria-label={text.nav.chats} className={cx(styles.section, styles.chats)}>
            <Chats
              title={(find) => (
                <SectionTitle
                  icon={SquarePen}
                  label={text.nav.newChat}
                  run={() => openChat(null)}
                  title={text.nav.chats}
                >
                  {find}
                </SectionTitle>
              )}
            />
          </section>
        </div>
      )}
      <ul className={styles.bottom}>
        {BELOW.map(([view, icon]) => (
          <NavRow folded={folded} icon={icon} key={view} view={view} />
        ))}
      </ul>
      <IndexingLine folded={folded} />
    </nav>
  );
}

function NavRow({ view, icon, folded }: { view: ViewName & CommandId; icon: LucideIcon; folded: boolean }) {
  const text = useText();
  const { mac } = useHost();
  const on = useView((state) => state.view === view);
  const show = useView((state) => state.show);
  const chord = CHORDS[view];
  return (
    <li>
      <button
        aria-current={on ? "page" : undefined}
        aria-keyshortcuts={ariaKeys(chord, mac)}
        aria-label={text.nav[view]}
        className={cx(styles.row, on && styles.selected)}
        data-testid={`nav-${view}`}
        onClick={() => show(view)}
        data-tip={folded ? text.nav[view] : undefined}
        type="button"
      >
        <Icon of={icon} />
        {!folded && <span className={styles.label}>{text.nav[view]}</span>}
        {!folded && ABOVE.some(([name]) => name === view) && (
          <span className={styles.chord}>
            <Kbd chord={chord} quiet />
          </span>
        )}
      </button>
    </li>
  );
}

interface SectionTitleProps {
  title: string;
  label: string;
  icon: LucideIcon;
  run: () => void;
  children?: ReactNode;
}

function SectionTitle(props: SectionTitleProps) {
  return (
    <div className={styles.sectionTitle}>
      <h2>{props.title}</h2>
      {props.children}
      <IconButton
        className={styles.sectionAction}
        icon={props.icon}
        label={props.label}
        onClick={props.run}
        small
      />
    </div>
  );
}
