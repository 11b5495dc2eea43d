//! The ledger: the SQLite database of one library, and its only truth.
//!
//! Table functions are free functions over [`rusqlite::Connection`] (reading) or [`crate::writer::WriteTx`] (writing),
//! one file a table. Refuses to be written from anywhere but the library's writer thread: a `WriteTx` exists only there.
//! Invariant: whatever changes what the indexes must hold logs it in `change` in the same transaction.

pub(crate) mod changes;
pub(crate) mod content;
pub(crate) mod database;
pub(crate) mod documents;
pub(crate) mod generations;
pub(crate) mod listing;
pub(crate) mod passages;
pub(crate) mod pool;
pub(crate) mod sources;
pub(crate) mod vectors;
pub(crate) mod versions;

pub(crate) use pool::ReadPool;

use crate::domain::LibraryId;
use crate::error::{EngineError, Result};
use database::Schema;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// File name within a library's folder.
pub(crate) const FILE: &str = "ledger.db";

/// Row of a document; never leaves the engine (outside, documents have a `DocumentId`).
pub(crate) type DocumentRow = i64;

/// The ledger's schema and its history.
pub(crate) const SCHEMA: Schema =
    Schema { application_id: 0x4361_724C, create: include_str!("schema.sql"), version: 1, migrations: &[] };

/// Opens the ledger for writing, creating it where `create` is given.
pub(crate) fn open(path: &Path, create: Option<LibraryId>) -> Result<(Connection, LibraryId)> {
    if create.is_none() && !path.is_file() {
        return Err(EngineError::Io {
            path: path.to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::NotFound, "the library has no ledger"),
        });
    }
    let conn = database::open(path, &SCHEMA)?;
    if let Some(id) = create {
        conn.execute("INSERT OR IGNORE INTO meta (key, value) VALUES ('library_id', ?1)", [id.to_string()])?;
    }
    let id = meta(&conn, "library_id")?
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| EngineError::Invalid(format!("{} names no library", path.display())))?;
    Ok((conn, id))
}

/// A value of the `meta` table.
pub(crate) fn meta(conn: &Connection, key: &str) -> Result<Option<String>> {
    Ok(conn
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

/// Sets a value of the `meta` table.
pub(crate) fn set_meta(conn: &Connection, key: &str, value: &str) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
    )?
    .execute([key, value])?;
    Ok(())
}

/// Ids as the JSON array that `json_each` reads: one statement for any number of keys.
pub(crate) fn json_ids(ids: impl IntoIterator<Item = i64>) -> String {
    let mut json = String::from("[");
    for (n, id) in ids.into_iter().enumerate() {
        if n > 0 {
            json.push(',');
        }
        json.push_str(&id.to_string());
    }
    json.push(']');
    json
}
