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
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// Only these states.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub states: Vec<String>,
    /// Only below this folder.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub folder: Option<FolderRef>,
    /// Only names that contain this.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub name: Option<String>,
    /// `path`, `title`, `modified`, `size`, `state`.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub order: Option<String>,
    /// Skip.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub offset: u32,
    /// At most; all when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
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
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// Whose children; the roots when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub parent: Option<FolderRef>,
}

/// Folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FolderList {
    /// By name.
    pub folders: Vec<FolderDto>,
}

/// A document by whatever tells it from the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DocumentRequest {
    /// Id, URI or absolute path; else the end of a path, a file name or a title.
    pub document: String,
    /// Where to look; everywhere when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// A version's number; the active one when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub version: Option<u32>,
}

/// `document.retry`: without `document`, every retryable one of the library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RetryRequest {
    /// Id, path or URI.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub document: Option<String>,
    /// Its library.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
}

/// `document.unlock`: converts a document again with its password; ends when that is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UnlockRequest {
    /// Id, path or URI.
    pub document: String,
    /// Its library.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// One, or several for the parts of a mail or an archive, one a line; not kept.
    pub password: String,
}

/// A place in the original: what applies of it. Numbers count from 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct PlaceDto {
    /// First page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Last page, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_end: Option<u32>,
    /// Sheet name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// First and last row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<(u32, u32)>,
    /// Cell range as the sheet names it (`A1:C9`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<String>,
    /// Slide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slide: Option<u32>,
    /// Chapter title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    /// First and last second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(f64, f64)>,
    /// First line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Boxes on the page: left, top, right, bottom in points from the top left corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boxes: Option<Vec<[f32; 4]>>,
}

/// A span of the Markdown with its location in the original, flat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LocationDto {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Where in the original.
    #[serde(flatten)]
    pub location: PlaceDto,
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
    pub location: PlaceDto,
    /// As embedded.
    pub tokens: u32,
    /// A line of context that a language model wrote: searched with the passage, never part of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional = nullable)]
    pub context: Option<String>,
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
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// A version's number; the active one when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub version: Option<u32>,
    /// Mark this span; with an equal `end`, only show what is around it.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub start: Option<u32>,
    /// One past its last byte.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub end: Option<u32>,
    /// The words that stood there when they were cited: where they stand elsewhere now, that is marked.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub quote: Option<String>,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ReaderView {
    /// The document.
    pub document: DocumentDto,
    /// Which version is shown.
    pub version: u32,
    /// How many there are.
    pub versions: u32,
    /// When the shown one was written.
    pub created: String,
    /// Whether it is the version that answers now.
    pub active: bool,
    /// Whether the `quote` asked for stands in it; true where none was.
    pub quoted: bool,
    /// Sanitised HTML; block elements carry `data-start` and `data-end`, the marked span is in `<mark>` elements, the first with
    /// `id="passage"`. No scripts, no remote resources, no event handlers. Of a large document the part around the span; an empty
    /// `<div class="more">` with `data-more-before` or `data-more-after` carries the byte to ask for next (`start` and `end` alike).
    pub html: String,
    /// Headings of the whole document.
    pub outline: Vec<OutlineItem>,
    /// Headings above the marked span.
    pub breadcrumb: Vec<String>,
    /// Where the marked span is in the original, for people (`p. 4`), as location fields.
    pub location: PlaceDto,
}

/// `convert`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConvertRequestDto {
    /// An absolute path, or a `file:` URI.
    pub path: String,
    /// Of an encrypted file.
    #[serde(default)]
    #[ts(optional = nullable)]
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
