import type { RunDto } from "../bindings/types";

/** Text in pieces, some of them marked. */
export function Runs({ runs }: { runs: RunDto[] }) {
  return runs.map((run, index) => {
    const key = index;
    return run.kind === "match" ? <mark key={key}>{run.text}</mark> : <span key={key}>{run.text}</span>;
  });
}
