/** Why a passage ranks where it does, in words. */
import type { HitDto } from "../bindings/types";
import type { Text } from "../text";

type Ranked = Pick<HitDto, "ranks" | "matched_terms"> & Partial<Pick<HitDto, "rank" | "scores" | "named">>;

/** `rank by words 3 · rank by meaning 12 · lifted by the reranker from 5 · words matched: rent`. */
export function whyHere(text: Text, hit: Ranked): string {
  const words = text.search;
  const { lexical, dense, fused } = hit.ranks;
  const parts = [
    lexical ? words.byWords(lexical) : words.notByWords,
    dense ? words.byMeaning(dense) : words.notByMeaning,
  ];
  const other = best(hit.ranks);
  if (other !== null) parts.push(words.byOtherWording(other));
  if (hit.named) parts.push(words.named(hit.named));
  if (fused && hit.rank !== undefined) {
    const judged = hit.scores === undefined || hit.scores.rerank !== undefined;
    if (!judged) parts.push(words.notReranked);
    else if (fused > hit.rank) parts.push(words.lifted(fused));
    else if (fused < hit.rank) parts.push(words.lowered(fused));
    else parts.push(words.left(fused));
  }
  if (hit.matched_terms.length > 0) parts.push(words.matched(hit.matched_terms.join(text.comma)));
  return parts.join(" · ");
}

/** The best rank that another wording of the question gave it. */
function best(ranks: Ranked["ranks"]): number | null {
  const others = Object.entries(ranks).flatMap(([leg, rank]) =>
    leg.includes(":") && rank !== undefined ? [rank] : [],
  );
  return others.length > 0 ? Math.min(...others) : null;
}
