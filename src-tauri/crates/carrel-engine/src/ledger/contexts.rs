//! Lines of context in front of passages, as the ledger keeps them.
//!
//! Invariant: a line, the hash of the text that it makes with its passage, and that text's vector are written in one transaction:
//! until then the passage is found as it was.

use super::changes::{self, ChangeKind};
use super::content::{Content, ContentRow, Contents};
use super::generations::{self, Counts};
use super::json_ids;
use super::passages::{span, unpack_headings};
use super::vectors::{self, EmbedHash};
use crate::domain::{EmbeddingSpace, GenerationId, PassageId, Span, embedded_text};
use crate::error::Result;
use crate::writer::WriteTx;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::Arc;

/// First 16 bytes of BLAKE3 of what the model was told.
pub(crate) type ContextKey = [u8; 16];

/// A passage without a line, with what surrounds it.
#[derive(Debug)]
pub(crate) struct Bare {
    /// The passage.
    pub(crate) passage: PassageId,
    /// Title of its document.
    pub(crate) title: String,
    /// Headings above, outermost first.
    pub(crate) headings: Vec<String>,
    /// The passage in its text.
    pub(crate) span: Span,
    /// The text of its version.
    pub(crate) content: Arc<Content>,
    lead: Option<Span>,
    embed_span: Span,
}

impl Bare {
    /// The exact text handed to the embedder when this line stands in front of the passage.
    pub(crate) fn embedded_with(&self, line: &str) -> String {
        embedded_text(&self.content.markdown, Some(line), &self.headings, self.lead, self.embed_span)
    }
}

const COLUMNS: &str = "SELECT p.id, d.title, p.headings, p.start, p.\"end\", p.lead_start, p.lead_end, p.embed_start, \
                       p.embed_end, v.content FROM passage p";
const JOINED: &str = "JOIN version v ON v.id = p.version JOIN document d ON d.row = v.document";
const LIVE: &str = "v.state = 'active' AND d.hidden_ns IS NULL";

type Raw = (PassageId, String, String, Span, Option<Span>, Span, ContentRow);

fn from_row(row: &Row<'_>) -> rusqlite::Result<Raw> {
    let lead: Option<(i64, i64)> = row.get::<_, Option<i64>>(5)?.zip(row.get::<_, Option<i64>>(6)?);
    Ok((
        PassageId(row.get(0)?),
        row.get(1)?,
        row.get(2)?,
        span(row.get(3)?, row.get(4)?),
        lead.map(|(start, end)| span(start, end)),
        span(row.get(7)?, row.get(8)?),
        row.get(9)?,
    ))
}

fn unpacked(conn: &Connection, contents: &Contents, raw: Raw) -> Result<Bare> {
    let (passage, title, headings, span, lead, embed_span, content) = raw;
    let headings = unpack_headings(&headings)?;
    let content = contents.get(conn, content)?;
    Ok(Bare { passage, title, headings, span, content, lead, embed_span })
}

/// At most `limit` live passages of a generation that wait for their line and not for a vector, in order.
pub(crate) fn due(
    conn: &Connection,
    contents: &Contents,
    generation: GenerationId,
    limit: usize,
) -> Result<Vec<Bare>> {
    let sql = format!(
        "{COLUMNS} INDEXED BY passage_bare {JOINED} \
         WHERE p.generation = ?1 AND p.bare = 1 AND p.waits = 0 AND {LIVE} ORDER BY p.id LIMIT ?2"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params![generation.0, limit as i64], from_row)?;
    rows.map(|raw| unpacked(conn, contents, raw?)).collect()
}

/// These passages, those of them that are live.
pub(crate) fn these(conn: &Connection, contents: &Contents, ids: &[PassageId]) -> Result<Vec<Bare>> {
    let sql = format!(
        "{COLUMNS} {JOINED} WHERE p.id IN (SELECT value FROM json_each(?1)) AND {LIVE} ORDER BY p.id"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([json_ids(ids.iter().map(|id| id.0))], from_row)?;
    rows.map(|raw| unpacked(conn, contents, raw?)).collect()
}

/// How many passages of a generation wait for their line.
pub(crate) fn count_bare(conn: &Connection, generation: GenerationId) -> Result<usize> {
    let n: i64 = conn
        .prepare_cached(
            "SELECT count(*) FROM passage INDEXED BY passage_bare WHERE generation = ?1 AND bare = 1",
        )?
        .query_row([generation.0], |row| row.get(0))?;
    Ok(n as usize)
}

/// What a model wrote when it was told something: a line, or nothing of use.
#[derive(Clone, Debug)]
pub(crate) struct Written(pub(crate) Option<String>);

/// What was written before under this key.
pub(crate) fn find(conn: &Connection, key: &ContextKey) -> Result<Option<Written>> {
    Ok(conn
        .prepare_cached("SELECT context FROM passage WHERE context_key = ?1 LIMIT 1")?
        .query_row([key.as_slice()], |row| row.get(0).map(Written))
        .optional()?)
}

/// What came of a passage that waited for its line.
pub(crate) enum Enriched {
    /// A line.
    Line {
        /// The line.
        line: String,
        /// Of what the model was told.
        key: ContextKey,
        /// Tokens of the embedded text.
        tokens: u32,
        /// Hash of the embedded text.
        hash: EmbedHash,
        /// Its vector; `None` where the generation has no space.
        vector: Option<Vec<f32>>,
    },
    /// Nothing of use was written. Without a key nothing was tried, because the model does not speak its language.
    None {
        /// Of what the model was told.
        key: Option<ContextKey>,
    },
}

/// Writes lines in front of passages of a generation, with the vectors of the texts that they make. Passages that are gone, or do
/// not wait any more, are passed over.
pub(crate) fn store(
    tx: &mut WriteTx<'_>,
    generation: GenerationId,
    space: Option<&EmbeddingSpace>,
    enriched: &[(PassageId, Enriched)],
) -> Result<()> {
    let space =
        space.map(|space| Ok::<_, crate::error::EngineError>((generations::space_row(tx, space)?, space)));
    let space = space.transpose()?;
    for (passage, result) in enriched {
        let sql = format!(
            "SELECT p.vector, {LIVE} FROM passage p {JOINED} WHERE p.id = ?1 AND p.generation = ?2 AND p.bare = 1"
        );
        let found: Option<(Option<i64>, bool)> = tx
            .prepare_cached(&sql)?
            .query_row(params![passage.0, generation.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((old, live)) = found else { continue };
        let (line, key, tokens, hash, vector) = match result {
            Enriched::None { key } => {
                tx.prepare_cached("UPDATE passage SET bare = 0, context_key = ?2 WHERE id = ?1")?
                    .execute(params![passage.0, key.as_ref().map(<[u8; 16]>::as_slice)])?;
                continue;
            }
            Enriched::Line { line, key, tokens, hash, vector } => (line, key, tokens, hash, vector),
        };
        let new = match (vector, space) {
            (Some(vector), Some((row, space))) => Some(vectors::put(tx, row, space, hash, vector)?),
            _ => None,
        };
        tx.prepare_cached(
            "UPDATE passage SET bare = 0, context = ?2, context_key = ?3, tokens = ?4, embed_hash = ?5, vector = ?6, waits = 0 \
             WHERE id = ?1",
        )?
        .execute(params![passage.0, line, key.as_slice(), tokens, hash.as_slice(), new])?;
        if live {
            changes::log(tx, generation, *passage, ChangeKind::WordsIn)?;
            if new.is_some() {
                changes::log(tx, generation, *passage, ChangeKind::VectorIn)?;
            }
            let vectors = i64::from(new.is_some()) - i64::from(old.is_some());
            generations::count(tx, generation, Counts { vectors, lines: 1, ..Counts::default() })?;
        }
        vectors::release(tx, &old.into_iter().filter(|old| Some(*old) != new).collect::<Vec<_>>())?;
    }
    tx.wrote_passages(enriched.len());
    Ok(())
}

/// Lets the passages of a generation wait again for which another model had no line.
pub(crate) fn try_again(tx: &mut WriteTx<'_>, generation: GenerationId) -> Result<()> {
    tx.execute(
        "UPDATE passage SET bare = 1, context_key = NULL WHERE generation = ?1 AND context IS NULL AND bare = 0 \
         AND version IN (SELECT id FROM version WHERE state IN ('active', 'pending'))",
        [generation.0],
    )?;
    Ok(())
}
