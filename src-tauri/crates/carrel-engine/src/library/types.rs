//! Plain data of the library façade: what goes in and what comes out.

use crate::domain::{Converted, DocumentState, EmbeddingSpace, LocatedSpan, Source, SourceId, Version};
use crate::retrieve::HitRate;
use crate::seams::{Clock, DocumentConverter, EventSink, FilePart, ModelProvider};
use std::collections::BTreeMap;
use std::path::PathBuf;
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

impl FileReport {
    /// A place that could not be looked at, with what the system said.
    pub(crate) fn unreadable(uri: String, why: &str) -> Self {
        Self { uri, code: "unreadable".to_owned(), reason: format!("it could not be looked at: {why}") }
    }
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
    /// Passages waiting for their line of context.
    pub enriching: usize,
    /// Documents done since the work began.
    pub done: usize,
    /// Documents in all since the work began.
    pub total: usize,
    /// File being converted now.
    pub current: Option<String>,
    /// Which part of it, where it has several.
    pub part: Option<FilePart>,
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
    /// Places of folder sources that could not be looked at when they last were: what lies there may be missing here.
    pub unreadable: Vec<FileReport>,
    /// Work under way.
    pub progress: Progress,
    /// How often what was kept of earlier questions helped: `results`, `alike` (of questions that mean the same), `vectors`,
    /// `wordings`, `rerank`.
    pub caches: Vec<(&'static str, HitRate)>,
}

impl LibraryStatus {
    /// How many documents the library has.
    pub fn present(&self) -> usize {
        self.count(DocumentState::is_present)
    }

    /// How many of them answer.
    pub fn searchable(&self) -> usize {
        self.count(DocumentState::is_searchable)
    }

    fn count(&self, counts: impl Fn(DocumentState) -> bool) -> usize {
        self.documents.iter().filter(|(state, _)| counts(**state)).map(|(_, n)| n).sum()
    }
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
    /// `ledger`, `counts`, `queue`, `lexical`, `dense`, `sources`, `disk`.
    pub name: String,
    /// Whether it is well.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// Whether it was mended.
    pub mended: bool,
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

/// What the indexes of a library hold, for comparing with a rebuild.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexEntries {
    /// Passages of the lexical index: id, row of the document, length in terms.
    pub lexical: Vec<(crate::domain::PassageId, i64, u32)>,
    /// Passages of the dense index with their vectors as f16 bits.
    pub dense: Vec<(crate::domain::PassageId, Vec<u16>)>,
}
