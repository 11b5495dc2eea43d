/** What the stand-in host knows: libraries, documents, sources, chats, models, in memory. The same input gives the same state. */
import type {
  ChatDto,
  DocumentDto,
  EndpointDto,
  JobDto,
  ModelDto,
  Problem,
  ProgressDto,
  SourceDto,
  TurnDto,
} from "../../bindings/types";
import { CHINESE, ENGLISH, FILLER, type Writing } from "./corpus";
import { problem } from "./problem";

export type Fixture = "full" | "empty" | "failing" | "busy";
export type Tongue = "en" | "zh";

export interface Paragraph {
  id: string;
  document: string;
  heading: string;
  text: string;
  start: number;
  end: number;
  location: { page?: number; sheet?: string; rows?: [number, number] };
}

export interface Store {
  fixture: Fixture;
  tongue: Tongue;
  now: number;
  libraries: string[];
  documents: Map<string, DocumentDto[]>;
  /** Why a library cannot be opened. */
  damaged: Map<string, Problem>;
  /** Embedders of libraries that have another than the default one. */
  embedders: Map<string, string>;
  /** Libraries with lines of context. */
  enriched: Set<string>;
  /** Share of every library in languages that its embedder does not know. */
  foreignShare: number;
  writings: Map<string, { writing: Writing; paragraphs: Paragraph[] }>;
  sources: SourceDto[];
  chats: { chat: ChatDto; turns: TurnDto[] }[];
  models: ModelDto[];
  endpoints: EndpointDto[];
  jobs: JobDto[];
  progress: ProgressDto[];
  settings: { [key: string]: string };
}

const DAY = 86_400_000;
const TYPES = [
  "application/pdf",
  "text/markdown",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "text/html",
  "text/plain",
  "text/csv",
];
const ENDINGS = [".pdf", ".md", ".docx", ".html", ".txt", ".csv"];

/** States of every so many documents, so that each shows somewhere. */
const ODD: [number, string, string, string, boolean][] = [
  [97, "needs_password", "needs_password", "the file is encrypted: unlock it with its password", false],
  [89, "failed", "damaged", "the file is damaged: the cross-reference table is missing", true],
  [211, "no_text", "no_text", "no text layer: pages 1 to 3 are images", false],
  [
    151,
    "skipped",
    "unsupported_format",
    "heic files cannot be read yet; the file will be taken up when they can",
    false,
  ],
  [263, "partial", "partial", "2 of 14 pages could not be read", true],
  [307, "failed", "converter_crashed", "the converter stopped unexpectedly on this file", true],
  [401, "missing", "missing", "the file is no longer in its place", false],
];

/** One way from writing to offsets: UTF-8 bytes, as the program counts. */
function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

export function paragraphsOf(document: string, writing: Writing): Paragraph[] {
  let at = bytesOf(writing.title) + 4;
  return writing.parts.flatMap((part, index) => {
    at += bytesOf(part.heading) + 5;
    return part.text.map((text, line) => {
      const start = at;
      at += bytesOf(text) + 2;
      const { page, sheet, rows } = part;
      return {
        id: `${document}-${index}-${line}`,
        document,
        heading: part.heading,
        text,
        start,
        end: start + bytesOf(text),
        location: { ...(page ? { page } : {}), ...(sheet ? { sheet } : {}), ...(rows ? { rows } : {}) },
      };
    });
  });
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function written(
  store: Store,
  library: string,
  writing: Writing,
  index: number,
  source: string,
): DocumentDto {
  const id = `${source}-w${index}`;
  const paragraphs = paragraphsOf(id, writing);
  store.writings.set(id, { writing, paragraphs });
  return {
    id,
    uri: `file:///home/anna/${encodeURI(writing.path)}`,
    title: writing.title,
    library,
    path: writing.path,
    state: "ready",
    code: null,
    reason: null,
    retryable: false,
    version: writing.versions,
    media_type: writing.type,
    bytes: writing.bytes,
    passages: paragraphs.length,
    date: iso(store.now - writing.days * DAY),
    tags: [],
  };
}

function filler(store: Store, library: string, index: number, source: string, odd: boolean): DocumentDto {
  const { folders, names, about } = FILLER[store.tongue];
  const pick = <T>(list: T[], by: number): T => list[by % list.length] as T;
  const kind = (index * 7) % TYPES.length;
  const number = String(index + 1).padStart(3, "0");
  const title =
    store.tongue === "zh"
      ? `${pick(about, index * 5 + 1)}${pick(names, index * 3)} ${number}`
      : `${pick(names, index * 3)} ${pick(about, index * 5 + 1)} ${number}`;
  const path = `${pick(folders, index)}/${title}${ENDINGS[kind]}`;
  const [, state, code, reason, retryable] = (odd && ODD.find(([every]) => index % every === every - 1)) || [
    0,
    "ready",
    null,
    null,
    false,
  ];
  const readable = ["ready", "partial", "words"].includes(state);
  return {
    id: `${source}-${index}`,
    uri: `file:///home/anna/${encodeURI(path)}`,
    title,
    library,
    path,
    state,
    code,
    reason,
    retryable,
    version: readable ? 1 : null,
    media_type: TYPES[kind] as string,
    bytes: 1_000 + ((index * 7919) % 4_000_000),
    passages: readable ? 1 + (index % 40) : 0,
    date: iso(store.now - (index % 900) * DAY),
    tags: [],
  };
}

function source(
  id: string,
  library: string,
  path: string,
  documents: number,
  more: Partial<SourceDto> = {},
): SourceDto {
  return {
    id,
    library,
    kind: "folder",
    path,
    watched: true,
    present: true,
    needs_confirmation: false,
    documents,
    ...more,
  };
}

const MODELS: {
  [tongue in Tongue]: [string, string, string, string, string, number, string, string[], string][];
} = {
  en: [
    [
      "all-minilm-l6-v2",
      "all-MiniLM-L6-v2",
      "embedder",
      "installed",
      "Small and quick. English.",
      90_900_000,
      "Apache-2.0",
      ["en"],
      "yes",
    ],
    [
      "multilingual-e5-small",
      "multilingual-e5-small",
      "embedder",
      "absent",
      "A hundred languages, a little slower.",
      471_000_000,
      "MIT",
      [],
      "",
    ],
    [
      "smollm2-135m-instruct",
      "SmolLM2 135M Instruct",
      "language_model",
      "installed",
      "The smallest that answers at all. For a first try.",
      144_800_000,
      "Apache-2.0",
      ["en"],
      "yes",
    ],
    [
      "qwen2.5-1.5b-instruct",
      "Qwen2.5 1.5B Instruct",
      "language_model",
      "absent",
      "Good answers on a common laptop. English and Chinese.",
      1_117_000_000,
      "Apache-2.0",
      ["en", "zh"],
      "",
    ],
    [
      "pp-ocrv6-small",
      "PP-OCRv6 small",
      "ocr",
      "installed",
      "Reads print in scans and pictures.",
      31_749_509,
      "Apache-2.0",
      [],
      "yes",
    ],
    [
      "whisper-base",
      "Whisper base",
      "transcriber",
      "absent",
      "Writes down what is said in recordings.",
      147_423_080,
      "MIT",
      [],
      "",
    ],
  ],
  zh: [
    [
      "all-minilm-l6-v2",
      "all-MiniLM-L6-v2",
      "embedder",
      "installed",
      "小而快，适合英文。",
      90_900_000,
      "Apache-2.0",
      ["en"],
      "yes",
    ],
    [
      "multilingual-e5-small",
      "multilingual-e5-small",
      "embedder",
      "absent",
      "支持上百种语言，稍慢一些。",
      471_000_000,
      "MIT",
      [],
      "",
    ],
    [
      "smollm2-135m-instruct",
      "SmolLM2 135M Instruct",
      "language_model",
      "installed",
      "能作答的最小模型，可先试用。",
      144_800_000,
      "Apache-2.0",
      ["en"],
      "yes",
    ],
    [
      "qwen2.5-1.5b-instruct",
      "Qwen2.5 1.5B Instruct",
      "language_model",
      "absent",
      "普通笔记本上也能答得不错，中英文皆可。",
      1_117_000_000,
      "Apache-2.0",
      ["en", "zh"],
      "",
    ],
    [
      "pp-ocrv6-small",
      "PP-OCRv6 small",
      "ocr",
      "installed",
      "识别扫描件和图片中的文字。",
      31_749_509,
      "Apache-2.0",
      [],
      "yes",
    ],
    [
      "whisper-base",
      "Whisper base",
      "transcriber",
      "absent",
      "把录音中说的话写成文字。",
      147_423_080,
      "MIT",
      [],
      "",
    ],
  ],
};

export function makeStore(fixture: Fixture, tongue: Tongue, now: number): Store {
  const { libraries } = FILLER[tongue];
  const store: Store = {
    fixture,
    tongue,
    now,
    libraries: ["default"],
    documents: new Map([["default", []]]),
    damaged: new Map(),
    embedders: new Map(),
    enriched: new Set(),
    foreignShare: 0,
    writings: new Map(),
    sources: [],
    chats: [],
    models: MODELS[tongue].map(([id, name, role, state, description, bytes, licence, languages, chosen]) => ({
      id,
      name,
      role,
      state: fixture === "empty" ? "absent" : state,
      bytes,
      memory: role === "language_model" ? 3 * bytes : 0,
      licence,
      languages,
      description,
      chosen: chosen === "yes" && fixture !== "empty",
    })),
    endpoints: [],
    jobs: [],
    progress: [],
    settings: {},
  };
  if (fixture === "empty") return store;

  const writings = tongue === "zh" ? CHINESE : ENGLISH;
  const [home, research, archive] = libraries as [string, string, string];
  store.libraries = [home, research, archive];
  const fill = (library: string, from: string, count: number, odd: boolean) =>
    Array.from({ length: count }, (_, index) => filler(store, library, index, from, odd));
  store.documents.set(home, [
    ...writings.map((writing, index) => written(store, home, writing, index, "s1")),
    ...fill(home, "s2", 300, true),
  ]);
  store.documents.set(research, [
    ...writings.slice(4, 6).map((writing, index) => written(store, research, writing, index, "s3")),
    ...fill(research, "s3", 1_202, true),
  ]);
  store.sources = [
    source("s1", home, tongue === "zh" ? "/home/anna/文档" : "/home/anna/Documents", writings.length),
    source("s2", home, tongue === "zh" ? "/media/旧硬盘" : "/media/Old disk", 300, { watched: false }),
    source("s3", research, tongue === "zh" ? "/home/anna/研究" : "/home/anna/Research", 1_204),
    source("s4", archive, tongue === "zh" ? "/srv/档案" : "/srv/archive", 100_000),
  ];
  if (fixture === "failing") {
    const detail = "database disk image is malformed";
    store.damaged.set(archive, problem("ledger_failed", `ledger.db is damaged: ${detail}`, { detail }));
    const [first] = store.sources;
    if (first) Object.assign(first, { needs_confirmation: true });
    const [, second] = store.sources;
    if (second) Object.assign(second, { present: false });
  }
  const list = store.documents.get(home) ?? [];
  if (fixture === "busy") {
    for (const [index, document] of list.entries()) {
      if (index % 4 === 3) Object.assign(document, { state: "waiting", version: null, passages: 0 });
      else if (index % 4 === 2) Object.assign(document, { state: "words" });
    }
    store.progress = [
      {
        library: home,
        converting: 28,
        embedding: 812,
        enriching: 0,
        done: 12,
        total: 40,
        current: list[3]?.path ?? null,
        part: { unit: "second", number: 80, of: 2700 },
        scanning: false,
        paused: false,
      },
      {
        library: research,
        converting: 0,
        embedding: 0,
        enriching: 0,
        done: 0,
        total: 0,
        current: null,
        part: null,
        scanning: true,
        paused: false,
      },
    ];
    store.jobs.push({
      id: "j9",
      kind: "download",
      subject: "multilingual-e5-small",
      library: null,
      state: "running",
      message: null,
      started: iso(now - 60_000),
      ended: null,
      done: 188,
      total: 471,
    });
  }
  const job = (
    id: string,
    kind: string,
    subject: string,
    hours: number,
    more: Partial<JobDto> = {},
  ): JobDto => ({
    id,
    kind,
    subject,
    library: home,
    state: "done",
    message: null,
    started: iso(now - hours * 3_600_000 - 90_000),
    ended: iso(now - hours * 3_600_000),
    done: null,
    total: null,
    ...more,
  });
  store.jobs.push(
    job("j1", "sync", store.sources[0]?.path ?? "", 0.4),
    job("j2", "add", store.sources[2]?.path ?? "", 26, { library: research }),
    job("j3", "download", "all-minilm-l6-v2", 27, { library: null }),
    job("j4", "download", "qwen2.5-1.5b-instruct", 28, {
      library: null,
      state: "failed",
      message:
        tongue === "zh" ? "连接中断，已下载的部分保留" : "The connection was cut; what had come is kept",
    }),
  );
  return store;
}

/** The documents of a library; the very long one is made when it is first looked at. */
export function documentsOf(store: Store, library: string): DocumentDto[] {
  const known = store.documents.get(library);
  if (known) return known;
  const made =
    store.fixture !== "empty" &&
    store.libraries.includes(library) &&
    library === FILLER[store.tongue].libraries[2]
      ? Array.from({ length: 100_000 }, (_, index) => filler(store, library, index, "s4", false))
      : [];
  store.documents.set(library, made);
  return made;
}

export function countOf(store: Store, library: string): number {
  const known = store.documents.get(library);
  return known
    ? known.filter((document) => document.state !== "missing").length
    : library === FILLER[store.tongue].libraries[2]
      ? 100_000
      : 0;
}
