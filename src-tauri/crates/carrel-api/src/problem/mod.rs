//! Errors as people and programs see them.
//!
//! Every error of the engine, the models and the converters becomes a [`Problem`] in one exhaustive match ([`from`]); no other
//! form of error crosses the border. A code without a place in [`PROBLEM_CODES`] fails a test.

mod from;

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

impl Problem {
    /// A problem with a code of [`PROBLEM_CODES`] and a sentence.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        debug_assert!(PROBLEM_CODES.contains(&code), "{code} is not in PROBLEM_CODES");
        Self {
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            details: serde_json::Map::new(),
            retryable: false,
        }
    }

    /// The same with the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with an argument of its sentence.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// The same, marked as worth another try.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// The request cannot be carried out as it stands.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self::new("bad_request", detail.clone()).detail("detail", detail)
    }

    /// Something that is not there.
    pub fn not_found(kind: &str, name: &str) -> Self {
        Self::new("not_found", format!("there is no {kind} named {name}"))
            .detail("kind", kind)
            .detail("name", name)
    }

    /// An option of something that is not built yet: never ignored.
    pub fn not_available(what: &str) -> Self {
        Self::new("not_available", format!("{what} is not available yet"))
            .hint("leave it out; a later version will have it")
            .detail("name", what)
    }

    /// It was stopped: an outcome, not a failure.
    pub fn cancelled() -> Self {
        Self::new("cancelled", "stopped").retryable()
    }

    /// Whether it was stopped.
    pub fn is_cancelled(&self) -> bool {
        self.code == "cancelled"
    }

    /// A fault of ours.
    pub fn internal(detail: impl std::fmt::Display) -> Self {
        let detail = detail.to_string();
        Self::new("internal", format!("an internal error: {detail}"))
            .hint("this is a fault of Carrel: please report it with this message")
            .detail("detail", detail)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

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
    "needs_model",
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
    "wrong_password",
];

/// Every code that a document's reason can carry, in alphabetical order. The window has a sentence for each in every language.
pub const REASON_CODES: &[&str] = &[
    "altered",
    "bad_rows",
    "cancelled",
    "converter_crashed",
    "damaged",
    "embedding_failed",
    "empty_part",
    "encrypted",
    "garbled",
    "internal",
    "limit_exceeded",
    "locked_part",
    "low_confidence",
    "missing",
    "missing_chapter",
    "needs_model",
    "needs_password",
    "no_text",
    "no_text_layer",
    "partial",
    "simple_reader",
    "symlink",
    "too_large",
    "too_many_parts",
    "too_wide",
    "undecodable",
    "unread_part",
    "unreadable",
    "unsupported_format",
    "wrong_password",
];
