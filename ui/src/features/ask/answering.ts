/** Answers in the making. They live outside the view, so that looking elsewhere does not interrupt them. */
import type { QueryClient } from "@tanstack/react-query";
import { create } from "zustand";
import type { AnswerDto, AskParams, CitationDto, ClaimDto } from "../../bindings/types";
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
  stage: { name: string; passages: number; documents: number } | null;
  text: string;
  citations: CitationDto[];
  claims: ClaimDto[];
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
export async function ask(host: Host, client: QueryClient, params: AskParams) {
  last += 1;
  const id = last;
  const end = new AbortController();
  const live: Live = {
    id,
    chat: params.chat ?? null,
    question: params.question,
    stage: null,
    text: "",
    citations: [],
    claims: [],
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
          if (line.event === "claim") change(id, (one) => ({ claims: [...one.claims, line.claim] }));
        },
      },
    );
    flush();
    change(id, () => ({ answer, chat: answer.chat }));
    if (answer.chat !== null) enter(answer.chat, id, params);
  } catch (error) {
    flush();
    const problem = toProblem(error);
    const { chat } = problem.details;
    if (end.signal.aborted) change(id, (one) => ({ answer: stopped(one) }));
    else if (typeof chat === "string") {
      // The program has kept it with its failure: that copy is shown.
      change(id, () => ({ chat, error: problem }));
      enter(chat, id, params);
      await invalidate(client, [{ tags: ["chats"], library: null }]);
      dismiss(id);
    } else change(id, () => ({ error: problem }));
  } finally {
    if (newest(id)) setStop(null);
    void invalidate(client, [{ tags: ["chats"], library: null }]);
  }
}

/** A new chat has its id now: stay in it if people are still looking at it. */
function enter(chat: string, id: number, params: AskParams) {
  const view = useView.getState();
  if (view.chat === null && params.chat == null && newest(id)) view.set({ chat });
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
    conflicts: [],
    nearest: [],
    model: null,
    chat: live.chat,
    trace: { stages: [], total_ms: 0 },
  };
}

export function dismiss(id: number) {
  useAnswering.setState(({ live }) => ({ live: live.filter((one) => one.id !== id) }));
}
