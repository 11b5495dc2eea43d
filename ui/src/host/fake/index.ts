/**
 * A deterministic stand-in for the program: tests and work on the interface in a browser use it. It knows enough to show every view
 * full, empty, busy and failing. Not part of the product's build.
 */
import type { ChangeNotice, Problem } from "../../bindings/types";
import { aborted, CallError, type CommandName, type DropEvent, type Host } from "../host";
import { chatHandlers } from "./chats";
import { type Context, type Handlers, sleep } from "./handlers";
import { libraryHandlers } from "./libraries";
import { problem } from "./problem";
import { programHandlers } from "./program";
import { qualityHandlers } from "./quality";
import { type Fixture, makeStore, type Store, type Tongue } from "./store";

export interface FakeOptions {
  fixture?: Fixture;
  tongue?: Tongue;
  /** Milliseconds that every command takes. */
  delay?: number;
  /** Milliseconds between two words of an answer. */
  pace?: number;
  now?: number;
}

export interface Call {
  name: CommandName;
  params: unknown;
  signal: AbortSignal | undefined;
}

export interface FakeHost extends Host {
  store: Store;
  /** What its handlers work with. */
  context: Context;
  /** Every call so far. */
  calls: Call[];
  /** Lets something be dragged and dropped. */
  drag: (event: DropEvent) => void;
  /** What the pickers will answer. */
  picks: string[];
  notice: (notice: ChangeNotice) => void;
  /** Commands that fail, by name. */
  failures: Map<string, Problem>;
}

export function fakeHost(options: FakeOptions = {}): FakeHost {
  const { fixture = "full", tongue = "en", delay = 0, pace = 0, now = Date.UTC(2025, 10, 14, 9) } = options;
  const store = makeStore(fixture, tongue, now);
  const listeners = new Set<(notice: ChangeNotice) => void>();
  const drops = new Set<(event: DropEvent) => void>();
  const notice = (one: ChangeNotice) => {
    for (const listener of listeners) listener(one);
  };
  const changed = (tags: string[], library: string | null = null) => notice({ tags, library });
  const failures = new Map<string, Problem>();
  if (fixture === "failing") {
    const gone = problem("connection_lost", "the connection to the program was lost");
    for (const name of [
      "search",
      "documents.list",
      "reader.open",
      "activity",
      "models.list",
      "app.info",
      "quality.questions",
      "quality.runs",
    ])
      failures.set(name, gone);
    failures.set(
      "ask",
      problem("model_failed", "the model failed: out of memory", { detail: "out of memory" }),
    );
  }
  const context = { store, fixture, tongue, pace, listeners, changed };
  const handlers: Handlers = {
    ...libraryHandlers(context),
    ...programHandlers(context),
    ...chatHandlers(context),
    ...qualityHandlers(context),
  };

  const calls: Call[] = [];
  const host: FakeHost = {
    store,
    context,
    calls,
    picks: [],
    failures,
    notice,
    mac: false,
    drag: (event) => {
      for (const listener of drops) listener(event);
    },
    onDrop: (listener) => {
      drops.add(listener);
      return () => drops.delete(listener);
    },
    pickFolders: async () => host.picks,
    pickFiles: async () => host.picks,
    pickSave: async (_title, name) => host.picks[0] ?? `/home/anna/${name}`,
    reveal: async () => {},
    async call(name, params, callOptions = {}) {
      const { signal, onAbort = "leave" } = callOptions;
      calls.push({ name, params, signal });
      if (signal?.aborted) throw aborted();
      const left = new Promise<never>((_, reject) => {
        if (onAbort === "leave") signal?.addEventListener("abort", () => reject(aborted()));
      });
      const work = async () => {
        if (delay > 0) await sleep(delay);
        const failure = failures.get(name);
        if (failure) throw new CallError(failure);
        const handler = handlers[name];
        if (!handler) throw new CallError(problem("not_available", `${name} is not available`));
        return handler(params as never, callOptions as never) as never;
      };
      return Promise.race([work(), left]);
    },
  };
  return host;
}
