//! Libraries, sources, adding and syncing.

use super::ModelDto;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// No parameters, or nothing to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Empty {}

/// A library in the list. One that cannot be opened has a problem, and nothing is known of it but its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryDto {
    /// Unique name.
    pub name: String,
    /// Visible documents.
    pub documents: u32,
    /// Passages of active versions.
    pub passages: u32,
    /// Bytes on disk.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Id of its embedder.
    pub embedder: Option<String>,
    /// Why it cannot be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional = nullable)]
    pub problem: Option<Problem>,
}

/// `library.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryList {
    /// `default` first, then by name.
    pub libraries: Vec<LibraryDto>,
}

/// A library by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryName {
    /// Its name.
    pub name: String,
}

/// `library.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryRename {
    /// Name now.
    pub old: String,
    /// Name then.
    pub new: String,
}

/// `library.settings`: changes may be empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibrarySettingsRequest {
    /// The library.
    pub name: String,
    /// What to change.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub changes: BTreeMap<String, String>,
}

/// `library.enrichment`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EnrichmentRequest {
    /// The library.
    pub name: String,
    /// Writes a few lines, which are not kept, to say what all of them would cost.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub estimate: bool,
}

/// How far the lines of context of a library are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct EnrichmentDto {
    /// Lines are written for this library.
    pub on: bool,
    /// Passages of active versions.
    pub passages: u32,
    /// Those of them with a line.
    pub lines: u32,
    /// Those that wait for one; for the others nothing of use could be written.
    pub waiting: u32,
    /// What writing those that are missing would cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional = nullable)]
    pub estimate: Option<EnrichmentEstimateDto>,
}

/// The cost of writing lines, measured on a few passages just now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct EnrichmentEstimateDto {
    /// The language model that would write.
    pub model: String,
    /// Whether it runs on this machine: otherwise every passage is sent to it.
    pub local: bool,
    /// Passages without a line.
    pub passages: u32,
    /// Seconds that it takes with nothing else to do.
    pub seconds: f64,
    /// Tokens that the model would read.
    #[ts(type = "number")]
    pub tokens_read: u64,
    /// Tokens that it would write.
    #[ts(type = "number")]
    pub tokens_written: u64,
    /// The passages that were tried.
    pub samples: Vec<EnrichmentSample>,
}

/// A passage with the line that it would get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EnrichmentSample {
    /// The beginning of the passage, for people.
    pub passage: String,
    /// Its line; none where nothing of use was written.
    pub line: Option<String>,
}

/// Settings by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Settings {
    /// All of them, defaults included.
    pub settings: BTreeMap<String, String>,
    /// What speaks against a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional = nullable)]
    pub warning: Option<String>,
}

/// `settings.set`: `null` clears.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SettingsChange {
    /// By key.
    pub changes: BTreeMap<String, Option<String>>,
}

/// Something to add.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AddWhat {
    /// A file or folder.
    Path {
        /// An absolute path, or a `file:` URI.
        path: String,
    },
    /// A page, fetched because the user asked.
    Url {
        /// `http` or `https`.
        url: String,
    },
    /// A text; the same id again is a new version.
    Text {
        /// The text.
        text: String,
        /// Made when not given.
        #[serde(default)]
        #[ts(optional = nullable)]
        id: Option<String>,
    },
}

/// `add`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AddRequest {
    /// What.
    pub what: Vec<AddWhat>,
    /// Into which library; `default` when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// Follow folders.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub watch: bool,
    /// Title of a single document.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub title: Option<String>,
    /// Tags.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub tags: Vec<String>,
    /// Return when nothing is left to do.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub wait: bool,
}

/// One file of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileProblem {
    /// The file.
    pub uri: String,
    /// Stable code.
    pub code: String,
    /// A sentence.
    pub reason: String,
}

/// How `add` and `sync` ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SyncReportDto {
    /// New documents.
    pub added: u32,
    /// New versions.
    pub updated: u32,
    /// Same content.
    pub unchanged: u32,
    /// Found at another path.
    pub moved: u32,
    /// Gone.
    pub removed: u32,
    /// Not converted.
    pub failed: Vec<FileProblem>,
    /// Not taken.
    pub skipped: Vec<FileProblem>,
    /// Change sequence after it.
    #[ts(type = "number")]
    pub seq: i64,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceDto {
    /// Its id.
    pub id: String,
    /// Its library.
    pub library: String,
    /// `folder`, `files`, `texts`, `pages`.
    pub kind: String,
    /// The folder.
    pub path: Option<String>,
    /// Followed.
    pub watched: bool,
    /// There now.
    pub present: bool,
    /// A mass deletion waits for the user's word.
    pub needs_confirmation: bool,
    /// Documents from it.
    pub documents: u32,
}

/// `source.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceList {
    /// In order of their making.
    pub sources: Vec<SourceDto>,
}

/// One library, or all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryScope {
    /// The library; all when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
}

/// `source.remove`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceRemove {
    /// The source.
    pub id: String,
    /// Its library; found by the id when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// Keep its documents as single documents.
    pub keep: bool,
}

/// `source.watch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceWatch {
    /// The source.
    pub id: String,
    /// Its library.
    pub library: String,
    /// Follow or not.
    pub watched: bool,
}

/// `source.confirm`: the user's word on a mass deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceConfirm {
    /// The source.
    pub id: String,
    /// Its library.
    pub library: String,
    /// They were deleted.
    pub deleted: bool,
}

/// A document that is not `ready`, or a place of a source that could not be looked at, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NotReady {
    /// The file.
    pub uri: String,
    /// The document's state; `unreadable` for a place.
    pub state: String,
    /// Stable code.
    pub code: String,
    /// A sentence.
    pub reason: String,
    /// Trying again can help.
    pub retryable: bool,
}

/// `current`, `behind`, `rebuilding` or `absent`, for each index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct IndexStates {
    /// By words.
    pub lexical: String,
    /// By meaning.
    pub dense: String,
}

/// `status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StatusDto {
    /// The library.
    pub library: String,
    /// Documents by state.
    pub documents: BTreeMap<String, u32>,
    /// Documents in all; those `missing` from their place are not counted.
    pub total: u32,
    /// Those of them that answer: `ready`, `words`, `partial`.
    pub searchable: u32,
    /// Passages of active versions.
    pub passages: u32,
    /// Those with a vector.
    pub vectors: u32,
    /// On disk.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Of the active text.
    #[ts(type = "number")]
    pub text_bytes: u64,
    /// Its embedder.
    pub embedder: Option<String>,
    /// Its indexes.
    pub indexes: IndexStates,
    /// Every document that is not `ready` (in the window's use, the first 1,000), then the places that could not be looked at.
    pub not_ready: Vec<NotReady>,
    /// Its sources.
    pub sources: Vec<SourceDto>,
    /// How often what was kept of earlier questions helped, since the library was opened: `results`, `alike` (of questions that mean the
    /// same), `vectors`, `wordings`, `rerank`.
    #[serde(default)]
    pub caches: BTreeMap<String, HitRateDto>,
}

/// How often what was looked for was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HitRateDto {
    /// Found.
    #[ts(type = "number")]
    pub found: u64,
    /// Looked for.
    #[ts(type = "number")]
    pub asked: u64,
}

/// `library.advice`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryAdvice {
    /// An embedder for many languages, where the library's own knows few and there is one.
    pub multilingual: Option<ModelDto>,
    /// Share of the library's newest texts in scripts that its embedder does not know, 0 to 1.
    pub foreign_share: f32,
}
