/** The window's words, in the language that people chose. */
import { createContext, use } from "react";
import { DEFAULT_LIBRARY } from "../lib/library";
import { en } from "./en";
import { zh } from "./zh";

type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => unknown
    ? (...args: A) => string
    : { [K in keyof T]: Widen<T[K]> };

/** What a catalogue holds: the same keys in every language. */
export type Text = Widen<typeof en>;

export type Language = "en" | "zh";

export const CATALOGUES: Record<Language, Text> = { en, zh };

export const TextContext = createContext<Text>(en);

export function useText(): Text {
  return use(TextContext);
}

/** A library's name for people: the one that always exists has a name in each language. */
export function libraryName(text: Text, name: string): string {
  return name === DEFAULT_LIBRARY ? text.defaultLibrary : name;
}

/** The language of the system. */
export function systemLanguage(): Language {
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}
