/** Problems and reasons as sentences: by code in the window's language, else as the program said them in English. */
import type { Problem } from "../bindings/types";
import type { Text } from ".";

export interface ProblemSentence {
  message: string;
  hint: string | null;
}

const OWN = new Set(["title", "unknown"]);

export function problemSentence(text: Text, problem: Problem): ProblemSentence {
  const { code, message, hint } = problem;
  const details = problem.details ?? {};
  const sentence = OWN.has(code) ? undefined : text.problem[code as keyof Text["problem"]];
  if (typeof sentence !== "function") return { message: capital(message) || text.problem.unknown, hint };
  // The program's own hint speaks of the terminal; the window has its own, and otherwise says what the program knows of the cause.
  const known = typeof details.detail === "string" ? details.detail : null;
  return { message: sentence(details), hint: text.hint[code] ?? (known && capital(known)) ?? null };
}

/** Why a document is in its state; empty where there is nothing to say. */
export function reasonSentence(text: Text, code: string | null, reason: string | null): string {
  if (!code) return reason ?? "";
  return text.reason[code as keyof Text["reason"]] ?? reason ?? "";
}

function capital(sentence: string): string {
  if (sentence === "") return "";
  const whole = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return /[.!?。]$/.test(whole) ? whole : `${whole}.`;
}
