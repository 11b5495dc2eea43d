//! One function for each command of the table, a few lines over the engine. No handler knows which surface asked.
#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "every handler has the one shape that the dispatcher calls"
)]

mod answers;
mod care;
mod documents;
mod libraries;
mod models;
mod program;
mod search;
mod sources;
mod watch;

pub(crate) use answers::*;
pub(crate) use care::*;
pub(crate) use documents::*;
pub(crate) use libraries::*;
pub(crate) use models::*;
pub(crate) use program::*;
pub(crate) use search::*;
pub(crate) use sources::*;
pub(crate) use watch::*;
