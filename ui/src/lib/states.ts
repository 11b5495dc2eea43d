/** States of documents that mean something together. */

/** Their text answers, if only by words or in part. The program counts by the same rule. */
export const SEARCHABLE = ["ready", "words", "partial"];
