//! Sources, adding, syncing and listing.
#![allow(unused_variables, clippy::unimplemented)] // bodies are being filled

use super::{AddItem, AddOptions, DirectDocument, DocumentQuery, Folder, Library, Progress, SyncReport};
use crate::cancel::Cancel;
use crate::domain::{Document, DocumentId, Source, SourceId};
use crate::error::Result;

impl Library {
    /// Adds items. With `wait`, returns when nothing of them is left to do; otherwise when they are scanned and queued.
    pub fn add(&self, items: &[AddItem], options: &AddOptions, wait: bool, cancel: &Cancel) -> Result<SyncReport> {
        unimplemented!()
    }

    /// Rescans all sources and returns when nothing is left to do.
    pub fn sync(&self, cancel: &Cancel) -> Result<SyncReport> {
        unimplemented!()
    }

    /// Sources, in order of their making.
    pub fn sources(&self) -> Result<Vec<Source>> {
        unimplemented!()
    }

    /// Switches following of a folder.
    pub fn set_watched(&self, source: SourceId, watched: bool) -> Result<()> {
        unimplemented!()
    }

    /// Removes a source; its documents are kept as single documents or dropped. Returns how many it had.
    pub fn remove_source(&self, source: SourceId, keep_documents: bool) -> Result<usize> {
        unimplemented!()
    }

    /// The user's word on a mass deletion: `true` hides what vanished, `false` keeps everything until the files are back.
    pub fn confirm_deletions(&self, source: SourceId, deleted: bool) -> Result<()> {
        unimplemented!()
    }

    /// Removes a document with its versions; one of a watched source is excluded from then on.
    pub fn remove_document(&self, document: DocumentId) -> Result<()> {
        unimplemented!()
    }

    /// Queues a document again, or every retryable one; `password` opens an encrypted one and is not kept.
    pub fn retry(&self, document: Option<DocumentId>, password: Option<&str>) -> Result<()> {
        unimplemented!()
    }

    /// Halts and resumes ingest (an answer is being generated; the user paused it). Nests.
    pub fn pause_ingest(&self, paused: bool) {
        unimplemented!()
    }

    /// How far the work is.
    pub fn progress(&self) -> Progress {
        unimplemented!()
    }

    /// Blocks until nothing is left to do: nothing queued, no vectors due, indexes current.
    pub fn wait_idle(&self, cancel: &Cancel) -> Result<()> {
        unimplemented!()
    }

    // Reading

    /// A page of documents, and how many there are in all.
    pub fn documents(&self, query: &DocumentQuery) -> Result<(Vec<Document>, usize)> {
        unimplemented!()
    }

    /// The folders directly below `parent` (`None`: the roots of all folder sources).
    pub fn folders(&self, parent: Option<(SourceId, &[u8])>) -> Result<Vec<Folder>> {
        unimplemented!()
    }

    /// A document by id.
    pub fn document(&self, id: DocumentId) -> Result<Document> {
        unimplemented!()
    }

    /// A document by id, absolute path or URI, if that is unique.
    pub fn find_document(&self, name: &str) -> Result<Document> {
        unimplemented!()
    }

    /// Adds documents that are already final text, in few transactions; returns when words and vectors are in.
    pub fn add_direct(
        &self,
        documents: &mut dyn Iterator<Item = DirectDocument>,
        progress: &mut dyn FnMut(usize),
        cancel: &Cancel,
    ) -> Result<()> {
        unimplemented!()
    }
}
