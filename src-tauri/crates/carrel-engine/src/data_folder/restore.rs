//! Making the list of libraries anew where its database cannot be read.
//!
//! Refuses to delete: the damaged file stays beside the new one, under a dated name. Invariant: nothing is moved before the new
//! database is whole.

use super::DataFolder;
use super::chats::MEND;
use super::libraries::{enter, folders, free_name, read_name};
use super::open::{DATABASE, LIBRARIES, SCHEMA, lock};
use crate::domain::LibraryId;
use crate::error::{EngineError, Result};
use crate::ledger::database;
use crate::ledger::salvage::{copy, dated, remove, with};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// The tables taken over, those that others refer to first.
const TABLES: [&str; 4] = ["library", "chat", "turn", "setting"];

impl DataFolder {
    /// Where the database of a data folder cannot be read, sets it aside and makes a new one of the rows that can be read and
    /// of the libraries whose folders are there. What is said of it; `None` where nothing is wrong.
    /// [`EngineError::Locked`] when another process has the folder.
    pub fn restore_list(path: &Path, now: Timestamp) -> Result<Option<String>> {
        let ids = folders(path);
        if ids.is_empty() {
            return Ok(None);
        }
        let _lock = lock(path)?;
        let file = path.join(DATABASE);
        match database::open(&file, &SCHEMA, false) {
            Ok(_) => return Ok(None),
            Err(EngineError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
        let new = with(&file, ".new");
        remove(&new)?;
        let conn = database::open(&new, &SCHEMA, true)?;
        let renamed = fill(&conn, &file, &path.join(LIBRARIES), &ids).map_err(database::located(&new))?;
        conn.close().map_err(|(_, e)| database::named(e, &new))?;
        let aside = dated(&file, now);
        let there = file.exists();
        for ending in ["-wal", ""] {
            let from = with(&file, ending);
            if from.exists() {
                std::fs::rename(&from, with(&aside, ending)).map_err(|e| EngineError::io(&from, e))?;
            }
        }
        std::fs::rename(&new, &file).map_err(|e| EngineError::io(&new, e))?;
        let mut said = format!("the list of libraries was damaged and is made anew: it has {}", ids.len());
        if !renamed.is_empty() {
            said.push_str(&format!("; their names were lost, they are now {}", renamed.join(", ")));
        }
        if there {
            said.push_str(&format!("; the damaged file is kept as {}", aside.display()));
        }
        Ok(Some(said))
    }
}

/// Fills a new database. Returns the names given to libraries that have lost theirs.
fn fill(conn: &Connection, damaged: &Path, libraries: &Path, ids: &[LibraryId]) -> Result<Vec<String>> {
    conn.pragma_update(None, "foreign_keys", false)?;
    let transaction = conn.unchecked_transaction()?;
    if let Ok(damaged) = database::open_reader(damaged) {
        for table in TABLES {
            copy(&damaged, conn, table)?;
        }
        // Of before chats were trees: each turn follows the one before it.
        if damaged.prepare("SELECT parent FROM turn").is_err() {
            conn.execute("UPDATE turn SET parent = number - 1 WHERE number > 1", [])?;
        }
    }
    conn.execute_batch(MEND)?;
    let mut renamed = Vec::new();
    for id in ids {
        let bytes = id.0.as_bytes().as_slice();
        let known =
            conn.query_row("SELECT 1 FROM library WHERE id = ?1", [bytes], |_| Ok(())).optional()?.is_some();
        if !known {
            let own = read_name(&libraries.join(id.to_string()));
            let name = free_name(conn, own.clone())?;
            enter(conn, *id, &name)?;
            if own.as_ref() != Some(&name) {
                renamed.push(name);
            }
        }
    }
    transaction.commit()?;
    Ok(renamed)
}
