/** Settings of a library as people read them. */
import type { Text } from "../../text";

/** `256 tokens · joined by ranks`, and what reads the best again where it is not the chosen reranker. */
export function settingWords(text: Text, settings: { [key: string]: string | undefined }): string {
  const { chunking = "", fusion = "", rerank = "auto" } = settings;
  const words = [chunkingWords(text, chunking), fusionWords(text, fusion)];
  if (rerank !== "auto") words.push(rerankWords(text, rerank));
  return words.filter(Boolean).join(" · ");
}

export function chunkingWords(text: Text, setting: string): string {
  const words = text.quality.chunking;
  const [name = "", sizes = ""] = setting.includes(":") ? setting.split(":") : ["", setting];
  const [size = "", second = ""] = sizes.split("/");
  if (setting === "auto") return words.auto;
  if (setting === "pages") return words.pages;
  if (name === "sliding") return words.sliding(size, second);
  if (name === "parent-child") return words.parentChild(size, second);
  if (name === "semantic") return words.semantic(size);
  if (name === "fixed") return words.fixed(size);
  return /^\d/.test(setting) ? words.structure(size) : setting;
}

export function fusionWords(text: Text, setting: string): string {
  return text.quality.fusion[setting as keyof typeof text.quality.fusion] ?? setting;
}

export function rerankWords(text: Text, setting: string): string {
  return text.quality.reranking[setting as keyof typeof text.quality.reranking] ?? setting;
}
