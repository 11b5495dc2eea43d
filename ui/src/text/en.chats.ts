/** English sentences about chats; `zh.chats.ts` has the same keys. */

import { number, plural } from "./en.count.ts";

export const chats = {
  find: "Find in chats",
  findHint: "Words of a question or an answer",
  none: "No chat has these words.",
  pin: "Pin",
  unpin: "Unpin",
  pinned: "Pinned",
  exportTo: "Export",
  exportTitle: "Export chat",
  exported: "Chat exported",
  more: (n: number) => `${number(n)} more`,

  edit: "Edit question",
  editLabel: "Question",
  editAsk: "Ask",
  branch: (n: number, of: number) => `${number(n)} of ${number(of)}`,
  branchLabel: (n: number, of: number) => `Branch ${number(n)} of ${number(of)}`,
  earlierBranch: "Branch before",
  laterBranch: "Branch after",
  copySources: "Copy with sources",
  again: "Answer again",
  good: "Good answer",
  bad: "Not a good answer",
  nowAQuestion: (libraries: string) => `Added to the questions of ${libraries}`,
  note: "What was wrong with it?",
  noteHint: "Optional. It is kept with the answer.",
  noteSave: "Keep note",
  failed: "The answer failed",

  where: "Where it looks",
  inLibrary: (name: string) => `In ${name}`,
  inLibraries: (n: number) => `In ${number(n)} libraries`,
  narrow: "Narrow where it looks",
  narrowTitle: "Where to look",
  narrowBody: "Every later question of this chat looks only here.",
  narrowFind: "Folder, tag or document",
  takeOut: (name: string) => `Take out ${name}`,
  folders: "Folders",
  tags: "Tags",
  documents: "Documents",
  nothing: "Nothing here is called that.",
  done: "Done",
  askFolder: "Ask about this folder",

  superseded: (shown: number, active: number) =>
    `Superseded. The answer was made from version ${shown}; version ${active} counts now.`,
  noLonger: (shown: number) =>
    `The answer was made from version ${shown}. The document is no longer in the library.`,
  showActive: (n: number) => `Show version ${n}`,
  movedQuote: "The cited words do not stand in this version:",
  goneTitle: "The version is gone",
  goneBody: "The document or this version of it is no longer kept. These are the words that were cited:",

  badTitle: (n: number) => `${number(n)} ${plural(n, "answer was", "answers were")} not good`,
  badBody: "Mark the passage that answers the question, and the search is measured by it.",
  mark: "Mark passage",
};
