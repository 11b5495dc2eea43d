//! One library: a self-contained folder with its ledger, indexes and settings.
//!
//! [`Library`] is the façade under which writer, ingest, watcher and retrieval live. All methods may be called from any
//! thread; those that change something enqueue it to the writer thread and return when it is committed.
#![allow(unused_variables, clippy::unimplemented)] // bodies are being filled

use crate::cancel::Cancel;
use crate::domain::{
    Converted, Document, DocumentId, DocumentState, EmbeddingSpace, LibraryId, LocatedSpan, Passage, PassageId, Source,
    SourceId, Version,
};
use crate::error::Result;
use crate::seams::{Clock, DocumentConverter, EventSink, ModelProvider};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the engine is given.
#[derive(Clone)]
pub struct Parts {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Conversion.
    pub converter: Arc<dyn DocumentConverter>,
    /// Models.
    pub models: Arc<dyn ModelProvider>,
    /// Listeners.
    pub events: Arc<dyn EventSink>,
}

/// How an add or a sync ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncReport {
    /// Documents seen for the first time.
    pub added: usize,
    /// Documents with a new version.
    pub updated: usize,
    /// Documents whose content is the same.
    pub unchanged: usize,
    /// Documents found at another path.
    pub moved: usize,
    /// Documents that went missing or were removed.
    pub removed: usize,
    /// Documents that could not be converted: URI, code, reason.
    pub failed: Vec<FileReport>,
    /// Files not taken: URI, code, reason.
    pub skipped: Vec<FileReport>,
    /// The change sequence after it.
    pub seq: i64,
}

/// One file of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    /// The file.
    pub uri: String,
    /// Stable code.
    pub code: String,
    /// A sentence.
    pub reason: String,
}

/// What to add.
#[derive(Clone, Debug, PartialEq)]
pub enum AddItem {
    /// A file or folder; with `watch` a folder becomes a watched source.
    Path {
        /// Absolute.
        path: PathBuf,
        /// Follow changes.
        watch: bool,
    },
    /// A text with an id; the same id again is a new version.
    Text {
        /// Given by the user, or made.
        id: String,
        /// The text.
        text: String,
    },
    /// A page that the owner fetched.
    Page {
        /// Its URL.
        url: String,
        /// Its bytes.
        bytes: Vec<u8>,
        /// As the server said.
        media_type: Option<String>,
    },
}

/// Options of an add.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddOptions {
    /// The user's own title (single documents only).
    pub title: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
}

/// How far a sync or an ingest is. Sampled, never pushed per file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Documents waiting for conversion or being converted.
    pub converting: usize,
    /// Passages waiting for their vectors.
    pub embedding: usize,
    /// Documents done since the work began.
    pub done: usize,
    /// Documents in all since the work began.
    pub total: usize,
    /// File being converted now.
    pub current: Option<String>,
    /// A scan is running.
    pub scanning: bool,
    /// Ingest waits: a language model is answering, or the user paused it.
    pub paused: bool,
}

/// Whether an index answers with everything the ledger has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// It has everything.
    Current,
    /// It catches up; answers by what it has.
    Behind,
    /// It is rebuilt from the ledger.
    Rebuilding,
    /// There is none (no embedder).
    Absent,
}

/// Counts and states of a library.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryStatus {
    /// Documents by state.
    pub documents: BTreeMap<DocumentState, usize>,
    /// Passages of active versions in the active generation.
    pub passages: usize,
    /// Those of them with a vector.
    pub vectors: usize,
    /// Bytes on disk: ledger and indexes.
    pub bytes: u64,
    /// Bytes of the active text.
    pub text_bytes: u64,
    /// The active embedding space.
    pub space: Option<EmbeddingSpace>,
    /// State of the lexical index.
    pub lexical: IndexState,
    /// State of the dense index.
    pub dense: IndexState,
    /// Sources.
    pub sources: Vec<Source>,
    /// Work under way.
    pub progress: Progress,
}

/// Narrows a listing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentQuery {
    /// Only these states; empty for all but `missing`.
    pub states: Vec<DocumentState>,
    /// Only paths below this folder, relative to its source's root (`None`: all).
    pub below: Option<(SourceId, Vec<u8>)>,
    /// Only names that contain this, folded.
    pub name: Option<String>,
    /// How to order.
    pub order: DocumentOrder,
    /// Skip this many.
    pub offset: usize,
    /// At most this many.
    pub limit: usize,
}

/// Order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentOrder {
    /// By path.
    #[default]
    Path,
    /// By title.
    Title,
    /// Newest first.
    Modified,
    /// Largest first.
    Size,
    /// By state.
    State,
}

/// One folder of a source's tree with the documents directly and anywhere below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Its source.
    pub source: SourceId,
    /// Relative to the source's root, raw bytes, empty for the root itself.
    pub path: Vec<u8>,
    /// Last part of the path, for display.
    pub name: String,
    /// Documents anywhere below.
    pub documents: usize,
    /// Whether there are folders below.
    pub has_folders: bool,
}

/// A version's text with its structure.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionText {
    /// The version.
    pub version: Version,
    /// Markdown, blocks.
    pub markdown: Arc<str>,
    /// Block tree.
    pub blocks: Vec<crate::domain::Block>,
    /// Places in the original.
    pub locations: Vec<LocatedSpan>,
}

/// One thing that a doctor looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// `ledger`, `lexical`, `dense`, `sources`, `disk`.
    pub name: String,
    /// Whether it is well.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// Whether it was mended.
    pub mended: bool,
}

/// An open library. Dropping it stops its threads after what they are committing.
pub struct Library {
    // filled by storage
}

impl Library {
    /// Creates the folder with an empty ledger.
    pub fn create(folder: &Path, parts: Parts) -> Result<Arc<Library>> {
        unimplemented!()
    }

    /// Opens a library: migrates, checks, replays what the indexes lack, starts writer and ingest. Names and words answer at
    /// once; a damaged index is rebuilt in the background. The rescan of its sources starts by itself.
    pub fn open(folder: &Path, parts: Parts) -> Result<Arc<Library>> {
        unimplemented!()
    }

    /// Its identity.
    pub fn id(&self) -> LibraryId {
        unimplemented!()
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        unimplemented!()
    }

    // Sources and ingest

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

    /// Counts and states.
    pub fn status(&self) -> Result<LibraryStatus> {
        unimplemented!()
    }

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

    /// Versions of a document, oldest first.
    pub fn versions(&self, document: DocumentId) -> Result<Vec<Version>> {
        unimplemented!()
    }

    /// The text of a version (`None`: the active one).
    pub fn version_text(&self, document: DocumentId, number: Option<u32>) -> Result<VersionText> {
        unimplemented!()
    }

    /// The passages of a version in the active generation, in order.
    pub fn passages(&self, document: DocumentId, number: Option<u32>) -> Result<Vec<Passage>> {
        unimplemented!()
    }

    /// Re-reads passages of active versions of visible documents, in the order given; those that are gone are left out.
    pub fn live_passages(&self, ids: &[PassageId]) -> Result<Vec<Passage>> {
        unimplemented!()
    }

    /// Settings of the library (`KEY=VALUE`): `chunking`, `embedder`.
    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        unimplemented!()
    }

    /// Changes settings; unknown keys and bad values are refused whole.
    pub fn change_settings(&self, changes: &BTreeMap<String, String>) -> Result<()> {
        unimplemented!()
    }

    // Care

    /// Looks at ledger, indexes and sources; with `repair`, mends what it can.
    pub fn doctor(&self, repair: bool) -> Result<Vec<Check>> {
        unimplemented!()
    }
}

/// Puts converted content into a library without a file: for evaluation collections and tests. Not a way around the road:
/// chunking, embedding and the ledger are the same.
pub struct DirectDocument {
    /// Its id in the collection; becomes the text source's path.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its final text.
    pub converted: Converted,
}

impl Library {
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
