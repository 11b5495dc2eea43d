/** Searching and answering in the stand-in host: by words alone, over a few writings. Deterministic. */
import type {
  AnswerDto,
  ChatScope,
  CitationDto,
  ClaimDto,
  HitDto,
  RunDto,
  SearchParams,
} from "../../bindings/types";
import type { Paragraph, Store } from "./store";

const STOP = new Set(
  "a an and are as at be by can do does for from how in is it me my of on or that the this to was what when where which who why will with your about say".split(
    " ",
  ),
);

/** Words of a question; Chinese by pairs of characters. */
export function terms(query: string): string[] {
  const words: string[] = [];
  for (const match of query.toLowerCase().matchAll(/[\p{Script=Han}]+|[\p{L}\p{N}][\p{L}\p{N}.\-_]*/gu)) {
    const word = match[0];
    if (/\p{Script=Han}/u.test(word)) {
      const letters = [...word];
      if (letters.length <= 2) words.push(word);
      else for (let at = 0; at + 1 < letters.length; at += 1) words.push(`${letters[at]}${letters[at + 1]}`);
    } else if (!STOP.has(word)) words.push(word);
  }
  return words.filter((word) => !["什么", "多少", "怎么", "的是"].includes(word));
}

function marked(text: string, words: string[]): RunDto[] {
  if (words.length === 0) return [{ text, kind: "text" }];
  const pattern = new RegExp(
    `(${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`,
    "gi",
  );
  return text
    .split(pattern)
    .filter((part) => part !== "")
    .map((part) => ({ text: part, kind: words.includes(part.toLowerCase()) ? "match" : "text" }));
}

/** Rows of a sheet as the program shows them. */
const plain = (text: string) => text.replaceAll(" | ", " · ");

export function search(store: Store, params: SearchParams): HitDto[] {
  const words = terms(params.query);
  const libraries = params.libraries?.length ? params.libraries : ["default"];
  const scored: { paragraph: Paragraph; score: number; found: string[]; library: string }[] = [];
  for (const [library, documents] of store.documents) {
    if (!libraries.includes("*") && !libraries.includes(library)) continue;
    for (const document of documents) {
      for (const paragraph of store.writings.get(document.id)?.paragraphs ?? []) {
        const text = `${paragraph.heading} ${paragraph.text}`.toLowerCase();
        const found = words.filter((word) => text.includes(word));
        if (found.length > 0) scored.push({ paragraph, score: found.length / words.length, found, library });
      }
    }
  }
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, params.n ?? 10).map(({ paragraph, score, found, library }, index) => {
    const document = store.documents.get(library)?.find((one) => one.id === paragraph.document);
    return {
      rank: index + 1,
      score: score / 60,
      score_kind: "fused",
      document: {
        id: paragraph.document,
        uri: document?.uri ?? "",
        title: document?.title ?? "",
        library,
        version: document?.version ?? 1,
        media_type: document?.media_type ?? "",
      },
      passage: {
        id: paragraph.id,
        text: paragraph.text,
        heading_path: [paragraph.heading],
        start: paragraph.start,
        end: paragraph.end,
        location: paragraph.location,
        tokens: Math.ceil(paragraph.text.length / 4),
      },
      ranks: (index % 5 === 4
        ? { dense: index + 1, "lexical:2": 2 }
        : { lexical: index + 1, dense: ((index * 3) % 7) + 1 }) as HitDto["ranks"],
      scores: { lexical: 11.2 - index, dense: 0.71, fused: score / 60 },
      matched_terms: found,
      snippet: marked(plain(paragraph.text), found),
    };
  });
}

export const trace = {
  stages: [
    { name: "lexical", ms: 0.8, candidates: 50 },
    { name: "dense", ms: 11.9, candidates: 50 },
    { name: "fuse", ms: 0.1, candidates: 74 },
    { name: "hops", ms: 2.1, candidates: 81, note: "12 names looked up, 7 passages added" },
    { name: "read", ms: 1.4, candidates: 30 },
  ],
  total_ms: 16.3,
};

function cite(hit: HitDto, number: number): CitationDto {
  const [quote = hit.passage.text] = hit.passage.text.split(/(?<=[a-z)]\.)\s+|(?<=。)/);
  const length = new TextEncoder().encode(quote).length;
  return {
    number,
    document: hit.document,
    passage: hit.passage,
    quote,
    excerpt: plain(quote),
    quote_start: hit.passage.start,
    quote_end: hit.passage.start + length,
    rank: hit.rank,
    ranks: hit.ranks,
    scores: hit.scores,
    matched_terms: hit.matched_terms,
  };
}

/** An answer made of the first sentences of the best passages, and one sentence that nothing supports. */
export function answer(store: Store, question: string, scope: ChatScope): AnswerDto {
  const libraries = scope.libraries?.length ? scope.libraries : ["default"];
  const documents = scope.documents ?? [];
  const base: AnswerDto = {
    answer: "",
    grounded: false,
    reason: null,
    mode: "top-k",
    citations: [],
    claims: [],
    conflicts: [],
    nearest: [],
    model: "SmolLM2 135M Instruct",
    chat: null,
    trace,
  };
  if (/^(hello|hi|你好)/i.test(question)) {
    return {
      ...base,
      mode: "small-talk",
      answer:
        store.tongue === "zh"
          ? "你好。想了解文档里的什么内容？"
          : "Hello. What would you like to know about your documents?",
    };
  }
  const bytes = (value: string) => new TextEncoder().encode(value).length;
  const loose =
    store.tongue === "zh" ? "建议保留所有书面凭证。" : "It is wise to keep every letter about it.";
  const all = search(store, { query: question, libraries, n: 12 }).filter(
    (hit) => documents.length === 0 || documents.some((one) => one.id === hit.document.id),
  );
  const usable = (state: string) => state === "installed" || state === "remote";
  if (!store.models.some((one) => one.role === "language_model" && usable(one.state))) {
    return { ...base, model: null, reason: "no_model", nearest: all.slice(0, 3) };
  }
  if (store.tongue === "en" && /\p{Script=Han}/u.test(question)) {
    return { ...base, reason: "no_model", nearest: all.slice(0, 3) };
  }
  // A wish for something that is in no document: the model writes, and nothing carries it.
  if (/\bpoem\b|诗/i.test(question)) {
    const claim = { text: loose, start: 0, end: bytes(loose), citations: [], verdict: "unsupported" };
    return { ...base, answer: loose, claims: [claim], nearest: all.slice(0, 3) };
  }
  const best = all.filter((hit) => hit.score >= 0.3 / 60).slice(0, 3);
  if (best.length === 0)
    return {
      ...base,
      reason: "not_in_library",
      nearest: search(store, {
        query: store.tongue === "zh" ? "押金 租金" : "deposit rent",
        libraries,
        n: 3,
      }),
    };
  const citations = best.map((hit, index) => cite(hit, index + 1));
  const claims: ClaimDto[] = [];
  let text = "";
  const gap = store.tongue === "zh" ? "" : " ";
  for (const citation of citations) {
    const start = bytes(text);
    text += `${text === "" ? "" : gap}${citation.quote}`;
    claims.push({
      text: citation.quote,
      start,
      end: bytes(text),
      citations: [citation.number],
      verdict: "supported",
    });
    text += `${gap}[${citation.number}]`;
  }
  const start = bytes(text) + gap.length;
  text += `${gap}${loose}`;
  claims.push({ text: loose, start, end: start + bytes(loose), citations: [], verdict: "unsupported" });
  return { ...base, answer: text, grounded: true, citations, claims };
}
