/** States of documents that mean something together. */

/** Their text answers, if only by words or in part. The program counts by the same rule. */
export const SEARCHABLE = ["ready", "words", "partial"];

/** They were taken in and have no text, or not all of it. */
export const UNREAD = ["partial", "needs_password", "no_text", "failed", "skipped"] as const;
