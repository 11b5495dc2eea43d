//! Documents, folders, passages, the reader.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A document in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DocumentDto {
    /// Its id.
    pub id: String,
    /// Where it comes from.
    pub uri: String,
    /// Own title, or the file name.
    pub title: String,
    /// Its library.
    pub library: String,
    /// Path below its source's root, for display.
    pub path: String,
    /// `waiting`, `names`, `words`, `ready`, …
    pub state: String,
    /// Stable code of the reason.
    pub code: Option<String>,
    /// Why it is not ready, in English; the window translates by `code`.
    pub reason: Option<String>,
    /// Trying again can help.
    pub retryable: bool,
    /// Active version.
    pub version: Option<u32>,
    /// As sniffed.
    pub media_type: String,
    /// Of the original.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Passages of the active version.
    pub passages: u32,
    /// When the original was last modified.
    pub date: Option<String>,
    /// The user's tags.
    pub tags: Vec<String>,
}

/// `documents.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DocumentsRequest {
    /// The library; `default` when not given.
    #[serde(default)]
    pub library: Option<String>,
    /// Only these states.
    #[serde(default)]
    pub states: Vec<String>,
    /// Only below this folder.
    #[serde(default)]
    pub folder: Option<FolderRef>,
    /// Only names that contain this.
    #[serde(default)]
    pub name: Option<String>,
    /// `path`, `title`, `modified`, `size`, `state`.
    #[serde(default)]
    pub order: Option<String>,
    /// Skip.
    #[serde(default)]
    pub offset: u32,
    /// At most; all when not given.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A page of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DocumentPage {
    /// The page.
    pub documents: Vec<DocumentDto>,
    /// How many match in all.
    pub total: u32,
}

/// A folder of a source. `path` is opaque (it carries raw bytes); show `name`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FolderRef {
    /// Its source.
    pub source: String,
    /// Opaque path.
    pub path: String,
}

/// A folder in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FolderDto {
    /// Which.
    pub folder: FolderRef,
    /// For display.
    pub name: String,
    /// Documents anywhere below.
    pub documents: u32,
    /// Whether it opens.
    pub has_folders: bool,
}

/// `folders.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoldersRequest {
    /// The library; `default` when not given.
    #[serde(default)]
    pub library: Option<String>,
    /// Whose children; the roots when not given.
    #[serde(default)]
    pub parent: Option<FolderRef>,
}

/// Folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FolderList {
    /// By name.
    pub folders: Vec<FolderDto>,
}

/// A document by id, path or URI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DocumentRequest {
    /// Id, absolute path or URI.
    pub document: String,
    /// Where to look; everywhere when not given.
    #[serde(default)]
    pub library: Option<String>,
    /// A version's number; the active one when not given.
    #[serde(default)]
    pub version: Option<u32>,
}

/// `document.retry`: without `document`, every retryable one of the library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RetryRequest {
    /// Id, path or URI.
    #[serde(default)]
    pub document: Option<String>,
    /// Its library.
    #[serde(default)]
    pub library: Option<String>,
    /// Opens an encrypted one; not kept.
    #[serde(default)]
    pub password: Option<String>,
}

/// A span of the Markdown with its location in the original, flat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LocationDto {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// `page`, `sheet`, `rows`, …
    #[serde(flatten)]
    #[ts(type = "Record<string, unknown>")]
    pub location: serde_json::Map<String, serde_json::Value>,
}

/// `document.show`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct DocumentText {
    /// The document.
    pub document: DocumentDto,
    /// Which version.
    pub version: u32,
    /// Its text.
    pub markdown: String,
    /// Places in the original.
    pub locations: Vec<LocationDto>,
}

/// A passage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PassageDto {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Headings above.
    pub heading_path: Vec<String>,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Where in the original.
    #[ts(type = "Record<string, unknown>")]
    pub location: serde_json::Map<String, serde_json::Value>,
    /// As embedded.
    pub tokens: u32,
}

/// `document.passages`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PassageList {
    /// The document.
    pub document: DocumentDto,
    /// Which version.
    pub version: u32,
    /// In order.
    pub passages: Vec<PassageDto>,
}

/// A version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VersionDto {
    /// From 1.
    pub number: u32,
    /// It answers.
    pub active: bool,
    /// When.
    pub created: String,
    /// BLAKE3 of the original.
    pub content_hash: String,
    /// `id/version`.
    pub converter: String,
    /// Of its Markdown.
    #[ts(type = "number")]
    pub characters: u64,
}

/// `document.versions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VersionList {
    /// Oldest first.
    pub versions: Vec<VersionDto>,
}

/// `reader.open`: a document with a place marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReaderRequest {
    /// Id.
    pub document: String,
    /// Its library.
    #[serde(default)]
    pub library: Option<String>,
    /// A version's number; the active one when not given.
    #[serde(default)]
    pub version: Option<u32>,
    /// Mark this span.
    #[serde(default)]
    pub start: Option<u32>,
    /// One past its last byte.
    #[serde(default)]
    pub end: Option<u32>,
}

/// A heading of the outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OutlineItem {
    /// 1 to 6.
    pub level: u8,
    /// Its text.
    pub text: String,
    /// `data-start` of its element.
    pub start: u32,
}

/// What the Reader shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReaderView {
    /// The document.
    pub document: DocumentDto,
    /// Which version is shown.
    pub version: u32,
    /// How many there are.
    pub versions: u32,
    /// When the shown one was written.
    pub created: String,
    /// Sanitised HTML; block elements carry `data-start` and `data-end`, the marked span is in `<mark>` elements, the first with
    /// `id="passage"`. No scripts, no remote resources, no event handlers.
    pub html: String,
    /// Headings.
    pub outline: Vec<OutlineItem>,
    /// Headings above the marked span.
    pub breadcrumb: Vec<String>,
    /// Where the marked span is in the original, for people (`p. 4`), as location fields.
    #[ts(type = "Record<string, unknown>")]
    pub location: serde_json::Map<String, serde_json::Value>,
}

/// `convert`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConvertRequestDto {
    /// Absolute.
    pub path: String,
    /// Of an encrypted file.
    #[serde(default)]
    pub password: Option<String>,
}

/// A part that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WarningDto {
    /// Stable code.
    pub code: String,
    /// A sentence.
    pub message: String,
}

/// The Markdown of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ConvertedDto {
    /// Final text.
    pub markdown: String,
    /// As sniffed.
    pub media_type: String,
    /// Own title.
    pub title: Option<String>,
    /// Nothing failed.
    pub complete: bool,
    /// What failed.
    pub warnings: Vec<WarningDto>,
    /// Places in the original.
    pub locations: Vec<LocationDto>,
}
