//! Versions: the content of a document at one time, written in two phases.
//!
//! A first version is active at once (words answer, vectors follow). A later one is pending until its vectors are in, and until
//! then the active one answers. Invariant: the passages that indexes are told of are those of active versions of visible
//! documents, at every commit.

use super::content::{self, ContentRow};
use super::generations::{join_live, set_filled, set_live};
use super::{DocumentRow, passages};
use crate::domain::{Converted, ConverterId, DocumentId, GenerationId, NewPassage, Version, VersionId};
use crate::error::{EngineError, Result};
use crate::fault;
use crate::writer::WriteTx;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// What became of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionOutcome {
    /// The text is that of the newest version: no new version; hash and converter are updated.
    Unchanged {
        /// The version that has this text.
        version: VersionId,
        /// Passages without a vector.
        missing: usize,
    },
    /// It is active: a first version, or one whose vectors were all there already.
    Active {
        /// The new version.
        version: VersionId,
        /// Passages without a vector.
        missing: usize,
    },
    /// A later version, written beside the active one until its vectors are in.
    Pending {
        /// The new version.
        version: VersionId,
        /// Passages without a vector, at least one.
        missing: usize,
    },
}

/// A version that is active or pending.
struct Standing {
    id: VersionId,
    content: ContentRow,
}

fn standing(conn: &Connection, document: DocumentRow, state: &str) -> Result<Option<Standing>> {
    Ok(conn
        .prepare_cached("SELECT id, content FROM version WHERE document = ?1 AND state = ?2")?
        .query_row(params![document, state], |row| {
            Ok(Standing { id: VersionId(row.get(0)?), content: row.get(1)? })
        })
        .optional()?)
}

/// Whether a document is visible: present, or absent without having been taken for deleted.
fn visible(conn: &Connection, document: DocumentRow) -> Result<bool> {
    conn.prepare_cached("SELECT hidden_ns IS NULL FROM document WHERE row = ?1")?
        .query_row([document], |row| row.get(0))
        .optional()?
        .ok_or_else(|| EngineError::NotFound { kind: "document", name: document.to_string() })
}

/// The active version of a document, if the document is visible: the one whose passages the indexes hold.
pub(super) fn live_version(conn: &Connection, document: DocumentRow) -> Result<Option<VersionId>> {
    Ok(conn
        .prepare_cached(
            "SELECT v.id FROM version v JOIN document d ON d.row = v.document \
             WHERE v.document = ?1 AND v.state = 'active' AND d.hidden_ns IS NULL",
        )?
        .query_row([document], |row| Ok(VersionId(row.get(0)?)))
        .optional()?)
}

/// Writes a conversion as a version with its passages in the active generation, in one go. The document row exists; its
/// state, title and media type are the caller's. A version still pending is replaced.
pub(crate) fn write_version(
    tx: &mut WriteTx<'_>,
    document: DocumentRow,
    converted: &Converted,
    content_hash: &[u8; 32],
    passages: &[NewPassage],
    generation: GenerationId,
) -> Result<VersionOutcome> {
    let outcome = write(tx, document, converted, content_hash, passages, generation)?;
    fault::point("writer.after_version_written");
    Ok(outcome)
}

fn write(
    tx: &mut WriteTx<'_>,
    document: DocumentRow,
    converted: &Converted,
    content_hash: &[u8; 32],
    new: &[NewPassage],
    generation: GenerationId,
) -> Result<VersionOutcome> {
    let visible = visible(tx, document)?;
    let content = content::ensure(tx, converted)?;
    let active = standing(tx, document, "active")?;
    let pending = standing(tx, document, "pending")?;

    // The newest version has this text already: the pending one, or the active one again.
    if let Some(pending) = pending {
        if pending.content == content {
            touch(tx, pending.id, converted, content_hash)?;
            let missing = passages::count_waiting(tx, pending.id, generation)?;
            return Ok(VersionOutcome::Unchanged { version: pending.id, missing });
        }
        delete(tx, pending.id, pending.content)?;
    }
    if let Some(active) = &active
        && (active.content == content || same_text(tx, active.content, converted)?)
    {
        touch(tx, active.id, converted, content_hash)?;
        if active.content != content {
            restructure(tx, active, content, converted, new, generation, visible)?;
        }
        let missing = passages::count_waiting(tx, active.id, generation)?;
        return Ok(VersionOutcome::Unchanged { version: active.id, missing });
    }

    let number = next_number(tx, document)?;
    tx.prepare_cached(
        "INSERT INTO version (document, number, content, content_hash, converter, converter_version, created_ns, complete, \
         warnings, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        document,
        number,
        content,
        content_hash.as_slice(),
        converted.converter.id,
        converted.converter.version,
        tx.now().as_nanosecond() as i64,
        converted.complete,
        pack_warnings(converted)?,
        if active.is_some() { "pending" } else { "active" },
    ])?;
    let version = VersionId(tx.last_insert_rowid());
    let missing = passages::insert(tx, version, generation, &converted.markdown, new, visible)?;
    if active.is_none() {
        if visible {
            set_live(tx, version, true)?;
        }
        return Ok(VersionOutcome::Active { version, missing });
    }
    if missing == 0 {
        activate(tx, version)?;
        return Ok(VersionOutcome::Active { version, missing });
    }
    Ok(VersionOutcome::Pending { version, missing })
}

fn next_number(conn: &Connection, document: DocumentRow) -> Result<u32> {
    Ok(conn
        .prepare_cached("SELECT coalesce(max(number), 0) + 1 FROM version WHERE document = ?1")?
        .query_row([document], |row| row.get(0))?)
}

fn pack_warnings(converted: &Converted) -> Result<String> {
    serde_json::to_string(&converted.warnings)
        .map_err(|e| EngineError::Internal(format!("warnings of a conversion do not pack: {e}")))
}

/// Updates what a version knows of its original, its text being the same.
fn touch(
    tx: &mut WriteTx<'_>,
    version: VersionId,
    converted: &Converted,
    content_hash: &[u8; 32],
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE version SET content_hash = ?2, converter = ?3, converter_version = ?4, complete = ?5, warnings = ?6 \
         WHERE id = ?1",
    )?
    .execute(params![
        version.0,
        content_hash.as_slice(),
        converted.converter.id,
        converted.converter.version,
        converted.complete,
        pack_warnings(converted)?,
    ])?;
    Ok(())
}

/// Whether a stored content has the same Markdown, though its structure differs.
fn same_text(conn: &Connection, row: ContentRow, converted: &Converted) -> Result<bool> {
    let bytes: i64 =
        conn.prepare_cached("SELECT bytes FROM content WHERE id = ?1")?.query_row([row], |r| r.get(0))?;
    Ok(bytes == converted.markdown.len() as i64 && *content::read(conn, row)?.markdown == *converted.markdown)
}

/// Gives the active version a better structure for the same text; passages are written again only where they differ.
fn restructure(
    tx: &mut WriteTx<'_>,
    active: &Standing,
    content: ContentRow,
    converted: &Converted,
    new: &[NewPassage],
    generation: GenerationId,
    visible: bool,
) -> Result<()> {
    let same = passages::same(tx, active.id, generation, &converted.markdown, new)?;
    if !same && visible {
        set_live(tx, active.id, false)?;
    }
    tx.prepare_cached("UPDATE version SET content = ?2 WHERE id = ?1")?.execute([active.id.0, content])?;
    content::release(tx, active.content)?;
    if !same {
        // The new ones first, so that vectors they share with the old ones stay.
        let old: Vec<i64> = {
            let mut statement =
                tx.prepare_cached("SELECT id FROM passage WHERE version = ?1 AND generation = ?2")?;
            statement.query_map([active.id.0, generation.0], |row| row.get(0))?.collect::<Result<_, _>>()?
        };
        passages::insert(tx, active.id, generation, &converted.markdown, new, visible)?;
        passages::delete_rows(tx, &old)?;
        if visible {
            set_live(tx, active.id, true)?;
        }
    }
    Ok(())
}

/// Adds the passages of a version in a generation that is being built, and notes how far that is. Versions come in the
/// order that [`super::generations::to_fill`] gives.
pub(crate) fn fill(
    tx: &mut WriteTx<'_>,
    version: VersionId,
    new: &[NewPassage],
    generation: GenerationId,
) -> Result<()> {
    let found = tx
        .prepare_cached(
            "SELECT v.content, v.state = 'active', d.hidden_ns IS NULL FROM version v \
             JOIN document d ON d.row = v.document WHERE v.id = ?1",
        )?
        .query_row([version.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((content, active, visible)): Option<(ContentRow, bool, bool)> = found else {
        return set_filled(tx, generation, version);
    };
    let markdown = content::read(tx, content)?.markdown;
    passages::delete(tx, version, Some(generation))?;
    passages::insert(tx, version, generation, &markdown, new, visible)?;
    if active && visible {
        join_live(tx, version, generation)?;
    }
    set_filled(tx, generation, version)
}

/// Makes a version the active one; the one that was becomes superseded.
pub(crate) fn activate(tx: &mut WriteTx<'_>, version: VersionId) -> Result<()> {
    let (document, state): (DocumentRow, String) = tx
        .prepare_cached("SELECT document, state FROM version WHERE id = ?1")?
        .query_row([version.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?
        .ok_or_else(|| EngineError::NotFound { kind: "version", name: version.to_string() })?;
    if state == "active" {
        return Ok(());
    }
    let visible = visible(tx, document)?;
    if let Some(old) = standing(tx, document, "active")? {
        if visible {
            set_live(tx, old.id, false)?;
        }
        passages::stop_waiting(tx, old.id)?;
        set_state(tx, old.id, "superseded")?;
    }
    set_state(tx, version, "active")?;
    if visible {
        if state == "superseded" {
            passages::await_what_lacks(tx, version)?;
        }
        set_live(tx, version, true)?;
    }
    fault::point("writer.after_activate");
    Ok(())
}

fn set_state(tx: &mut WriteTx<'_>, version: VersionId, state: &str) -> Result<()> {
    tx.prepare_cached("UPDATE version SET state = ?2 WHERE id = ?1")?.execute(params![version.0, state])?;
    Ok(())
}

/// Takes a document out of every index at once and notes when; its rows stay until [`purge`].
pub(crate) fn hide(tx: &mut WriteTx<'_>, document: DocumentRow) -> Result<()> {
    if !visible(tx, document)? {
        return Ok(());
    }
    if let Some(active) = standing(tx, document, "active")? {
        set_live(tx, active.id, false)?;
        passages::stop_waiting(tx, active.id)?;
    }
    if let Some(pending) = standing(tx, document, "pending")? {
        passages::stop_waiting(tx, pending.id)?;
    }
    tx.prepare_cached("UPDATE document SET hidden_ns = ?2 WHERE row = ?1")?
        .execute(params![document, tx.now().as_nanosecond() as i64])?;
    Ok(())
}

/// Brings a hidden document back; nothing is embedded again.
pub(crate) fn unhide(tx: &mut WriteTx<'_>, document: DocumentRow) -> Result<()> {
    if visible(tx, document)? {
        return Ok(());
    }
    tx.prepare_cached("UPDATE document SET hidden_ns = NULL WHERE row = ?1")?.execute([document])?;
    if let Some(active) = standing(tx, document, "active")? {
        passages::await_what_lacks(tx, active.id)?;
        set_live(tx, active.id, true)?;
    }
    if let Some(pending) = standing(tx, document, "pending")? {
        passages::await_what_lacks(tx, pending.id)?;
    }
    Ok(())
}

/// Deletes a document with its versions, passages, and what of contents and vectors nothing else uses.
pub(crate) fn purge(tx: &mut WriteTx<'_>, document: DocumentRow) -> Result<()> {
    if let Some(live) = live_version(tx, document)? {
        set_live(tx, live, false)?;
    }
    let versions: Vec<(VersionId, ContentRow)> = {
        let mut statement = tx.prepare_cached("SELECT id, content FROM version WHERE document = ?1")?;
        let rows = statement.query_map([document], |row| Ok((VersionId(row.get(0)?), row.get(1)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    for (version, content) in versions {
        delete(tx, version, content)?;
    }
    tx.prepare_cached("DELETE FROM document WHERE row = ?1")?.execute([document])?;
    Ok(())
}

/// Deletes a version whose passages are not live.
fn delete(tx: &mut WriteTx<'_>, version: VersionId, content: ContentRow) -> Result<()> {
    passages::delete(tx, version, None)?;
    tx.prepare_cached("DELETE FROM version WHERE id = ?1")?.execute([version.0])?;
    content::release(tx, content)
}

const COLUMNS: &str = "SELECT v.id, v.number, v.state = 'active', v.created_ns, v.content_hash, v.converter, \
                       v.converter_version, c.characters, v.content FROM version v JOIN content c ON c.id = v.content \
                       JOIN document d ON d.row = v.document";

fn from_row(row: &Row<'_>, document: DocumentId) -> rusqlite::Result<(Version, ContentRow)> {
    let hash: [u8; 32] = row.get(4)?;
    let created: i64 = row.get(3)?;
    let characters: i64 = row.get(7)?;
    let version = Version {
        id: VersionId(row.get(0)?),
        document,
        number: row.get(1)?,
        active: row.get(2)?,
        created: Timestamp::from_nanosecond(i128::from(created)).unwrap_or(Timestamp::UNIX_EPOCH),
        content_hash: blake3::Hash::from_bytes(hash).to_hex().to_string(),
        converter: ConverterId { id: row.get(5)?, version: row.get(6)? },
        characters: characters as u64,
    };
    Ok((version, row.get(8)?))
}

/// Versions of a document that are or were active, oldest first.
pub(crate) fn of_document(conn: &Connection, document: DocumentId) -> Result<Vec<Version>> {
    let mut statement = conn
        .prepare_cached(&format!("{COLUMNS} WHERE d.id = ?1 AND v.state <> 'pending' ORDER BY v.number"))?;
    let rows =
        statement.query_map([document.0.as_bytes().as_slice()], |row| Ok(from_row(row, document)?.0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One version of a document with its content's row; `None` asks for the active one.
pub(crate) fn one(
    conn: &Connection,
    document: DocumentId,
    number: Option<u32>,
) -> Result<(Version, ContentRow)> {
    let sql = match number {
        Some(_) => format!("{COLUMNS} WHERE d.id = ?1 AND v.number = ?2"),
        None => format!("{COLUMNS} WHERE d.id = ?1 AND v.state = 'active' AND ?2 IS NULL"),
    };
    conn.prepare_cached(&sql)?
        .query_row(params![document.0.as_bytes().as_slice(), number], |row| from_row(row, document))
        .optional()?
        .ok_or_else(|| EngineError::NotFound {
            kind: "version",
            name: match number {
                Some(number) => format!("{number} of document {document}"),
                None => format!("1 of document {document}"),
            },
        })
}
