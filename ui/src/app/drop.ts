/** What is dragged over the window. The host feeds it; `receiveDrop` is the only way in. */
import { create } from "zustand";
import type { DropEvent } from "../host";
import { baseName } from "../lib/format";
import { libraryName, type Text } from "../text";

/** Paths over the window; none when nothing is dragged. */
export const useDrag = create<{ paths: string[] | null }>(() => ({ paths: null }));

/** The one function that a drag goes through. */
export function receiveDrop(event: DropEvent, add: (paths: string[]) => void) {
  useDrag.setState({ paths: event.kind === "enter" && event.paths.length > 0 ? event.paths : null });
  if (event.kind === "drop" && event.paths.length > 0) add(event.paths);
}

/** Says what a drop would do. */
export function dropSentence(text: Text, paths: string[], library: string): string {
  const name = libraryName(text, library);
  const [first] = paths;
  if (paths.length === 1 && first) return text.drop.one(baseName(first), name);
  // What a path is, only the program knows; a name with an ending is a file for people.
  const files = paths.every((path) => /\.[^./\\\s]{1,8}$/.test(baseName(path)));
  return files ? text.drop.files(paths.length, name) : text.drop.items(paths.length, name);
}
