import { ChevronRight } from "lucide-react";
import { whyHere } from "../lib/why";
import { useText } from "../text";
import styles from "./Trace.module.css";

/** Why a passage ranks where it does, to be opened. */
export function Why({ hit }: { hit: Parameters<typeof whyHere>[1] }) {
  const text = useText();
  return (
    <details className={styles.trace} data-testid="why">
      <summary className={styles.summary}>
        <ChevronRight aria-hidden="true" className={styles.chevron} size={12} strokeWidth={1.5} />
        {text.search.why}
      </summary>
      <p>{whyHere(text, hit)}</p>
    </details>
  );
}
