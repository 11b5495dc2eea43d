//! Sources and exclusions.

use crate::domain::{Source, SourceId, SourceKind};
use crate::error::{EngineError, Result};
use crate::watch::paths;
use crate::writer::WriteTx;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashSet;
use std::path::Path;

/// What stands in `needs_confirmation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confirmation {
    /// Nothing to ask.
    None = 0,
    /// A mass deletion waits for the user's word.
    Asked = 1,
    /// The user keeps what vanished until it is back.
    Kept = 2,
}

fn word(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Folder => "folder",
        SourceKind::Files => "files",
        SourceKind::Texts => "texts",
        SourceKind::Pages => "pages",
    }
}

/// The kind that a word of the ledger stands for.
pub(crate) fn kind(word: &str) -> SourceKind {
    match word {
        "folder" => SourceKind::Folder,
        "files" => SourceKind::Files,
        "texts" => SourceKind::Texts,
        _ => SourceKind::Pages,
    }
}

const COLUMNS: &str = "id, kind, root, watched, present, needs_confirmation";

fn read(row: &Row<'_>) -> rusqlite::Result<Source> {
    let kind = kind(row.get_ref(1)?.as_str()?);
    Ok(Source {
        id: SourceId(row.get(0)?),
        kind,
        root: paths::path_of(row.get_ref(2)?.as_blob()?),
        watched: row.get(3)?,
        present: row.get(4)?,
        needs_confirmation: row.get::<_, i64>(5)? == Confirmation::Asked as i64,
    })
}

/// All sources, in order of their making.
pub(crate) fn all(conn: &Connection) -> Result<Vec<Source>> {
    let mut statement = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM source ORDER BY id"))?;
    let sources = statement.query_map([], read)?.collect::<rusqlite::Result<_>>()?;
    Ok(sources)
}

/// One source.
pub(crate) fn get(conn: &Connection, id: SourceId) -> Result<Source> {
    conn.prepare_cached(&format!("SELECT {COLUMNS} FROM source WHERE id = ?1"))?
        .query_row([id.0], read)
        .optional()?
        .ok_or_else(|| EngineError::NotFound { kind: "source", name: id.to_string() })
}

/// The source with this kind and root, made where it is not there.
pub(crate) fn ensure(tx: &mut WriteTx<'_>, kind: SourceKind, root: &Path) -> Result<SourceId> {
    let root = paths::bytes_of(root);
    tx.prepare_cached("INSERT INTO source (kind, root) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![word(kind), root])?;
    let id = tx
        .prepare_cached("SELECT id FROM source WHERE kind = ?1 AND root = ?2")?
        .query_row(params![word(kind), root], |row| row.get(0))?;
    Ok(SourceId(id))
}

/// Switches following.
pub(crate) fn set_watched(tx: &mut WriteTx<'_>, id: SourceId, watched: bool) -> Result<()> {
    tx.prepare_cached("UPDATE source SET watched = ?2 WHERE id = ?1")?.execute(params![id.0, watched])?;
    Ok(())
}

/// Notes whether the root is there.
pub(crate) fn set_present(tx: &mut WriteTx<'_>, id: SourceId, present: bool) -> Result<()> {
    tx.prepare_cached("UPDATE source SET present = ?2 WHERE id = ?1")?.execute(params![id.0, present])?;
    Ok(())
}

/// Whether a mass deletion waits, or was refused.
pub(crate) fn confirmation(conn: &Connection, id: SourceId) -> Result<Confirmation> {
    let value: i64 = conn
        .prepare_cached("SELECT needs_confirmation FROM source WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?
        .unwrap_or(0);
    Ok(match value {
        1 => Confirmation::Asked,
        2 => Confirmation::Kept,
        _ => Confirmation::None,
    })
}

/// Sets it.
pub(crate) fn set_confirmation(tx: &mut WriteTx<'_>, id: SourceId, value: Confirmation) -> Result<()> {
    tx.prepare_cached("UPDATE source SET needs_confirmation = ?2 WHERE id = ?1")?
        .execute(params![id.0, value as i64])?;
    Ok(())
}

/// Removes a source that has no documents any more.
pub(crate) fn remove(tx: &mut WriteTx<'_>, id: SourceId) -> Result<()> {
    tx.prepare_cached("DELETE FROM source WHERE id = ?1")?.execute([id.0])?;
    Ok(())
}

/// Paths that the user removed and that stay out.
pub(crate) fn exclusions(conn: &Connection, id: SourceId) -> Result<HashSet<Vec<u8>>> {
    let mut statement = conn.prepare_cached("SELECT path FROM exclusion WHERE source = ?1")?;
    let paths = statement.query_map([id.0], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(paths)
}

/// Keeps a path out.
pub(crate) fn exclude(tx: &mut WriteTx<'_>, id: SourceId, path: &[u8]) -> Result<()> {
    tx.prepare_cached("INSERT INTO exclusion (source, path) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![id.0, path])?;
    Ok(())
}

/// Lets a path in again; whether it was out.
pub(crate) fn include(tx: &mut WriteTx<'_>, id: SourceId, path: &[u8]) -> Result<bool> {
    let gone = tx
        .prepare_cached("DELETE FROM exclusion WHERE source = ?1 AND path = ?2")?
        .execute(params![id.0, path])?;
    Ok(gone > 0)
}
