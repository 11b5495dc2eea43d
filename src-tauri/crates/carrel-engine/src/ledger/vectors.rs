//! Vectors: stored once per space and text, in f16. Also the embedding cache.
//!
//! Refuses vectors of another length than their space's, and numbers that are not finite: nothing is padded, cut or
//! invented. Invariant: a vector is kept as long as a passage of any version uses it.

use super::content::{ContentRow, Contents};
use super::generations::{self, Counts, SpaceRow};
use super::passages::unpack_headings;
use super::{DocumentRow, changes, json_ids};
use crate::domain::{EmbeddingSpace, GenerationId, PassageId, Span, VersionId};
use crate::error::{EngineError, Result};
use crate::writer::WriteTx;
use half::f16;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{BTreeSet, HashSet};

/// First 16 bytes of BLAKE3 of the exact text handed to the model.
pub(crate) type EmbedHash = [u8; 16];

/// See [`EmbedHash`].
pub(crate) fn hash(text: &str) -> EmbedHash {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    hash
}

/// A passage to be embedded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The passage.
    pub(crate) passage: PassageId,
    /// Hash of `text`: equal ones need one vector.
    pub(crate) hash: EmbedHash,
    /// What is handed to the model.
    pub(crate) text: String,
    /// Attempts that failed.
    pub(crate) failed: u32,
}

/// A version that lacked vectors and lacks none any more, or has been given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completed {
    /// Its document.
    pub(crate) document: DocumentRow,
    /// The version.
    pub(crate) version: VersionId,
    /// It waits for [`super::versions::activate`].
    pub(crate) pending: bool,
}

/// What is to be embedded for a generation: passages of active or pending versions of visible documents without a vector
/// and with fewer than `attempts` failures, fewest failures first, then in order. The same hash comes once.
pub(crate) fn missing(
    conn: &Connection,
    contents: &Contents,
    generation: GenerationId,
    attempts: u32,
    limit: usize,
) -> Result<Vec<Missing>> {
    struct Row {
        passage: PassageId,
        hash: EmbedHash,
        headings: String,
        lead: Option<(i64, i64)>,
        span: (i64, i64),
        failed: u32,
        content: ContentRow,
        context: Option<String>,
    }
    let mut statement = conn.prepare_cached(
        "SELECT p.id, p.embed_hash, p.headings, p.lead_start, p.lead_end, p.embed_start, p.embed_end, p.embed_failed, \
         v.content, p.context FROM passage p INDEXED BY passage_waiting JOIN version v ON v.id = p.version \
         WHERE p.generation = ?1 AND p.waits = 1 AND p.embed_failed < ?2 ORDER BY p.embed_failed, p.id LIMIT ?3",
    )?;
    let rows = statement.query_map(params![generation.0, attempts, limit as i64], |row| {
        Ok(Row {
            passage: PassageId(row.get(0)?),
            hash: row.get(1)?,
            headings: row.get(2)?,
            lead: row.get::<_, Option<i64>>(3)?.zip(row.get::<_, Option<i64>>(4)?),
            span: (row.get(5)?, row.get(6)?),
            failed: row.get(7)?,
            content: row.get(8)?,
            context: row.get(9)?,
        })
    })?;
    let mut seen = HashSet::new();
    let mut missing = Vec::new();
    for row in rows {
        let row = row?;
        if !seen.insert(row.hash) {
            continue;
        }
        let content = contents.get(conn, row.content)?;
        let span = |(start, end): (i64, i64)| Span { start: start as usize, end: end as usize };
        let text = crate::domain::embedded_text(
            &content.markdown,
            row.context.as_deref(),
            &unpack_headings(&row.headings)?,
            row.lead.map(span),
            span(row.span),
        );
        missing.push(Missing { passage: row.passage, hash: row.hash, text, failed: row.failed });
    }
    Ok(missing)
}

/// How many passages [`missing`] would give without a limit, equal texts counted each.
pub(crate) fn count_missing(conn: &Connection, generation: GenerationId, attempts: u32) -> Result<usize> {
    let n: i64 = conn
        .prepare_cached(
            "SELECT count(*) FROM passage INDEXED BY passage_waiting \
             WHERE generation = ?1 AND waits = 1 AND embed_failed < ?2",
        )?
        .query_row(params![generation.0, attempts], |row| row.get(0))?;
    Ok(n as usize)
}

/// Row of a stored vector.
pub(super) fn find(conn: &Connection, space: SpaceRow, hash: &EmbedHash) -> Result<Option<i64>> {
    Ok(conn
        .prepare_cached("SELECT id FROM vector WHERE hash = ?1 AND space = ?2")?
        .query_row(params![hash.as_slice(), space], |row| row.get(0))
        .optional()?)
}

/// Stores vectors, ties every waiting passage with the same text to them (logged for live passages), and names the
/// versions of the active generation that became complete. Ingest calls [`super::versions::activate`] for the pending ones
/// and sets document states.
pub(crate) fn store(
    tx: &mut WriteTx<'_>,
    space: &EmbeddingSpace,
    vectors: &[(EmbedHash, Vec<f32>)],
) -> Result<Vec<Completed>> {
    let row = generations::space_row(tx, space)?;
    let mut touched = BTreeSet::new();
    for (hash, vector) in vectors {
        let id = put(tx, row, space, hash, vector)?;
        tie(tx, row, hash, id, &mut touched)?;
    }
    tx.wrote_passages(vectors.len());
    crate::fault::point("writer.after_vectors_written");
    completed(tx, &touched, 0)
}

/// Row of a vector, stored where it is new. `row` is that of `space`.
pub(super) fn put(
    tx: &mut WriteTx<'_>,
    row: SpaceRow,
    space: &EmbeddingSpace,
    hash: &EmbedHash,
    vector: &[f32],
) -> Result<i64> {
    let data = pack(vector, space)?;
    if let Some(id) = find(tx, row, hash)? {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO vector (space, hash, data) VALUES (?1, ?2, ?3)")?.execute(params![
        row,
        hash.as_slice(),
        data
    ])?;
    Ok(tx.last_insert_rowid())
}

/// Ties waiting passages to a vector and logs it for the live ones.
fn tie(
    tx: &mut WriteTx<'_>,
    space: SpaceRow,
    hash: &EmbedHash,
    vector: i64,
    touched: &mut BTreeSet<(VersionId, GenerationId)>,
) -> Result<()> {
    let waiting: Vec<(PassageId, VersionId, GenerationId, bool)> = {
        let mut statement = tx.prepare_cached(
            "SELECT p.id, p.version, p.generation, v.state = 'active' AND d.hidden_ns IS NULL \
             FROM passage p JOIN generation g ON g.id = p.generation JOIN version v ON v.id = p.version \
             JOIN document d ON d.row = v.document WHERE p.embed_hash = ?1 AND p.waits = 1 AND g.space = ?2",
        )?;
        let rows = statement.query_map(params![hash.as_slice(), space], |row| {
            Ok((PassageId(row.get(0)?), VersionId(row.get(1)?), GenerationId(row.get(2)?), row.get(3)?))
        })?;
        rows.collect::<Result<_, _>>()?
    };
    for (passage, version, generation, live) in waiting {
        tx.prepare_cached("UPDATE passage SET vector = ?2, waits = 0 WHERE id = ?1")?
            .execute(params![passage.0, vector])?;
        if live {
            changes::log(tx, generation, passage, changes::ChangeKind::VectorIn)?;
            generations::count(tx, generation, Counts { vectors: 1, ..Counts::default() })?;
        }
        touched.insert((version, generation));
    }
    Ok(())
}

/// Those of the touched versions that wait for nothing any more, or only for passages that failed `attempts` times
/// (0: none may wait).
fn completed(
    conn: &Connection,
    touched: &BTreeSet<(VersionId, GenerationId)>,
    attempts: u32,
) -> Result<Vec<Completed>> {
    let mut done = Vec::new();
    for (version, generation) in touched {
        let found = conn
            .prepare_cached(
                "SELECT v.document, v.state = 'pending' FROM version v JOIN generation g ON g.id = ?2 AND g.state = 'active' \
                 WHERE v.id = ?1 AND NOT EXISTS (SELECT 1 FROM passage p WHERE p.version = ?1 AND p.generation = ?2 \
                 AND p.waits = 1 AND (?3 = 0 OR p.embed_failed < ?3))",
            )?
            .query_row(params![version.0, generation.0, attempts], |row| {
                Ok(Completed { document: row.get(0)?, version: *version, pending: row.get(1)? })
            })
            .optional()?;
        done.extend(found);
    }
    Ok(done)
}

/// Counts a failed attempt for passages and all that wait with the same text. Names the versions of the active generation
/// that now wait only for passages with `attempts` failures: pending ones are to be activated in state `words`.
pub(crate) fn failed(tx: &mut WriteTx<'_>, passages: &[PassageId], attempts: u32) -> Result<Vec<Completed>> {
    let ids = json_ids(passages.iter().map(|id| id.0));
    let touched: BTreeSet<(VersionId, GenerationId)> = {
        let mut statement = tx.prepare_cached(
            "UPDATE passage SET embed_failed = embed_failed + 1 WHERE waits = 1 AND embed_hash IN \
             (SELECT embed_hash FROM passage WHERE id IN (SELECT value FROM json_each(?1))) \
             RETURNING version, generation",
        )?;
        let rows =
            statement.query_map([ids], |row| Ok((VersionId(row.get(0)?), GenerationId(row.get(1)?))))?;
        rows.collect::<Result<_, _>>()?
    };
    completed(tx, &touched, attempts)
}

/// Forgets failed attempts (of one document, or of all), so that they are tried again.
pub(crate) fn retry(tx: &mut WriteTx<'_>, document: Option<DocumentRow>) -> Result<()> {
    match document {
        Some(document) => tx.execute(
            "UPDATE passage SET embed_failed = 0 WHERE waits = 1 AND embed_failed > 0 \
             AND version IN (SELECT id FROM version WHERE document = ?1)",
            [document],
        )?,
        None => tx.execute("UPDATE passage SET embed_failed = 0 WHERE waits = 1 AND embed_failed > 0", [])?,
    };
    Ok(())
}

/// Deletes those of these vectors that no passage uses any more.
pub(super) fn release(tx: &mut WriteTx<'_>, vectors: &[i64]) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "DELETE FROM vector WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM passage WHERE vector = ?1)",
    )?;
    for vector in vectors {
        statement.execute([vector])?;
    }
    Ok(())
}

/// The vector of each live passage among `ids` in a generation, as f16 numbers; those without are left out.
pub(crate) fn for_index(
    conn: &Connection,
    generation: GenerationId,
    ids: &[PassageId],
) -> Result<Vec<(PassageId, Vec<f16>)>> {
    let mut statement = conn.prepare_cached(
        "SELECT p.id, x.data FROM passage p JOIN version v ON v.id = p.version JOIN document d ON d.row = v.document \
         JOIN vector x ON x.id = p.vector WHERE p.id IN (SELECT value FROM json_each(?1)) AND p.generation = ?2 \
         AND v.state = 'active' AND d.hidden_ns IS NULL ORDER BY p.id",
    )?;
    let ids = json_ids(ids.iter().map(|id| id.0));
    let rows = statement.query_map(params![ids, generation.0], |row| {
        let bytes = row.get_ref(1)?.as_blob()?;
        Ok((PassageId(row.get(0)?), unpack(bytes)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn pack(vector: &[f32], space: &EmbeddingSpace) -> Result<Vec<u8>> {
    if vector.len() != space.dimensions as usize {
        return Err(EngineError::Internal(format!(
            "the embedder {} gave a vector of {} numbers instead of {}",
            space.model,
            vector.len(),
            space.dimensions
        )));
    }
    let mut bytes = Vec::with_capacity(vector.len() * 2);
    for &number in vector {
        let number = f16::from_f32(number);
        if !number.is_finite() {
            return Err(EngineError::Internal(format!(
                "the embedder {} gave a vector with a number that is not finite",
                space.model
            )));
        }
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    Ok(bytes)
}

fn unpack(bytes: &[u8]) -> Vec<f16> {
    bytes.chunks_exact(2).map(|pair| f16::from_le_bytes([pair[0], pair[1]])).collect()
}
