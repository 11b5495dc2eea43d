//! Plain data of the data folder.

use crate::domain::{ChatId, JobId, LibraryId};
use jiff::Timestamp;

/// A library in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryEntry {
    /// Its identity.
    pub id: LibraryId,
    /// Its name, unique, folded comparison.
    pub name: String,
}

/// A chat in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatEntry {
    /// Its identity.
    pub id: ChatId,
    /// The first question, or the user's own title.
    pub title: String,
    /// When it was begun.
    pub created: Timestamp,
    /// When it last grew.
    pub updated: Timestamp,
    /// Questions in it.
    pub turns: u32,
}

/// A question with its answer, kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Counts from 1 within the chat.
    pub number: u32,
    /// As typed.
    pub question: String,
    /// The answer as JSON (the API's own form), text and citations included. A citation names library, document, version, span and quote hash.
    pub answer: String,
    /// When it was finished or stopped.
    pub created: Timestamp,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Under way.
    Running,
    /// Done.
    Done,
    /// Stopped by the user. An outcome, not an error.
    Cancelled,
    /// Failed.
    Failed,
    /// The process ended while it ran.
    Interrupted,
}

/// A job row.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its identity.
    pub id: JobId,
    /// `add`, `sync`, `download`, `rebuild`, …
    pub kind: String,
    /// What it works on, for people.
    pub subject: String,
    /// In which library.
    pub library: Option<LibraryId>,
    /// Where it stands.
    pub state: JobState,
    /// Why it failed.
    pub message: Option<String>,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
}

impl JobState {
    /// The word that stands in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    /// The state with this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Running, Self::Done, Self::Cancelled, Self::Failed, Self::Interrupted]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}
