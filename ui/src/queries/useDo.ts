/** Carries out a write from an event handler, and says so when it fails. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { TAGS } from "../bindings/commands";
import { type CommandName, type Request, type Response, toProblem } from "../host";
import { notify } from "../lib/notices";
import { useText } from "../text";
import { problemSentence } from "../text/problems";
import { invalidate } from "./client";
import { useHost } from "./hooks";

/** `run(name, params)` answers `undefined` when it failed; the failure has then been shown. */
export function useDo() {
  const host = useHost();
  const client = useQueryClient();
  const text = useText();
  return useCallback(
    async <N extends CommandName>(name: N, params: Request<N>): Promise<Response<N> | undefined> => {
      try {
        return await host.call(name, params);
      } catch (error) {
        const problem = toProblem(error);
        if (problem.code !== "cancelled") notify({ kind: "problem", ...problemSentence(text, problem) });
        return undefined;
      } finally {
        void invalidate(client, [{ tags: [...TAGS[name].invalidates], library: null }]);
      }
    },
    [host, client, text],
  );
}
