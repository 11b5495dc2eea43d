import { Info, MessageSquare } from "lucide-react";
import { memo } from "react";
import type { HitDto } from "../bindings/types";
import { place } from "../lib/format";
import { whyHere } from "../lib/why";
import { useText } from "../text";
import { IconButton } from "./Button";
import { cx } from "./cx";
import styles from "./Passage.module.css";
import { Runs } from "./Runs";

interface PassageProps {
  hit: HitDto;
  id?: string;
  chosen?: boolean;
  explained?: boolean;
  onOpen: (hit: HitDto) => void;
  onAsk: (hit: HitDto) => void;
  onExplain: (hit: HitDto) => void;
}

/** A hit in a list of results: where it is, two lines of it, and on demand why it is here. */
export const Passage = memo(function Passage(props: PassageProps) {
  const { hit, id, chosen, explained, onOpen, onAsk, onExplain } = props;
  const text = useText();
  const { passage } = hit;
  const where = place(text, passage.location);
  const heading = passage.heading_path.join(" › ");
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field holds the focus and takes the keys
    <div
      aria-selected={chosen ?? false}
      className={cx(styles.hit, chosen && styles.chosen)}
      data-hit={passage.id}
      data-testid="search-hit"
      id={id}
      onClick={() => onOpen(hit)}
      role="option"
      tabIndex={-1}
    >
      <div className={styles.body}>
        {(where || heading) && (
          <p className={styles.meta}>
            {where && <span className={styles.place}>{where}</span>}
            {heading && <span className={styles.heading}>{heading}</span>}
          </p>
        )}
        {passage.context && (
          <p className={styles.context} data-tip={text.search.contextHint}>
            {passage.context}
          </p>
        )}
        <p className={styles.snippet}>
          <Runs runs={hit.snippet ?? []} />
        </p>
        {explained && <p className={styles.why}>{whyHere(text, hit)}</p>}
      </div>
      <span className={styles.actions}>
        <IconButton
          icon={Info}
          label={explained ? text.search.whyHide : text.search.why}
          onClick={(event) => {
            event.stopPropagation();
            onExplain(hit);
          }}
          on={explained}
          small
          tabIndex={-1}
        />
        <IconButton
          icon={MessageSquare}
          label={text.library.askAbout}
          onClick={(event) => {
            event.stopPropagation();
            onAsk(hit);
          }}
          small
          tabIndex={-1}
        />
      </span>
    </div>
  );
});
