//! What the parts of an open library hold in common.

use super::Parts;
use crate::domain::{EmbeddingSpace, Generation, LibraryId};
use crate::error::Result;
use crate::ledger::ReadPool;
use crate::ledger::content::Contents;
use crate::retrieve::Caches;
use crate::seams::{Embedder, ModelError};
use crate::writer::{IndexSet, Indexes, Writer};
use std::path::PathBuf;
use std::sync::Arc;

/// The inside of a [`super::Library`]: shared by façade, ingest, watcher and retrieval.
pub(crate) struct Shared {
    /// Its identity.
    pub(crate) id: LibraryId,
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// What the engine was given.
    pub(crate) parts: Parts,
    /// Snapshots of the ledger.
    pub(crate) reads: ReadPool,
    /// Contents decompressed lately.
    pub(crate) contents: Arc<Contents>,
    /// The way to the writer thread.
    pub(crate) writer: Writer,
    /// The indexes that answer.
    pub(crate) indexes: Arc<Indexes>,
    /// What earlier questions cost.
    pub(crate) caches: Arc<Caches>,
}

impl Shared {
    /// The indexes that answer now, with their generation. One search uses one set from beginning to end.
    pub(crate) fn index_set(&self) -> Arc<IndexSet> {
        self.indexes.active()
    }

    /// The generation that answers now.
    pub(crate) fn generation(&self) -> Generation {
        self.index_set().generation.clone()
    }

    /// The embedding space that answers now.
    pub(crate) fn space(&self) -> Option<EmbeddingSpace> {
        self.index_set().generation.space.clone()
    }

    /// The embedder of a space, or an error where it is not there or makes other vectors than the space has.
    pub(crate) fn embedder(&self, space: &EmbeddingSpace) -> Result<Arc<dyn Embedder>, ModelError> {
        let embedder = self.parts.models.embedder(&space.model)?;
        if embedder.space().key() == space.key() {
            return Ok(embedder);
        }
        // Its vectors would be compared with ones they have nothing to do with.
        Err(ModelError::Failed(format!(
            "the model {} installed here is another revision than the one that this library was embedded with",
            space.model
        )))
    }

    /// A setting of the library (`chunking`, `embedder`).
    pub(crate) fn setting(&self, name: &str) -> Result<Option<String>> {
        self.reads.with(|conn| crate::ledger::meta(conn, &format!("setting.{name}")))
    }
}
