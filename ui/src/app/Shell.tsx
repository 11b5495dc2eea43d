import { Activity, type ReactNode, useEffect, useRef, useState } from "react";
import { AddPathDialog } from "../components/AddPathDialog";
import { Asking } from "../components/asking";
import { Boundary } from "../components/Boundary";
import { cx } from "../components/cx";
import { MenuLayer } from "../components/Menu";
import { TipLayer } from "../components/Tip";
import { Toaster } from "../components/Toaster";
import { ActivityView } from "../features/activity/ActivityView";
import { AskView } from "../features/ask/AskView";
import { LibraryView } from "../features/library/LibraryView";
import { ModelsView } from "../features/models/ModelsView";
import { QualityView } from "../features/quality/QualityView";
import { Reader } from "../features/reader/Reader";
import { SearchView } from "../features/search/SearchView";
import { SettingsView } from "../features/settings/SettingsView";
import { useNarrow } from "../lib/hooks";
import { DEFAULT_LIBRARY } from "../lib/library";
import { openReader, useView, type ViewName } from "../lib/view";
import { useRead } from "../queries/hooks";
import { useCommandKeys, useCommands } from "./commands";
import { DropOverlay } from "./DropOverlay";
import { useNativeFeel } from "./native";
import { Palette } from "./Palette";
import styles from "./Shell.module.css";
import { Sidebar } from "./Sidebar";

const VIEWS: [ViewName, () => ReactNode][] = [
  ["search", SearchView],
  ["ask", AskView],
  ["library", LibraryView],
  ["quality", QualityView],
  ["activity", ActivityView],
  ["models", ModelsView],
  ["settings", SettingsView],
];

export function Shell() {
  const { view, readerWide, palette, folded, dialog, set } = useView();
  const reader = useView(openReader);
  const narrow = useNarrow();
  const small = folded || narrow;
  const commands = useCommands();
  useCommandKeys(commands);
  useKnownLibrary();
  useNativeFeel();

  // A view that was left keeps its place, and costs nothing until it has been seen.
  const [seen, setSeen] = useState<ReadonlySet<ViewName>>(new Set([view]));
  if (!seen.has(view)) setSeen(new Set([...seen, view]));

  const covered = reader !== null && (narrow || readerWide);
  return (
    <>
      <div className={cx("shell", small && styles.folded)}>
        <Sidebar folded={small} />
        <div className={styles.stage}>
          <main className={styles.main} data-testid={`view-${view}`} inert={covered}>
            {VIEWS.filter(([name]) => seen.has(name)).map(([name, View]) => (
              <Activity key={name} mode={name === view ? "visible" : "hidden"}>
                <Boundary>
                  <View />
                </Boundary>
              </Activity>
            ))}
          </main>
          {reader && (
            <Boundary about={reader.document}>
              <Reader covers={covered} place={reader} />
            </Boundary>
          )}
        </div>
      </div>
      {palette && <Palette commands={commands} />}
      {dialog === "add-path" && <AddPathDialog close={() => set({ dialog: null })} />}
      <Asking />
      <MenuLayer />
      <Toaster />
      <TipLayer />
      <DropOverlay />
    </>
  );
}

/** A remembered library can be gone; then the one that always exists takes its place. */
function useKnownLibrary() {
  const libraries = useRead("library.list", {}).data?.libraries;
  const { library, enter: choose } = useView();
  const asked = useRef(libraries);
  useEffect(() => {
    // Only a new list can tell: a library that was just made is chosen before the list has it.
    if (!libraries?.length || asked.current === libraries) return;
    asked.current = libraries;
    if (!libraries.some((one) => one.name === library)) choose(libraries[0]?.name ?? DEFAULT_LIBRARY);
  }, [libraries, library, choose]);
}
