/** Hits under their documents; a document stands where its best hit ranks. */
import type { HitDocument, HitDto } from "../../bindings/types";

export interface HitGroup {
  document: HitDocument;
  hits: HitDto[];
}

export function groupByDocument(hits: HitDto[]): HitGroup[] {
  const groups = new Map<string, HitGroup>();
  for (const hit of hits) {
    const group = groups.get(hit.document.id);
    if (group) group.hits.push(hit);
    else groups.set(hit.document.id, { document: hit.document, hits: [hit] });
  }
  return [...groups.values()];
}
