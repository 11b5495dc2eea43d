//! Passages: spans of a version in a generation.
//!
//! Invariant: text is never copied; a passage is read by cutting its version's Markdown.

use super::content::{ContentRow, Contents};
use super::generations::{self, SpaceRow};
use super::vectors::{self, EmbedHash};
use super::{DocumentRow, json_ids};
use crate::domain::{
    DocumentId, GenerationId, LocatedSpan, Location, NewPassage, Passage, PassageId, Span, VersionId,
    embedded_text,
};
use crate::error::{EngineError, Result};
use crate::writer::WriteTx;
use rusqlite::{Connection, Row, params};
use std::collections::HashMap;

/// Headings as they stand in the ledger: nothing for none, a JSON array otherwise.
pub(super) fn pack_headings(headings: &[String]) -> String {
    if headings.is_empty() { String::new() } else { serde_json::json!(headings).to_string() }
}

/// Reads what [`pack_headings`] wrote.
pub(super) fn unpack_headings(text: &str) -> Result<Vec<String>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(text)
        .map_err(|e| EngineError::Internal(format!("headings of a passage do not parse: {e}")))
}

/// The text handed to the model for a new passage, as its hash.
fn embed_hash(passage: &NewPassage, context: Option<&str>, markdown: &str) -> EmbedHash {
    let (headings, lead) = (&passage.heading_path, passage.lead);
    vectors::hash(&embedded_text(markdown, context, headings, lead, passage.embed_span))
}

/// Writes the passages of a version in a generation. Those whose vector is known already are tied to it; the others wait
/// for theirs where `embed` is set and the generation has a space. Returns how many wait. In an enriched generation all of them
/// wait for their lines.
pub(super) fn insert(
    tx: &mut WriteTx<'_>,
    version: VersionId,
    generation: GenerationId,
    markdown: &str,
    passages: &[NewPassage],
    embed: bool,
) -> Result<usize> {
    let (space, enriched) = generations::makes(tx, generation)?;
    let mut waiting = 0;
    for (ordinal, passage) in passages.iter().enumerate() {
        let hash = embed_hash(passage, None, markdown);
        let vector = space.map(|space| vectors::find(tx, space, &hash)).transpose()?.flatten();
        let waits = embed && space.is_some() && vector.is_none();
        waiting += usize::from(waits);
        tx.prepare_cached(
            "INSERT INTO passage (version, generation, ordinal, start, \"end\", embed_start, embed_end, lead_start, \
             lead_end, headings, tokens, embed_hash, vector, waits, bare) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            version.0,
            generation.0,
            ordinal as i64,
            passage.span.start as i64,
            passage.span.end as i64,
            passage.embed_span.start as i64,
            passage.embed_span.end as i64,
            passage.lead.map(|s| s.start as i64),
            passage.lead.map(|s| s.end as i64),
            pack_headings(&passage.heading_path),
            passage.tokens,
            hash.as_slice(),
            vector,
            waits,
            enriched,
        ])?;
    }
    tx.wrote_passages(passages.len());
    Ok(waiting)
}

/// Deletes the passages of a version (`generation`: only those) and the vectors that only they used.
pub(super) fn delete(
    tx: &mut WriteTx<'_>,
    version: VersionId,
    generation: Option<GenerationId>,
) -> Result<()> {
    let generation = generation.map(|g| g.0);
    let vectors: Vec<i64> = {
        let mut statement = tx.prepare_cached(
            "SELECT DISTINCT vector FROM passage WHERE version = ?1 AND (?2 IS NULL OR generation = ?2) \
             AND vector IS NOT NULL",
        )?;
        statement.query_map(params![version.0, generation], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    tx.prepare_cached("DELETE FROM passage WHERE version = ?1 AND (?2 IS NULL OR generation = ?2)")?
        .execute(params![version.0, generation])?;
    vectors::release(tx, &vectors)
}

/// Deletes passages by row, and the vectors that only they used.
pub(super) fn delete_rows(tx: &mut WriteTx<'_>, rows: &[i64]) -> Result<()> {
    let mut vectors: Vec<i64> = Vec::new();
    {
        let mut statement = tx.prepare_cached("DELETE FROM passage WHERE id = ?1 RETURNING vector")?;
        for row in rows {
            vectors.extend(statement.query_row([row], |r| r.get::<_, Option<i64>>(0))?);
        }
    }
    vectors.sort_unstable();
    vectors.dedup();
    vectors::release(tx, &vectors)
}

/// Whether a version's passages in a generation are these, so that nothing needs to be written.
pub(super) fn same(
    conn: &Connection,
    version: VersionId,
    generation: GenerationId,
    markdown: &str,
    passages: &[NewPassage],
) -> Result<bool> {
    let mut statement = conn.prepare_cached(
        "SELECT start, \"end\", headings, lead_start, embed_hash, context FROM passage \
         WHERE version = ?1 AND generation = ?2 ORDER BY ordinal",
    )?;
    let mut rows = statement.query([version.0, generation.0])?;
    for passage in passages {
        let Some(row) = rows.next()? else { return Ok(false) };
        let (start, end, headings): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (lead, hash): (Option<i64>, EmbedHash) = (row.get(3)?, row.get(4)?);
        let context: Option<String> = row.get(5)?;
        if start != passage.span.start as i64
            || end != passage.span.end as i64
            || headings != pack_headings(&passage.heading_path)
            || lead != passage.lead.map(|s| s.start as i64)
            || hash != embed_hash(passage, context.as_deref(), markdown)
        {
            return Ok(false);
        }
    }
    Ok(rows.next()?.is_none())
}

const COLUMNS: &str = "SELECT p.id, d.id, v.number, p.ordinal, p.start, p.\"end\", p.lead_start, p.lead_end, p.headings, \
                       p.tokens, v.content, d.row, d.title, d.name, p.context \
                       FROM passage p JOIN version v ON v.id = p.version JOIN document d ON d.row = v.document";

/// A passage's row with what belongs to it, before its text is cut.
struct Found {
    id: PassageId,
    document: DocumentId,
    number: u32,
    ordinal: u32,
    span: Span,
    lead: Option<Span>,
    headings: String,
    tokens: u32,
    content: ContentRow,
    document_row: DocumentRow,
    title: String,
    name: String,
    context: Option<String>,
}

pub(super) fn span(start: i64, end: i64) -> Span {
    Span { start: start.max(0) as usize, end: end.max(start).max(0) as usize }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Found> {
    let lead: Option<(i64, i64)> = row.get::<_, Option<i64>>(6)?.zip(row.get::<_, Option<i64>>(7)?);
    Ok(Found {
        id: PassageId(row.get(0)?),
        document: DocumentId(uuid::Uuid::from_bytes(row.get(1)?)),
        number: row.get(2)?,
        ordinal: row.get(3)?,
        span: span(row.get(4)?, row.get(5)?),
        lead: lead.map(|(start, end)| span(start, end)),
        headings: row.get(8)?,
        tokens: row.get(9)?,
        content: row.get(10)?,
        document_row: row.get(11)?,
        title: row.get(12)?,
        name: row.get(13)?,
        context: row.get(14)?,
    })
}

/// Where a passage lies. A located span covers several lines: those before the passage are counted.
fn location(markdown: &str, span: Span, located: &[LocatedSpan]) -> Location {
    let mut location = Location::of_span(span, located);
    let first = located.get(located.partition_point(|l| l.span.end <= span.start));
    if let (Some(line), Some(first)) = (&mut location.line, first)
        && let Some(before) = markdown.get(first.span.start..span.start)
    {
        *line += before.matches('\n').count() as u32;
    }
    location
}

fn cut(conn: &Connection, contents: &Contents, found: &Found) -> Result<Passage> {
    let content = contents.get(conn, found.content)?;
    let text = found.span.of(&content.markdown).ok_or_else(|| {
        EngineError::Internal(format!("passage {} lies outside its text: run `carrel doctor`", found.id))
    })?;
    Ok(Passage {
        id: found.id,
        document: found.document,
        version: found.number,
        ordinal: found.ordinal,
        text: text.to_owned(),
        span: found.span,
        lead: found.lead,
        heading_path: unpack_headings(&found.headings)?,
        location: location(&content.markdown, found.span, &content.structure()?.locations),
        tokens: found.tokens,
        context: found.context.clone(),
    })
}

/// Re-reads passages of active versions of visible documents, in the order given; those that are gone are left out. Their
/// generation does not matter: what a search found in the one that was active when it began is still true.
pub(crate) fn live(conn: &Connection, contents: &Contents, ids: &[PassageId]) -> Result<Vec<Passage>> {
    let mut statement = conn.prepare_cached(&format!(
        "{COLUMNS} WHERE p.id IN (SELECT value FROM json_each(?1)) AND v.state = 'active' AND d.hidden_ns IS NULL"
    ))?;
    let rows = statement.query_map([json_ids(ids.iter().map(|id| id.0))], from_row)?;
    let mut found: HashMap<PassageId, Found> = HashMap::with_capacity(ids.len());
    for row in rows {
        let row = row?;
        found.insert(row.id, row);
    }
    ids.iter().filter_map(|id| found.remove(id)).map(|found| cut(conn, contents, &found)).collect()
}

/// The passages of a version in a generation, in order.
pub(crate) fn of_version(
    conn: &Connection,
    contents: &Contents,
    version: VersionId,
    generation: GenerationId,
) -> Result<Vec<Passage>> {
    let mut statement = conn.prepare_cached(&format!(
        "{COLUMNS} WHERE p.version = ?1 AND p.generation = ?2 ORDER BY p.ordinal"
    ))?;
    let rows = statement.query_map([version.0, generation.0], from_row)?;
    rows.map(|row| cut(conn, contents, &row?)).collect()
}

/// A live passage as an index takes it.
pub(crate) struct Indexed {
    /// Its key.
    pub(crate) id: PassageId,
    /// Row of its document.
    pub(crate) document: DocumentRow,
    /// Its text.
    pub(crate) text: String,
    /// Headings above.
    pub(crate) headings: Vec<String>,
    /// Title of the document.
    pub(crate) title: String,
    /// File name of the document.
    pub(crate) name: String,
    /// The line of context in front of it.
    pub(crate) context: Option<String>,
}

/// Which of `ids` are live in a generation, with what the lexical index takes of them.
pub(crate) fn for_index(
    conn: &Connection,
    contents: &Contents,
    generation: GenerationId,
    ids: &[PassageId],
) -> Result<Vec<Indexed>> {
    let mut statement = conn.prepare_cached(&format!(
        "{COLUMNS} WHERE p.id IN (SELECT value FROM json_each(?1)) AND p.generation = ?2 AND v.state = 'active' \
         AND d.hidden_ns IS NULL ORDER BY p.id"
    ))?;
    let ids = json_ids(ids.iter().map(|id| id.0));
    let rows = statement.query_map(params![ids, generation.0], from_row)?;
    rows.map(|row| {
        let found = row?;
        let content = contents.get(conn, found.content)?;
        Ok(Indexed {
            id: found.id,
            document: found.document_row,
            text: found.span.of(&content.markdown).unwrap_or_default().to_owned(),
            headings: unpack_headings(&found.headings)?,
            title: found.title,
            name: found.name,
            context: found.context,
        })
    })
    .collect()
}

/// The next live passages of a generation above `after`, by id: how an index is rebuilt.
pub(crate) fn next_live(
    conn: &Connection,
    generation: GenerationId,
    after: PassageId,
    limit: usize,
) -> Result<Vec<PassageId>> {
    let mut statement = conn.prepare_cached(
        "SELECT p.id FROM passage p JOIN version v ON v.id = p.version JOIN document d ON d.row = v.document \
         WHERE p.id > ?1 AND p.generation = ?2 AND v.state = 'active' AND d.hidden_ns IS NULL ORDER BY p.id LIMIT ?3",
    )?;
    let rows = statement
        .query_map(params![after.0, generation.0, limit as i64], |row| Ok(PassageId(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Ties the passages of a version to vectors that are known, and lets the others wait for theirs where their generation has
/// a space and is not kept; the same for lines of context. For versions that come back.
pub(super) fn await_what_lacks(tx: &mut WriteTx<'_>, version: VersionId) -> Result<()> {
    let lacking: Vec<(PassageId, EmbedHash, SpaceRow)> = {
        let mut statement = tx.prepare_cached(
            "SELECT p.id, p.embed_hash, g.space FROM passage p JOIN generation g ON g.id = p.generation \
             WHERE p.version = ?1 AND p.vector IS NULL AND g.space IS NOT NULL AND g.state <> 'kept'",
        )?;
        let rows =
            statement.query_map([version.0], |row| Ok((PassageId(row.get(0)?), row.get(1)?, row.get(2)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    for (passage, hash, space) in lacking {
        let vector = vectors::find(tx, space, &hash)?;
        tx.prepare_cached("UPDATE passage SET vector = ?2, waits = ?2 IS NULL WHERE id = ?1")?
            .execute(params![passage.0, vector])?;
    }
    tx.prepare_cached(
        "UPDATE passage SET bare = 1 WHERE version = ?1 AND context_key IS NULL \
         AND generation IN (SELECT id FROM generation WHERE enriched AND state <> 'kept')",
    )?
    .execute([version.0])?;
    Ok(())
}

/// What of a version is not embedded or has no line is not waited for any more.
pub(super) fn stop_waiting(tx: &mut WriteTx<'_>, version: VersionId) -> Result<()> {
    tx.prepare_cached("UPDATE passage SET bare = 0 WHERE version = ?1 AND bare = 1")?.execute([version.0])?;
    tx.prepare_cached("UPDATE passage SET waits = 0 WHERE version = ?1 AND waits = 1")?
        .execute([version.0])?;
    Ok(())
}

/// Passages of a version in a generation that wait for their vectors.
pub(super) fn count_waiting(
    conn: &Connection,
    version: VersionId,
    generation: GenerationId,
) -> Result<usize> {
    let n: i64 = conn
        .prepare_cached("SELECT count(*) FROM passage WHERE version = ?1 AND generation = ?2 AND waits = 1")?
        .query_row([version.0, generation.0], |row| row.get(0))?;
    Ok(n as usize)
}
