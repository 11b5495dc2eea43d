//! Documents as they are shown: one, a page of them, the folders above them.

use super::{DocumentRow, documents, json_ids};
use crate::domain::{Document, DocumentId, DocumentState, Reason, SourceId};
use crate::error::Result;
use crate::library::{DocumentOrder, DocumentQuery};
use crate::watch::paths;
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use std::collections::{BTreeMap, HashMap};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

const SELECT: &str = "
    SELECT d.row, d.id, d.source, d.path, d.uri, d.title, d.media_type, d.bytes, d.modified_ns, d.state, d.reason_code,
           d.reason, d.retryable, v.number,
           (SELECT count(*) FROM passage p
            WHERE p.version = v.id AND p.generation = (SELECT id FROM generation WHERE state = 'active')),
           (SELECT json_group_array(name) FROM (SELECT name FROM tag WHERE document = d.row ORDER BY name))
    FROM document d LEFT JOIN version v ON v.document = d.row AND v.state = 'active'";

fn read(row: &Row<'_>) -> rusqlite::Result<(DocumentRow, Document)> {
    let id: [u8; 16] = row.get(1)?;
    let modified: Option<i64> = row.get(8)?;
    let reason = row.get::<_, Option<String>>(10)?.map(|code| -> rusqlite::Result<Reason> {
        Ok(Reason {
            code,
            message: row.get::<_, Option<String>>(11)?.unwrap_or_default(),
            retryable: row.get(12)?,
        })
    });
    let tags: String = row.get(15)?;
    Ok((
        row.get(0)?,
        Document {
            id: DocumentId(uuid::Uuid::from_bytes(id)),
            source: SourceId(row.get(2)?),
            path: row.get(3)?,
            uri: row.get(4)?,
            title: row.get(5)?,
            media_type: row.get(6)?,
            bytes: row.get::<_, i64>(7)? as u64,
            modified: modified.and_then(|ns| Timestamp::from_nanosecond(i128::from(ns)).ok()),
            state: documents::state(row, 9)?,
            reason: reason.transpose()?,
            version: row.get(13)?,
            passages: row.get(14)?,
            tags: serde_json::from_str(&tags).unwrap_or_default(),
        },
    ))
}

/// One document.
pub(crate) fn by_row(conn: &Connection, row: DocumentRow) -> Result<Option<Document>> {
    let found =
        conn.prepare_cached(&format!("{SELECT} WHERE d.row = ?1"))?.query_row([row], read).optional()?;
    Ok(found.map(|(_, document)| document))
}

/// One document.
pub(crate) fn by_id(conn: &Connection, id: DocumentId) -> Result<Option<Document>> {
    let found = conn
        .prepare_cached(&format!("{SELECT} WHERE d.id = ?1"))?
        .query_row([id.0.as_bytes().as_slice()], read)
        .optional()?;
    Ok(found.map(|(_, document)| document))
}

/// The titles of all documents that are shown.
pub(crate) fn titles(conn: &Connection) -> Result<Vec<String>> {
    let mut statement = conn.prepare_cached("SELECT title FROM document WHERE hidden_ns IS NULL")?;
    let titles = statement.query_map([], |row| row.get(0))?;
    Ok(titles.collect::<rusqlite::Result<_>>()?)
}

/// Documents with this URI, or at this path of this source.
pub(crate) fn by_uri(conn: &Connection, uri: &str) -> Result<Vec<Document>> {
    let mut statement =
        conn.prepare_cached(&format!("{SELECT} WHERE d.uri = ?1 AND d.state <> 'missing' ORDER BY d.row"))?;
    let found = statement.query_map([uri], read)?.map(|found| found.map(|(_, document)| document));
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// The document at a path of a source.
pub(crate) fn by_path(conn: &Connection, source: SourceId, path: &[u8]) -> Result<Option<Document>> {
    let found = conn
        .prepare_cached(&format!("{SELECT} WHERE d.source = ?1 AND d.path = ?2 AND d.state <> 'missing'"))?
        .query_row(params![source.0, path], read)
        .optional()?;
    Ok(found.map(|(_, document)| document))
}

/// A page of documents, and how many match in all.
pub(crate) fn page(conn: &Connection, query: &DocumentQuery) -> Result<(Vec<Document>, usize)> {
    let (mut conditions, mut values): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
    let wanted = if query.states.is_empty() {
        DocumentState::ALL.into_iter().filter(|state| state.is_present()).collect()
    } else {
        query.states.clone()
    };
    let states: Vec<String> = wanted.iter().map(|state| format!("'{}'", state.as_str())).collect();
    conditions.push(format!("d.state IN ({})", states.join(", ")));
    if let Some((source, folder)) = &query.below {
        values.push(Value::Integer(source.0));
        conditions.push(format!("d.source = ?{}", values.len()));
        if let Some((from, to)) = paths::range_below(folder) {
            values.push(Value::Blob(from));
            values.push(Value::Blob(to));
            conditions.push(format!("d.path >= ?{} AND d.path < ?{}", values.len() - 1, values.len()));
        }
    }
    let order = match query.order {
        DocumentOrder::Path => "d.source, d.path",
        DocumentOrder::Title => "d.title COLLATE NOCASE, d.row",
        DocumentOrder::Modified => "d.modified_ns DESC, d.row",
        DocumentOrder::Size => "d.bytes DESC, d.row",
        DocumentOrder::State => "d.state, d.source, d.path",
    };
    let filter = conditions.join(" AND ");
    // `+`: the order comes from the index over paths, the state is looked at in passing. A count takes the other index.
    let in_order = if query.order == DocumentOrder::Path {
        filter.replacen("d.state", "+d.state", 1)
    } else {
        filter.clone()
    };
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    if let Some(name) = query.name.as_deref().map(fold).filter(|name| !name.is_empty()) {
        let sql = format!("SELECT d.row, d.name, d.title FROM document d WHERE {in_order} ORDER BY {order}");
        let mut rows = Vec::new();
        let mut statement = conn.prepare_cached(&sql)?;
        let mut found = statement.query(params_from_iter(values))?;
        while let Some(row) = found.next()? {
            if fold(row.get_ref(1)?.as_str()?).contains(&name)
                || fold(row.get_ref(2)?.as_str()?).contains(&name)
            {
                rows.push(row.get::<_, DocumentRow>(0)?);
            }
        }
        let total = rows.len();
        let page: Vec<DocumentRow> = rows.into_iter().skip(query.offset).take(query.limit).collect();
        return Ok((by_rows(conn, &page)?, total));
    }
    let total: i64 = conn
        .prepare_cached(&format!("SELECT count(*) FROM document d WHERE {filter}"))?
        .query_row(params_from_iter(values.clone()), |row| row.get(0))?;
    values.push(Value::Integer(limit));
    values.push(Value::Integer(i64::try_from(query.offset).unwrap_or(i64::MAX)));
    let sql = format!(
        "SELECT d.row FROM document d WHERE {in_order} ORDER BY {order} LIMIT ?{} OFFSET ?{}",
        values.len() - 1,
        values.len()
    );
    let rows: Vec<DocumentRow> = conn
        .prepare_cached(&sql)?
        .query_map(params_from_iter(values), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok((by_rows(conn, &rows)?, total as usize))
}

fn by_rows(conn: &Connection, rows: &[DocumentRow]) -> Result<Vec<Document>> {
    let mut statement =
        conn.prepare_cached(&format!("{SELECT} WHERE d.row IN (SELECT value FROM json_each(?1))"))?;
    let mut found: HashMap<DocumentRow, Document> =
        statement.query_map([json_ids(rows.iter().copied())], read)?.collect::<rusqlite::Result<_>>()?;
    Ok(rows.iter().filter_map(|row| found.remove(row)).collect())
}

/// Folds case and diacritics, for names.
fn fold(text: &str) -> String {
    text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// The folders directly below a folder of a source: their names with the documents anywhere below and whether there are
/// folders in them.
pub(crate) fn folders(
    conn: &Connection,
    source: SourceId,
    parent: &[u8],
) -> Result<BTreeMap<Vec<u8>, (usize, bool)>> {
    let mut folders: BTreeMap<Vec<u8>, (usize, bool)> = BTreeMap::new();
    let (from, to) = paths::range_below(parent).unwrap_or_default();
    let skip = from.len();
    let mut statement = conn.prepare_cached(
        "SELECT path FROM document
         WHERE source = ?1 AND state <> 'missing' AND (?4 OR (path >= ?2 AND path < ?3)) ORDER BY path",
    )?;
    let mut rows = statement.query(params![source.0, from, to, parent.is_empty()])?;
    while let Some(row) = rows.next()? {
        let rest = row.get_ref(0)?.as_blob()?.get(skip..).unwrap_or_default();
        let mut parts = rest.splitn(3, |&b| b == b'/');
        if let (Some(folder), Some(_)) = (parts.next(), parts.next()) {
            let entry = match folders.get_mut(folder) {
                Some(entry) => entry,
                None => folders.entry(folder.to_vec()).or_default(),
            };
            entry.0 += 1;
            entry.1 |= parts.next().is_some();
        }
    }
    Ok(folders)
}

/// How many documents of a source are shown, and whether any lies in a folder.
pub(crate) fn count(conn: &Connection, source: SourceId) -> Result<(usize, bool)> {
    let (count, deep): (i64, Option<bool>) = conn
        .prepare_cached(
            "SELECT count(*), max(instr(path, X'2F') > 0) FROM document WHERE source = ?1 AND state <> 'missing'",
        )?
        .query_row([source.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok((count as usize, deep.unwrap_or(false)))
}
