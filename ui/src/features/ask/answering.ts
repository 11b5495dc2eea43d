/** Answers in the making. They live outside the view, so that looking elsewhere does not interrupt them. */
import type { QueryClient } from "@tanstack/react-query";
import { create } from "zustand";
import type { AnswerDto, AskParams, CitationDto, ClaimDto, ConflictDto } from "../../bindings/types";
import { type Host, toProblem } from "../../host";
import { setStop } from "../../lib/stop";
import { useView } from "../../lib/view";
import { invalidate } from "../../queries/client";

/** A question of this session: being answered, answered, or failed. */
export interface Live {
  id: number;
  /** The chat that it continues; `null` until a new chat has its id. */
  chat: string | null;
  question: string;
  /** How many turns the chat had before. */
  after: number;
  stage: { name: string; passages: number; documents: number } | null;
  text: string;
  citations: CitationDto[];
  claims: ClaimDto[];
  conflicts: ConflictDto[];
  /** How much of what a summary needs was read. */
  progress: { done: number; total: number } | null;
  /** What a further step looks up. */
  hop: string | null;
  answer: AnswerDto | null;
  error: unknown;
  stopping: boolean;
  params: AskParams;
}

interface Answering {
  live: Live[];
}

export const useAnswering = create<Answering>(() => ({ live: [] }));

let last = 0;

function change(id: number, next: (live: Live) => Partial<Live>) {
  useAnswering.setState(({ live }) => ({
    live: live.map((one) => (one.id === id ? { ...one, ...next(one) } : one)),
  }));
}

export function running(live: Live): boolean {
  return live.answer === null && live.error === null;
}

/** Asks, and follows the answer until it is there. */
export async function ask(host: Host, client: QueryClient, params: AskParams, after: number) {
  last += 1;
  const id = last;
  const end = new AbortController();
  const live: Live = {
    id,
    chat: params.chat ?? null,
    question: params.question,
    after,
    stage: null,
    text: "",
    citations: [],
    claims: [],
    conflicts: [],
    progress: null,
    hop: null,
    answer: null,
    error: null,
    stopping: false,
    params,
  };
  useAnswering.setState((state) => ({ live: [...state.live, live] }));
  setStop(() => {
    change(id, () => ({ stopping: true }));
    end.abort();
  });

  // Tokens come faster than frames; they are shown once a frame.
  let waiting = "";
  let frame = 0;
  const flush = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    if (waiting === "") return;
    const more = waiting;
    waiting = "";
    change(id, (one) => ({ text: one.text + more }));
  };

  try {
    const answer = await host.call(
      "ask",
      { ...params, chat: params.chat ?? "new" },
      {
        signal: end.signal,
        onAbort: "wait",
        onEvent: (line) => {
          if (line.event === "token") {
            waiting += line.text;
            if (!frame) frame = requestAnimationFrame(flush);
            return;
          }
          flush();
          if (line.event === "stage") change(id, () => ({ stage: line }));
          if (line.event === "citation")
            change(id, (one) => ({ citations: [...one.citations, line.citation] }));
          if (line.event === "claim") change(id, (one) => ({ claims: told(one.claims, line.claim) }));
          if (line.event === "conflict")
            change(id, (one) => ({ conflicts: [...one.conflicts, line.conflict] }));
          if (line.event === "progress") change(id, () => ({ progress: line }));
          if (line.event === "hop") change(id, () => ({ hop: line.question }));
        },
      },
    );
    flush();
    change(id, () => ({ answer, chat: answer.chat }));
    // A new chat has its id now; stay in it if people are still looking at it.
    const { chat, set } = useView.getState();
    if (chat === null && params.chat == null && answer.chat !== null && newest(id))
      set({ chat: answer.chat });
  } catch (error) {
    flush();
    if (end.signal.aborted) change(id, (one) => ({ answer: stopped(one) }));
    else change(id, () => ({ error: toProblem(error) }));
  } finally {
    if (newest(id)) setStop(null);
    void invalidate(client, [{ tags: ["chats"], library: null }]);
  }
}

/** A claim that was judged anew takes the place of what was told of it. */
function told(claims: ClaimDto[], claim: ClaimDto): ClaimDto[] {
  return [...claims.filter((one) => one.start !== claim.start), claim];
}

function newest(id: number): boolean {
  return useAnswering.getState().live.at(-1)?.id === id;
}

/** What was there when the answer was stopped. */
function stopped(live: Live): AnswerDto {
  return {
    answer: live.text,
    grounded: live.citations.length > 0,
    reason: null,
    mode: "stopped",
    citations: live.citations,
    claims: live.claims,
    conflicts: live.conflicts,
    nearest: [],
    model: null,
    chat: live.chat,
    trace: { stages: [], total_ms: 0 },
  };
}

export function dismiss(id: number) {
  useAnswering.setState(({ live }) => ({ live: live.filter((one) => one.id !== id) }));
}
