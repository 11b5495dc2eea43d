/** How thoroughly Search and Ask look: a preset and what is switched on besides it. For the questions of this session. */
import { create } from "zustand";
import type { RetrievalOptions } from "../bindings/types";

export type Preset = "fast" | "balanced" | "thorough";

export const PRESETS: readonly Preset[] = ["fast", "balanced", "thorough"];

/** What can be switched on for any preset. */
export type Extra = "mqe" | "sub_queries" | "hyde" | "multi_hop";

export const EXTRAS: readonly Extra[] = ["multi_hop", "mqe", "sub_queries", "hyde"];

interface Retrieval {
  preset: Preset;
  extras: readonly Extra[];
  /** Whether the chosen reranker judges; the preset `fast` asks none. */
  rerank: boolean;
}

export const useRetrieval = create<Retrieval>(() => ({ preset: "balanced", extras: [], rerank: true }));

export function toggle(extra: Extra) {
  useRetrieval.setState(({ extras }) => ({
    extras: extras.includes(extra) ? extras.filter((other) => other !== extra) : [...extras, extra],
  }));
}

/** As the program takes them: only what differs from its own defaults. */
export function optionsOf({ preset, extras, rerank }: Retrieval): RetrievalOptions {
  return {
    ...(preset !== "balanced" && { preset }),
    ...(!rerank && { rerank: "none" }),
    ...(extras.includes("multi_hop") && { multi_hop: true }),
    ...(extras.includes("mqe") && { mqe: "3" }),
    ...(extras.includes("sub_queries") && { sub_queries: "on" }),
    ...(extras.includes("hyde") && { hyde: "on" }),
  };
}

/** Whether a search takes too long to be made at every letter: a model reads or writes for it. */
export function isCostly({ preset, extras, rerank }: Retrieval, hasReranker: boolean): boolean {
  const reranks = hasReranker && rerank && preset !== "fast";
  return reranks || preset === "thorough" || extras.some((extra) => extra !== "multi_hop");
}
