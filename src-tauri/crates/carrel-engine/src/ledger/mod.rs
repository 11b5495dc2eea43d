//! The ledger: the SQLite database of one library, and its only truth.
//!
//! Table functions are free functions over [`rusqlite::Connection`] (reading) or [`crate::writer::WriteTx`] (writing),
//! one file a table. Refuses to be written from anywhere but the library's writer thread: a `WriteTx` exists only there.
//! Invariant: whatever changes what the indexes must hold logs it in `change` in the same transaction.

pub(crate) mod changes;
pub(crate) mod content;
pub(crate) mod contexts;
pub(crate) mod database;
pub(crate) mod documents;
pub(crate) mod generations;
pub(crate) mod listing;
pub(crate) mod passages;
pub(crate) mod pool;
pub(crate) mod records;
pub(crate) mod salvage;
pub(crate) mod sources;
pub(crate) mod vectors;
pub(crate) mod versions;

pub(crate) use pool::ReadPool;

use crate::domain::LibraryId;
use crate::error::Result;
use database::Schema;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// File name within a library's folder.
pub(crate) const FILE: &str = "ledger.db";

/// Under this key of `meta` stands the identity of the library.
pub(crate) const LIBRARY_ID: &str = "library_id";

/// Row of a document; never leaves the engine (outside, documents have a `DocumentId`).
pub(crate) type DocumentRow = i64;

/// The ledger's schema and its history.
pub(crate) const SCHEMA: Schema = Schema {
    application_id: 0x4361_724C,
    create: include_str!("schema.sql"),
    version: 2,
    migrations: &[include_str!("schema_1_to_2.sql")],
};

/// Opens the ledger for writing, creating it where `create` is given and it is missing or empty.
pub(crate) fn open(path: &Path, create: Option<LibraryId>) -> Result<(Connection, LibraryId)> {
    let conn = database::open(path, &SCHEMA, create.is_some())?;
    let id = identity(&conn, create).map_err(database::located(path))?;
    let id = id.ok_or_else(|| database::damaged(path, "it names no library"))?;
    Ok((conn, id))
}

fn identity(conn: &Connection, create: Option<LibraryId>) -> Result<Option<LibraryId>> {
    let known = meta(conn, LIBRARY_ID)?;
    if let (None, Some(id)) = (&known, create) {
        set_meta(conn, LIBRARY_ID, &id.to_string())?;
        return Ok(Some(id));
    }
    Ok(known.and_then(|text| text.parse().ok()))
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
