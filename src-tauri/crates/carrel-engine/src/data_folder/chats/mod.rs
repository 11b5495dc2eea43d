//! Chats: questions with their answers, kept as a tree of turns.
//!
//! A chat has one branch in sight, named by its last turn (`leaf`); the others stay. Refuses to delete a turn: what was asked and
//! answered is only ever removed with its chat.

mod find;
mod turns;

pub(super) use turns::MEND;

use super::{ChatEntry, DataFolder};
use crate::domain::ChatId;
use crate::error::{EngineError, Result};
use crate::seams::Tag;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

const COLUMNS: &str = "SELECT row, id, title, created_ns, updated_ns, turns, pinned, scope, leaf FROM chat";
const ORDER: &str = "ORDER BY pinned DESC, grown DESC";

pub(super) fn time(ns: i64) -> Timestamp {
    Timestamp::from_nanosecond(i128::from(ns)).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<(i64, ChatEntry)> {
    let entry = ChatEntry {
        id: ChatId(uuid::Uuid::from_bytes(row.get(1)?)),
        title: row.get(2)?,
        created: time(row.get(3)?),
        updated: time(row.get(4)?),
        turns: row.get(5)?,
        pinned: row.get(6)?,
        scope: row.get(7)?,
        leaf: row.get(8)?,
    };
    Ok((row.get(0)?, entry))
}

fn find(conn: &Connection, id: ChatId) -> Result<(i64, ChatEntry)> {
    conn.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?
        .query_row([id.0.as_bytes().as_slice()], from_row)
        .optional()?
        .ok_or_else(|| EngineError::NotFound { kind: "chat", name: id.to_string() })
}

impl DataFolder {
    /// Chats: pinned ones first, then the last grown.
    pub fn chats(&self) -> Result<Vec<ChatEntry>> {
        self.with(|conn| Ok(all(conn)?.into_iter().map(|(_, entry)| entry).collect()))
    }

    /// One chat.
    pub fn chat(&self, id: ChatId) -> Result<ChatEntry> {
        self.with(|conn| Ok(find(conn, id)?.1))
    }

    /// Begins a chat. `scope`: see [`ChatEntry::scope`].
    pub fn create_chat(&self, title: &str, scope: &str) -> Result<ChatId> {
        let (id, now) = (ChatId::random(), self.now_ns());
        self.with(|conn| {
            conn.execute(
                "INSERT INTO chat (id, title, scope, created_ns, updated_ns, grown) \
                 VALUES (?1, ?2, ?3, ?4, ?4, (SELECT coalesce(max(grown), 0) + 1 FROM chat))",
                params![id.0.as_bytes().as_slice(), title, scope, now],
            )?;
            Ok(())
        })?;
        self.emit(Tag::Chats);
        Ok(id)
    }

    /// Renames a chat.
    pub fn rename_chat(&self, id: ChatId, title: &str) -> Result<()> {
        self.set(id, "title", &title)
    }

    /// Puts a chat above the others, or back among them.
    pub fn pin_chat(&self, id: ChatId, pinned: bool) -> Result<()> {
        self.set(id, "pinned", &pinned)
    }

    /// Says where the later questions of a chat look. See [`ChatEntry::scope`].
    pub fn scope_chat(&self, id: ChatId, scope: &str) -> Result<()> {
        self.set(id, "scope", &scope)
    }

    /// Removes a chat.
    pub fn remove_chat(&self, id: ChatId) -> Result<()> {
        self.with(|conn| {
            let (row, _) = find(conn, id)?;
            conn.execute("DELETE FROM chat WHERE row = ?1", [row])?;
            Ok(())
        })?;
        self.emit(Tag::Chats);
        Ok(())
    }

    fn set(&self, id: ChatId, column: &'static str, value: &dyn ToSql) -> Result<()> {
        self.with(|conn| {
            let (row, _) = find(conn, id)?;
            conn.execute(&format!("UPDATE chat SET {column} = ?2 WHERE row = ?1"), params![row, value])?;
            Ok(())
        })?;
        self.emit(Tag::Chats);
        Ok(())
    }
}

/// All chats with their rows, as [`DataFolder::chats`].
fn all(conn: &Connection) -> Result<Vec<(i64, ChatEntry)>> {
    let mut statement = conn.prepare_cached(&format!("{COLUMNS} {ORDER}"))?;
    let rows = statement.query_map([], from_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}
