import { isCostly, optionsOf } from "../lib/retrieval";
import { whyHere } from "../lib/why";
import { CATALOGUES } from "../text";

const { en, zh } = CATALOGUES;

describe("why a passage ranks where it does", () => {
  it("says how the reranker moved it, and what else found it", () => {
    const hit = { rank: 1, scores: { rerank: 0.8 }, matched_terms: ["rent"], named: "Lindenstraße" };
    const ranks = { lexical: 3, dense: 12, fused: 5, "lexical:2": 4, "dense:3": 2 };
    expect(whyHere(en, { ...hit, ranks })).toBe(
      "rank by words 3 · rank by meaning 12 · rank by another wording 2 · named in a better hit: Lindenstraße · lifted by the reranker from 5 · words matched: rent",
    );
    expect(whyHere(zh, { ...hit, ranks })).toContain("重排后由第 5 上升");
    expect(whyHere(en, { ...hit, rank: 7, ranks })).toContain("put down by the reranker from 5");
    expect(whyHere(en, { ...hit, rank: 5, ranks })).toContain("left by the reranker at 5");
    expect(whyHere(en, { ...hit, rank: 30, scores: {}, ranks: { fused: 30 } })).toContain(
      "not read by the reranker",
    );
    expect(whyHere(en, { ranks: { lexical: 1 }, matched_terms: [] })).toBe(
      "rank by words 1 · not found by meaning",
    );
  });
});

describe("how to search", () => {
  it("tells the program only what differs from its defaults", () => {
    expect(optionsOf({ preset: "balanced", extras: [], rerank: true })).toEqual({});
    expect(optionsOf({ preset: "thorough", extras: ["mqe", "multi_hop"], rerank: false })).toEqual({
      preset: "thorough",
      rerank: "none",
      mqe: "3",
      multi_hop: true,
    });
  });

  it("is made at every letter only where no model reads or writes", () => {
    const plain = { preset: "balanced", extras: [], rerank: true } as const;
    expect(isCostly(plain, false)).toBe(false);
    expect(isCostly({ ...plain, extras: ["multi_hop"] }, false)).toBe(false);
    expect(isCostly(plain, true)).toBe(true);
    expect(isCostly({ ...plain, rerank: false }, true)).toBe(false);
    expect(isCostly({ ...plain, preset: "thorough" }, false)).toBe(true);
    expect(isCostly({ ...plain, extras: ["hyde"] }, false)).toBe(true);
  });
});
