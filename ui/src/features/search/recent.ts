/** The last searches that led somewhere. */
import { keep, kept } from "../../lib/kept";

const MOST = 6;

export function recent(): string[] {
  try {
    const list: unknown = JSON.parse(kept("recent") ?? "[]");
    return Array.isArray(list) ? list.filter((item) => typeof item === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function remember(query: string) {
  const wanted = query.trim();
  if (wanted === "") return;
  keep("recent", JSON.stringify([wanted, ...recent().filter((other) => other !== wanted)].slice(0, MOST)));
}

export function forget() {
  keep("recent", "[]");
}
