//! Errors of the engine, marked by whose problem each is.

use crate::seams::{IndexError, ModelError};
use std::path::PathBuf;

/// The engine could not do what was asked. A bad file is not one of these: it is data in the ledger.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The request names something that is not there.
    #[error("there is no {kind} named {name}")]
    NotFound {
        /// `library`, `document`, `source`, `version`, `chat`, `job`, `passage`.
        kind: &'static str,
        /// As given.
        name: String,
    },
    /// A path or URI names several documents.
    #[error("{name} names {} documents: use an id", candidates.len())]
    Ambiguous {
        /// As given.
        name: String,
        /// URIs of those meant.
        candidates: Vec<String>,
    },
    /// A name is taken.
    #[error("there is already a {kind} named {name}")]
    Exists {
        /// `library`, `source`.
        kind: &'static str,
        /// As given.
        name: String,
    },
    /// The request cannot be carried out as it stands.
    #[error("{0}")]
    Invalid(String),
    /// Another process owns the data folder.
    #[error("another Carrel process owns the data folder {path}")]
    Locked {
        /// The data folder.
        path: PathBuf,
    },
    /// The data folder lies on a network disk.
    #[error(
        "the data folder {path} is on a network disk, where its files could be damaged: choose a folder on this machine"
    )]
    NetworkDisk {
        /// The data folder.
        path: PathBuf,
    },
    /// Written by a newer program.
    #[error("{path} was written by a newer Carrel: update this program to open it")]
    TooNew {
        /// The ledger.
        path: PathBuf,
    },
    /// The machine refused: disk, permissions.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Its folder may not be written, and there is no read-only mode.
    #[error("Carrel may not write to its data folder {path}")]
    ReadOnly {
        /// The data folder.
        path: PathBuf,
    },
    /// No room left.
    #[error("the disk that holds {path} is full{}: nothing already saved is lost, and it can still be read", free_words(*.free))]
    DiskFull {
        /// The folder or file that was to grow.
        path: PathBuf,
        /// Bytes that are free there, where the system says.
        free: Option<u64>,
    },
    /// The ledger of a library cannot be read. The doctor mends it.
    #[error("{path} is damaged: {detail}")]
    Damaged {
        /// The ledger, or its folder.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The folder of a library is not there. Never replaced by an empty one unasked.
    #[error("the folder of the library, {path}, is gone")]
    LibraryGone {
        /// Where it was.
        path: PathBuf,
    },
    /// The database of the data folder cannot be read. The libraries are whole, but nobody knows their names.
    #[error("{path}, which holds the list of libraries, chats and settings, is damaged: {detail}")]
    ListDamaged {
        /// The database.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The ledger failed.
    #[error("the ledger failed: {0}")]
    Ledger(#[source] rusqlite::Error),
    /// An index failed; it is rebuilt.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A fault of ours.
    #[error("an internal error: {0}")]
    Internal(String),
}

/// What the engine's functions return.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

impl From<rusqlite::Error> for EngineError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Ledger(error)
    }
}

impl From<rusqlite::types::FromSqlError> for EngineError {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Ledger(error.into())
    }
}

impl From<crate::cancel::Cancelled> for EngineError {
    fn from(_: crate::cancel::Cancelled) -> Self {
        Self::Cancelled
    }
}

impl EngineError {
    /// An I/O error with its path.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        let path = path.into();
        if source.kind() == std::io::ErrorKind::StorageFull {
            Self::disk_full(path)
        } else {
            Self::Io { path, source }
        }
    }

    /// No room left where `path` lies.
    pub(crate) fn disk_full(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self::DiskFull { free: crate::platform::free_bytes(&path), path }
    }
}

/// Lets pass what a full disk had no room for: what can wait for another start must not keep anybody from reading.
pub(crate) fn if_there_is_room(result: Result<()>) -> Result<()> {
    match result {
        Err(e @ EngineError::DiskFull { .. }) => {
            tracing::warn!("{e}");
            Ok(())
        }
        other => other,
    }
}

/// ` (12 KB are free)`
fn free_words(bytes: Option<u64>) -> String {
    bytes.map(|bytes| format!(" ({} KB are free)", bytes >> 10)).unwrap_or_default()
}
