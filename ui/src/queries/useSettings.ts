/** The settings of window and program, kept by the program. */
import { useMemo } from "react";
import { type LanguageChoice, type ThemeChoice, usePreferences } from "../lib/preferences";
import { useDo } from "./useDo";

export function useSettings() {
  const run = useDo();
  return useMemo(
    () => ({
      setLanguage(language: LanguageChoice) {
        usePreferences.setState({ language });
        void run("settings.set", { changes: { language } });
      },
      setDevice(device: string) {
        void run("settings.set", { changes: { device } });
      },
      setTheme(theme: ThemeChoice) {
        usePreferences.setState({ theme });
        void run("settings.set", { changes: { theme } });
      },
    }),
    [run],
  );
}
