import { RotateCw } from "lucide-react";
import { Button } from "../../components/Button";
import { cx } from "../../components/cx";
import { Mark } from "../../components/StateMark";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import styles from "./Filters.module.css";

const SEARCHABLE = ["ready", "words", "partial"];

/** Each filter with the states that it stands for and the mark that it carries. */
const FILTERS = [
  { id: "working", states: ["waiting", "names"], mark: "waiting" },
  { id: "words", states: ["words"], mark: "words" },
  { id: "partial", states: ["partial"], mark: "partial" },
  { id: "needs_password", states: ["needs_password"], mark: "needs_password" },
  { id: "no_text", states: ["no_text"], mark: "no_text" },
  { id: "failed", states: ["failed"], mark: "failed" },
  { id: "skipped", states: ["skipped"], mark: "skipped" },
  { id: "missing", states: ["missing"], mark: "missing" },
] as const;

interface FiltersProps {
  library: string;
  /** None while they are not known: nothing is claimed then. */
  counts: { [state: string]: number } | null;
  states: string[];
  change: (states: string[]) => void;
}

/** `1,204 of 1,230 searchable · 12 need a password · 14 failed`: what there is, and each part as a filter. */
export function Filters({ library, counts, states, change }: FiltersProps) {
  const text = useText();
  const run = useDo();
  if (!counts) return <div className={styles.filters} />;
  const sum = (wanted: readonly string[]) => wanted.reduce((total, state) => total + (counts[state] ?? 0), 0);
  const total = sum(Object.keys(counts));
  const searchable = sum(SEARCHABLE);
  const same = (wanted: readonly string[]) => wanted.join() === states.join();
  const toggle = (wanted: readonly string[]) => change(same(wanted) ? [] : [...wanted]);

  return (
    <div aria-label={text.library.filtered} className={styles.filters} role="toolbar">
      <button
        aria-pressed={same(SEARCHABLE)}
        className={cx(styles.filter, same(SEARCHABLE) && styles.on)}
        data-testid="filter-searchable"
        onClick={() => toggle(SEARCHABLE)}
        type="button"
      >
        <Mark state="ready" />
        {searchable === total
          ? text.library.allSearchable(total)
          : text.library.searchable(searchable, total)}
      </button>
      {FILTERS.map(({ id, states: wanted, mark }) => {
        const count = sum(wanted);
        const on = same(wanted);
        if (count === 0 && !on) return null;
        return (
          <button
            aria-pressed={on}
            className={cx(styles.filter, on && styles.on)}
            data-testid={`filter-${id}`}
            key={id}
            onClick={() => toggle(wanted)}
            type="button"
          >
            <Mark state={mark} />
            {text.library.filter[id](count)}
          </button>
        );
      })}
      {states.includes("failed") && sum(["failed"]) > 0 && (
        <Button
          className={styles.retry}
          icon={RotateCw}
          kind="quiet"
          onClick={() => void run("document.retry", { library })}
          small
        >
          {text.library.retryAll}
        </Button>
      )}
    </div>
  );
}
