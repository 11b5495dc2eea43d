import type { ConflictDto, ConflictSideDto } from "../../bindings/types";
import { place } from "../../lib/format";
import { useView } from "../../lib/view";
import { useText } from "../../text";
import styles from "./Conflicts.module.css";

/** Sources that contradict each other, as cards side by side; the preferred one first, with the reason. */
export function Conflicts({ conflicts }: { conflicts: ConflictDto[] }) {
  const text = useText();
  if (conflicts.length === 0) return null;
  return (
    <section aria-label={text.ask.conflict.title} className={styles.conflicts} data-testid="conflicts">
      <h3 className={styles.title}>{text.ask.conflict.title}</h3>
      {conflicts.map((conflict, index) => {
        const key = index;
        const why = conflict.preferred ? text.ask.conflict.preferred(conflict.preferred) : null;
        return (
          <div className={styles.conflict} key={key}>
            <div className={styles.cards}>
              {conflict.sides.map((side, at) => (
                <Card key={side.passage.id} note={at === 0 ? why : null} side={side} />
              ))}
            </div>
            <p className={styles.likely}>{text.ask.conflict.likely(conflict.likely)}</p>
          </div>
        );
      })}
    </section>
  );
}

function Card({ side, note }: { side: ConflictSideDto; note: string | null }) {
  const text = useText();
  const read = useView((view) => view.read);
  const { document, passage } = side;
  const where = [place(text, passage.location), side.date && text.ask.conflict.dated(side.date)];
  return (
    <button
      aria-label={text.ask.conflict.open(document.title)}
      className={styles.card}
      data-testid="conflict-side"
      onClick={() =>
        read({
          document: document.id,
          library: document.library,
          title: document.title,
          version: document.version,
          start: side.quote_start,
          end: side.quote_end,
        })
      }
      type="button"
    >
      <span className={styles.name}>{document.title}</span>
      <span className={styles.where}>{where.filter(Boolean).join(" · ")}</span>
      <span className={styles.quote}>{side.excerpt}</span>
      <span className={styles.where}>{text.ask.conflict.version(document.version, side.path)}</span>
      {note && <span className={styles.note}>{note}</span>}
    </button>
  );
}
