/**
 * A deterministic stand-in for the program: tests and work on the interface in a browser use it. It knows enough to show every view
 * full, empty, busy and failing. Not part of the product's build.
 */
import type { Commands } from "../../bindings/commands";
import type { ChangeNotice, DocumentDto, DocumentsRequest, FolderDto, Problem } from "../../bindings/types";
import {
  aborted,
  CallError,
  type CallOptions,
  type CommandName,
  type DropEvent,
  type Host,
  type Request,
} from "../host";
import { answer, search, trace } from "./answers";
import { countOf, documentsOf, type Fixture, makeStore, type Store, type Tongue } from "./store";

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

type Answer<N extends CommandName> = Commands[N]["response"];
type Handlers = {
  [N in CommandName]?: (params: Request<N>, options: CallOptions<N>) => Answer<N> | Promise<Answer<N>>;
};

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function problem(
  code: string,
  message: string,
  details: Problem["details"] = {},
  hint: string | null = null,
): Problem {
  return { code, message, hint, details, retryable: true };
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
    for (const name of ["search", "documents.list", "reader.open", "activity", "models.list", "app.info"])
      failures.set(name, gone);
    failures.set(
      "ask",
      problem("model_failed", "the model failed: out of memory", { detail: "out of memory" }),
    );
  }
  const known = (name: string) => {
    if (!store.libraries.includes(name))
      throw new CallError(problem("not_found", `there is no library named ${name}`, { name }));
    return name;
  };
  const find = (id: string): DocumentDto => {
    for (const library of store.libraries) {
      const document = documentsOf(store, library).find((one) => one.id === id || one.uri === id);
      if (document) return document;
    }
    throw new CallError(problem("not_found", `there is no document named ${id}`, { name: id }));
  };
  const library = (name: string) => ({
    name,
    documents: countOf(store, name),
    passages: countOf(store, name) * 7,
    bytes: countOf(store, name) * 42_000,
    embedder: "all-minilm-l6-v2",
  });

  const handlers: Handlers = {
    "app.info": () => ({
      version: "0.1.0",
      data: "/home/anna/.local/share/carrel",
      models: "/home/anna/.local/share/carrel/models",
      embedder: store.models.find((model) => model.role === "embedder" && model.chosen)?.id ?? null,
      language_model:
        store.models.find((model) => model.role === "language_model" && model.chosen)?.id ?? null,
      language_model_local: true,
    }),
    "events.subscribe": (_, { onEvent, signal }) =>
      new Promise((resolve) => {
        const listener = (one: ChangeNotice) => onEvent?.(one);
        listeners.add(listener);
        signal?.addEventListener("abort", () => {
          listeners.delete(listener);
          resolve({});
        });
      }),
    "library.list": () => ({ libraries: store.libraries.map(library) }),
    "library.create": ({ name }) => {
      if (store.libraries.includes(name))
        throw new CallError(problem("exists", `there is already a library named ${name}`, { name }));
      store.libraries.push(name);
      store.documents.set(name, []);
      changed(["libraries"]);
      return library(name);
    },
    "library.rename": ({ old, new: next }) => {
      known(old);
      store.documents.set(
        next,
        documentsOf(store, old).map((document) => ({ ...document, library: next })),
      );
      store.documents.delete(old);
      store.libraries = store.libraries.map((name) => (name === old ? next : name));
      changed(["libraries"]);
      return library(next);
    },
    "library.remove": ({ name }) => {
      store.libraries = store.libraries.filter((other) => other !== known(name));
      store.documents.delete(name);
      changed(["libraries", "documents", "sources"]);
      return {};
    },
    add: ({ what, library: into }) => {
      const name = known(into ?? "default");
      const list = documentsOf(store, name);
      let added = 0;
      for (const one of what) {
        const path = one.kind === "path" ? one.path : one.kind === "url" ? one.url : "";
        const title = path.split("/").pop() ?? path;
        list.push({
          id: `new-${list.length}`,
          uri: one.kind === "url" ? path : `file://${path}`,
          title,
          library: name,
          path: title,
          state: "waiting",
          code: null,
          reason: null,
          retryable: false,
          version: null,
          media_type: "text/plain",
          bytes: 1_000,
          passages: 0,
          date: new Date(store.now).toISOString(),
          tags: [],
        });
        added += 1;
      }
      changed(["documents", "sources", "libraries"], name);
      return { added, updated: 0, unchanged: 0, moved: 0, removed: 0, failed: [], skipped: [], seq: 1 };
    },
    sync: () => ({
      added: 0,
      updated: 0,
      unchanged: 300,
      moved: 0,
      removed: 0,
      failed: [],
      skipped: [],
      seq: 2,
    }),
    status: ({ library: name }) => {
      const documents: { [state: string]: number } = {};
      for (const document of documentsOf(store, known(name ?? "default"))) {
        documents[document.state] = (documents[document.state] ?? 0) + 1;
      }
      const mine = library(name ?? "default");
      return {
        library: mine.name,
        documents,
        passages: mine.passages,
        vectors: mine.passages,
        bytes: mine.bytes,
        text_bytes: mine.bytes / 2,
        embedder: mine.embedder,
        indexes: { lexical: "current", dense: "current" },
        not_ready: [],
        sources: store.sources.filter((source) => source.library === mine.name),
      };
    },
    "source.list": ({ library: name }) => ({
      sources: store.sources.filter((source) => !name || source.library === name),
    }),
    "source.watch": ({ id, watched }) => {
      store.sources = store.sources.map((source) => (source.id === id ? { ...source, watched } : source));
      changed(["sources"]);
      return {};
    },
    "source.remove": ({ id, keep }) => {
      const gone = store.sources.find((source) => source.id === id);
      store.sources = store.sources.filter((source) => source.id !== id);
      if (gone && !keep) {
        store.documents.set(
          gone.library,
          documentsOf(store, gone.library).filter((document) => !document.id.startsWith(`${id}-`)),
        );
      }
      changed(["sources", "documents"]);
      return {};
    },
    "source.confirm": ({ id }) => {
      store.sources = store.sources.map((source) =>
        source.id === id ? { ...source, needs_confirmation: false } : source,
      );
      changed(["sources", "documents"]);
      return {};
    },
    "documents.list": (params) => page(store, params),
    "folders.list": ({ library: name, parent }) => ({
      folders: folders(store, known(name ?? "default"), parent ?? null),
    }),
    "document.versions": ({ document }) => ({
      versions: Array.from({ length: find(document).version ?? 0 }, (_, index) => ({
        number: index + 1,
        active: index + 1 === find(document).version,
        created: new Date(store.now - ((find(document).version ?? 0) - index) * 3 * 86_400_000).toISOString(),
        content_hash: `${index}`,
        converter: "pdf/1",
        characters: 4_000,
      })),
    }),
    "document.remove": ({ document }) => {
      const { library: name, id } = find(document);
      store.documents.set(
        name,
        documentsOf(store, name).filter((one) => one.id !== id),
      );
      changed(["documents"], name);
      return {};
    },
    "document.retry": ({ document, library: name, password }) => {
      if (password !== undefined && password !== null && password !== "secret") {
        throw new CallError(
          problem("wrong_password", "the password does not open the file", {}, "Check it and try again."),
        );
      }
      const list = documentsOf(store, name ?? "default");
      for (const one of list) {
        if (one.id === document || (!document && one.retryable)) {
          Object.assign(one, { state: "waiting", code: null, reason: null, retryable: false });
        }
      }
      changed(["documents"], name ?? null);
      return {};
    },
    "reader.open": (params) => {
      const document = find(params.document);
      const { writing, paragraphs } = store.writings.get(document.id) ?? { writing: null, paragraphs: [] };
      const { start, end } = params;
      const marks = typeof start === "number" && typeof end === "number" ? ([start, end] as const) : null;
      const at = marks ? paragraphs.find((one) => one.start <= marks[0] && marks[0] < one.end) : undefined;
      return {
        document,
        version: params.version ?? document.version ?? 1,
        versions: document.version ?? 1,
        created: document.date ?? "",
        html: writing
          ? htmlOf(writing.title, writing.parts, paragraphs, marks)
          : `<h1>${document.title}</h1><p>${document.path}</p>`,
        outline: (writing?.parts ?? []).map((part, index) => ({
          level: 2,
          text: part.heading,
          start: index,
        })),
        breadcrumb: at ? [document.title, at.heading] : [],
        location: at?.location ?? {},
      };
    },
    search: (params) => ({ query: params.query, hits: search(store, params), trace }),
    ask: async (params, { onEvent, signal }) => {
      const whole = answer(store, params.question, params.libraries?.length ? params.libraries : ["default"]);
      onEvent?.({ event: "stage", name: "search", passages: 0, documents: 0 });
      await sleep(pace * 4);
      const documents = new Set(whole.citations.map((citation) => citation.document.id)).size;
      if (whole.citations.length > 0)
        onEvent?.({ event: "stage", name: "read", passages: whole.citations.length, documents });
      await sleep(pace * 4);
      for (const citation of whole.citations) onEvent?.({ event: "citation", citation });
      let said = "";
      for (const [index, claim] of whole.claims.entries()) {
        if (index === 0) onEvent?.({ event: "stage", name: "generate", passages: 0, documents: 0 });
        for (const word of `${index > 0 && tongue === "en" ? " " : ""}${claim.text}`.split(/(?<=[ ，。])/)) {
          if (signal?.aborted) break;
          said += word;
          onEvent?.({ event: "token", text: word });
          if (pace > 0) await sleep(pace);
        }
        if (signal?.aborted) break;
        onEvent?.({ event: "claim", claim });
      }
      const final = signal?.aborted ? { ...whole, mode: "stopped", answer: said } : whole;
      return { ...final, chat: keepTurn(store, params.chat ?? null, params.question, final, changed) };
    },
    "chats.list": () => ({ chats: store.chats.map(({ chat }) => chat) }),
    "chats.show": ({ id }) => {
      const chat = store.chats.find((one) => one.chat.id === id);
      if (!chat) throw new CallError(problem("not_found", `there is no chat named ${id}`, { name: id }));
      return { chat: chat.chat, turns: [...chat.turns] };
    },
    "chats.export": ({ id }) => ({
      markdown: `# ${store.chats.find((one) => one.chat.id === id)?.chat.title}`,
    }),
    "chats.rename": ({ id, title }) => {
      for (const one of store.chats) if (one.chat.id === id) one.chat = { ...one.chat, title };
      changed(["chats"]);
      return {};
    },
    "chats.remove": ({ id }) => {
      store.chats = store.chats.filter((one) => one.chat.id !== id);
      changed(["chats"]);
      return {};
    },
    "jobs.list": () => ({ jobs: store.jobs }),
    "jobs.cancel": ({ id }) => {
      store.jobs = store.jobs.map((job) =>
        job.id === id ? { ...job, state: "cancelled", ended: new Date(store.now).toISOString() } : job,
      );
      changed(["jobs"]);
      return {};
    },
    activity: () => ({ progress: store.progress, jobs: store.jobs }),
    "ingest.pause": ({ paused }) => {
      store.progress = store.progress.map((one) => ({ ...one, paused }));
      changed(["jobs"]);
      return {};
    },
    "models.list": () => ({ models: store.models }),
    "models.get": async ({ id }, { onEvent, signal }) => {
      const model = store.models.find((one) => one.id === id);
      if (!model) throw new CallError(problem("model_unknown", `there is no model named ${id}`, { id }));
      for (let step = 1; step <= 20; step += 1) {
        await sleep(pace * 2);
        if (signal?.aborted) throw aborted();
        onEvent?.({
          event: "progress",
          file: "model.safetensors",
          done: (model.bytes * step) / 20,
          total: model.bytes,
        });
      }
      const chosen = !store.models.some((one) => one.role === model.role && one.chosen);
      store.models = store.models.map((one) =>
        one.id === id ? { ...one, state: "installed", chosen: one.chosen || chosen } : one,
      );
      changed(["models"]);
      return { ...model, state: "installed" };
    },
    "models.remove": ({ id }) => {
      store.models = store.models.map((one) =>
        one.id === id ? { ...one, state: "absent", chosen: false } : one,
      );
      changed(["models"]);
      return {};
    },
    "models.test": () => ({
      ok: true,
      message: tongue === "zh" ? "嵌入了一句话" : "embedded one sentence",
      ms: 23,
    }),
    "models.import": ({ path }) => {
      throw new CallError(problem("unsupported_format", `${path} is no model that can be used`, { path }));
    },
    "endpoint.add": ({ url, role, model = null, key_env = null }) => {
      if (url.includes("9999")) {
        throw new CallError(
          problem(
            "endpoint_unreachable",
            `${url} did not answer`,
            { endpoint: url },
            "Check that it is running and that its address is right.",
          ),
        );
      }
      const made = { id: `endpoint-${store.endpoints.length + 1}`, url, role, model, key_env };
      store.endpoints.push(made);
      store.models.push({
        id: made.id,
        name: model ?? "llama3.2",
        role,
        state: "remote",
        bytes: 0,
        licence: "",
        languages: [],
        description: "",
        chosen: false,
      });
      changed(["models"]);
      return made;
    },
    "endpoint.list": () => ({ endpoints: store.endpoints }),
    "endpoint.remove": ({ id }) => {
      store.endpoints = store.endpoints.filter((one) => one.id !== id);
      store.models = store.models.filter((one) => one.id !== id);
      changed(["models"]);
      return {};
    },
    "settings.get": () => ({ settings: { ...store.settings } }),
    "settings.set": ({ changes }) => {
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) delete store.settings[key];
        else store.settings[key] = value;
        if (key === "language_model" || key === "embedder") {
          store.models = store.models.map((one) =>
            one.role === key ? { ...one, chosen: one.id === value } : one,
          );
        }
      }
      changed(["settings", "models"]);
      return { settings: { ...store.settings } };
    },
    doctor: () => ({
      healthy: fixture !== "failing",
      checks: [
        { name: "ledger", ok: true, message: "3 ledgers, integrity holds", mended: false },
        { name: "lexical index", ok: true, message: "current", mended: false },
        {
          name: "dense index",
          ok: fixture !== "failing",
          message: fixture === "failing" ? "one byte short" : "current",
          mended: fixture === "failing",
        },
        { name: "disk", ok: true, message: "212 GB free", mended: false },
      ],
    }),
  };

  const calls: Call[] = [];
  const host: FakeHost = {
    store,
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

function keepTurn(
  store: Store,
  chat: string | null,
  question: string,
  final: ReturnType<typeof answer>,
  changed: (tags: string[]) => void,
): string {
  const time = new Date(store.now).toISOString();
  let entry = store.chats.find((one) => one.chat.id === chat);
  if (!entry) {
    entry = {
      chat: { id: `chat-${store.chats.length + 1}`, title: question, created: time, updated: time, turns: 0 },
      turns: [],
    };
    store.chats.unshift(entry);
  }
  const { id } = entry.chat;
  entry.turns.push({
    number: entry.turns.length + 1,
    question,
    answer: { ...final, chat: id },
    created: time,
  });
  entry.chat = { ...entry.chat, turns: entry.turns.length };
  changed(["chats"]);
  return id;
}

function page(store: Store, params: DocumentsRequest) {
  const { library, states = [], folder, name, order = "path", offset = 0, limit } = params;
  const prefix = folder?.path ? `${folder.path}/` : "";
  const wanted = name?.toLowerCase() ?? "";
  const plain = states.length === 0 && !folder && wanted === "";
  const all = documentsOf(store, library ?? "default");
  const matching = plain
    ? all
    : all.filter(
        (document) =>
          (states.length === 0 || states.includes(document.state)) &&
          (!folder || (document.id.startsWith(`${folder.source}-`) && document.path.startsWith(prefix))) &&
          (wanted === "" || document.title.toLowerCase().includes(wanted)),
      );
  const sorted =
    plain && order === "path" ? matching : [...matching].sort((a, b) => compare(a, b, order ?? "path"));
  return { documents: sorted.slice(offset, limit ? offset + limit : undefined), total: matching.length };
}

function compare(a: DocumentDto, b: DocumentDto, order: string): number {
  if (order === "modified") return (b.date ?? "").localeCompare(a.date ?? "");
  if (order === "size") return b.bytes - a.bytes;
  if (order === "state") return a.state.localeCompare(b.state);
  return order === "title" ? a.title.localeCompare(b.title) : a.path.localeCompare(b.path);
}

function folders(
  store: Store,
  library: string,
  parent: { source: string; path: string } | null,
): FolderDto[] {
  const documents = documentsOf(store, library);
  if (!parent) {
    return store.sources
      .filter((source) => source.library === library)
      .map((source) => ({
        folder: { source: source.id, path: "" },
        name: source.path?.split("/").pop() ?? source.id,
        documents: source.documents,
        has_folders: true,
      }));
  }
  const prefix = parent.path === "" ? "" : `${parent.path}/`;
  const found = new Map<string, FolderDto>();
  for (const document of documents) {
    if (!document.id.startsWith(`${parent.source}-`) || !document.path.startsWith(prefix)) continue;
    const [name, ...rest] = document.path.slice(prefix.length).split("/");
    if (!name || rest.length === 0) continue;
    const entry = found.get(name);
    if (entry) {
      entry.documents += 1;
      entry.has_folders ||= rest.length > 1;
    } else {
      found.set(name, {
        folder: { source: parent.source, path: `${prefix}${name}` },
        name,
        documents: 1,
        has_folders: rest.length > 1,
      });
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

interface Part {
  heading: string;
  text: string[];
}

function htmlOf(
  title: string,
  parts: Part[],
  paragraphs: { text: string; start: number; end: number }[],
  marks: readonly [number, number] | null,
): string {
  let html = `<h1>${title}</h1>`;
  let at = 0;
  parts.forEach((part, index) => {
    html += `<h2 data-start="${index}">${part.heading}</h2>`;
    const rows = part.text.every((line) => line.includes(" | "));
    const lines = part.text.map(() => {
      const paragraph = paragraphs[at];
      at += 1;
      return paragraph ? withMark(paragraph, marks) : "";
    });
    html += rows
      ? `<table>${lines.map((line) => `<tr><td>${line.split(" | ").join("</td><td>")}</td></tr>`).join("")}</table>`
      : lines.map((line) => `<p>${line}</p>`).join("");
  });
  return html;
}

function withMark(
  paragraph: { text: string; start: number; end: number },
  marks: readonly [number, number] | null,
): string {
  const { text, start } = paragraph;
  if (!marks || marks[1] <= start || marks[0] >= paragraph.end) return text;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const bytes = encoder.encode(text);
  const from = Math.max(0, marks[0] - start);
  const to = Math.min(bytes.length, marks[1] - start);
  const part = (a: number, b: number) => decoder.decode(bytes.slice(a, b));
  return `${part(0, from)}<mark id="passage">${part(from, to)}</mark>${part(to, bytes.length)}`;
}

/** The stand-in as the address asks for it: `?fixture=busy&lang=zh&view=ask&q=…`. */
export async function fakeHostFromUrl(query: string): Promise<FakeHost> {
  const wanted = new URLSearchParams(query);
  const language = wanted.get("lang") === "zh" ? "zh" : "en";
  const host = fakeHost({
    fixture: (wanted.get("fixture") as Fixture | null) ?? "full",
    tongue: language,
    delay: Number(wanted.get("delay") ?? 20),
    pace: Number(wanted.get("pace") ?? 35),
    now: Date.now(),
  });
  if (host.store.fixture === "full" || host.store.fixture === "busy") {
    const questions =
      language === "zh"
        ? ["押金什么时候退还？", "水损要在几天内报案？", "两路检索比一路好多少？"]
        : [
            "When is the deposit returned?",
            "How soon must water damage be reported?",
            "How much better are two legs than one?",
          ];
    for (const question of questions.reverse()) {
      keepTurn(host.store, null, question, answer(host.store, question, ["default"]), () => {});
    }
  }
  const { usePreferences } = await import("../../lib/preferences");
  const { useView } = await import("../../lib/view");
  usePreferences.setState({
    language,
    theme: wanted.get("theme") === "dark" ? "dark" : wanted.get("theme") === "light" ? "light" : "system",
  });
  useView.setState({
    library: wanted.get("library") ?? "default",
    ...(wanted.has("view") ? { view: wanted.get("view") as never } : {}),
    query: wanted.get("q") ?? "",
    everywhere: wanted.has("everywhere"),
  });
  Object.assign(window, { carrel: host });
  return host;
}
