//! Generations and embedding spaces.

use crate::domain::{EmbeddingSpace, Generation, GenerationId, VersionId};
use crate::error::Result;
use crate::writer::WriteTx;
use rusqlite::Connection;

/// The generation that answers.
pub(crate) fn active(_conn: &Connection) -> Result<Generation> {
    unimplemented!()
}

/// The generation that is being built beside it.
pub(crate) fn building(_conn: &Connection) -> Result<Option<Generation>> {
    unimplemented!()
}

/// Begins a generation in state `building`; one that was being built is dropped.
pub(crate) fn begin(
    _tx: &mut WriteTx<'_>,
    _chunker: &str,
    _tokenizer: &str,
    _space: Option<&EmbeddingSpace>,
    _analyzer: &str,
) -> Result<GenerationId> {
    unimplemented!()
}

/// Versions (active or pending) that are still to be cut for a building generation, in order of their ids.
pub(crate) fn to_fill(_conn: &Connection, _generation: GenerationId, _limit: usize) -> Result<Vec<VersionId>> {
    unimplemented!()
}

/// Makes the building generation the active one in one row each; the old one is kept.
pub(crate) fn swap(_tx: &mut WriteTx<'_>) -> Result<()> {
    unimplemented!()
}
