//! The turns of a chat: growing, branching, rating.

use super::{find, time};
use crate::data_folder::{ChatEntry, DataFolder, NewTurn, Rating, Turn};
use crate::domain::ChatId;
use crate::error::{EngineError, Result};
use crate::seams::Tag;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// Makes trees whole again of which rows were lost: a turn whose parent is gone follows the one before it, and the branch in
/// sight ends at a turn that is there.
pub(in crate::data_folder) const MEND: &str = "
    DELETE FROM turn WHERE chat NOT IN (SELECT row FROM chat);
    UPDATE turn SET parent = (SELECT max(number) FROM turn t WHERE t.chat = turn.chat AND t.number < turn.number)
    WHERE parent IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM turn t WHERE t.chat = turn.chat AND t.number = turn.parent AND t.number < turn.number);
    UPDATE chat SET leaf = (SELECT max(number) FROM turn WHERE chat = chat.row)
    WHERE leaf IS NULL OR NOT EXISTS (SELECT 1 FROM turn WHERE chat = chat.row AND number = chat.leaf);";

/// The turns of a chat by number, each with the one that it follows.
struct Tree(BTreeMap<u32, Option<u32>>);

impl Tree {
    fn read(conn: &Connection, chat: i64) -> Result<Self> {
        let mut statement = conn.prepare_cached("SELECT number, parent FROM turn WHERE chat = ?1")?;
        let turns = statement.query_map([chat], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Self(turns.collect::<Result<_, _>>()?))
    }

    /// The turns that follow `parent`, oldest first.
    fn after(&self, parent: Option<u32>) -> impl DoubleEndedIterator<Item = u32> {
        self.0.iter().filter(move |(_, of)| **of == parent).map(|(number, _)| *number)
    }

    /// The newest turn that goes on from this one, again and again.
    fn end_of(&self, mut turn: u32) -> u32 {
        // A child has a higher number than its parent, so this ends.
        while let Some(next) = self.after(Some(turn)).next_back().filter(|next| *next > turn) {
            turn = next;
        }
        turn
    }

    /// From the first question to this turn.
    fn path(&self, to: Option<u32>) -> Vec<u32> {
        let mut path: Vec<u32> = Vec::new();
        let mut at = to;
        while let Some(turn) = at.filter(|turn| path.last().is_none_or(|last| turn < last)) {
            path.push(turn);
            at = self.0.get(&turn).copied().flatten();
        }
        path.reverse();
        path
    }
}

impl DataFolder {
    /// A chat with the branch in sight, oldest first; `through`: with the branch through that turn, to its newest end.
    pub fn branch(&self, id: ChatId, through: Option<u32>) -> Result<(ChatEntry, Vec<Turn>)> {
        self.with(|conn| {
            let (row, mut entry) = find(conn, id)?;
            let tree = Tree::read(conn, row)?;
            if let Some(turn) = through {
                known(&tree, turn)?;
                entry.leaf = Some(tree.end_of(turn));
            }
            let turns = tree.path(entry.leaf).into_iter().map(|number| read(conn, row, number, &tree));
            let turns = turns.collect::<Result<_>>()?;
            Ok((entry, turns))
        })
    }

    /// The turns from the first question to the one that a new one follows: the branch in sight, or all before the turn `instead`
    /// of which it is asked.
    pub fn before(&self, id: ChatId, instead: Option<u32>) -> Result<Vec<Turn>> {
        self.with(|conn| {
            let (row, entry) = find(conn, id)?;
            let tree = Tree::read(conn, row)?;
            let last = match instead {
                Some(turn) => known(&tree, turn)?,
                None => entry.leaf,
            };
            tree.path(last).into_iter().map(|number| read(conn, row, number, &tree)).collect()
        })
    }

    /// Brings the branch through a turn into sight.
    pub fn show_branch(&self, id: ChatId, through: u32) -> Result<()> {
        self.with(|conn| {
            let (row, _) = find(conn, id)?;
            let tree = Tree::read(conn, row)?;
            known(&tree, through)?;
            conn.execute("UPDATE chat SET leaf = ?2 WHERE row = ?1", params![row, tree.end_of(through)])?;
            Ok(())
        })?;
        self.emit(Tag::Chats);
        Ok(())
    }

    /// Keeps a turn, and brings its branch into sight. Its number.
    pub fn append_turn(&self, chat: ChatId, turn: &NewTurn<'_>) -> Result<u32> {
        let now = self.now_ns();
        let number = self.with(|conn| {
            let (row, entry) = find(conn, chat)?;
            if let Some(parent) = turn.parent {
                known(&Tree::read(conn, row)?, parent)?;
            }
            let number = entry.turns + 1;
            conn.execute(
                "INSERT INTO turn (chat, number, parent, question, answer, said, created_ns) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![row, number, turn.parent, turn.question, turn.answer, turn.said, now],
            )?;
            conn.execute(
                "UPDATE chat SET turns = ?2, leaf = ?2, updated_ns = ?3, grown = (SELECT max(grown) + 1 FROM chat) \
                 WHERE row = ?1",
                params![row, number, now],
            )?;
            Ok(number)
        })?;
        self.emit(Tag::Chats);
        Ok(number)
    }

    /// Keeps what the user thinks of an answer, or takes it back. The turn as it is now.
    pub fn rate_turn(
        &self,
        chat: ChatId,
        number: u32,
        rating: Option<Rating>,
        note: Option<&str>,
    ) -> Result<Turn> {
        let turn = self.with(|conn| {
            let (row, _) = find(conn, chat)?;
            let tree = Tree::read(conn, row)?;
            known(&tree, number)?;
            conn.execute(
                "UPDATE turn SET rating = ?3, note = ?4 WHERE chat = ?1 AND number = ?2",
                params![row, number, rating.map(Rating::as_str), note],
            )?;
            read(conn, row, number, &tree)
        })?;
        self.emit(Tag::Chats);
        Ok(turn)
    }

    /// The turns with this rating in all chats, newest first.
    pub fn rated_turns(&self, rating: Rating) -> Result<Vec<(ChatId, Turn)>> {
        self.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT c.id, c.row, t.number FROM turn t JOIN chat c ON c.row = t.chat WHERE t.rating = ?1 \
                 ORDER BY t.created_ns DESC",
            )?;
            let rows = statement
                .query_map([rating.as_str()], |row| {
                    Ok((ChatId(uuid::Uuid::from_bytes(row.get(0)?)), row.get(1)?, row.get(2)?))
                })?
                .collect::<Result<Vec<(ChatId, i64, u32)>, _>>()?;
            let turn = |(id, row, number)| Ok((id, read(conn, row, number, &Tree::read(conn, row)?)?));
            rows.into_iter().map(turn).collect()
        })
    }
}

/// The turn that this one follows; fails where it is not there.
fn known(tree: &Tree, turn: u32) -> Result<Option<u32>> {
    let known = tree.0.get(&turn).copied();
    known.ok_or_else(|| EngineError::NotFound { kind: "turn", name: turn.to_string() })
}

fn read(conn: &Connection, chat: i64, number: u32, tree: &Tree) -> Result<Turn> {
    let mut statement = conn.prepare_cached(
        "SELECT parent, question, answer, created_ns, rating, note FROM turn WHERE chat = ?1 AND number = ?2",
    )?;
    let turn = statement.query_row(params![chat, number], |row| {
        let parent = row.get(0)?;
        Ok(Turn {
            number,
            parent,
            siblings: tree.after(parent).collect(),
            question: row.get(1)?,
            answer: row.get(2)?,
            created: time(row.get(3)?),
            rating: row.get::<_, Option<String>>(4)?.as_deref().and_then(Rating::parse),
            note: row.get(5)?,
        })
    })?;
    Ok(turn)
}
