import type { Problem } from "../../bindings/types";

export function problem(
  code: string,
  message: string,
  details: Problem["details"] = {},
  hint: string | null = null,
): Problem {
  return { code, message, hint, details, retryable: true };
}
