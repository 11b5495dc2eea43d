//! Opening, with the lock.

use super::DataFolder;
use super::cache::Cache;
use crate::error::{EngineError, Result, if_there_is_room};
use crate::ledger::database::{self, Schema};
use crate::library::Parts;
use crate::platform;
use crate::seams::{Event, Tag};
use rusqlite::Connection;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

pub(super) const SCHEMA: Schema = Schema {
    application_id: 0x4361_7244,
    create: include_str!("schema.sql"),
    version: 2,
    migrations: &[include_str!("schema_1_to_2.sql")],
};

const LOCK: &str = "lock";
pub(super) const DATABASE: &str = "carrel.db";
pub(super) const LIBRARIES: &str = "libraries";

impl DataFolder {
    /// Opens or creates it and takes its lock. [`crate::error::EngineError::Locked`] when another process has it. The library
    /// `default` exists afterwards. Jobs that ran when the last process ended become `Interrupted`, unless the disk is full.
    pub fn open(path: &Path, parts: Parts) -> Result<DataFolder> {
        let libraries = path.join(LIBRARIES);
        std::fs::create_dir_all(&libraries).map_err(|e| refused(path, &libraries, e))?;
        if platform::is_network_disk(path) {
            return Err(EngineError::NetworkDisk { path: path.to_owned() });
        }
        let lock = lock(path)?;
        // Whoever has libraries had a list of them.
        let create = std::fs::read_dir(&libraries).is_ok_and(|mut entries| entries.next().is_none());
        let conn = database::open(&path.join(DATABASE), &SCHEMA, create).map_err(of_list)?;
        let folder = DataFolder {
            path: path.to_owned(),
            parts,
            open: Cache::default(),
            database: Mutex::new(conn),
            _lock: lock,
        };
        if_there_is_room(folder.interrupt_jobs())?;
        folder.ensure_default()?;
        folder.finish_removals();
        if_there_is_room(folder.take_in())?;
        Ok(folder)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Runs `f` in one transaction of the database.
    pub(super) fn with<R>(&self, f: impl FnOnce(&Connection) -> Result<R>) -> Result<R> {
        let conn = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let run = || {
            let transaction = conn.unchecked_transaction()?;
            let result = f(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(database::located(&self.path.join(DATABASE))).map_err(of_list)
    }

    pub(super) fn emit(&self, tag: Tag) {
        self.parts.events.emit(Event { tag, library: None });
    }

    pub(super) fn now_ns(&self) -> i64 {
        self.parts.clock.now().as_nanosecond() as i64
    }
}

pub(super) fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|e| refused(folder, &path, e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(EngineError::Locked { path: folder.to_owned() }),
        Err(TryLockError::Error(e)) => Err(EngineError::io(path, e)),
    }
}

/// An error of the database of the data folder.
fn of_list(error: EngineError) -> EngineError {
    match error {
        EngineError::Damaged { path, detail } => EngineError::ListDamaged { path, detail },
        other => other,
    }
}

/// Why a file of the data folder could not be made or opened for writing.
fn refused(folder: &Path, path: &Path, error: std::io::Error) -> EngineError {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    match error.kind() {
        PermissionDenied | ReadOnlyFilesystem => EngineError::ReadOnly { path: folder.to_owned() },
        _ => EngineError::io(path, error),
    }
}
