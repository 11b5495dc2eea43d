//! Generations and embedding spaces.
//!
//! Invariant: exactly one generation is active, at most one is building (unique indexes see to it).

use super::{DocumentRow, changes};
use crate::domain::{EmbeddingSpace, Generation, GenerationId, GenerationState, VersionId};
use crate::error::{EngineError, Result};
use crate::writer::WriteTx;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;

/// Row of an embedding space.
pub(crate) type SpaceRow = i64;

/// How passages are to be made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recipe {
    /// Chunker with its parameters and version.
    pub(crate) chunker: String,
    /// Tokenizer that counts.
    pub(crate) tokenizer: String,
    /// Embedding space; `None`: words alone.
    pub(crate) space: Option<EmbeddingSpace>,
    /// Lexical analyzer with its version.
    pub(crate) analyzer: String,
    /// Whether a line of context is written for each passage.
    pub(crate) enriched: bool,
}

impl Recipe {
    /// Whether a generation was made this way.
    pub(crate) fn made(&self, generation: &Generation) -> bool {
        self.chunker == generation.chunker
            && self.tokenizer == generation.tokenizer
            && self.analyzer == generation.analyzer
            && self.enriched == generation.enriched
            && self.space.as_ref().map(EmbeddingSpace::key)
                == generation.space.as_ref().map(EmbeddingSpace::key)
    }
}

const COLUMNS: &str = "SELECT g.id, g.chunker, g.tokenizer, s.spec, g.analyzer, g.state, g.enriched \
                       FROM generation g LEFT JOIN space s ON s.id = g.space";

fn in_state(conn: &Connection, state: &str) -> Result<Option<Generation>> {
    let row = conn
        .prepare_cached(&format!("{COLUMNS} WHERE g.state = ?1"))?
        .query_row([state], from_row)
        .optional()?;
    row.map(parsed).transpose()
}

type Raw = (i64, String, String, Option<String>, String, String, bool);

fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Raw> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?))
}

fn parsed((id, chunker, tokenizer, spec, analyzer, state, enriched): Raw) -> Result<Generation> {
    let space = spec.map(|json| serde_json::from_str(&json)).transpose().map_err(|e| {
        EngineError::Internal(format!("an embedding space of the ledger does not parse: {e}"))
    })?;
    let state = match state.as_str() {
        "active" => GenerationState::Active,
        "building" => GenerationState::Building,
        _ => GenerationState::Kept,
    };
    Ok(Generation { id: GenerationId(id), chunker, tokenizer, space, analyzer, enriched, state })
}

/// The generation that answers.
pub(crate) fn active(conn: &Connection) -> Result<Generation> {
    in_state(conn, "active")?
        .ok_or_else(|| EngineError::Internal("the ledger has no active generation".to_owned()))
}

/// Whether there is a generation at all: false only in a ledger just created.
pub(crate) fn any(conn: &Connection) -> Result<bool> {
    Ok(conn.query_row("SELECT EXISTS (SELECT 1 FROM generation)", [], |row| row.get(0))?)
}

/// The generation that is being built beside it.
pub(crate) fn building(conn: &Connection) -> Result<Option<Generation>> {
    in_state(conn, "building")
}

/// Live passages of a generation, or what becomes of their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Passages.
    pub(crate) passages: i64,
    /// Those of them with a vector.
    pub(crate) vectors: i64,
    /// Those of them with a line of context.
    pub(crate) lines: i64,
}

impl Counts {
    fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { passages: row.get(0)?, vectors: row.get(1)?, lines: row.get(2)? })
    }
}

/// Live passages of a generation.
pub(crate) fn counts(conn: &Connection, generation: GenerationId) -> Result<Counts> {
    Ok(conn
        .prepare_cached("SELECT passages, vectors, lines FROM generation WHERE id = ?1")?
        .query_row([generation.0], Counts::from_row)?)
}

/// Row of an embedding space, made where it is new.
pub(crate) fn space_row(tx: &mut WriteTx<'_>, space: &EmbeddingSpace) -> Result<SpaceRow> {
    let key = space.key();
    let known = find_space(tx, &key)?;
    if let Some(row) = known {
        return Ok(row);
    }
    let spec = serde_json::to_string(space)
        .map_err(|e| EngineError::Internal(format!("an embedding space does not pack: {e}")))?;
    tx.execute("INSERT INTO space (key, spec) VALUES (?1, ?2)", params![key, spec])?;
    Ok(tx.last_insert_rowid())
}

fn find_space(conn: &Connection, key: &str) -> Result<Option<SpaceRow>> {
    Ok(conn
        .prepare_cached("SELECT id FROM space WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

/// The embedding space row of a generation, and whether its passages get lines of context.
pub(super) fn makes(conn: &Connection, generation: GenerationId) -> Result<(Option<SpaceRow>, bool)> {
    Ok(conn
        .prepare_cached("SELECT space, enriched FROM generation WHERE id = ?1")?
        .query_row([generation.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

fn insert(tx: &mut WriteTx<'_>, recipe: &Recipe, state: &str) -> Result<GenerationId> {
    let space = recipe.space.as_ref().map(|space| space_row(tx, space)).transpose()?;
    tx.execute(
        "INSERT INTO generation (chunker, tokenizer, space, analyzer, enriched, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![recipe.chunker, recipe.tokenizer, space, recipe.analyzer, recipe.enriched, state],
    )?;
    Ok(GenerationId(tx.last_insert_rowid()))
}

/// Makes the first generation of a new ledger.
pub(crate) fn create_first(tx: &mut WriteTx<'_>, recipe: &Recipe) -> Result<GenerationId> {
    insert(tx, recipe, "active")
}

/// Begins a generation in state `building`; another one that was being built is dropped.
pub(crate) fn begin(tx: &mut WriteTx<'_>, recipe: &Recipe) -> Result<GenerationId> {
    abandon(tx)?;
    tx.generations_changed();
    insert(tx, recipe, "building")
}

/// Notes that the active generation's words are now analysed by another analyzer: its passages stay, its index is foreign.
pub(crate) fn set_analyzer(tx: &mut WriteTx<'_>, generation: GenerationId, analyzer: &str) -> Result<()> {
    tx.execute("UPDATE generation SET analyzer = ?2 WHERE id = ?1", params![generation.0, analyzer])?;
    Ok(())
}

/// What the counters of a generation should be, counted: slow, for the doctor.
pub(crate) fn recount(conn: &Connection, generation: GenerationId) -> Result<Counts> {
    Ok(conn.query_row(
        "SELECT count(*), count(p.vector), count(p.context) FROM passage p JOIN version v ON v.id = p.version \
         JOIN document d ON d.row = v.document \
         WHERE p.generation = ?1 AND v.state = 'active' AND d.hidden_ns IS NULL",
        [generation.0],
        Counts::from_row,
    )?)
}

/// Sets the counters of a generation to what was counted.
pub(crate) fn set_counts(tx: &mut WriteTx<'_>, generation: GenerationId) -> Result<()> {
    let counted = recount(tx, generation)?;
    tx.execute(
        "UPDATE generation SET passages = ?2, vectors = ?3, lines = ?4 WHERE id = ?1",
        params![generation.0, counted.passages, counted.vectors, counted.lines],
    )?;
    Ok(())
}

/// Drops the generation that is being built, where there is one.
pub(crate) fn abandon(tx: &mut WriteTx<'_>) -> Result<()> {
    match building(tx)? {
        Some(old) => remove(tx, old.id),
        None => Ok(()),
    }
}

/// Versions (active or pending) that are still to be cut for a building generation, by id; with their documents.
pub(crate) fn to_fill(
    conn: &Connection,
    generation: GenerationId,
    limit: usize,
) -> Result<Vec<(VersionId, DocumentRow)>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, document FROM version WHERE id > (SELECT filled FROM generation WHERE id = ?1) \
         AND state IN ('active', 'pending') ORDER BY id LIMIT ?2",
    )?;
    let rows = statement
        .query_map(params![generation.0, limit as i64], |row| Ok((VersionId(row.get(0)?), row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Notes that all versions up to this one are cut for a building generation.
pub(super) fn set_filled(tx: &mut WriteTx<'_>, generation: GenerationId, version: VersionId) -> Result<()> {
    tx.prepare_cached("UPDATE generation SET filled = max(filled, ?2) WHERE id = ?1")?
        .execute(params![generation.0, version.0])?;
    Ok(())
}

/// Makes the building generation the active one. The one that was is kept, so that going back needs no model; one kept
/// before it is dropped.
pub(crate) fn swap(tx: &mut WriteTx<'_>) -> Result<GenerationId> {
    let Some(next) = building(tx)? else {
        return Err(EngineError::Internal("no generation is being built".to_owned()));
    };
    let kept: Vec<GenerationId> = {
        let mut statement = tx.prepare("SELECT id FROM generation WHERE state = 'kept'")?;
        statement.query_map([], |row| Ok(GenerationId(row.get(0)?)))?.collect::<Result<_, _>>()?
    };
    for old in kept {
        remove(tx, old)?;
    }
    tx.generations_changed();
    tx.execute("UPDATE generation SET state = 'kept' WHERE state = 'active'", [])?;
    tx.execute("UPDATE generation SET state = 'active' WHERE id = ?1", [next.id.0])?;
    // What a kept generation lacks is not made any more.
    for waiting in ["waits", "bare"] {
        let kept = "(SELECT id FROM generation WHERE state = 'kept')";
        tx.execute(
            &format!("UPDATE passage SET {waiting} = 0 WHERE {waiting} = 1 AND generation IN {kept}"),
            [],
        )?;
    }
    Ok(next.id)
}

/// Deletes a generation that is not active, with its passages and the vectors that only they used.
pub(crate) fn remove(tx: &mut WriteTx<'_>, generation: GenerationId) -> Result<()> {
    let vectors: Vec<i64> = {
        let mut statement =
            tx.prepare("SELECT DISTINCT vector FROM passage WHERE generation = ?1 AND vector IS NOT NULL")?;
        statement.query_map([generation.0], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    tx.generations_changed();
    tx.execute("DELETE FROM passage WHERE generation = ?1", [generation.0])?;
    super::vectors::release(tx, &vectors)?;
    tx.execute("DELETE FROM generation WHERE id = ?1 AND state <> 'active'", [generation.0])?;
    Ok(())
}

/// Adds to a generation's counters.
pub(super) fn count(tx: &mut WriteTx<'_>, generation: GenerationId, more: Counts) -> Result<()> {
    tx.prepare_cached(
        "UPDATE generation SET passages = passages + ?2, vectors = vectors + ?3, lines = lines + ?4 WHERE id = ?1",
    )?
    .execute(params![generation.0, more.passages, more.vectors, more.lines])?;
    Ok(())
}

/// Logs what becomes true or false for the indexes when a version's passages begin or cease to be live.
pub(super) fn set_live(tx: &mut WriteTx<'_>, version: VersionId, live: bool) -> Result<()> {
    log_live(tx, changes::of_version(tx, version)?, live)?;
    tx.prepare_cached(
        "INSERT INTO meta (key, value) \
         SELECT 'text_bytes', CAST(?2 * c.bytes AS TEXT) FROM version v JOIN content c ON c.id = v.content WHERE v.id = ?1 \
         ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)",
    )?
    .execute(params![version.0, if live { 1 } else { -1 }])?;
    Ok(())
}

/// [`set_live`] for the passages of one generation only, which join a version that is live already.
pub(super) fn join_live(tx: &mut WriteTx<'_>, version: VersionId, generation: GenerationId) -> Result<()> {
    let passages =
        changes::of_version(tx, version)?.into_iter().filter(|one| one.generation == generation).collect();
    log_live(tx, passages, true)
}

fn log_live(tx: &mut WriteTx<'_>, passages: Vec<changes::OfVersion>, live: bool) -> Result<()> {
    use changes::ChangeKind::{Out, VectorIn, WordsIn};
    let sign = if live { 1 } else { -1 };
    let mut counted: BTreeMap<GenerationId, Counts> = BTreeMap::new();
    for one in passages {
        let of = counted.entry(one.generation).or_default();
        of.passages += sign;
        of.vectors += sign * i64::from(one.has_vector);
        of.lines += sign * i64::from(one.has_line);
        if live {
            changes::log(tx, one.generation, one.passage, WordsIn)?;
            if one.has_vector {
                changes::log(tx, one.generation, one.passage, VectorIn)?;
            }
        } else {
            changes::log(tx, one.generation, one.passage, Out)?;
        }
    }
    counted.into_iter().try_for_each(|(generation, more)| count(tx, generation, more))
}
