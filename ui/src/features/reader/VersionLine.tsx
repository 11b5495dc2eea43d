import type { ReaderView } from "../../bindings/types";
import { cx } from "../../components/cx";
import { openMenuUnder } from "../../components/Menu";
import { ago, moment } from "../../lib/format";
import { useRead } from "../../queries/hooks";
import { useText } from "../../text";
import styles from "./Reader.module.css";

/** `Version 3 of 5 · changed 2 days ago`; opens the others. */
export function VersionLine({ view, onVersion }: { view: ReaderView; onVersion: (version: number) => void }) {
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
      <span data-tip={moment(text, view.created)}>{text.reader.changed(ago(text, view.created))}</span>
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
