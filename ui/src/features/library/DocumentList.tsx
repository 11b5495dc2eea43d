import { useVirtualizer } from "@tanstack/react-virtual";
import { FileSearch, RotateCw } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { FolderRef } from "../../bindings/types";
import { Button } from "../../components/Button";
import { cx } from "../../components/cx";
import { Empty, Failed } from "../../components/Empty";
import { isMenuKey, openMenuAt } from "../../components/Menu";
import { Skeleton } from "../../components/Skeleton";
import { useView } from "../../lib/view";
import { useText } from "../../text";
import styles from "./DocumentList.module.css";
import { DocumentRow } from "./DocumentRow";
import { PAGE, usePaged, useWanted } from "./paging";
import { useDocumentActions } from "./useDocumentActions";

export type Order = "path" | "title" | "modified" | "size" | "state";

const ROW = 32;

const pageStart = (index: number) => Math.floor(index / PAGE) * PAGE;

interface ListProps {
  library: string;
  folder: FolderRef | null;
  states: string[];
  name: string;
  order: Order;
  setOrder: (order: Order) => void;
  reset: () => void;
}

const COLUMNS: { order: Order; column: "name" | "modified" | "size" | "state" }[] = [
  { order: "path", column: "name" },
  { order: "modified", column: "modified" },
  { order: "size", column: "size" },
  { order: "state", column: "state" },
];

/** The documents of a library, as many as there are: rows exist only while they are in sight. */
export function DocumentList({ library, folder, states, name, order, setOrder, reset }: ListProps) {
  const text = useText();
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 0 });
  const wanted = useWanted({ library, folder, states, name: name || null, order });
  const list = usePaged(wanted, range.first, range.last);
  const [chosen, setChosen] = useState(0);
  const actions = useDocumentActions();
  const openId = useView((view) => view.reader?.document ?? null);

  const virtual = useVirtualizer({
    count: list.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
    onChange: (instance) => {
      // Only another page is a reason to draw again; the rows in sight draw themselves.
      const items = instance.getVirtualItems();
      const first = pageStart(items[0]?.index ?? 0);
      const last = pageStart(items.at(-1)?.index ?? 0);
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    },
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useEffect(() => {
    setChosen(0);
    scroller.current?.scrollTo({ top: 0 });
  }, [wanted]);

  const choose = (index: number) => {
    const next = Math.max(0, Math.min(index, list.total - 1));
    setChosen(next);
    virtual.scrollToIndex(next, { align: "auto" });
  };
  const current = list.at(chosen);
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 320) / ROW) - 1);
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "PageDown") choose(chosen + page);
    else if (event.key === "PageUp") choose(chosen - page);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(list.total - 1);
    else if (!current) return;
    else if (event.key === "Enter") actions.open(current);
    else if (event.key === "Delete") void actions.remove(current);
    else if (isMenuKey(event)) return openMenuAt(event, current.title, actions.menu(current));
    else return;
    event.preventDefault();
  };

  const items = virtual.getVirtualItems();
  const filtered = states.length > 0 || name !== "" || folder !== null;
  return (
    <section aria-label={text.library.documents} className={styles.list}>
      <div className={styles.columns}>
        {COLUMNS.map(({ order: by, column }) => (
          <button
            aria-label={text.library.sortBy(text.library.column[column])}
            aria-pressed={order === by}
            className={cx(styles.column, styles[column], order === by && styles.sorted)}
            key={column}
            onClick={() => setOrder(by)}
            type="button"
          >
            {text.library.column[column]}
          </button>
        ))}
      </div>
      {list.error && list.total === 0 ? (
        <Failed error={list.error} retry={list.retry} />
      ) : list.pending ? (
        <div className={styles.wait}>
          <Skeleton label={text.library.loading} lines={12} />
        </div>
      ) : list.total === 0 ? (
        <Empty
          body={filtered ? text.library.noneBody : null}
          icon={FileSearch}
          title={text.library.noneTitle}
        >
          {filtered && <Button onClick={reset}>{text.library.showAll}</Button>}
        </Empty>
      ) : (
        <div
          aria-activedescendant={`document-${chosen}`}
          aria-label={text.library.documents}
          className={styles.scroll}
          data-testid="library-list"
          onKeyDown={onKeyDown}
          ref={scroller}
          role="listbox"
          tabIndex={0}
        >
          <div className={styles.sheet} style={{ blockSize: virtual.getTotalSize() }}>
            {items.map((item) => (
              <DocumentRow
                actions={actions}
                chosen={item.index === chosen}
                choose={setChosen}
                document={list.at(item.index)}
                index={item.index}
                key={item.index}
                opened={list.at(item.index)?.id === openId}
                top={item.start}
                total={list.total}
              />
            ))}
          </div>
        </div>
      )}
      {list.error !== null && list.total > 0 && (
        <Button className={styles.retry} icon={RotateCw} onClick={list.retry} small>
          {text.action.retry}
        </Button>
      )}
    </section>
  );
}
