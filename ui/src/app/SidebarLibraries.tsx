import { Book, Check, FolderPlus, Pencil, Plus, RefreshCw, Trash2 } from "lucide-react";
import type { LibraryDto } from "../bindings/types";
import { cx } from "../components/cx";
import { Icon } from "../components/Icon";
import { MenuButton, type MenuItems, openMenuAt, openMenuUnder } from "../components/Menu";
import { Mark } from "../components/StateMark";
import { CHORDS } from "../lib/chords";
import { count } from "../lib/format";
import { DEFAULT_LIBRARY } from "../lib/library";
import { useView } from "../lib/view";
import { useHost, useRead } from "../queries/hooks";
import { useAdd } from "../queries/useAdd";
import { useLibraryActions } from "../queries/useLibraryActions";
import { libraryName, useText } from "../text";
import { problemSentence } from "../text/problems";
import styles from "./Sidebar.module.css";

function useLibraryMenu() {
  const text = useText();
  const host = useHost();
  const { add } = useAdd();
  const actions = useLibraryActions();
  return (library: LibraryDto): MenuItems => [
    {
      label: text.action.addFolder,
      icon: FolderPlus,
      run: async () => void add(await host.pickFolders(text.adding.chooseFolders), { library: library.name }),
    },
    { label: text.library.syncNow, icon: RefreshCw, run: () => void actions.sync(library.name) },
    library.name !== DEFAULT_LIBRARY && "-",
    library.name !== DEFAULT_LIBRARY && {
      label: text.action.rename,
      icon: Pencil,
      run: () => actions.rename(library.name),
    },
    library.name !== DEFAULT_LIBRARY && {
      label: text.action.remove,
      icon: Trash2,
      danger: true,
      run: () => void actions.remove(library),
    },
  ];
}

export function Libraries() {
  const text = useText();
  const { data } = useRead("library.list", {});
  const current = useView((view) => view.library);
  const menu = useLibraryMenu();
  const pick = usePick();
  return (
    <ul className={styles.list}>
      {data?.libraries.map((library) => {
        const name = libraryName(text, library.name);
        const on = library.name === current;
        const about = library.problem
          ? problemSentence(text, library.problem).message
          : text.nav.documents(library.documents);
        return (
          <li className={styles.item} key={library.name}>
            <button
              aria-current={on ? "true" : undefined}
              aria-label={`${name}${text.comma}${about}`}
              className={cx(styles.row, on && styles.current)}
              data-library={library.name}
              data-testid="library-switch"
              onClick={() => pick(library.name)}
              onContextMenu={(event) => openMenuAt(event, name, menu(library))}
              type="button"
            >
              <Icon of={Book} />
              <span className={cx(styles.label, styles.title)}>{name}</span>
              {library.problem ? (
                <span className={styles.count} data-tip={about}>
                  <Mark state="failed" />
                </span>
              ) : (
                <span className={styles.count}>{count(text, library.documents)}</span>
              )}
            </button>
            <MenuButton className={styles.more} items={menu(library)} label={text.nav.more(name)} small />
          </li>
        );
      })}
    </ul>
  );
}

/** In the folded sidebar: the current library's letter, and the others in a menu. */
export function LibrarySwitch() {
  const text = useText();
  const { data } = useRead("library.list", {});
  const current = useView((view) => view.library);
  const pick = usePick();
  const { create } = useLibraryActions();
  const name = libraryName(text, current);
  return (
    <button
      aria-haspopup="menu"
      aria-label={`${text.nav.switchLibrary}${text.colon}${name}`}
      className={styles.switch}
      onClick={(event) =>
        openMenuUnder(
          event.currentTarget,
          text.nav.libraries,
          [
            ...(data?.libraries ?? []).map((library) => ({
              label: libraryName(text, library.name),
              icon: Check,
              checked: library.name === current,
              hint: count(text, library.documents),
              run: () => pick(library.name),
            })),
            "-" as const,
            { label: text.nav.newLibrary, icon: Plus, chord: CHORDS.newLibrary, run: create },
          ],
          false,
        )
      }
      data-tip={name}
      type="button"
    >
      <span className={styles.badge}>{[...name][0]?.toUpperCase()}</span>
    </button>
  );
}

/** Choosing a library keeps the view, unless the view has nothing to do with libraries. */
function usePick() {
  const { view, enter: choose, show } = useView();
  return (library: string) => {
    choose(library);
    if (view === "activity" || view === "models" || view === "settings") show("library");
  };
}
