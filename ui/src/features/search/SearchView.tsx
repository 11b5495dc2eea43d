import { Search, SearchX, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import { Empty, Failed } from "../../components/Empty";
import { HowToSearch, useHasReranker } from "../../components/HowToSearch";
import { Icon } from "../../components/Icon";
import { Kbd } from "../../components/Kbd";
import { Scope } from "../../components/Scope";
import { Skeleton } from "../../components/Skeleton";
import { Trace } from "../../components/Trace";
import { useRested } from "../../lib/hooks";
import { composing } from "../../lib/ime";
import { isCostly, optionsOf, useRetrieval } from "../../lib/retrieval";
import { openReader, useScope, useView } from "../../lib/view";
import { useHost, useRead } from "../../queries/hooks";
import { useText } from "../../text";
import { Group } from "./Group";
import { groupByDocument } from "./groups";
import { remember } from "./recent";
import styles from "./SearchView.module.css";
import { Start } from "./Start";

/** Milliseconds of rest before a search is asked: typing goes on undisturbed. */
const REST = 80;
const HITS = 20;

export function SearchView() {
  const text = useText();
  const { mac } = useHost();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { query, everywhere, set, read, askAbout, openChat } = useView();
  const scope = useScope();
  // What an input method is still composing is in the field, and not yet in the query.
  const [typed, setTyped] = useState(query);
  const [kept, setKept] = useState(query);
  // A model reads or writes only for a question that was finished with Enter; until then a fast search is shown.
  const [finished, setFinished] = useState(query);
  if (kept !== query) {
    setKept(query);
    if (query !== typed) {
      // It was not typed here: an earlier search, or a link.
      setTyped(query);
      setFinished(query);
    }
  }

  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);

  const rested = useRested(query, REST);
  const wanted = rested.trim();
  const how = useRetrieval();
  const costly = isCostly(how, useHasReranker());
  const unasked = costly && (finished !== query || rested !== query);
  const options = unasked ? { preset: "fast" } : optionsOf(how);
  const prefix = !/\s$/.test(rested) && (unasked || !costly);
  const search = useRead(
    "search",
    { query: wanted, libraries: scope, n: HITS, prefix, snippets: true, options },
    { enabled: wanted !== "", keep: true, gcTime: 60_000 },
  );
  const result = query.trim() === "" ? undefined : search.data;
  const groups = useMemo(() => groupByDocument(result?.hits ?? []), [result]);
  const hits = useMemo(() => groups.flatMap((group) => group.hits), [groups]);

  // The chosen hit stays chosen while better results arrive around it.
  const [chosenId, setChosenId] = useState<string | null>(null);
  const chosen = Math.max(
    0,
    hits.findIndex((hit) => hit.passage.id === chosenId),
  );
  const [explained, setExplained] = useState<string | null>(null);
  const [freshQuery, setFreshQuery] = useState(query);
  if (freshQuery !== query) {
    setFreshQuery(query);
    setChosenId(null);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query begins at its top
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [query]);

  const choose = (index: number) => {
    const hit = hits[index];
    if (!hit) return;
    setChosenId(hit.passage.id);
    list.current
      ?.querySelector(`[data-hit="${CSS.escape(hit.passage.id)}"]`)
      ?.scrollIntoView({ block: "nearest" });
  };
  const open = (index: number) => {
    const hit = hits[index];
    if (!hit) return;
    remember(query);
    setChosenId(hit.passage.id);
    const { document, passage } = hit;
    read({
      document: document.id,
      library: document.library,
      title: document.title,
      version: document.version,
      start: passage.start,
      end: passage.end,
    });
  };
  const ask = (index: number) => {
    const hit = hits[index];
    remember(query);
    if (hit) askAbout(hit.document, query.trim());
    else {
      set({ draft: query.trim() });
      openChat(null);
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event)) return;
    const mod = mac ? event.metaKey : event.ctrlKey;
    if (event.key === "ArrowDown") choose(Math.min(chosen + 1, hits.length - 1));
    else if (event.key === "ArrowUp") choose(Math.max(chosen - 1, 0));
    else if (event.key === "Enter" && mod) ask(chosen);
    else if (event.key === "Enter") unasked && wanted !== "" ? setFinished(query) : open(chosen);
    else if (event.key === "i" && mod) {
      const hit = hits[chosen];
      setExplained(hit && explained !== hit.passage.id ? hit.passage.id : null);
    } else if (event.key === "Escape" && query !== "" && !openReader()) set({ query: "" });
    else return;
    event.preventDefault();
  };

  const change = (value: string, inComposition: boolean) => {
    setTyped(value);
    if (!inComposition) set({ query: value });
  };

  const documents = groups.length;
  const noteOf = (leg: string) => result?.trace.stages.find((stage) => stage.name === leg)?.note;
  const note = noteOf("dense");
  const unfinished = noteOf("lexical");
  return (
    <div className={styles.view}>
      <div
        aria-busy={rested !== query || search.isFetching}
        className={styles.scroll}
        data-testid="search-results"
        ref={scroller}
      >
        <div className={styles.top}>
          <div className={styles.field}>
            <Icon of={Search} />
            <input
              aria-activedescendant={hits.length > 0 ? `${id}-${hits[chosen]?.passage.id}` : undefined}
              aria-autocomplete="list"
              aria-controls={`${id}-list`}
              aria-expanded={hits.length > 0}
              aria-label={text.search.placeholder}
              autoComplete="off"
              className={styles.input}
              data-testid="search-input"
              onChange={(event) =>
                change(event.target.value, (event.nativeEvent as InputEvent).isComposing === true)
              }
              onCompositionEnd={(event) => change(event.currentTarget.value, false)}
              onKeyDown={onKeyDown}
              placeholder={text.search.placeholder}
              ref={input}
              role="combobox"
              spellCheck={false}
              value={typed}
            />
            {query !== "" && (
              <IconButton
                icon={X}
                label={text.search.clear}
                onClick={() => {
                  set({ query: "" });
                  input.current?.focus();
                }}
                small
              />
            )}
            <HowToSearch small />
            <Scope />
          </div>
          {result && (
            <div aria-live="polite" className={styles.summary}>
              {hits.length > 0 &&
                (hits.length >= HITS
                  ? text.search.foundMany(hits.length, documents)
                  : text.search.found(hits.length, documents))}
              {hits.length > 0 && note && <span data-tip={note}>{text.search.wordsOnly}</span>}
              {unfinished && <span data-tip={unfinished}>{text.search.wordsUnfinished}</span>}
              {unasked && (
                <button className={styles.finish} onClick={() => setFinished(query)} type="button">
                  <Kbd chord="enter" /> {text.search.inFull}
                </button>
              )}
            </div>
          )}
        </div>
        <div
          aria-label={text.search.results}
          className={styles.list}
          id={`${id}-list`}
          ref={list}
          role="listbox"
        >
          {groups.map((group) => (
            <Group
              chosen={hits[chosen]?.passage.id ?? null}
              everywhere={everywhere}
              explained={explained}
              group={group}
              idPrefix={id}
              key={group.document.id}
              onAsk={(hit) => ask(hits.indexOf(hit))}
              onExplain={(hit) => setExplained(explained === hit.passage.id ? null : hit.passage.id)}
              onOpen={(hit) => open(hits.indexOf(hit))}
            />
          ))}
        </div>
        {result && hits.length > 0 && (
          <div className={styles.foot}>
            <Trace summary={`${result.trace.total_ms.toFixed(0)} ms`} trace={result.trace} />
          </div>
        )}
        {query.trim() === "" && <Start />}
        {search.isError && query.trim() !== "" && (
          <Failed error={search.error} inline retry={search.refetch} />
        )}
        {search.isPending && wanted !== "" && query.trim() !== "" && (
          <div className={styles.wait}>
            <Skeleton label={text.library.loading} lines={6} />
          </div>
        )}
        {result && hits.length === 0 && !search.isError && (
          <Empty
            body={text.search.nothingBody}
            icon={SearchX}
            inline
            testid="search-nothing"
            title={text.search.nothingTitle(result.query)}
          >
            {!everywhere && (
              <Button onClick={() => set({ everywhere: true })}>{text.search.everywhereToo}</Button>
            )}
            <Button kind="quiet" onClick={() => ask(-1)}>
              {text.search.askInstead}
            </Button>
          </Empty>
        )}
      </div>
      {hits.length > 0 && (
        <footer aria-hidden="true" className={styles.keys}>
          <span>
            <Kbd chord="arrowup" />
            <Kbd chord="arrowdown" /> {text.search.keys.move}
          </span>
          <span>
            <Kbd chord="enter" /> {unasked ? text.search.inFull : text.search.keys.open}
          </span>
          <span>
            <Kbd chord="mod+enter" /> {text.search.keys.ask}
          </span>
          <span>
            <Kbd chord="mod+i" /> {text.search.keys.why}
          </span>
        </footer>
      )}
    </div>
  );
}
