//! Reading versions, texts, passages and counts.

use super::{FileReport, IndexEntries, Library, LibraryStatus, VersionText};
use crate::domain::{DocumentId, DocumentState, Passage, PassageId, Version};
use crate::error::{EngineError, Result};
use crate::ledger::{generations, meta, passages, sources, versions};
use crate::watch::unreadable;
use std::collections::BTreeMap;
use std::path::Path;

impl Library {
    /// Counts and states.
    pub fn status(&self) -> Result<LibraryStatus> {
        let set = self.shared.index_set();
        let (documents, counts, text_bytes, sources, unreadable) = self.shared.reads.with(|conn| {
            let mut statement = conn.prepare_cached("SELECT state, count(*) FROM document GROUP BY state")?;
            let rows = statement
                .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?
                .collect::<Result<Vec<_>, _>>()?;
            let documents: BTreeMap<DocumentState, usize> = rows
                .into_iter()
                .filter_map(|(state, n)| Some((DocumentState::parse(&state)?, n as usize)))
                .collect();
            let text_bytes = meta(conn, "text_bytes")?.and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
            let counts = generations::counts(conn, set.generation.id)?;
            let sources = sources::all(conn)?;
            let unreadable = unreadable::all(conn, &sources)?;
            Ok((documents, counts, text_bytes, sources, unreadable))
        })?;
        Ok(LibraryStatus {
            documents,
            passages: counts.passages.max(0) as usize,
            vectors: counts.vectors.max(0) as usize,
            bytes: bytes_below(&self.shared.folder).map_err(|e| EngineError::io(&self.shared.folder, e))?,
            text_bytes: text_bytes.max(0) as u64,
            space: set.generation.space.clone(),
            lexical: set.lexical_state().0,
            dense: set.dense_state().0,
            sources,
            unreadable: unreadable.into_iter().map(|(uri, why)| FileReport::unreadable(uri, &why)).collect(),
            progress: self.progress(),
            caches: self.shared.caches.rates().to_vec(),
        })
    }

    /// Versions of a document, oldest first.
    pub fn versions(&self, document: DocumentId) -> Result<Vec<Version>> {
        self.shared.reads.with(|conn| versions::of_document(conn, document))
    }

    /// The text of a version (`None`: the active one).
    pub fn version_text(&self, document: DocumentId, number: Option<u32>) -> Result<VersionText> {
        self.shared.reads.with(|conn| {
            let (version, content) = versions::one(conn, document, number)?;
            let content = self.shared.contents.get(conn, content)?;
            let structure = content.structure()?;
            Ok(VersionText {
                version,
                markdown: content.markdown.clone(),
                blocks: structure.blocks.clone(),
                locations: structure.locations.clone(),
            })
        })
    }

    /// The passages of a version in the active generation, in order.
    pub fn passages(&self, document: DocumentId, number: Option<u32>) -> Result<Vec<Passage>> {
        let generation = self.shared.generation().id;
        self.shared.reads.with(|conn| {
            let (version, _) = versions::one(conn, document, number)?;
            passages::of_version(conn, &self.shared.contents, version.id, generation)
        })
    }

    /// Re-reads passages of active versions of visible documents, in the order given; those that are gone are left out.
    pub fn live_passages(&self, ids: &[PassageId]) -> Result<Vec<Passage>> {
        self.shared.reads.with(|conn| passages::live(conn, &self.shared.contents, ids))
    }

    /// Everything that the indexes of the active generation hold, entry by entry. For comparing with a rebuild.
    pub fn index_entries(&self) -> Result<IndexEntries> {
        let set = self.shared.index_set();
        Ok(IndexEntries {
            lexical: set.lexical().snapshot().entries()?,
            dense: set.dense().map(|dense| dense.entries()).transpose()?.unwrap_or_default(),
        })
    }

    /// Returns when everything committed so far is in the indexes.
    pub fn flush_indexes(&self) -> Result<()> {
        self.shared.writer.flush()
    }

    /// Throws the indexes away and makes them again from the ledger; returns when they are whole. No model runs.
    pub fn rebuild_indexes(&self) -> Result<()> {
        self.shared.writer.rebuild("lexical")?;
        self.shared.writer.rebuild("dense")
    }
}

/// Bytes of all files below a folder.
fn bytes_below(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // Index files come and go while this looks.
        let Ok(metadata) = entry.metadata() else { continue };
        bytes += if metadata.is_dir() { bytes_below(&entry.path()).unwrap_or(0) } else { metadata.len() };
    }
    Ok(bytes)
}
