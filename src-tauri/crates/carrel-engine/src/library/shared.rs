//! What the parts of an open library hold in common.

use super::Parts;
use crate::domain::{EmbeddingSpace, Generation, LibraryId};
use crate::error::Result;
use crate::ledger::ReadPool;
use crate::ledger::content::Contents;
use crate::writer::Writer;
use std::path::PathBuf;

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
    pub(crate) contents: Contents,
    /// The way to the writer thread.
    pub(crate) writer: Writer,
}

impl Shared {
    /// The generation that answers now.
    pub(crate) fn generation(&self) -> Generation {
        unimplemented!()
    }

    /// Its embedding space.
    pub(crate) fn space(&self) -> Option<EmbeddingSpace> {
        self.generation().space
    }

    /// A setting of the library (`chunking`, `embedder`).
    pub(crate) fn setting(&self, name: &str) -> Result<Option<String>> {
        self.reads.with(|conn| crate::ledger::meta(conn, &format!("setting.{name}")))
    }
}
