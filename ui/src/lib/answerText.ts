/**
 * An answer's text as blocks and pieces for display. Models write a little Markdown; citations stand as `[1]`. Sentences are found
 * in the text by their own words, so that the byte offsets of the program are never computed with here.
 */
import type { ClaimDto } from "../bindings/types";

export type Piece =
  | { kind: "text"; text: string; bold: boolean; claim: ClaimDto | null }
  | { kind: "code"; text: string; claim: ClaimDto | null }
  | { kind: "cite"; number: number; claim: ClaimDto | null };

export type Block =
  | { kind: "paragraph"; pieces: Piece[] }
  | { kind: "heading"; pieces: Piece[] }
  | { kind: "list"; ordered: boolean; items: Piece[][] }
  | { kind: "code"; text: string };

interface Range {
  from: number;
  to: number;
  claim: ClaimDto;
}

const CITE = /\[(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\]/;
const INLINE = /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|\[(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\]/g;

/** Where each sentence stands, in order. One that is not found word by word is left without a mark. */
export function locate(answer: string, claims: ClaimDto[]): Range[] {
  const ranges: Range[] = [];
  let cursor = 0;
  for (const claim of claims) {
    const words = claim.text.trim();
    if (words === "") continue;
    const from = answer.indexOf(words, cursor);
    if (from < 0) continue;
    cursor = from + words.length;
    ranges.push({ from, to: cursor, claim });
  }
  return ranges;
}

/** Blocks of an answer. Only citations in `known` become marks; a number that no source has is left out. */
export function answerBlocks(answer: string, claims: ClaimDto[], known: ReadonlySet<number>): Block[] {
  const ranges = locate(answer, claims);
  const blocks: Block[] = [];
  let paragraph: [number, number] | null = null;
  const pieces = (from: number, to: number) => inline(answer, from, to, ranges, known);
  const flush = () => {
    if (paragraph) blocks.push({ kind: "paragraph", pieces: pieces(...paragraph) });
    paragraph = null;
  };

  let at = 0;
  const lines = answer.split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const from = at;
    const to = from + line.length;
    at = to + 1;
    if (/^\s*```/.test(line)) {
      flush();
      const body: string[] = [];
      for (index += 1; index < lines.length && !/^\s*```/.test(lines[index] ?? ""); index += 1) {
        body.push(lines[index] ?? "");
        at += (lines[index] ?? "").length + 1;
      }
      at += (lines[index] ?? "").length + 1;
      blocks.push({ kind: "code", text: body.join("\n") });
      continue;
    }
    const item = /^\s*(?:([-*•])|(\d{1,3})[.)])\s+/.exec(line);
    const heading = /^#{1,6}\s+/.exec(line);
    if (line.trim() === "") flush();
    else if (heading) {
      flush();
      blocks.push({ kind: "heading", pieces: pieces(from + heading[0].length, to) });
    } else if (item) {
      flush();
      const ordered = item[2] !== undefined;
      const content = pieces(from + item[0].length, to);
      const last = blocks.at(-1);
      if (last?.kind === "list" && last.ordered === ordered) last.items.push(content);
      else blocks.push({ kind: "list", ordered, items: [content] });
    } else paragraph = paragraph ? [paragraph[0], to] : [from, to];
  }
  flush();
  return blocks;
}

function inline(
  answer: string,
  from: number,
  to: number,
  ranges: Range[],
  known: ReadonlySet<number>,
): Piece[] {
  const out: Piece[] = [];
  const text = (start: number, end: number, bold: boolean) => {
    let cursor = start;
    for (const range of ranges) {
      if (range.to <= cursor || range.from >= end) continue;
      if (range.from > cursor)
        out.push({ kind: "text", text: answer.slice(cursor, range.from), bold, claim: null });
      const begin = Math.max(cursor, range.from);
      const stop = Math.min(end, range.to);
      out.push({ kind: "text", text: answer.slice(begin, stop), bold, claim: range.claim });
      cursor = stop;
    }
    if (cursor < end) out.push({ kind: "text", text: answer.slice(cursor, end), bold, claim: null });
  };
  const claimAt = (index: number) =>
    ranges.find((range) => range.from <= index && index < range.to)?.claim ?? null;

  let cursor = from;
  const part = answer.slice(from, to);
  for (const match of part.matchAll(INLINE)) {
    const start = from + match.index;
    const end = start + match[0].length;
    const [, code, strong, numbers] = match;
    text(cursor, numbers ? trimmed(answer, cursor, start) : start, false);
    if (code) out.push({ kind: "code", text: code.slice(1, -1), claim: claimAt(start) });
    else if (strong) text(start + 2, end - 2, true);
    else if (numbers) {
      for (const number of numbers.split(/\D+/).map(Number)) {
        if (known.has(number)) out.push({ kind: "cite", number, claim: claimAt(start) });
      }
    }
    cursor = end;
  }
  text(cursor, to, false);
  addMissing(answer, from, to, ranges, known, out);
  return out;
}

/** A space before a citation mark would let the mark begin a line alone. */
function trimmed(answer: string, from: number, to: number): number {
  let end = to;
  while (end > from && answer[end - 1] === " ") end -= 1;
  return end;
}

/** While an answer is being written, its sentences have citations before the text has their marks. */
function addMissing(
  answer: string,
  from: number,
  to: number,
  ranges: Range[],
  known: ReadonlySet<number>,
  out: Piece[],
) {
  for (const { claim, from: start, to: stop } of ranges) {
    if (stop <= from || stop > to) continue;
    const after = answer.slice(start, Math.min(to, stop + 24));
    if (CITE.test(after)) continue;
    const numbers = claim.citations.filter((number) => known.has(number));
    if (numbers.length === 0) continue;
    const last = out.findLastIndex((piece) => piece.claim === claim);
    out.splice(last + 1, 0, ...numbers.map((number): Piece => ({ kind: "cite", number, claim })));
  }
}
