//! The change log that the indexes follow.

use super::DocumentRow;
use crate::domain::{ChangeSeq, GenerationId, PassageId};
use crate::error::Result;
use crate::writer::WriteTx;
use rusqlite::Connection;

/// What happened to a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// Its words are to be found.
    WordsIn = 1,
    /// It is not to be found any more.
    Out = 2,
    /// Its vector is there.
    VectorIn = 3,
}

/// An entry of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Its position.
    pub(crate) seq: ChangeSeq,
    /// Of which generation the passage is.
    pub(crate) generation: GenerationId,
    /// Which passage.
    pub(crate) passage: PassageId,
    /// What happened.
    pub(crate) kind: ChangeKind,
}

/// The newest position.
pub(crate) fn head(_conn: &Connection) -> Result<ChangeSeq> {
    unimplemented!()
}

/// Logs `WordsIn` for the live passages of a document whose title, name, path or tags changed.
pub(crate) fn reindex_document(_tx: &mut WriteTx<'_>, _document: DocumentRow) -> Result<()> {
    unimplemented!()
}
