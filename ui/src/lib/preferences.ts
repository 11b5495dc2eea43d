/** Language and theme: kept by the program, mirrored here so that the first paint is already right. */
import { create } from "zustand";
import { type Language, systemLanguage } from "../text";
import { keep, kept } from "./kept";

export type LanguageChoice = Language | "system";
export type ThemeChoice = "light" | "dark" | "system";

interface Preferences {
  language: LanguageChoice;
  theme: ThemeChoice;
}

const language = (value: string | null | undefined): LanguageChoice =>
  value === "en" || value === "zh" ? value : "system";
const theme = (value: string | null | undefined): ThemeChoice =>
  value === "light" || value === "dark" ? value : "system";

export const usePreferences = create<Preferences>(() => ({
  language: language(kept("lang")),
  theme: theme(kept("theme")),
}));

usePreferences.subscribe(({ language, theme }) => {
  keep("lang", language);
  keep("theme", theme);
});

/** Takes over what the program keeps. */
export function adopt(settings: { [key: string]: string }) {
  usePreferences.setState({
    ...("language" in settings ? { language: language(settings.language) } : {}),
    ...("theme" in settings ? { theme: theme(settings.theme) } : {}),
  });
}

export function useLanguage(): Language {
  const chosen = usePreferences((preferences) => preferences.language);
  return chosen === "system" ? systemLanguage() : chosen;
}
