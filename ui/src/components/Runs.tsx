import type { RunDto } from "../bindings/types";

/** Text in pieces, some of them marked. Rows of tables read as words with dots between. */
export function Runs({ runs }: { runs: RunDto[] }) {
  return runs.map((run, index) =>
    run.kind === "match" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity of their own
      <mark key={index}>{run.text}</mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity of their own
      <span key={index}>{cells(run.text)}</span>
    ),
  );
}

/** `| a | b |` as `a · b`; the line of dashes under a header says nothing. */
export function cells(text: string): string {
  if (!text.includes("|")) return text;
  return text.replaceAll(/(\|\s*:?-{3,}:?\s*)+\|/g, "|").replaceAll(/\s*\|(\s*\|)*\s*/g, " · ");
}
