/**
 * The border between the window and what hosts it. Everything that the window asks of the outside goes through a `Host`; only
 * this folder knows which one it is.
 */
import type { Commands } from "../bindings/commands";
import type { Problem } from "../bindings/types";

export type CommandName = keyof Commands;
export type Request<N extends CommandName> = Commands[N]["request"];
export type Response<N extends CommandName> = Commands[N]["response"];
export type Line<N extends CommandName> = Commands[N]["stream"];

export interface CallOptions<N extends CommandName> {
  /** Receives the lines of a command that streams. */
  onEvent?: (line: Line<N>) => void;
  /** Cancels the call where it is carried out. */
  signal?: AbortSignal;
  /** After a cancel: leave at once (the default), or wait for what the command says, as an answer keeps its partial text. */
  onAbort?: "leave" | "wait";
}

/** What is being dragged over the window. Paths are absolute. */
export type DropEvent =
  | { kind: "enter"; paths: string[] }
  | { kind: "leave" }
  | { kind: "drop"; paths: string[] };

export interface Host {
  /** Carries out one command of the table. Rejects with a `CallError`, or an `AbortError` once it was cancelled. */
  call<N extends CommandName>(name: N, params: Request<N>, options?: CallOptions<N>): Promise<Response<N>>;
  /** Lets people choose folders; empty when they changed their mind. */
  pickFolders(title: string): Promise<string[]>;
  /** Lets people choose files; empty when they changed their mind. */
  pickFiles(title: string): Promise<string[]>;
  /** Lets people choose where to save a file; none when they changed their mind. */
  pickSave(title: string, name: string): Promise<string | null>;
  /** Feeds what is dragged over or dropped on the window. Returns how to stop. */
  onDrop(listener: (event: DropEvent) => void): () => void;
  /** Shows a file in the system's file manager. */
  reveal(path: string): Promise<void>;
  /** Whether `⌘` is the command key here. */
  readonly mac: boolean;
}

/** A problem that a command answered with. */
export class CallError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.name = "CallError";
    this.problem = problem;
  }
}

/** Any failure as a problem: hosts and the window itself can fail too. */
export function toProblem(error: unknown): Problem {
  if (error instanceof CallError) return error.problem;
  if (isProblem(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: null, details: {}, retryable: true };
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}

/** The error of a call that was cancelled. */
export function aborted(): DOMException {
  return new DOMException("cancelled", "AbortError");
}
