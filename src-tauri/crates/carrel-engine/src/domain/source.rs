//! Sources: where documents come from.

use super::SourceId;
use std::path::PathBuf;

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// A folder, with everything below it.
    Folder,
    /// Single files that were dropped or added; the path of a document is absolute.
    Files,
    /// Pasted texts; the path of a document is the id given to it.
    Texts,
    /// Web pages; the path of a document is its URL.
    Pages,
}

/// A source of a library. `Files`, `Texts` and `Pages` exist once per library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its row.
    pub id: SourceId,
    /// What it is.
    pub kind: SourceKind,
    /// The folder; empty for the other kinds.
    pub root: PathBuf,
    /// Whether changes on disk are followed.
    pub watched: bool,
    /// Whether the root is there now. Nothing of an absent root is taken for deleted.
    pub present: bool,
    /// Whether a mass deletion waits for the user's word.
    pub needs_confirmation: bool,
}
