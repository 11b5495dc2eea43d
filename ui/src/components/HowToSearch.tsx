import { useQueries } from "@tanstack/react-query";
import { SlidersHorizontal } from "lucide-react";
import { EXTRAS, PRESETS, toggle, useRetrieval } from "../lib/retrieval";
import { readOptions, useHost, useRead } from "../queries/hooks";
import { useText } from "../text";
import { IconButton } from "./Button";
import { openMenuUnder } from "./Menu";

/** How thoroughly the next question is searched: a small menu at its field. */
export function HowToSearch({ small }: { small?: boolean }) {
  const text = useText();
  const how = useRetrieval();
  const hasReranker = useHasReranker();
  const words = text.retrieval;
  const changed = how.preset !== "balanced" || how.extras.length > 0 || !how.rerank;
  const label = changed ? `${words.label}${text.colon}${words.preset[how.preset]}` : words.label;
  return (
    <IconButton
      aria-haspopup="menu"
      data-testid="how-to-search"
      icon={SlidersHorizontal}
      label={label}
      on={changed}
      onClick={(event) =>
        openMenuUnder(event.currentTarget, words.label, [
          ...PRESETS.map((preset) => ({
            label: words.preset[preset],
            hint: words.presetHint[preset],
            checked: how.preset === preset,
            run: () => useRetrieval.setState({ preset }),
          })),
          "-",
          hasReranker && {
            label: words.rerank,
            hint: words.rerankHint,
            checked: how.rerank,
            run: () => useRetrieval.setState({ rerank: !how.rerank }),
          },
          ...EXTRAS.map((extra) => ({
            label: words.extra[extra],
            hint: words.extraHint[extra],
            checked: how.extras.includes(extra),
            run: () => toggle(extra),
          })),
        ])
      }
      small={small}
    />
  );
}

/** Whether a reranker is chosen, for all libraries or for one. */
export function useHasReranker(): boolean {
  const host = useHost();
  const models = useRead("models.list", {}).data?.models ?? [];
  const libraries = useRead("library.list", {}).data?.libraries ?? [];
  const settings = useQueries({
    queries: libraries.map(({ name }) => readOptions(host, "library.settings", { name })),
  });
  const said = settings.map(({ data }) => data?.settings.rerank ?? "auto");
  return (
    models.some((model) => model.role === "reranker" && model.chosen) ||
    said.some((word) => word !== "auto" && word !== "none")
  );
}
