import { useEffect, useRef } from "react";
import { useView } from "../lib/view";
import { useHost } from "../queries/hooks";
import { useAdd } from "../queries/useAdd";
import { useText } from "../text";
import styles from "./DropOverlay.module.css";
import { dropSentence, receiveDrop, useDrag } from "./drop";

/** Says what will happen while something is held over the window. */
export function DropOverlay() {
  const host = useHost();
  const text = useText();
  const { add } = useAdd();
  const library = useView((view) => view.library);
  const paths = useDrag((drag) => drag.paths);

  const latest = useRef(add);
  latest.current = add;
  useEffect(
    () => host.onDrop((event) => receiveDrop(event, (dropped) => void latest.current(dropped))),
    [host],
  );

  if (!paths) return null;
  return (
    <div className={styles.overlay} data-testid="drop-overlay" role="status">
      <div className={styles.card}>
        <p className={styles.title}>{dropSentence(text, paths, library)}</p>
        <p className={styles.hint}>{text.drop.hint}</p>
      </div>
    </div>
  );
}
