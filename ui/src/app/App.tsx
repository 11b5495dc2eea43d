import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { Host } from "../host";
import { useMedia } from "../lib/hooks";
import { adopt, useLanguage, usePreferences } from "../lib/preferences";
import { followChanges } from "../queries/changes";
import { makeClient } from "../queries/client";
import { HostContext, useHost, useRead } from "../queries/hooks";
import { CATALOGUES, TextContext } from "../text";
import { Shell } from "./Shell";

export function App({ host }: { host: Host }) {
  return (
    <Providers host={host}>
      <Shell />
    </Providers>
  );
}

export function Providers({ host, children }: { host: Host; children: ReactNode }) {
  const [client] = useState(makeClient);
  useEffect(() => followChanges(host, client), [host, client]);
  return (
    <HostContext value={host}>
      <QueryClientProvider client={client}>
        <Looks>{children}</Looks>
      </QueryClientProvider>
    </HostContext>
  );
}

/** Language and theme. */
function Looks({ children }: { children: ReactNode }) {
  const host = useHost();
  const settings = useRead("settings.get", {}).data?.settings;
  useEffect(() => {
    if (settings) adopt(settings);
  }, [settings]);

  const language = useLanguage();
  const text = CATALOGUES[language];
  const wanted = usePreferences((preferences) => preferences.theme);
  const systemDark = useMedia("(prefers-color-scheme: dark)");
  const dark = wanted === "dark" || (wanted === "system" && systemDark);
  useEffect(() => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.documentElement.lang = text.locale;
    document.documentElement.dataset.mac = host.mac ? "yes" : "no";
  }, [dark, text, host]);

  return <TextContext value={text}>{children}</TextContext>;
}
