//! Records of a library that no index needs, each as JSON under a key of `meta`: `question.<id>`, `run.<id>`.
//!
//! Ids are in the order of their making, so keys are too. Refuses nothing that it cannot read: what a newer program wrote in
//! another form is passed over, and stays.

use super::{meta, set_meta};
use crate::error::{EngineError, Result};
use crate::writer::WriteTx;
use rusqlite::Connection;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind of record, and the beginning of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// Questions of the library's set.
    Questions,
    /// Runs over questions.
    Runs,
}

impl Records {
    fn prefix(self) -> &'static str {
        match self {
            Self::Questions => "question.",
            Self::Runs => "run.",
        }
    }

    fn key(self, id: &str) -> String {
        format!("{}{id}", self.prefix())
    }
}

/// All records of a kind, oldest first.
pub(crate) fn all<T: DeserializeOwned>(conn: &Connection, records: Records) -> Result<Vec<T>> {
    let prefix = records.prefix();
    // The next key after all that begin so.
    let end = format!("{}/", prefix.trim_end_matches('.'));
    let mut statement =
        conn.prepare_cached("SELECT key, value FROM meta WHERE key >= ?1 AND key < ?2 ORDER BY key")?;
    let rows = statement.query_map([prefix, &end], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
    let mut found = Vec::new();
    for row in rows {
        let (key, json): (String, String) = row?;
        match serde_json::from_str(&json) {
            Ok(record) => found.push(record),
            Err(error) => tracing::warn!(%error, key, "a record of the ledger is not understood"),
        }
    }
    Ok(found)
}

/// One record; `None` where it is not there or not understood.
pub(crate) fn get<T: DeserializeOwned>(conn: &Connection, records: Records, id: &str) -> Result<Option<T>> {
    let json = meta(conn, &records.key(id))?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
}

/// Writes a record, in the place of one with this id.
pub(crate) fn put<T: Serialize>(tx: &mut WriteTx<'_>, records: Records, id: &str, record: &T) -> Result<()> {
    let json = serde_json::to_string(record).map_err(|e| EngineError::Internal(e.to_string()))?;
    set_meta(tx, &records.key(id), &json)
}

/// Removes a record. `false` where there is none.
pub(crate) fn remove(tx: &mut WriteTx<'_>, records: Records, id: &str) -> Result<bool> {
    Ok(tx.prepare_cached("DELETE FROM meta WHERE key = ?1")?.execute([records.key(id)])? > 0)
}
