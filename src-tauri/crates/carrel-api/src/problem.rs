//! Errors as people and programs see them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What went wrong: a stable code, what happened to which file, and what to do next. The window translates by code with
/// `details` as arguments; terminal and logs show `message` and `hint`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Problem {
    /// Stable, snake case.
    pub code: String,
    /// An English sentence.
    pub message: String,
    /// The next step, where there is one.
    pub hint: Option<String>,
    /// Arguments of the sentence (`name`, `path`, …) and, under `cause`, the chain of causes.
    #[ts(type = "Record<string, unknown>")]
    pub details: serde_json::Map<String, serde_json::Value>,
    /// Whether the same call can succeed later.
    pub retryable: bool,
}

/// Every code that a [`Problem`] can carry, in alphabetical order. The window has a sentence for each in every language.
pub const PROBLEM_CODES: &[&str] = &[
    "ambiguous",
    "bad_request",
    "cancelled",
    "connection_lost",
    "converter_crashed",
    "damaged",
    "data_folder_locked",
    "disk_full",
    "endpoint_refused",
    "endpoint_unreachable",
    "exists",
    "file_access",
    "index_failed",
    "internal",
    "invalid",
    "ledger_failed",
    "limit_exceeded",
    "model_damaged",
    "model_failed",
    "model_not_installed",
    "model_unknown",
    "needs_password",
    "network_disk",
    "no_text",
    "not_available",
    "not_found",
    "owner_not_answering",
    "owner_version",
    "page_refused",
    "page_too_large",
    "page_unreachable",
    "text_too_long",
    "too_new",
    "unknown_command",
    "unreadable",
    "unsupported_format",
    "worker_missing",
    "wrong_password",
];

/// Every code that a document's reason can carry, in alphabetical order. The window has a sentence for each in every language.
pub const REASON_CODES: &[&str] = &[
    "cancelled",
    "converter_crashed",
    "damaged",
    "embedding_failed",
    "excluded",
    "incomplete",
    "limit_exceeded",
    "missing",
    "needs_password",
    "no_embedder",
    "no_text",
    "symlink",
    "too_large",
    "unreadable",
    "unsupported_format",
    "wrong_password",
];
