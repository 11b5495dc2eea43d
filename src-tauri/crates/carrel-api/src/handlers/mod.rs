//! One function for each command of the table, a few lines over the engine. No handler knows which surface asked.
#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "every handler has the one shape that the dispatcher calls"
)]

mod answers;
mod care;
mod chats;
mod documents;
mod libraries;
mod models;
mod program;
mod quality;
mod rating;
mod scope;
mod search;
mod sources;
mod watch;

use crate::problem::Problem;
use std::path::PathBuf;

pub(crate) use answers::*;
pub(crate) use care::*;
pub(crate) use chats::*;
pub(crate) use documents::*;
pub(crate) use libraries::*;
pub(crate) use models::*;
pub(crate) use program::*;
pub(crate) use quality::*;
pub(crate) use rating::*;
pub(crate) use scope::*;
pub(crate) use search::*;
pub(crate) use sources::*;
pub(crate) use watch::*;

/// The place that a caller names: an absolute path, or a `file:` URI, which can name what is no Unicode.
fn place(word: &str) -> Result<PathBuf, Problem> {
    let path = carrel_engine::library::path_of_uri(word).unwrap_or_else(|| PathBuf::from(word));
    if path.is_absolute() {
        return Ok(path);
    }
    Err(Problem::bad_request(format!("{word} is neither an absolute path nor a file: URI")))
}
