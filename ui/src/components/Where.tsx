import { cx } from "./cx";
import styles from "./Where.module.css";

/** Where a document lies, in one quiet line. Cut at its beginning: the file's name and the folder around it tell files apart. */
export function Where({ words, whole, className }: { words: string; whole?: string; className?: string }) {
  return (
    <span className={cx(styles.where, className)} data-tip={whole ?? words}>
      <bdi>{words}</bdi>
    </span>
  );
}
