import { Maximize2, Minimize2, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { IconButton } from "../../components/Button";
import { cx } from "../../components/cx";
import { Failed } from "../../components/Empty";
import { FileIcon } from "../../components/FileIcon";
import { Skeleton } from "../../components/Skeleton";
import { toProblem } from "../../host";
import { documentPlace } from "../../lib/format";
import { useNarrow } from "../../lib/hooks";
import type { Place } from "../../lib/view";
import { useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";
import { useText } from "../../text";
import { More, Outline } from "./HeadActions";
import { Gone, VersionNote } from "./Kept";
import { Page } from "./Page";
import styles from "./Reader.module.css";

/** The side panel: a document as it is, with a passage marked. */
export function Reader({ place, covers }: { place: Place; covers: boolean }) {
  const text = useText();
  const panel = useRef<HTMLElement>(null);
  const { closeReader, readerWide, set } = useView();
  const narrow = useNarrow();
  const { document, library, version = null, start = null, end = null, quote = null } = place;
  const view = useRead(
    "reader.open",
    { document, library, version, start, end, quote },
    { keep: (last) => last.document.id === document && (version === null || last.version === version) },
  );
  const data = view.data;

  // Opened by a button, it takes the focus and gives it back; a field or a list that opened it keeps it, to go on with.
  const opener = useRef<Element | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each place has its opener
  useEffect(() => {
    const active = window.document.activeElement;
    if (panel.current?.contains(active)) return;
    opener.current = active;
    if (covers || active instanceof HTMLButtonElement) panel.current?.focus();
  }, [covers, place]);
  useEffect(
    () => () => {
      const lost = window.document.activeElement === window.document.body;
      if (lost && opener.current instanceof HTMLElement) opener.current.focus();
    },
    [],
  );

  return (
    <aside
      aria-label={`${text.reader.label}${text.colon}${place.title}`}
      className={cx(styles.panel, covers && styles.covers)}
      data-testid="reader"
      ref={panel}
      tabIndex={-1}
    >
      <header className={styles.head}>
        {data && <FileIcon type={data.document.media_type} />}
        <h2
          className={styles.title}
          data-tip={data ? documentPlace(data.document.uri) || place.title : place.title}
        >
          {data?.document.title ?? place.title}
        </h2>
        {data && <Outline place={place} view={data} />}
        {data && <More view={data} />}
        {!narrow && (
          <IconButton
            icon={readerWide ? Minimize2 : Maximize2}
            label={readerWide ? text.reader.narrow : text.reader.widen}
            onClick={() => set({ readerWide: !readerWide })}
            small
          />
        )}
        <IconButton
          data-testid="reader-close"
          icon={X}
          label={text.reader.close}
          onClick={closeReader}
          small
        />
      </header>
      {data && <VersionNote place={place} view={data} />}
      {data ? (
        <Page coming={view.isPlaceholderData} key={`${document} ${version}`} place={place} view={data} />
      ) : null}
      {view.isPending && (
        <div className={styles.wait}>
          <Skeleton label={text.library.loading} lines={9} />
        </div>
      )}
      {view.isError &&
        (quote !== null && toProblem(view.error).code === "not_found" ? (
          <Gone quote={quote} />
        ) : (
          <Failed error={view.error} retry={view.refetch} />
        ))}
      <span aria-live="polite" className="visually-hidden">
        {data ? text.reader.opened(data.document.title) : ""}
      </span>
    </aside>
  );
}
