/** Problems and reasons as sentences: by code in the window's language, else as the program said them in English. */
import type { Problem } from "../bindings/types";
import type { Text } from ".";

export interface ProblemSentence {
  message: string;
  hint: string | null;
}

const OWN = new Set(["title", "unknown"]);

/** Codes that say too little without the program's own words. */
const WITH_MESSAGE = new Set(["invalid", "internal", "bad_request", "model_failed", "not_available"]);

export function problemSentence(text: Text, problem: Problem): ProblemSentence {
  const { code, message, hint, details } = problem;
  const sentence = OWN.has(code) ? undefined : text.problem[code as keyof Text["problem"]];
  if (typeof sentence !== "function") return { message: message || text.problem.unknown, hint };
  const own = text.hint[code] ?? null;
  if (text.locale === "en" && message) return { message: capital(message), hint: hint ?? own };
  return { message: sentence(details ?? {}), hint: own ?? (WITH_MESSAGE.has(code) ? message : hint) };
}

/** Why a document is in its state; empty where there is nothing to say. */
export function reasonSentence(text: Text, code: string | null, reason: string | null): string {
  if (!code) return reason ?? "";
  return text.reason[code as keyof Text["reason"]] ?? reason ?? "";
}

function capital(sentence: string): string {
  const whole = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return /[.!?。]$/.test(whole) ? whole : `${whole}.`;
}
