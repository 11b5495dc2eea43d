//! Documents: identity, the cheap check, the queue, the state.
//!
//! Refuses to touch versions and passages: `versions` does. Invariant: a row that waits for conversion has `queued = 1`, and keeps
//! it until its outcome is written in the same transaction.

use super::{DocumentRow, versions};
use crate::domain::{DocumentId, DocumentState, Reason, SourceId, SourceKind};
use crate::error::Result;
use crate::seams::{LOCKED_PART, Tag};
use crate::watch::paths;
use crate::writer::WriteTx;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Size, modification time and file id of a file: equal ones mean the same content, without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stat {
    /// Bytes.
    pub(crate) bytes: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified_ns: Option<i64>,
    /// Device and inode, or the platform's like.
    pub(crate) file_id: Option<[u8; 16]>,
}

/// BLAKE3 of an original's bytes.
pub(crate) type ContentHash = [u8; 32];

/// What a scan knows of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) row: DocumentRow,
    pub(crate) source: SourceId,
    pub(crate) path: Vec<u8>,
    pub(crate) stat: Stat,
    pub(crate) hash: Option<ContentHash>,
    pub(crate) state: DocumentState,
    pub(crate) code: Option<String>,
    pub(crate) hidden: bool,
    pub(crate) queued: bool,
    /// What the file holds has not been taken in: it is to be read wherever it is found.
    pub(crate) unread: bool,
}

const KNOWN: &str = "row, source, path, bytes, modified_ns, file_id, content_hash, state, reason_code, hidden_ns, queued, \
     converter IS NULL AND state NOT IN ('skipped', 'failed')";

fn known(row: &Row<'_>) -> rusqlite::Result<Known> {
    Ok(Known {
        row: row.get(0)?,
        source: SourceId(row.get(1)?),
        path: row.get(2)?,
        stat: Stat { bytes: row.get::<_, i64>(3)? as u64, modified_ns: row.get(4)?, file_id: row.get(5)? },
        hash: row.get(6)?,
        state: state(row, 7)?,
        code: row.get(8)?,
        hidden: row.get::<_, Option<i64>>(9)?.is_some(),
        queued: row.get::<_, i64>(10)? != 0,
        unread: row.get::<_, i64>(11)? != 0,
    })
}

/// The state in a column.
pub(super) fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<DocumentState> {
    Ok(DocumentState::parse(row.get_ref(column)?.as_str()?).unwrap_or(DocumentState::Failed))
}

/// What a source has, hidden documents included; with `below` only that path and what lies below it.
pub(crate) fn of_source(conn: &Connection, source: SourceId, below: Option<&[u8]>) -> Result<Vec<Known>> {
    let all = format!("SELECT {KNOWN} FROM document WHERE source = ?1");
    let rows = match below.and_then(|folder| paths::range_below(folder).map(|range| (folder, range))) {
        None => conn.prepare_cached(&all)?.query_map([source.0], known)?.collect::<rusqlite::Result<_>>()?,
        Some((folder, (from, to))) => conn
            .prepare_cached(&format!("{all} AND (path = ?2 OR (path >= ?3 AND path < ?4))"))?
            .query_map(params![source.0, folder, from, to], known)?
            .collect::<rusqlite::Result<_>>()?,
    };
    Ok(rows)
}

/// How many visible documents a source has.
pub(crate) fn visible(conn: &Connection, source: SourceId) -> Result<usize> {
    let count: i64 = conn
        .prepare_cached("SELECT count(*) FROM document WHERE source = ?1 AND hidden_ns IS NULL")?
        .query_row([source.0], |row| row.get(0))?;
    Ok(count as usize)
}

/// Documents of all sources that went missing and were not purged yet.
pub(crate) fn missing(conn: &Connection) -> Result<Vec<Known>> {
    let mut statement =
        conn.prepare_cached(&format!("SELECT {KNOWN} FROM document WHERE state = 'missing'"))?;
    let rows = statement.query_map([], known)?.collect::<rusqlite::Result<_>>()?;
    Ok(rows)
}

/// Visible documents whose file had one of these ids. One pass over all documents.
pub(crate) fn with_file_ids(conn: &Connection, ids: &HashSet<[u8; 16]>) -> Result<Vec<Known>> {
    let mut found = Vec::new();
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {KNOWN} FROM document WHERE file_id IS NOT NULL AND hidden_ns IS NULL"
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if row.get::<_, Option<[u8; 16]>>(5)?.is_some_and(|id| ids.contains(&id)) {
            found.push(known(row)?);
        }
    }
    Ok(found)
}

/// The document at a path.
pub(crate) fn at(conn: &Connection, source: SourceId, path: &[u8]) -> Result<Option<Known>> {
    Ok(conn
        .prepare_cached(&format!("SELECT {KNOWN} FROM document WHERE source = ?1 AND path = ?2"))?
        .query_row(params![source.0, path], known)
        .optional()?)
}

/// The row of a document.
pub(crate) fn row_of(conn: &Connection, id: DocumentId) -> Result<Option<DocumentRow>> {
    Ok(conn
        .prepare_cached("SELECT row FROM document WHERE id = ?1")?
        .query_row([id.0.as_bytes().as_slice()], |row| row.get(0))
        .optional()?)
}

/// The row of the document that came last; 0 before the first.
pub(crate) fn last_row(conn: &Connection) -> Result<DocumentRow> {
    Ok(conn.prepare_cached("SELECT coalesce(max(row), 0) FROM document")?.query_row([], |r| r.get(0))?)
}

/// Whether a row waits for conversion; `None` where there is none.
pub(crate) fn is_queued(conn: &Connection, row: DocumentRow) -> Result<Option<bool>> {
    Ok(conn
        .prepare_cached("SELECT queued <> 0 FROM document WHERE row = ?1")?
        .query_row([row], |r| r.get(0))
        .optional()?)
}

/// Whether a document went missing.
pub(crate) fn is_hidden(conn: &Connection, row: DocumentRow) -> Result<bool> {
    Ok(conn
        .prepare_cached("SELECT hidden_ns IS NOT NULL FROM document WHERE row = ?1")?
        .query_row([row], |r| r.get(0))?)
}

/// The file of a document, where it has one.
pub(crate) fn file_of(conn: &Connection, row: DocumentRow) -> Result<Option<PathBuf>> {
    let Some((source, path)) = conn
        .prepare_cached("SELECT source, path FROM document WHERE row = ?1")?
        .query_row([row], |r| Ok((SourceId(r.get(0)?), r.get::<_, Vec<u8>>(1)?)))
        .optional()?
    else {
        return Ok(None);
    };
    let source = super::sources::get(conn, source)?;
    Ok(paths::absolute(source.kind, &source.root, &path))
}

/// Where a document is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Its source.
    pub(crate) source: SourceId,
    /// The source's kind.
    pub(crate) kind: SourceKind,
    /// The source's root.
    pub(crate) root: &'a Path,
    /// Relative to it.
    pub(crate) path: &'a [u8],
}

/// Inserts a document. With a reason it is skipped, otherwise it waits for conversion.
pub(crate) fn insert(
    tx: &mut WriteTx<'_>,
    place: Place<'_>,
    stat: Stat,
    skipped: Option<&Reason>,
) -> Result<DocumentRow> {
    let name = paths::name(place.kind, place.path);
    let state = if skipped.is_some() { DocumentState::Skipped } else { DocumentState::Waiting };
    tx.prepare_cached(
        "INSERT INTO document (id, source, path, uri, name, title, bytes, modified_ns, file_id, state, reason_code, reason,
                               retryable, queued)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?
    .execute(params![
        DocumentId::random().0.as_bytes().as_slice(),
        place.source.0,
        place.path,
        paths::uri(place.kind, place.root, place.path),
        name,
        stat.bytes as i64,
        stat.modified_ns,
        stat.file_id,
        state.as_str(),
        skipped.map(|reason| &reason.code),
        skipped.map(|reason| &reason.message),
        skipped.is_some_and(|reason| reason.retryable),
        skipped.is_none(),
    ])?;
    let row = tx.last_insert_rowid();
    tx.changed(Tag::Documents);
    Ok(row)
}

/// Gives a document another place; what it was called follows, unless the user gave the title. A document that was there
/// before (and went missing) is purged.
pub(crate) fn relocate(
    tx: &mut WriteTx<'_>,
    row: DocumentRow,
    place: Place<'_>,
    stat: Option<Stat>,
) -> Result<()> {
    if let Some(other) = at(tx, place.source, place.path)?.filter(|other| other.row != row) {
        versions::purge(tx, other.row)?;
    }
    let name = paths::name(place.kind, place.path);
    tx.prepare_cached(
        "UPDATE document SET title = CASE WHEN title = name AND title_given = 0 THEN ?5 ELSE title END,
                source = ?2, path = ?3, uri = ?4, name = ?5
         WHERE row = ?1",
    )?
    .execute(params![
        row,
        place.source.0,
        place.path,
        paths::uri(place.kind, place.root, place.path),
        name
    ])?;
    if let Some(stat) = stat {
        set_stat(tx, row, stat)?;
    }
    super::changes::reindex_document(tx, row)?;
    tx.changed(Tag::Documents);
    Ok(())
}

/// Keeps what the cheap check compares.
pub(crate) fn set_stat(tx: &mut WriteTx<'_>, row: DocumentRow, stat: Stat) -> Result<()> {
    tx.prepare_cached("UPDATE document SET bytes = ?2, modified_ns = ?3, file_id = ?4 WHERE row = ?1")?
        .execute(params![row, stat.bytes as i64, stat.modified_ns, stat.file_id])?;
    Ok(())
}

/// Puts a document into the queue. `anew` converts it even if its bytes are the same.
pub(crate) fn queue(tx: &mut WriteTx<'_>, row: DocumentRow, anew: bool) -> Result<()> {
    tx.prepare_cached(
        "UPDATE document SET queued = 1, converter = CASE WHEN ?2 THEN NULL ELSE converter END,
                state = CASE WHEN state IN ('failed', 'needs_password', 'skipped', 'no_text') AND ?2 THEN 'waiting' ELSE state END
         WHERE row = ?1",
    )?
    .execute(params![row, anew])?;
    tx.changed(Tag::Documents);
    Ok(())
}

/// Takes a document out of the queue whose file was gone when it was to be read; it is read where it is found again.
pub(crate) fn leave_unread(tx: &mut WriteTx<'_>, row: DocumentRow) -> Result<()> {
    tx.prepare_cached("UPDATE document SET queued = 0, converter = NULL WHERE row = ?1")?.execute([row])?;
    Ok(())
}

/// Takes a document out of the queue, as it is.
pub(crate) fn dequeue(tx: &mut WriteTx<'_>, row: DocumentRow) -> Result<()> {
    tx.prepare_cached("UPDATE document SET queued = 0 WHERE row = ?1")?.execute([row])?;
    Ok(())
}

/// Sets state and reason.
pub(crate) fn set_state(
    tx: &mut WriteTx<'_>,
    row: DocumentRow,
    state: DocumentState,
    reason: Option<&Reason>,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE document SET state = ?2, reason_code = ?3, reason = ?4, retryable = ?5 WHERE row = ?1",
    )?
    .execute(params![
        row,
        state.as_str(),
        reason.map(|reason| &reason.code),
        reason.map(|reason| &reason.message),
        reason.is_some_and(|reason| reason.retryable)
    ])?;
    tx.changed(Tag::Documents);
    Ok(())
}

/// Hides a document that went missing; its rows stay for a late rename.
pub(crate) fn hide(tx: &mut WriteTx<'_>, row: DocumentRow) -> Result<()> {
    versions::hide(tx, row)?;
    dequeue(tx, row)?;
    set_state(
        tx,
        row,
        DocumentState::Missing,
        Some(&Reason {
            code: "missing".to_owned(),
            message: "the file is gone from its place; it is forgotten after 30 days".to_owned(),
            retryable: false,
        }),
    )
}

/// Brings a hidden document back with what is known of it.
pub(crate) fn unhide(tx: &mut WriteTx<'_>, row: DocumentRow) -> Result<()> {
    versions::unhide(tx, row)?;
    settle(tx, row)
}

/// Sets the state that follows from versions and vectors; without a version the document waits for conversion.
pub(crate) fn settle(tx: &mut WriteTx<'_>, row: DocumentRow) -> Result<()> {
    let version: Option<(bool, String, bool)> = tx
        .prepare_cached(
            "SELECT v.complete, v.warnings, EXISTS (SELECT 1 FROM passage p WHERE p.version = v.id) FROM version v
             WHERE v.document = ?1 AND v.state = 'active'",
        )?
        .query_row([row], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((complete, warnings, has_text)) = version else {
        queue(tx, row, true)?;
        return set_state(tx, row, DocumentState::Waiting, None);
    };
    let waits: bool = tx
        .prepare_cached(
            // In this order: from the generation it would read everything that waits.
            "SELECT EXISTS (SELECT 1 FROM version v
                            CROSS JOIN passage p INDEXED BY passage_waiting_version ON p.version = v.id AND p.waits = 1
                            CROSS JOIN generation g ON g.id = p.generation AND g.state = 'active'
                            WHERE v.document = ?1 AND v.state IN ('active', 'pending'))",
        )?
        .query_row([row], |row| row.get(0))?;
    let (state, reason) = if !has_text {
        (
            DocumentState::NoText,
            Some(Reason {
                code: "no_text".to_owned(),
                message: "there is no text in it".to_owned(),
                retryable: false,
            }),
        )
    } else if waits {
        (DocumentState::Words, (!complete).then(|| partial(&warnings)))
    } else if complete {
        (DocumentState::Ready, None)
    } else {
        (DocumentState::Partial, Some(partial(&warnings)))
    };
    set_state(tx, row, state, reason.as_ref())
}

/// One warning of a version stands for all: what the user can do something about, else the first.
fn partial(warnings: &str) -> Reason {
    let mut warnings: Vec<crate::domain::Warning> = serde_json::from_str(warnings).unwrap_or_default();
    let more = warnings.len().saturating_sub(1);
    let locked = warnings.iter().position(|warning| warning.code == LOCKED_PART).unwrap_or_default();
    let first = (!warnings.is_empty()).then(|| warnings.swap_remove(locked));
    let (code, message) = first.map_or_else(
        || ("partial".to_owned(), "a part could not be converted".to_owned()),
        |first| (first.code, first.message),
    );
    let message = if more > 0 { format!("{message} (and {more} more)") } else { message };
    Reason { code, message, retryable: false }
}

/// Adds tags; whether one was new.
pub(crate) fn add_tags(tx: &mut WriteTx<'_>, row: DocumentRow, tags: &[String]) -> Result<bool> {
    let mut new = false;
    for tag in tags {
        new |= tx
            .prepare_cached("INSERT INTO tag (document, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![row, tag])?
            > 0;
    }
    Ok(new)
}

/// Sets the user's own title.
pub(crate) fn give_title(tx: &mut WriteTx<'_>, row: DocumentRow, title: &str) -> Result<bool> {
    let changed = tx
        .prepare_cached("UPDATE document SET title = ?2, title_given = 1 WHERE row = ?1 AND (title <> ?2 OR title_given = 0)")?
        .execute(params![row, title])?;
    Ok(changed > 0)
}

/// Documents hidden before `before_ns`.
pub(crate) fn hidden_before(conn: &Connection, before_ns: i64, limit: usize) -> Result<Vec<DocumentRow>> {
    let mut statement =
        conn.prepare_cached("SELECT row FROM document WHERE state = 'missing' AND hidden_ns < ?1 LIMIT ?2")?;
    let rows = statement
        .query_map(params![before_ns, limit as i64], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(rows)
}
