/** Downloads in progress. They live outside the view, so that looking elsewhere does not stop them. */
import type { QueryClient } from "@tanstack/react-query";
import { create } from "zustand";
import { type Host, toProblem } from "../host";
import { notify } from "../lib/notices";
import type { Text } from "../text";
import { problemSentence } from "../text/problems";
import { invalidate } from "./client";

interface Download {
  done: number;
  total: number;
  cancel: () => void;
}

export const useDownloads = create<{ running: { [id: string]: Download } }>(() => ({ running: {} }));

function set(id: string, download: Download | null) {
  useDownloads.setState(({ running }) => {
    const { [id]: _, ...others } = running;
    return { running: download ? { ...others, [id]: download } : others };
  });
}

/** Fetches a model; whether it is there now. What goes wrong is said. */
export async function download(host: Host, client: QueryClient, text: Text, id: string): Promise<boolean> {
  if (useDownloads.getState().running[id]) return false;
  const end = new AbortController();
  const cancel = () => end.abort();
  set(id, { done: 0, total: 0, cancel });
  try {
    await host.call(
      "models.get",
      { id },
      { signal: end.signal, onEvent: ({ done, total }) => set(id, { done, total, cancel }) },
    );
    return true;
  } catch (error) {
    const problem = toProblem(error);
    if (!end.signal.aborted && problem.code !== "cancelled") {
      notify({ kind: "problem", ...problemSentence(text, problem) });
    }
    return false;
  } finally {
    set(id, null);
    void invalidate(client, [{ tags: ["models", "jobs"], library: null }]);
  }
}
