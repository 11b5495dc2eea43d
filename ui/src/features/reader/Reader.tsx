import {
  BookOpen,
  Copy,
  FolderOpen,
  List,
  Maximize2,
  MessageSquare,
  Minimize2,
  TextQuote,
  X,
} from "lucide-react";
import {
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { ReaderView } from "../../bindings/types";
import { Button, IconButton } from "../../components/Button";
import { cx } from "../../components/cx";
import { Empty, Failed } from "../../components/Empty";
import { FileIcon } from "../../components/FileIcon";
import { MenuButton, openMenuUnder } from "../../components/Menu";
import { Skeleton } from "../../components/Skeleton";
import { ago, moment, pathOfUri, place as placeWords } from "../../lib/format";
import { useNarrow } from "../../lib/hooks";
import { inert } from "../../lib/inert";
import { notify } from "../../lib/notices";
import { type Place, useView } from "../../lib/view";
import { useHost, useRead } from "../../queries/hooks";
import { useText } from "../../text";
import styles from "./Reader.module.css";

/** What stands where a long document goes on. */
const MORE = "[data-more-before], [data-more-after]";

/** The side panel: a document as it is, with a passage marked. */
export function Reader({ place, covers }: { place: Place; covers: boolean }) {
  const text = useText();
  const panel = useRef<HTMLElement>(null);
  const { closeReader, readerWide, set } = useView();
  const narrow = useNarrow();
  const { document, library, version = null, start = null, end = null } = place;
  const view = useRead(
    "reader.open",
    { document, library, version, start, end },
    { keep: (last) => last.document.id === document && (version === null || last.version === version) },
  );
  const data = view.data;

  useEffect(() => {
    if (covers) panel.current?.focus();
  }, [covers]);

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
        <h2 className={styles.title} title={place.title}>
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
      {data ? (
        <Page coming={view.isPlaceholderData} key={`${document} ${version}`} place={place} view={data} />
      ) : null}
      {view.isPending && (
        <div className={styles.wait}>
          <Skeleton label={text.library.loading} lines={9} />
        </div>
      )}
      {view.isError && <Failed error={view.error} retry={view.refetch} />}
      <span aria-live="polite" className="visually-hidden">
        {data ? text.reader.opened(data.document.title) : ""}
      </span>
    </aside>
  );
}

function More({ view }: { view: ReaderView }) {
  const text = useText();
  const host = useHost();
  const { askAbout } = useView();
  const path = pathOfUri(view.document.uri);
  return (
    <MenuButton
      items={[
        { label: text.library.askAbout, icon: MessageSquare, run: () => askAbout(view.document) },
        path !== null && {
          label: text.action.reveal,
          icon: FolderOpen,
          run: () => void host.reveal(path).catch(() => {}),
        },
        {
          label: text.action.copyPath,
          icon: Copy,
          run: () => {
            void navigator.clipboard.writeText(path ?? view.document.uri);
            notify({ kind: "done", message: text.action.copied });
          },
        },
      ]}
      label={text.nav.more(view.document.title)}
      small
    />
  );
}

function Outline({ view, place }: { view: ReaderView; place: Place }) {
  const text = useText();
  const { read } = useView();
  if (view.outline.length === 0) return null;
  return (
    <IconButton
      aria-haspopup="menu"
      icon={List}
      label={text.reader.outline}
      onClick={(event) =>
        openMenuUnder(
          event.currentTarget,
          text.reader.outline,
          view.outline.map(({ level, text: heading, start }) => ({
            label: heading,
            indent: level - 1,
            run: () => {
              // Of a long document only the part around a place is here; a heading elsewhere is a place of its own.
              const element = document.querySelector(`[data-reader] [data-start="${start}"]`);
              if (element) scrollTo(element, 0.04);
              else read({ ...place, start, end: start });
            },
          })),
        )
      }
      small
    />
  );
}

/** Brings an element to a height of the page: a third down for a passage, near the top for a heading. */
function scrollTo(element: Element | null, height: number) {
  const scroller = element?.closest("[data-reader]");
  if (!element || !scroller) return;
  const above = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  scroller.scrollTop += above - scroller.clientHeight * height;
}

/** Where the Reader should stand: at the passage, or else at the first block from `start` on. */
function goal(page: Element, start: number): { element: Element | null; height: number } {
  const mark = page.querySelector("mark");
  if (mark) return { element: mark, height: 0.26 };
  const blocks = [...page.querySelectorAll<HTMLElement>("[data-start]")];
  return { element: blocks.find((block) => Number(block.dataset.start) >= start) ?? null, height: 0.04 };
}

interface PageProps {
  view: ReaderView;
  place: Place;
  /** What is shown is of the same document; the place asked for is on its way. */
  coming: boolean;
}

function Page({ view, place, coming }: PageProps) {
  const text = useText();
  const { read } = useView();
  const page = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [link, setLink] = useState<string | null>(null);
  const [away, setAway] = useState(false);
  const { start = null, end = null } = place;

  const toPlace = useCallback(() => {
    if (!page.current || start === null) return;
    const { element, height } = goal(page.current, start);
    scrollTo(element, height);
  }, [start]);

  useLayoutEffect(() => {
    const element = page.current;
    if (!element) return;
    element.replaceChildren(inert(view.html));
    for (const mark of element.querySelectorAll("mark")) mark.setAttribute("data-testid", "reader-mark");
    for (const more of element.querySelectorAll(MORE)) {
      more.textContent = more.hasAttribute("data-more-before") ? text.reader.earlier : text.reader.further;
      more.setAttribute("role", "button");
      more.setAttribute("tabindex", "0");
    }
  }, [view.html, text]);

  // Another passage of the same document scrolls there; the same document changing on disk does not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the passage is what it follows
  useLayoutEffect(() => {
    if (coming) return;
    toPlace();
    let live = true;
    void document.fonts?.ready.then(() => live && toPlace());
    return () => {
      live = false;
    };
  }, [coming, start, end, toPlace]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new text has a new mark
  useEffect(() => {
    const mark = page.current?.querySelector("mark");
    const root = scroller.current;
    setAway(false);
    if (!mark || !root || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(([entry]) => setAway(entry?.isIntersecting === false), {
      root,
    });
    observer.observe(mark);
    return () => observer.disconnect();
  }, [view.html]);

  const act = (event: MouseEvent | KeyboardEvent) => {
    const target = (event.target as Element).closest(`a, [data-target], ${MORE}`);
    if (!target) return;
    event.preventDefault();
    const at = target.getAttribute("data-more-before") ?? target.getAttribute("data-more-after");
    if (at !== null) read({ ...place, start: Number(at), end: Number(at) });
    else setLink(target.getAttribute("data-target"));
  };

  const where = placeWords(text, view.location);
  const crumbs = view.breadcrumb;
  return (
    <>
      {(crumbs.length > 0 || where) && (
        <div className={styles.crumbs}>
          <span className={styles.path} title={crumbs.join(" › ")}>
            {crumbs.join(" › ")}
          </span>
          {where && <span className={styles.where}>{where}</span>}
        </div>
      )}
      <div className={styles.scroll} data-reader="" ref={scroller}>
        {view.html.trim() === "" && (
          <Empty body={text.reader.emptyBody} icon={BookOpen} inline title={text.reader.emptyTitle} />
        )}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it catches the links of a document, which do nothing */}
        <div
          className={styles.page}
          onClick={act}
          onKeyDown={(event) => event.key === "Enter" && act(event)}
          ref={page}
        />
      </div>
      {away && (
        <Button className={styles.back} icon={TextQuote} onClick={toPlace} small>
          {text.reader.toPassage}
        </Button>
      )}
      <footer className={styles.foot}>
        {link ? (
          <span className={styles.link} role="status" title={link}>
            {text.reader.link(link)} · {text.reader.linkHint}
          </span>
        ) : (
          <VersionLine
            onVersion={(version) => read({ ...place, version, start: null, end: null })}
            view={view}
          />
        )}
      </footer>
    </>
  );
}

function VersionLine({ view, onVersion }: { view: ReaderView; onVersion: (version: number) => void }) {
  const text = useText();
  const many = view.versions > 1;
  const versions = useRead(
    "document.versions",
    { document: view.document.id, library: view.document.library },
    { enabled: many },
  ).data?.versions;
  const older = view.document.version !== null && view.version < view.document.version;
  const words = (
    <>
      {older && <span className={styles.older}>{text.reader.older}</span>}
      <span>{text.reader.version(view.version, view.versions)}</span>
      <span aria-hidden="true">·</span>
      <span title={moment(text, view.created)}>{text.reader.changed(ago(text, view.created))}</span>
    </>
  );
  if (!many) return <span className={styles.version}>{words}</span>;
  return (
    <button
      aria-haspopup="menu"
      className={cx(styles.version, styles.versions)}
      onClick={(event) =>
        openMenuUnder(
          event.currentTarget,
          text.reader.versions,
          [...(versions ?? [])].reverse().map((version) => ({
            label: text.reader.version(version.number, view.versions),
            hint: ago(text, version.created),
            checked: version.number === view.version,
            run: () => onVersion(version.number),
          })),
          false,
        )
      }
      type="button"
    >
      {words}
    </button>
  );
}
