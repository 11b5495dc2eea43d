//! The data folder: the list of libraries, chats, settings and jobs, and the lock that makes one process its owner.
//!
//! Layout: `lock`, `carrel.db` (with SQLite's `-wal`), `libraries/<id>/` (each a self-contained library), `models/`.
//! Only these are ever touched. Refuses a folder on a network disk, and one that another process owns.
//! Invariant: whoever holds a [`DataFolder`] is the only one who does.

mod cache;
mod chats;
mod jobs;
mod libraries;
mod open;
mod restore;
mod settings;
mod types;

pub use libraries::DEFAULT_LIBRARY;
pub use types::{ChatEntry, FoundChat, Job, JobState, LibraryEntry, NewTurn, Rating, Turn};

use crate::library::Parts;
use cache::Cache;
use rusqlite::Connection;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;

/// The open data folder. Holds the lock until dropped.
pub struct DataFolder {
    path: PathBuf,
    parts: Parts,
    open: Cache,
    database: Mutex<Connection>,
    /// Last: the lock goes when everything else is closed.
    _lock: File,
}
