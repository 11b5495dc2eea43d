import { BookOpen, TextQuote } from "lucide-react";
import type { KeyboardEvent, MouseEvent } from "react";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ReaderView } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Empty } from "../../components/Empty";
import { place as placeWords } from "../../lib/format";
import { inert } from "../../lib/inert";
import type { Place } from "../../lib/view";
import { useView } from "../../lib/view";
import { useText } from "../../text";
import styles from "./Reader.module.css";
import { goal, scrollTo } from "./scroll";
import { VersionLine } from "./VersionLine";

/** What stands where a long document goes on. */
const MORE = "[data-more-before], [data-more-after]";

interface PageProps {
  view: ReaderView;
  place: Place;
  /** What is shown is of the same document; the place asked for is on its way. */
  coming: boolean;
}

/** The text of a document, scrolled to where it should stand. */
export function Page({ view, place, coming }: PageProps) {
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
          <span className={styles.path} data-tip={crumbs.join(" › ")}>
            {crumbs.join(" › ")}
          </span>
          {where && <span className={styles.where}>{where}</span>}
        </div>
      )}
      <section
        aria-label={view.document.title}
        className={styles.scroll}
        data-reader=""
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
        tabIndex={0}
      >
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
      </section>
      {away && (
        <Button className={styles.back} icon={TextQuote} onClick={toPlace} small>
          {text.reader.toPassage}
        </Button>
      )}
      <footer className={styles.foot}>
        {link ? (
          <span className={styles.link} data-tip={link} role="status">
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
