/** Every action of the window: its name, its key, what it does. Keyboard, palette and the list in Settings read this table. */
import {
  Activity,
  Boxes,
  FilePlus,
  FolderPlus,
  Gauge,
  Languages,
  LibraryBig,
  Link,
  type LucideIcon,
  MessageSquare,
  Moon,
  PanelLeft,
  PanelRight,
  Pause,
  Pencil,
  Plus,
  RefreshCw,
  Search,
  Settings,
  Square,
  SquarePen,
  Trash2,
  X,
} from "lucide-react";
import { useEffect, useMemo } from "react";
import { CHORDS, type CommandId } from "../lib/chords";
import { matches } from "../lib/keys";
import { DEFAULT_LIBRARY } from "../lib/library";
import { stopAnswer } from "../lib/stop";
import { openReader, useView, type ViewName } from "../lib/view";
import { useHost, useRead } from "../queries/hooks";
import { useAdd } from "../queries/useAdd";
import { useDo } from "../queries/useDo";
import { useLibraryActions } from "../queries/useLibraryActions";
import { useSettings } from "../queries/useSettings";
import { useText } from "../text";

export interface Command {
  id: CommandId;
  label: string;
  icon: LucideIcon;
  run: () => void;
}

export function useCommands(): Command[] {
  const text = useText();
  const { addFolder, addFiles } = useAdd();
  const libraryActions = useLibraryActions();
  const run = useDo();
  const settings = useSettings();
  const libraries = useRead("library.list", {}).data?.libraries;
  const activity = useRead("activity", {}).data;

  return useMemo(() => {
    const view = useView.getState;
    const go = (name: ViewName) => () => view().show(name);
    const current = () => libraries?.find((library) => library.name === view().library);
    const actions: { [id in CommandId]: [LucideIcon, () => void] } = {
      search: [Search, go("search")],
      ask: [MessageSquare, go("ask")],
      library: [LibraryBig, go("library")],
      quality: [Gauge, go("quality")],
      activity: [Activity, go("activity")],
      models: [Boxes, go("models")],
      settings: [Settings, go("settings")],
      palette: [Search, () => view().set({ palette: !view().palette })],
      newChat: [SquarePen, () => view().openChat(null)],
      addFolder: [FolderPlus, () => void addFolder()],
      addFiles: [FilePlus, () => void addFiles()],
      addPath: [Link, () => view().set({ dialog: "add-path" })],
      newLibrary: [Plus, libraryActions.create],
      renameLibrary: [Pencil, () => libraryActions.rename(view().library)],
      removeLibrary: [
        Trash2,
        () => {
          const library = current();
          if (library && library.name !== DEFAULT_LIBRARY) void libraryActions.remove(library);
        },
      ],
      nextLibrary: [
        LibraryBig,
        () => {
          const names = libraries?.map((library) => library.name) ?? [];
          const next = names[(names.indexOf(view().library) + 1) % names.length];
          if (next) view().enter(next);
        },
      ],
      everywhere: [
        Search,
        () => {
          view().set({ everywhere: true });
          if (view().view !== "ask") view().show("search");
        },
      ],
      sync: [RefreshCw, () => void libraryActions.sync(view().library)],
      retryAll: [RefreshCw, () => void run("document.retry", { library: view().library })],
      pause: [
        Pause,
        () => void run("ingest.pause", { paused: !activity?.progress.some((progress) => progress.paused) }),
      ],
      stop: [Square, stopAnswer],
      closeReader: [X, () => view().closeReader()],
      widenReader: [
        PanelRight,
        () => view().set({ readerWide: openReader() !== null && !view().readerWide }),
      ],
      fold: [PanelLeft, () => view().set({ folded: !view().folded })],
      theme: [
        Moon,
        () => settings.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      ],
      language: [Languages, () => settings.setLanguage(text.locale === "en" ? "zh" : "en")],
    };
    return (Object.keys(actions) as CommandId[]).map((id) => {
      const [icon, act] = actions[id];
      return { id, icon, run: act, label: text.command[id] };
    });
  }, [text, addFolder, addFiles, libraryActions, run, settings, libraries, activity]);
}

/** Listens to the keys of all commands. */
export function useCommandKeys(commands: Command[]) {
  const { mac } = useHost();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const command = commands.find(({ id }) => matches(event, CHORDS[id], mac));
      if (!command) return;
      // Escape means this only while there is something to close and nothing nearer takes it.
      if (command.id === "closeReader" && (!openReader() || useView.getState().palette)) return;
      event.preventDefault();
      command.run();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [commands, mac]);
}
