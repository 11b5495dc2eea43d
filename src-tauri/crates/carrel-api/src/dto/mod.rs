//! What crosses the border. Field names are those of the terminal's JSON; ids are opaque strings; times are RFC 3339 UTC;
//! `start` and `end` are UTF-8 byte offsets; readers ignore unknown fields and states.

mod activity;
mod answers;
mod chats;
mod documents;
mod from;
mod from_quality;
mod libraries;
mod models;
mod quality;
mod search;

pub use activity::*;
pub use answers::*;
pub use chats::*;
pub use documents::*;
pub(crate) use from_quality::CHIEF;
pub use libraries::*;
pub use models::*;
pub use quality::*;
pub use search::*;
