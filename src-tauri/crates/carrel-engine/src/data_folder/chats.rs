//! Chats: questions with their answers, kept.

use super::{ChatEntry, DataFolder, Turn};
use crate::domain::ChatId;
use crate::error::{EngineError, Result};
use crate::seams::Tag;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

const COLUMNS: &str = "SELECT row, id, title, created_ns, updated_ns, turns FROM chat";

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
    /// Chats, last grown first.
    pub fn chats(&self) -> Result<Vec<ChatEntry>> {
        self.with(|conn| {
            let mut statement = conn.prepare_cached(&format!("{COLUMNS} ORDER BY grown DESC"))?;
            let rows = statement.query_map([], |row| Ok(from_row(row)?.1))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Begins a chat.
    pub fn create_chat(&self, title: &str) -> Result<ChatId> {
        let (id, now) = (ChatId::random(), self.now_ns());
        self.with(|conn| {
            conn.execute(
                "INSERT INTO chat (id, title, created_ns, updated_ns, grown) \
                 VALUES (?1, ?2, ?3, ?3, (SELECT coalesce(max(grown), 0) + 1 FROM chat))",
                params![id.0.as_bytes().as_slice(), title, now],
            )?;
            Ok(())
        })?;
        self.emit(Tag::Chats);
        Ok(id)
    }

    /// The turns of a chat, oldest first.
    pub fn chat(&self, id: ChatId) -> Result<(ChatEntry, Vec<Turn>)> {
        self.with(|conn| {
            let (row, entry) = find(conn, id)?;
            let mut statement = conn.prepare_cached(
                "SELECT number, question, answer, created_ns FROM turn WHERE chat = ?1 ORDER BY number",
            )?;
            let turns = statement.query_map([row], |row| {
                Ok(Turn {
                    number: row.get(0)?,
                    question: row.get(1)?,
                    answer: row.get(2)?,
                    created: time(row.get(3)?),
                })
            })?;
            Ok((entry, turns.collect::<Result<_, _>>()?))
        })
    }

    /// Keeps a turn.
    pub fn append_turn(&self, chat: ChatId, question: &str, answer_json: &str) -> Result<u32> {
        let now = self.now_ns();
        let number = self.with(|conn| {
            let (row, entry) = find(conn, chat)?;
            let number = entry.turns + 1;
            conn.execute(
                "INSERT INTO turn (chat, number, question, answer, created_ns) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![row, number, question, answer_json, now],
            )?;
            conn.execute(
                "UPDATE chat SET turns = ?2, updated_ns = ?3, grown = (SELECT max(grown) + 1 FROM chat) WHERE row = ?1",
                params![row, number, now],
            )?;
            Ok(number)
        })?;
        self.emit(Tag::Chats);
        Ok(number)
    }

    /// Renames a chat.
    pub fn rename_chat(&self, id: ChatId, title: &str) -> Result<()> {
        self.with(|conn| {
            let (row, _) = find(conn, id)?;
            conn.execute("UPDATE chat SET title = ?2 WHERE row = ?1", params![row, title])?;
            Ok(())
        })?;
        self.emit(Tag::Chats);
        Ok(())
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
}
