/** Long works of this view: they go on while another view is looked at, so what they are is asked of the program. */
import type { JobDto } from "../../bindings/types";
import { useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";

export type Work = "questions" | "evaluation" | "tuning";

/** The running work of this kind in a library. */
export function useWork(kind: Work, library: string): JobDto | undefined {
  const jobs = useRead("activity", {}).data?.jobs ?? [];
  return jobs.find((job) => job.kind === kind && job.state === "running" && job.subject === library);
}

/** Opens a document beside the view, at what answers a question. */
export function openRight(
  library: string,
  right: { document: string; title: string; start: number | null; end: number | null },
) {
  const { document, title, start, end } = right;
  useView.getState().read({ document, library, title, start, end });
}
