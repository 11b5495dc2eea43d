//! The data folder: the list of libraries, chats, settings and jobs, and the lock that makes one process its owner.
//!
//! Layout: `lock`, `carrel.db`, `libraries/<id>/` (each a self-contained library), `models/`. Only these are ever touched.
#![allow(unused_variables, clippy::unimplemented)] // bodies are being filled

use crate::domain::{ChatId, DocumentId, JobId, LibraryId};
use crate::error::Result;
use crate::library::{Library, Parts};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

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

/// The open data folder. Holds the lock until dropped.
pub struct DataFolder {
    // filled by storage
}

impl DataFolder {
    /// Opens or creates it and takes its lock. [`crate::error::EngineError::Locked`] when another process has it. The library
    /// `default` exists afterwards. Jobs that ran when the last process ended become `Interrupted`.
    pub fn open(path: &Path, parts: Parts) -> Result<DataFolder> {
        unimplemented!()
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        unimplemented!()
    }

    /// All libraries, `default` first, then by name.
    pub fn libraries(&self) -> Result<Vec<LibraryEntry>> {
        unimplemented!()
    }

    /// Creates a library.
    pub fn create_library(&self, name: &str) -> Result<LibraryEntry> {
        unimplemented!()
    }

    /// Renames a library; `default` cannot be renamed.
    pub fn rename_library(&self, old: &str, new: &str) -> Result<()> {
        unimplemented!()
    }

    /// Closes a library and deletes its folder; `default` cannot be removed.
    pub fn remove_library(&self, name: &str) -> Result<()> {
        unimplemented!()
    }

    /// The open library with this name, opened if need be. At most 8 are open; the least recently used idle one is closed.
    pub fn library(&self, name: &str) -> Result<Arc<Library>> {
        unimplemented!()
    }

    /// The name of a library.
    pub fn library_name(&self, id: LibraryId) -> Result<String> {
        unimplemented!()
    }

    /// Chats, last grown first.
    pub fn chats(&self) -> Result<Vec<ChatEntry>> {
        unimplemented!()
    }

    /// Begins a chat.
    pub fn create_chat(&self, title: &str) -> Result<ChatId> {
        unimplemented!()
    }

    /// The turns of a chat, oldest first.
    pub fn chat(&self, id: ChatId) -> Result<(ChatEntry, Vec<Turn>)> {
        unimplemented!()
    }

    /// Keeps a turn.
    pub fn append_turn(&self, chat: ChatId, question: &str, answer_json: &str) -> Result<u32> {
        unimplemented!()
    }

    /// Renames a chat.
    pub fn rename_chat(&self, id: ChatId, title: &str) -> Result<()> {
        unimplemented!()
    }

    /// Removes a chat.
    pub fn remove_chat(&self, id: ChatId) -> Result<()> {
        unimplemented!()
    }

    /// Settings of the data folder (language, theme, endpoints, chosen model): JSON values by key.
    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        unimplemented!()
    }

    /// Sets (`Some`) or clears (`None`) one setting.
    pub fn set_setting(&self, key: &str, value: Option<&str>) -> Result<()> {
        unimplemented!()
    }

    /// Begins a job row.
    pub fn begin_job(&self, kind: &str, subject: &str, library: Option<LibraryId>) -> Result<JobId> {
        unimplemented!()
    }

    /// Ends a job row.
    pub fn end_job(&self, id: JobId, state: JobState, message: Option<&str>) -> Result<()> {
        unimplemented!()
    }

    /// Jobs: running ones, and the last 100 that ended, newest first.
    pub fn jobs(&self) -> Result<Vec<Job>> {
        unimplemented!()
    }

    /// The library that holds a document, for a citation.
    pub fn find_document(&self, document: DocumentId) -> Result<Option<LibraryEntry>> {
        unimplemented!()
    }
}
