//! The change log that the indexes follow.
//!
//! An entry says only that something about a passage changed; what is true now stands in the tables. So applying an entry
//! twice, late, or after others changes nothing. Invariant: every entry above `change_floor` is there.

use super::{DocumentRow, meta, set_meta};
use crate::domain::{ChangeSeq, GenerationId, PassageId, VersionId};
use crate::error::Result;
use crate::writer::WriteTx;
use rusqlite::{Connection, OptionalExtension, params};

/// What happened to a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// Its words are to be found.
    WordsIn = 1,
    /// It is not to be found any more.
    Out = 2,
    /// Its vector is there.
    VectorIn = 3,
}

/// An entry of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Its position.
    pub(crate) seq: ChangeSeq,
    /// Of which generation the passage is.
    pub(crate) generation: GenerationId,
    /// Which passage.
    pub(crate) passage: PassageId,
    /// What happened.
    pub(crate) kind: ChangeKind,
}

const FLOOR: &str = "change_floor";

/// The newest position; 0 before the first entry.
pub(crate) fn head(conn: &Connection) -> Result<ChangeSeq> {
    let seq: Option<i64> = conn
        .prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'change'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(ChangeSeq(seq.unwrap_or(0)))
}

/// The last position that was trimmed: a cursor below it can't catch up by replay.
pub(crate) fn floor(conn: &Connection) -> Result<ChangeSeq> {
    Ok(ChangeSeq(meta(conn, FLOOR)?.and_then(|text| text.parse().ok()).unwrap_or(0)))
}

/// At most `limit` entries after `after`, in order.
pub(crate) fn read(conn: &Connection, after: ChangeSeq, limit: usize) -> Result<Vec<Change>> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, generation, passage, kind FROM change WHERE seq > ?1 ORDER BY seq LIMIT ?2",
    )?;
    let rows = statement.query_map(params![after.0, limit as i64], |row| {
        Ok(Change {
            seq: ChangeSeq(row.get(0)?),
            generation: GenerationId(row.get(1)?),
            passage: PassageId(row.get(2)?),
            kind: match row.get(3)? {
                1 => ChangeKind::WordsIn,
                3 => ChangeKind::VectorIn,
                _ => ChangeKind::Out,
            },
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Logs one entry.
pub(super) fn log(
    tx: &mut WriteTx<'_>,
    generation: GenerationId,
    passage: PassageId,
    kind: ChangeKind,
) -> Result<()> {
    tx.prepare_cached("INSERT INTO change (generation, passage, kind) VALUES (?1, ?2, ?3)")?
        .execute(params![generation.0, passage.0, kind as i64])?;
    Ok(())
}

/// Forgets entries up to `upto`, which every index has applied for good.
pub(crate) fn trim(tx: &mut WriteTx<'_>, upto: ChangeSeq) -> Result<()> {
    tx.prepare_cached("DELETE FROM change WHERE seq <= ?1")?.execute([upto.0])?;
    set_meta(tx, FLOOR, &upto.0.to_string())
}

/// Logs `WordsIn` for the live passages of a document whose title, name, path or tags changed.
pub(crate) fn reindex_document(tx: &mut WriteTx<'_>, document: DocumentRow) -> Result<()> {
    let Some(version) = super::versions::live_version(tx, document)? else { return Ok(()) };
    let passages = of_version(tx, version)?;
    for one in passages {
        log(tx, one.generation, one.passage, ChangeKind::WordsIn)?;
    }
    Ok(())
}

/// A passage of a version.
pub(super) struct OfVersion {
    pub(super) passage: PassageId,
    pub(super) generation: GenerationId,
    pub(super) has_vector: bool,
    pub(super) has_line: bool,
}

/// Passages of a version in all generations that are in use.
pub(super) fn of_version(conn: &Connection, version: VersionId) -> Result<Vec<OfVersion>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, generation, vector IS NOT NULL, context IS NOT NULL FROM passage WHERE version = ?1 \
         ORDER BY generation, ordinal",
    )?;
    let rows = statement.query_map([version.0], |row| {
        Ok(OfVersion {
            passage: PassageId(row.get(0)?),
            generation: GenerationId(row.get(1)?),
            has_vector: row.get(2)?,
            has_line: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
