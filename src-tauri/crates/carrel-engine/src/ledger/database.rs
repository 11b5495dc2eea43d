//! Opening SQLite files the one way Carrel does: WAL, `synchronous=FULL`, foreign keys, migrations by `user_version`.
//!
//! Refuses files that a newer program wrote and this one may not open, and to begin anew in the place of a file that was
//! emptied. Invariants: a file is either untouched or migrated whole: each migration is one transaction with its new
//! `user_version`; opening a file that needs no migration writes nothing, so that a full disk can be read.

use crate::error::{EngineError, Result};
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// A kind of database with its history.
pub(crate) struct Schema {
    /// `PRAGMA application_id`: tells Carrel's files from others.
    pub(crate) application_id: i32,
    /// SQL that makes an empty database of the newest schema.
    pub(crate) create: &'static str,
    /// Number of the newest schema.
    pub(crate) version: i64,
    /// Step `n` (from 1) leads from schema `n` to `n + 1`.
    pub(crate) migrations: &'static [&'static str],
}

/// Schema number that this program understands, as kept under `oldest_program` by newer ones.
///
/// A newer program that changed the file in a way this one would damage writes a higher number there.
const PROGRAM: i64 = 1;

/// Keeps SQLite's index of the log in memory instead of in a file beside the database, which a full disk has no room for.
/// It locks other processes out; the lock of the data folder does that already.
#[cfg(unix)]
const VFS: &std::ffi::CStr = c"unix-excl";

/// Opens a database for writing; `create` where it may be missing or empty.
pub(crate) fn open(path: &Path, schema: &Schema, create: bool) -> Result<Connection> {
    if !create {
        // SQLite would take an emptied file for a new one.
        let why = match std::fs::metadata(path) {
            Ok(file) if file.len() == 0 => Some("it is empty"),
            Ok(_) => None,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Some("it is not there"),
            Err(e) => return Err(EngineError::io(path, e)),
        };
        if let Some(why) = why {
            return Err(damaged(path, why));
        }
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[cfg(unix)]
    let opened = Connection::open_with_flags_and_vfs(path, flags, VFS);
    #[cfg(not(unix))]
    let opened = Connection::open_with_flags(path, flags);
    let conn = opened.map_err(|e| named(e, path))?;
    prepare(conn, path, schema, create).map_err(located(path))
}

fn prepare(mut conn: Connection, path: &Path, schema: &Schema, create: bool) -> Result<Connection> {
    conn.busy_timeout(Duration::from_secs(10))?;
    conn.set_prepared_statement_cache_capacity(128);
    // Vectors of 384, 768 and 1,024 numbers fill pages of 8 KiB well; with 4 KiB up to half of each is lost.
    conn.pragma_update(None, "page_size", 8192)?;
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "cache_size", -16_384)?;
    conn.pragma_update(None, "journal_size_limit", 64 << 20)?;

    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == 0 {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let tables: i64 = tx.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables == 0 && !create {
            return Err(damaged(path, "it is empty"));
        }
        if tables != 0 {
            return Err(EngineError::Invalid(format!(
                "{} is a database of another program: choose another folder",
                path.display()
            )));
        }
        tx.execute_batch(schema.create)?;
        tx.pragma_update(None, "application_id", schema.application_id)?;
        tx.pragma_update(None, "user_version", schema.version)?;
        tx.execute("INSERT INTO meta (key, value) VALUES ('oldest_program', ?1)", [PROGRAM.to_string()])?;
        tx.commit()?;
        return Ok(conn);
    }
    let application: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application != schema.application_id {
        return Err(EngineError::Invalid(format!(
            "{} is a database of another program: choose another folder",
            path.display()
        )));
    }
    let oldest: Option<String> = conn
        .query_row("SELECT value FROM meta WHERE key = 'oldest_program'", [], |row| row.get(0))
        .optional()?;
    if oldest.and_then(|o| o.parse::<i64>().ok()).is_some_and(|oldest| oldest > PROGRAM) {
        return Err(EngineError::TooNew { path: path.to_owned() });
    }
    for from in version..schema.version {
        let step = usize::try_from(from - 1)
            .ok()
            .and_then(|n| schema.migrations.get(n))
            .ok_or_else(|| EngineError::Internal(format!("there is no migration from schema {from}")))?;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(step)?;
        tx.pragma_update(None, "user_version", from + 1)?;
        tx.commit()?;
    }
    Ok(conn)
}

/// Opens a read-only connection to a database that is open for writing elsewhere in this process.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    let conn =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(|e| named(e, path))?;
    conn.busy_timeout(Duration::from_secs(10))?;
    conn.set_prepared_statement_cache_capacity(128);
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "cache_size", -8_192)?;
    conn.pragma_update(None, "query_only", true)?;
    Ok(conn)
}

/// Turns what SQLite says into the engine's words where it has some: a full disk, a damaged file.
pub(crate) fn named(error: rusqlite::Error, path: &Path) -> EngineError {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => EngineError::disk_full(path),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => damaged(path, error),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => EngineError::Io {
            path: path.to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::PermissionDenied, error.to_string()),
        },
        _ => EngineError::Ledger(error),
    }
}

/// [`named`] for what else may have gone wrong.
pub(crate) fn located(path: &Path) -> impl Fn(EngineError) -> EngineError + '_ {
    move |error| match error {
        EngineError::Ledger(error) => named(error, path),
        other => other,
    }
}

/// A database that cannot be used as it is.
pub(crate) fn damaged(path: &Path, detail: impl std::fmt::Display) -> EngineError {
    EngineError::Damaged { path: path.to_owned(), detail: detail.to_string() }
}
