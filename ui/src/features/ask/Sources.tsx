import type { CitationDto, HitDocument, HitDto, PlaceDto } from "../../bindings/types";
import { FileIcon } from "../../components/FileIcon";
import { Runs } from "../../components/Runs";
import { Where } from "../../components/Where";
import { Why } from "../../components/Why";
import { documentPlace, place } from "../../lib/format";
import { useView } from "../../lib/view";
import { libraryName, useText } from "../../text";
import { useOpenCitation } from "./openCitation";
import styles from "./Sources.module.css";

/** The sources of an answer: title, place and the words themselves. */
export function Sources({ citations }: { citations: CitationDto[] }) {
  const text = useText();
  const open = useOpenCitation();
  return (
    <section aria-label={text.ask.sources} className={styles.sources}>
      <h3 className={styles.title}>{text.ask.sources}</h3>
      <ol className={styles.list}>
        {[...citations]
          .sort((a, b) => a.number - b.number)
          .map((citation) => {
            const { document, passage } = citation;
            return (
              <li key={citation.number}>
                <button
                  aria-label={text.ask.openSource(citation.number, document.title)}
                  className={styles.source}
                  data-testid="source"
                  onClick={() => open(citation)}
                  type="button"
                >
                  <span className={styles.number}>{citation.number}</span>
                  <span className={styles.body}>
                    <Head document={document} location={passage.location} />
                    <span className={styles.quote}>{citation.excerpt || citation.quote}</span>
                  </span>
                </button>
                {citation.rank !== undefined && (
                  <div className={styles.why}>
                    <Why hit={citation} />
                  </div>
                )}
              </li>
            );
          })}
      </ol>
    </section>
  );
}

/** Which document, where it lies, and the place in it. */
function Head({ document, location }: { document: HitDocument; location: PlaceDto }) {
  const text = useText();
  const everywhere = useView((view) => view.everywhere);
  const where = [place(text, location), everywhere && libraryName(text, document.library)];
  return (
    <span className={styles.head}>
      <FileIcon type={document.media_type} />
      <span className={styles.name}>{document.title}</span>
      <Where words={documentPlace(document.uri)} />
      <span className={styles.where}>{where.filter(Boolean).join(" · ")}</span>
    </span>
  );
}

/** Where nothing was answered: what came nearest. */
export function Nearest({ hits }: { hits: HitDto[] }) {
  const text = useText();
  const read = useView((view) => view.read);
  return (
    <section aria-label={text.ask.nearest} className={styles.sources}>
      <h3 className={styles.title}>{text.ask.nearest}</h3>
      <ul className={styles.list}>
        {hits.map((hit) => {
          const { document, passage } = hit;
          return (
            <li key={passage.id}>
              <button
                className={styles.source}
                data-testid="nearest"
                onClick={() =>
                  read({
                    document: document.id,
                    library: document.library,
                    title: document.title,
                    version: document.version,
                    start: passage.start,
                    end: passage.end,
                  })
                }
                type="button"
              >
                <span className={styles.body}>
                  <Head document={document} location={passage.location} />
                  <span className={styles.quote}>
                    <Runs runs={hit.snippet ?? []} />
                  </span>
                </span>
              </button>
              <div className={styles.why}>
                <Why hit={hit} />
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
