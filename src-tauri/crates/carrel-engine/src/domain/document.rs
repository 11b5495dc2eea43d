//! Documents and versions.

use super::{ConverterId, DocumentId, SourceId, VersionId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Where a document stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentState {
    /// Seen, not yet looked at.
    Waiting,
    /// Its name is searchable; conversion is under way.
    Names,
    /// Its words are searchable; vectors follow or failed.
    Words,
    /// Everything is searchable.
    Ready,
    /// Searchable, but a part could not be converted.
    Partial,
    /// Encrypted.
    NeedsPassword,
    /// Nothing to read in it (an image-only PDF).
    NoText,
    /// Could not be converted.
    Failed,
    /// Not taken: its format is not readable yet, it is too large, a link, or excluded.
    Skipped,
    /// Gone from its place; hidden, purged after 30 days.
    Missing,
}

impl DocumentState {
    /// All states, in display order.
    pub const ALL: [DocumentState; 10] = [
        Self::Waiting,
        Self::Names,
        Self::Words,
        Self::Ready,
        Self::Partial,
        Self::NeedsPassword,
        Self::NoText,
        Self::Failed,
        Self::Skipped,
        Self::Missing,
    ];

    /// Whether a document in this state counts as one of its library: all but those gone from their place.
    pub fn is_present(self) -> bool {
        self != Self::Missing
    }

    /// Whether its text answers, if only by words or in part.
    pub fn is_searchable(self) -> bool {
        matches!(self, Self::Words | Self::Ready | Self::Partial)
    }

    /// The word that stands in the ledger and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Names => "names",
            Self::Words => "words",
            Self::Ready => "ready",
            Self::Partial => "partial",
            Self::NeedsPassword => "needs_password",
            Self::NoText => "no_text",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Missing => "missing",
        }
    }

    /// The state with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == word)
    }
}

/// Why a document is in its state: a stable code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Stable code; the window translates by it.
    pub code: String,
    /// An English sentence: what happened and what to do.
    pub message: String,
    /// Whether trying again can help.
    pub retryable: bool,
}

/// A document as the ledger knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its identity.
    pub id: DocumentId,
    /// Its source.
    pub source: SourceId,
    /// Path relative to the source's root, as raw bytes; for texts and pages the id given to it.
    pub path: Vec<u8>,
    /// `file:///…`, `text:<id>` or the page's URL; derived from source and path.
    pub uri: String,
    /// Own title, or the file name.
    pub title: String,
    /// Media type as sniffed; empty before the first look.
    pub media_type: String,
    /// Size of the original in bytes.
    pub bytes: u64,
    /// Modification time of the original.
    pub modified: Option<Timestamp>,
    /// Where it stands.
    pub state: DocumentState,
    /// Why, where there is something to say.
    pub reason: Option<Reason>,
    /// Number of the active version; `None` before the first.
    pub version: Option<u32>,
    /// Passages of the active version in the active generation.
    pub passages: u32,
    /// Tags that the user gave.
    pub tags: Vec<String>,
}

impl Document {
    /// Whether it is a source file, whose marks are its own and none of Markdown's.
    pub fn is_code(&self) -> bool {
        self.media_type.starts_with("text/x-")
            || matches!(
                self.media_type.as_str(),
                "application/json" | "application/xml" | "text/css" | "text/javascript"
            )
    }

    /// How it is told from others of its name: where it is, in which of several libraries, and its id.
    pub fn told_apart(&self, library: Option<&str>) -> String {
        let missing = (self.state == DocumentState::Missing).then_some("missing");
        let notes: Vec<&str> = library.into_iter().chain(missing).collect();
        let notes: String = notes.into_iter().map(|note| format!("{note}, ")).collect();
        format!("{} ({notes}{})", self.uri, self.id)
    }
}

/// One content of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Its row.
    pub id: VersionId,
    /// The document.
    pub document: DocumentId,
    /// Counts from 1 within the document.
    pub number: u32,
    /// Whether it is the one that answers.
    pub active: bool,
    /// When it was written.
    pub created: Timestamp,
    /// BLAKE3 of the original's bytes, in hex.
    pub content_hash: String,
    /// Who converted it.
    pub converter: ConverterId,
    /// Characters of its Markdown.
    pub characters: u64,
}
