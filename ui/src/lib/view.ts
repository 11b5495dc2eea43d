/** What the window shows: small state of the window itself, kept nowhere but here and, where it should outlive it, in localStorage. */
import { create } from "zustand";
import type { ChatScope, ScopeDocument, ScopeFolder } from "../bindings/types";
import { keep, kept } from "./kept";
import { DEFAULT_LIBRARY } from "./library";

export type ViewName = "search" | "ask" | "library" | "quality" | "activity" | "models" | "settings";

/** Views that documents are read beside. */
const READING: readonly ViewName[] = ["search", "ask", "library", "quality"];

/** A place in a document. */
export interface Place {
  document: string;
  library: string;
  title: string;
  version?: number | null;
  start?: number | null;
  end?: number | null;
  /** The words that were cited: shown where their version is gone. */
  quote?: string;
}

/** Where a new chat looks, beside the libraries of the window: nothing is narrowed. */
export const EVERYTHING: ChatScope = { libraries: [], folders: [], tags: [], documents: [], filters: [] };

export type AppDialog = "add-path" | null;

export interface View {
  view: ViewName;
  /** The library that Library shows and that things are added to. */
  library: string;
  /** Search and Ask look into all libraries. */
  everywhere: boolean;
  /** The chat that Ask shows; none for a new one. */
  chat: string | null;
  /** What is read. It waits while a view is looked at that documents are not read beside: ask `openReader` what is in sight. */
  reader: Place | null;
  readerWide: boolean;
  palette: boolean;
  folded: boolean;
  dialog: AppDialog;
  /** States that Library shows the documents of; none for all. */
  states: string[];
  /** What Search looks for. */
  query: string;
  /** What is being written in Ask, and where a new chat looks; no libraries: those of the window. */
  draft: string;
  scope: ChatScope;
  show: (view: ViewName) => void;
  enter: (library: string) => void;
  openChat: (chat: string | null) => void;
  read: (place: Place) => void;
  closeReader: () => void;
  /** Begins a new chat about a document. */
  askAbout: (document: ScopeDocument, draft?: string) => void;
  /** Begins a new chat about a folder. */
  askIn: (folder: ScopeFolder) => void;
  /** Shows the documents of a library in these states. */
  showStates: (library: string, states: string[]) => void;
  set: (change: Partial<View>) => void;
}

export const useView = create<View>((set) => ({
  view: "search",
  library: kept("library") ?? DEFAULT_LIBRARY,
  everywhere: kept("everywhere") === "yes",
  chat: null,
  reader: null,
  readerWide: false,
  palette: false,
  folded: kept("folded") === "yes",
  dialog: null,
  states: [],
  query: "",
  draft: "",
  scope: EVERYTHING,
  show: (view) => set({ view, palette: false }),
  enter: (library) => {
    keep("library", library);
    set({ library, everywhere: false, states: [] });
  },
  openChat: (chat) => set({ chat, view: "ask", palette: false, scope: EVERYTHING }),
  read: (reader) => set(({ view }) => ({ reader, view: READING.includes(view) ? view : "library" })),
  closeReader: () => set({ reader: null, readerWide: false }),
  askAbout: ({ library, id, title, media_type }, draft = "") =>
    set({
      view: "ask",
      chat: null,
      scope: { ...EVERYTHING, libraries: [library], documents: [{ library, id, title, media_type }] },
      draft,
      palette: false,
    }),
  askIn: ({ library, path }) =>
    set({
      view: "ask",
      chat: null,
      scope: { ...EVERYTHING, libraries: [library], folders: [{ library, path }] },
      palette: false,
    }),
  showStates: (library, states) => {
    keep("library", library);
    set({ library, everywhere: false, states, view: "library" });
  },
  set: (change) => {
    if (change.folded !== undefined) keep("folded", change.folded ? "yes" : "no");
    if (change.everywhere !== undefined) keep("everywhere", change.everywhere ? "yes" : "no");
    set(change);
  },
}));

/** What is read, while it is in sight. */
export function openReader({ view, reader }: View = useView.getState()): Place | null {
  return READING.includes(view) ? reader : null;
}

/** The libraries that Search and Ask look into. */
export function useScope(): string[] {
  const library = useView((view) => view.library);
  const everywhere = useView((view) => view.everywhere);
  return everywhere ? ["*"] : [library];
}
