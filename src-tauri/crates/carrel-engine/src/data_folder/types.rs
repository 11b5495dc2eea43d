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
    /// Questions in it, those of all branches.
    pub turns: u32,
    /// Whether it stands above the others.
    pub pinned: bool,
    /// Where its questions look, as JSON (the API's own form); `{}` where nothing was said.
    pub scope: String,
    /// The last turn of the branch in sight.
    pub leaf: Option<u32>,
}

/// A chat that was found by words.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundChat {
    /// The chat.
    pub chat: ChatEntry,
    /// The words in their surroundings, in the turn that has most of them; none where the title alone has any.
    pub excerpt: Option<String>,
}

/// A question with its answer, kept. The turns of a chat are a tree: a question asked again or otherwise is a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Counts from 1 within the chat.
    pub number: u32,
    /// The turn that it follows; none for a first question.
    pub parent: Option<u32>,
    /// The turns that follow the same one, itself among them, oldest first.
    pub siblings: Vec<u32>,
    /// As typed.
    pub question: String,
    /// The answer as JSON (the API's own form), text and citations included. A citation names library, document, version, span and quote hash.
    pub answer: String,
    /// When it was finished or stopped.
    pub created: Timestamp,
    /// What the user thinks of the answer.
    pub rating: Option<Rating>,
    /// Why, in the user's words.
    pub note: Option<String>,
}

/// A turn to keep.
#[derive(Clone, Copy, Debug)]
pub struct NewTurn<'a> {
    /// The turn that it follows; none for a first question.
    pub parent: Option<u32>,
    /// As typed.
    pub question: &'a str,
    /// The answer as JSON.
    pub answer: &'a str,
    /// Its text, by the words of which the chat is found.
    pub said: &'a str,
}

/// What the user thinks of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rating {
    /// It answers the question rightly.
    Good,
    /// It does not.
    Bad,
}

impl Rating {
    /// The word that stands in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
        }
    }

    /// The rating with this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Good, Self::Bad].into_iter().find(|rating| rating.as_str() == word)
    }
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
