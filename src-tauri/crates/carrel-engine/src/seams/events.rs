//! What the engine tells its listeners.

use crate::domain::LibraryId;

/// A part of the truth that changed. Readers ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// The list of libraries.
    Libraries,
    /// Documents of a library, their states and counts.
    Documents,
    /// Sources of a library.
    Sources,
    /// Chats.
    Chats,
    /// Jobs and progress.
    Jobs,
    /// Models.
    Models,
    /// Settings.
    Settings,
    /// Questions of a library, and the runs over them.
    Quality,
}

/// Something changed. Small, coalesced to at most 10 a second per tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub tag: Tag,
    /// In which library; `None` for the data folder.
    pub library: Option<LibraryId>,
}

/// Receives events. Must not block.
pub trait EventSink: Send + Sync {
    /// Called from any thread.
    fn emit(&self, event: Event);
}
