/** Problems, what to do about them, and the reasons of states, in English. */

export const problem = {
  title: "This did not work",
  unknown: "Something went wrong.",
  ambiguous: (d: Details) => `${name(d)} names several documents.`,
  bad_request: () => "The window and the program do not understand each other.",
  cancelled: () => "Cancelled.",
  connection_lost: () => "The connection to the program was lost.",
  converter_crashed: (d: Details) => `The converter stopped on ${name(d, "this file")}.`,
  damaged: (d: Details) => `${name(d, "The file")} is damaged.`,
  data_folder_locked: () => "Another Carrel is using this data folder.",
  disk_full: () => "The disk is full. Nothing already saved is lost.",
  endpoint_refused: (d: Details) => `${name(d, "The endpoint")} refused the request${why(d)}.`,
  endpoint_unreachable: (d: Details) => `${name(d, "The endpoint")} did not answer${why(d)}.`,
  exists: (d: Details) => `${name(d, "This name")} is taken.`,
  file_access: (d: Details) => `${name(d, "The file")} could not be read or written${why(d)}.`,
  index_failed: () => "The search index failed and is being rebuilt.",
  internal: () => "Something went wrong inside Carrel.",
  invalid: () => "This cannot be done as it stands.",
  ledger_failed: (d: Details) => `The library's database failed${why(d)}.`,
  limit_exceeded: (d: Details) => `${name(d, "The file")} needs more time or memory than allowed.`,
  model_damaged: (d: Details) => `The files of the model ${name(d, "")} are damaged.`,
  model_failed: (d: Details) => `The model failed${why(d)}.`,
  model_not_installed: (d: Details) => `The model ${name(d, "")} is not installed.`,
  model_unknown: (d: Details) => `There is no model named ${name(d, "so")}.`,
  needs_model: (d: Details) => `${name(d, "The file")} needs a model that is not installed.`,
  needs_password: (d: Details) => `${name(d, "The file")} needs a password.`,
  network_disk: () => "The data folder is on a network disk, where it could be damaged.",
  no_text: (d: Details) => `${name(d, "The file")} has no text in it.`,
  not_available: () => "This is not available yet.",
  not_found: (d: Details) => `${name(d, "It")} is no longer there.`,
  owner_not_answering: () => "The Carrel that owns this data folder does not answer.",
  owner_version: () => "Another version of Carrel is running.",
  page_refused: (d: Details) => `${name(d, "The page")} refused to be read.`,
  page_too_large: (d: Details) => `${name(d, "The page")} is too large.`,
  page_unreachable: (d: Details) => `${name(d, "The page")} could not be reached.`,
  text_too_long: () => "The text is longer than the model can read at once.",
  too_new: () => "This library was written by a newer Carrel.",
  unknown_command: () => "The program does not know this command.",
  unreadable: (d: Details) => `${name(d, "The file")} could not be read.`,
  unsupported_format: (d: Details) => `${name(d, "This file")} is of a format that cannot be read yet.`,
  wrong_password: (d: Details) => `The password does not open ${name(d, "the file")}.`,
};

export const hint: { [code: string]: string } = {
  ambiguous: "Give its full path.",
  bad_request: "Update Carrel, and try again.",
  connection_lost: "Try again in a moment.",
  converter_crashed: "The other files go on. Try this one again later.",
  damaged: "Open it in its own program and save it again.",
  data_folder_locked: "Close the other one, and try again.",
  disk_full: "Free some space, and try again.",
  endpoint_refused: "Check its key and the name of the model.",
  endpoint_unreachable: "Check that it is running and that its address is right.",
  exists: "Choose another name.",
  file_access: "Check that it is there and that you may open it.",
  index_failed: "Search answers by what is ready; try again in a moment.",
  internal: "Try again. If it stays, run the check in Settings.",
  ledger_failed: "Run the check in Settings.",
  model_damaged: "Remove it and get it again.",
  model_failed: "Try again, or choose another model.",
  model_not_installed: "Get it in Models.",
  model_unknown: "Models lists those there are.",
  needs_model: "Get it in Models; the file is then read by itself.",
  network_disk: "Choose a data folder on this computer.",
  owner_not_answering: "Close the other Carrel, and try again.",
  owner_version: "Close the other Carrel, and try again.",
  page_unreachable: "Check the address and the connection.",
  too_new: "Update Carrel to open it.",
  wrong_password: "Check it and try again.",
};

export const reason = {
  altered: "may have been changed since it was encrypted",
  bad_rows: "some rows could not be read",
  cancelled: "stopped before it was done",
  converter_crashed: "the converter stopped on this file",
  damaged: "the file is damaged",
  embedding_failed: "its meaning could not be computed",
  empty_part: "a file in it has no text",
  encrypted: "the message is encrypted",
  garbled: "some text has no readable characters",
  internal: "a fault of Carrel stopped it",
  limit_exceeded: "needs more time or memory than allowed",
  locked_part: "a part of it needs a password",
  low_confidence: "some of it was hard to read or to hear",
  missing: "no longer in its place",
  missing_chapter: "a chapter is missing",
  needs_model: "needs a model that is not installed: get it in Models",
  needs_password: "encrypted",
  no_text: "there is no text in it",
  no_text_layer: "some pages are images without text",
  partial: "some parts could not be read",
  simple_reader: "read by a simpler reader of PDF: parts may be missing",
  symlink: "a link to another place",
  too_large: "too large",
  too_many_parts: "it holds too many files to read all",
  too_wide: "some sheets are too wide to be read whole",
  undecodable: "some characters could not be read",
  unread_part: "a file in it could not be read",
  unreadable: "could not be read from disk",
  unsupported_format: "this format cannot be read yet",
  wrong_password: "the password does not open it",
};

/** Arguments of a problem's sentence. */
export type Details = { [key: string]: unknown };

function name(details: Details, otherwise = "It"): string {
  for (const key of ["name", "path", "id", "endpoint", "url", "uri"]) {
    const value = details[key];
    if (typeof value === "string" && value !== "")
      return key === "path" ? (value.split(/[/\\]/).pop() ?? value) : value;
  }
  return otherwise;
}

/** What the program knows of the cause, in its own words. */
function why(details: Details): string {
  const cause = details.detail ?? details.cause;
  return typeof cause === "string" && cause !== "" ? `: ${cause.replace(/\.$/, "")}` : "";
}
