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
