//! Read-only connections: snapshots for everyone who is not the writer.
//!
//! Refuses to write. Invariant: one call sees one state of the ledger from beginning to end.

use super::database;
use crate::error::Result;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Connections kept open while idle. More are opened when all are busy, so that a nested call never waits for itself.
const KEPT: usize = 4;

/// A small pool of read-only connections to one database.
pub(crate) struct ReadPool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl ReadPool {
    /// A pool over a database that is already open for writing.
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    /// Runs `f` on a snapshot of the database.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&Connection) -> Result<R>) -> Result<R> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => database::open_reader(&self.path)?,
        };
        let result = {
            let snapshot = conn.unchecked_transaction()?;
            let result = f(&snapshot);
            // A read transaction has nothing to keep; ending it cannot lose anything.
            snapshot.finish()?;
            result.map_err(database::located(&self.path))
        };
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(conn);
        }
        result
    }
}
