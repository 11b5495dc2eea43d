import type { RunDto } from "../bindings/types";

/** Text in pieces, some of them marked. */
export function Runs({ runs }: { runs: RunDto[] }) {
  return runs.map((run, index) =>
    run.kind === "match" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity of their own
      <mark key={index}>{run.text}</mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity of their own
      <span key={index}>{run.text}</span>
    ),
  );
}
