import { memo } from "react";
import type { DocumentDto } from "../../bindings/types";
import { cx } from "../../components/cx";
import { FileIcon } from "../../components/FileIcon";
import { MenuButton, openMenuAt } from "../../components/Menu";
import { StateMark, stateWords } from "../../components/StateMark";
import { Where } from "../../components/Where";
import { bytes, day, documentPlace, moment, pathOfUri, pathWords } from "../../lib/format";
import { useText } from "../../text";
import styles from "./DocumentList.module.css";
import type { DocumentActions } from "./useDocumentActions";

interface RowProps {
  document: DocumentDto | undefined;
  index: number;
  total: number;
  top: number;
  chosen: boolean;
  opened: boolean;
  choose: (index: number) => void;
  actions: DocumentActions;
}

/** One document. Before its page has come, a quiet line in its place. */
export const DocumentRow = memo(function DocumentRow(props: RowProps) {
  const { document, index, total, top, chosen, opened, choose, actions } = props;
  const text = useText();
  const style = { translate: `0 ${top}px` };
  if (!document) {
    return (
      <div aria-hidden="true" className={styles.row} style={style}>
        <span className={styles.ghost} />
      </div>
    );
  }
  const file = pathOfUri(document.uri);
  const where = file === null ? documentPlace(document.uri) : pathWords(document.path);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list holds the focus and takes the keys
    <div
      aria-label={text.library.row(document.title, stateWords(text, document))}
      aria-posinset={index + 1}
      aria-selected={chosen}
      aria-setsize={total}
      className={cx(styles.row, chosen && styles.chosen, opened && styles.opened)}
      data-state={document.state}
      data-testid="library-row"
      id={`document-${index}`}
      onClick={() => {
        choose(index);
        actions.open(document);
      }}
      onContextMenu={(event) => {
        choose(index);
        openMenuAt(event, document.title, actions.menu(document));
      }}
      role="option"
      style={style}
      tabIndex={-1}
    >
      <span className={cx(styles.cell, styles.name)}>
        <FileIcon type={document.media_type} />
        <span className={styles.title}>{document.title}</span>
        <Where whole={file ?? document.uri} words={where === document.title ? "" : where} />
      </span>
      <span
        className={cx(styles.cell, styles.modified)}
        data-tip={document.date ? moment(text, document.date) : undefined}
      >
        {document.date ? day(text, document.date) : ""}
      </span>
      <span className={cx(styles.cell, styles.size)}>{bytes(text, document.bytes)}</span>
      <span className={cx(styles.cell, styles.state)}>
        <StateMark document={document} />
      </span>
      <MenuButton
        className={styles.more}
        items={() => actions.menu(document)}
        label={text.nav.more(document.title)}
        small
        tabIndex={-1}
      />
    </div>
  );
});
