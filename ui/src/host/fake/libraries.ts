/** Libraries, sources, documents, the Reader. */
import type { ChangeNotice, DocumentDto } from "../../bindings/types";
import { SEARCHABLE } from "../../lib/states";
import { CallError } from "../host";
import type { Context, Handlers } from "./handlers";
import { htmlOf } from "./html";
import { folders, page } from "./lists";
import { problem } from "./problem";
import { countOf, documentsOf } from "./store";

const EMBEDDER = "all-minilm-l6-v2";

export function libraryHandlers({ store, listeners, changed }: Context): Handlers {
  const known = (name: string) => {
    if (!store.libraries.includes(name))
      throw new CallError(problem("not_found", `there is no library named ${name}`, { name }));
    const damage = store.damaged.get(name);
    if (damage) throw new CallError(damage);
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
    embedder: store.embedders.get(name) ?? EMBEDDER,
    problem: store.damaged.get(name) ?? null,
  });

  return {
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
    "library.advice": ({ library: name }) => {
      const wide = store.models.find((model) => model.id === "multilingual-e5-small");
      const needed = store.embedders.get(name ?? "default") !== wide?.id;
      return { multilingual: needed && wide ? wide : null, foreign_share: store.foreignShare };
    },
    "library.enrichment": ({ name, estimate }) => {
      const passages = documentsOf(store, known(name)).reduce((sum, one) => sum + (one.passages ?? 0), 0);
      const on = store.enriched.has(name);
      const lines = on ? Math.floor(passages / 3) : 0;
      return {
        on,
        passages,
        lines,
        waiting: on ? passages - lines : 0,
        estimate: estimate
          ? {
              model: "SmolLM2-135M-Instruct",
              local: true,
              passages,
              seconds: passages * 1.6,
              tokens_read: passages * 420,
              tokens_written: passages * 24,
              samples: [...store.writings.values()].slice(0, 3).map(({ writing, paragraphs }, at) => ({
                passage: paragraphs[0]?.text ?? "",
                line: at === 2 ? null : `${writing.title}: ${paragraphs[0]?.heading}.`,
              })),
            }
          : null,
      };
    },
    "library.settings": ({ name, changes }) => {
      if (changes?.enrichment === "on") store.enriched.add(known(name));
      if (changes?.enrichment === "off") store.enriched.delete(known(name));
      if (changes?.embedder) store.embedders.set(known(name), changes.embedder);
      changed(["settings", "documents"]);
      return {
        settings: {
          chunking: "auto",
          embedder: store.embedders.get(name) ?? EMBEDDER,
          enrichment: store.enriched.has(name) ? "on" : "off",
          fusion: "auto",
          rerank: "auto",
        },
        warning: null,
      };
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
        total: mine.documents,
        searchable: SEARCHABLE.reduce((sum, state) => sum + (documents[state] ?? 0), 0),
        passages: mine.passages,
        vectors: mine.passages,
        bytes: mine.bytes,
        text_bytes: mine.bytes / 2,
        embedder: mine.embedder,
        indexes: { lexical: "current", dense: "current" },
        not_ready: [],
        sources: store.sources.filter((source) => source.library === mine.name),
        caches: { results: { found: 12, asked: 40 }, vectors: { found: 31, asked: 64 } },
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
    "document.unlock": ({ document, password }) => {
      if (password !== "secret") {
        throw new CallError(
          problem("wrong_password", "the password does not open the file", {}, "Check it and try again."),
        );
      }
      const { library: name, id } = find(document);
      const unlocked = documentsOf(store, name).find((one) => one.id === id) ?? find(document);
      Object.assign(unlocked, { state: "words", code: null, reason: null, retryable: false });
      changed(["documents"], name);
      return unlocked;
    },
    "document.retry": ({ document, library: name }) => {
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
        active: (params.version ?? document.version) === document.version,
        quoted: true,
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
  };
}
