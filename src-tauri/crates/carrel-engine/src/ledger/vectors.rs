//! Vectors: stored once per space and text, in f16. Also the embedding cache.

use super::content::Contents;
use super::DocumentRow;
use crate::domain::{EmbeddingSpace, GenerationId, PassageId, VersionId};
use crate::error::Result;
use crate::writer::WriteTx;
use rusqlite::Connection;

/// First 16 bytes of BLAKE3 of the exact text handed to the model.
pub(crate) type EmbedHash = [u8; 16];

/// A passage to be embedded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The passage.
    pub(crate) passage: PassageId,
    /// Hash of `text`: equal ones need one vector.
    pub(crate) hash: EmbedHash,
    /// What is handed to the model.
    pub(crate) text: String,
    /// Attempts that failed.
    pub(crate) failed: u32,
}

/// A version that lacked vectors and now has them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completed {
    /// Its document.
    pub(crate) document: DocumentRow,
    /// The version.
    pub(crate) version: VersionId,
    /// It waits for [`super::versions::activate`].
    pub(crate) pending: bool,
}

/// What is to be embedded for a generation: passages of active or pending versions of visible documents without a vector
/// and with fewer than `attempts` failures, fewest failures first, then in order. The same hash comes once.
pub(crate) fn missing(
    _conn: &Connection,
    _contents: &Contents,
    _generation: GenerationId,
    _attempts: u32,
    _limit: usize,
) -> Result<Vec<Missing>> {
    unimplemented!()
}

/// How many passages [`missing`] would give without a limit.
pub(crate) fn count_missing(_conn: &Connection, _generation: GenerationId, _attempts: u32) -> Result<usize> {
    unimplemented!()
}

/// Stores vectors, ties every waiting passage with the same text to them (logged for live passages), and names the
/// versions that became complete. Ingest calls `versions::activate` for the pending ones and sets document states.
pub(crate) fn store(
    _tx: &mut WriteTx<'_>,
    _space: &EmbeddingSpace,
    _vectors: &[(EmbedHash, Vec<f32>)],
) -> Result<Vec<Completed>> {
    unimplemented!()
}

/// Counts a failed attempt for each passage.
pub(crate) fn failed(_tx: &mut WriteTx<'_>, _passages: &[PassageId]) -> Result<()> {
    unimplemented!()
}

/// Versions whose every missing passage failed `attempts` times: pending ones are to be activated in state `words`.
pub(crate) fn given_up(_conn: &Connection, _generation: GenerationId, _attempts: u32) -> Result<Vec<Completed>> {
    unimplemented!()
}
