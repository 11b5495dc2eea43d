import type { CitationDto } from "../../bindings/types";
import { useView } from "../../lib/view";

/** Opens the Reader at the words that carry a sentence, in the version that they were read in. */
export function useOpenCitation() {
  const read = useView((view) => view.read);
  return (citation: CitationDto) => {
    const { document, passage, quote, quote_start, quote_end } = citation;
    const quoted = quote_end > quote_start;
    read({
      document: document.id,
      library: document.library,
      title: document.title,
      version: document.version,
      start: quoted ? quote_start : passage.start,
      end: quoted ? quote_end : passage.end,
      quote: quoted ? quote : undefined,
    });
  };
}
