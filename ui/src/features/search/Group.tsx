import { memo } from "react";
import type { HitDto } from "../../bindings/types";
import { FileIcon } from "../../components/FileIcon";
import { Passage } from "../../components/Passage";
import { Where } from "../../components/Where";
import { documentPlace, pathOfUri } from "../../lib/format";
import { libraryName, useText } from "../../text";
import styles from "./Group.module.css";
import type { HitGroup } from "./groups";

interface GroupProps {
  group: HitGroup;
  chosen: string | null;
  explained: string | null;
  everywhere: boolean;
  idPrefix: string;
  onOpen: (hit: HitDto) => void;
  onAsk: (hit: HitDto) => void;
  onExplain: (hit: HitDto) => void;
}

/** A document with its hits. */
export const Group = memo(function Group(props: GroupProps) {
  const { group, chosen, explained, everywhere, idPrefix, onOpen, onAsk, onExplain } = props;
  const text = useText();
  const { document, hits } = group;
  const where = documentPlace(document.uri);
  return (
    <section aria-label={document.title} className={styles.group}>
      <h2 className={styles.head}>
        <FileIcon type={document.media_type} />
        <span className={styles.title}>{document.title}</span>
        <Where
          whole={pathOfUri(document.uri) ?? where}
          words={everywhere ? `${libraryName(text, document.library)} · ${where}` : where}
        />
      </h2>
      {hits.map((hit) => (
        <Passage
          chosen={hit.passage.id === chosen}
          explained={hit.passage.id === explained}
          hit={hit}
          id={`${idPrefix}-${hit.passage.id}`}
          key={hit.passage.id}
          onAsk={onAsk}
          onExplain={onExplain}
          onOpen={onOpen}
        />
      ))}
    </section>
  );
});
