import { RotateCw } from "lucide-react";
import type { StatusDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { cx } from "../../components/cx";
import { Mark } from "../../components/StateMark";
import { SEARCHABLE } from "../../lib/states";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import styles from "./Filters.module.css";

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
  /** None while it is not known: nothing is claimed then. */
  status: StatusDto | undefined;
  states: string[];
  change: (states: string[]) => void;
}

/** `1,204 of 1,230 searchable · 12 need a password · 14 failed`: what there is, and each part as a filter. */
export function Filters({ library, status, states, change }: FiltersProps) {
  const text = useText();
  const run = useDo();
  if (!status) return <div className={styles.filters} />;
  const { total, searchable, documents } = status;
  const sum = (wanted: readonly string[]) => wanted.reduce((all, state) => all + (documents[state] ?? 0), 0);
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
