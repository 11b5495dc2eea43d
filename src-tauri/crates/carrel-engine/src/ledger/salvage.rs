//! Saving what can be read of a damaged ledger into a new one.
//!
//! Rows are taken over one by one, passing over those that SQLite cannot read. Passages are not: they are cut again from the
//! texts, and take their vectors from the ones kept. What has lost its text is read again from its file. Refuses to delete:
//! the damaged file stays beside the new one, under a dated name. Invariant: nothing is moved before the new ledger is whole.

use super::{FILE, LIBRARY_ID, SCHEMA, content, database, set_meta};
use crate::domain::LibraryId;
use crate::error::{EngineError, Result};
use jiff::Timestamp;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, params_from_iter};
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The name of a damaged ledger that was set aside goes on with the time.
pub(crate) const ASIDE: &str = ".damaged-";

/// The tables taken over, those that others refer to first, each with what one of its rows is to people.
const TABLES: [(&str, &str); 10] = [
    ("meta", ""),
    ("source", "source"),
    ("exclusion", "exclusion"),
    ("document", "document"),
    ("tag", "tag"),
    ("content", "text"),
    ("version", "version"),
    ("space", ""),
    ("vector", "vector"),
    ("generation", ""),
];

/// What one row less may leave dangling, and what is made anew. The generation that answered begins empty, and the same one is
/// built beside it from the texts; where it is lost, every document is read again.
const TIDY: &str = "
    DELETE FROM meta WHERE key NOT LIKE 'setting.%' AND key NOT LIKE 'question.%' AND key NOT LIKE 'run.%'
        AND key <> 'oldest_program';
    DELETE FROM exclusion WHERE source NOT IN (SELECT id FROM source);
    DELETE FROM document WHERE source NOT IN (SELECT id FROM source);
    DELETE FROM tag WHERE document NOT IN (SELECT row FROM document);
    DELETE FROM vector WHERE space NOT IN (SELECT id FROM space);
    DELETE FROM generation WHERE state <> 'active' OR space NOT IN (SELECT id FROM space);
    UPDATE generation SET filled = 0, passages = 0, vectors = 0, lines = 0;
    INSERT INTO generation (chunker, tokenizer, space, analyzer, enriched, state)
        SELECT chunker, tokenizer, space, analyzer, enriched, 'building' FROM generation;
    DELETE FROM version WHERE state = 'pending' OR document NOT IN (SELECT row FROM document)
        OR content NOT IN (SELECT id FROM content) OR NOT EXISTS (SELECT 1 FROM generation);
    DELETE FROM content WHERE id NOT IN (SELECT content FROM version);
    INSERT INTO meta (key, value) SELECT 'text_bytes', CAST(coalesce(sum(c.bytes), 0) AS TEXT)
        FROM version v JOIN content c ON c.id = v.content JOIN document d ON d.row = v.document
        WHERE v.state = 'active' AND d.hidden_ns IS NULL;
";

/// Queues the documents that have no text any more.
const READ_AGAIN: &str = "
    UPDATE document SET content_hash = NULL, converter = NULL, queued = hidden_ns IS NULL,
        state = CASE WHEN hidden_ns IS NULL THEN 'waiting' ELSE state END
    WHERE state IN ('waiting', 'names', 'words', 'ready', 'partial', 'missing')
        AND row NOT IN (SELECT document FROM version WHERE state = 'active')";

/// What was saved of a damaged ledger. Its text is a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvage {
    /// Where the damaged file is kept; `None` where there was none.
    aside: Option<PathBuf>,
    /// Rows taken over, and rows lost where that is known, by what they are.
    tables: Vec<(&'static str, usize, Option<usize>)>,
    /// Documents that are read from their files again.
    read_again: usize,
}

impl fmt::Display for Salvage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let list =
            |parts: Vec<String>| if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") };
        let kept = self.tables.iter().filter(|(_, kept, _)| *kept > 0).map(|(what, n, _)| counted(*n, what));
        let lost =
            self.tables.iter().filter(|(_, _, lost)| *lost != Some(0)).map(|(what, _, lost)| match lost {
                Some(n) => counted(*n, what),
                None => format!("an unknown number of {what}s"),
            });
        let unreadable = self.tables.iter().all(|(_, kept, lost)| *kept == 0 && lost.is_none());
        let lost = if unreadable {
            "everything, for none of it can be read".to_owned()
        } else {
            list(lost.collect())
        };
        write!(f, "it was damaged; kept: {}; lost: {lost}", list(kept.collect()))?;
        if self.read_again > 0 {
            write!(f, "; read again from where they came: {}", counted(self.read_again, "document"))?;
        }
        if !self.tables.iter().any(|(what, kept, _)| *what == "source" && *kept > 0) {
            f.write_str("; add your folders and files again")?;
        }
        match &self.aside {
            Some(aside) => write!(f, "; the damaged file is kept as {}", aside.display()),
            None => Ok(()),
        }
    }
}

/// Makes a new ledger of what can be read of the one in `folder`, which nobody has open, and sets that one aside.
pub(crate) fn salvage(folder: &Path, id: LibraryId, now: Timestamp) -> Result<Salvage> {
    let (path, new) = (folder.join(FILE), folder.join(format!("{FILE}.new")));
    let head = folder.join(format!("{FILE}.head"));
    remove(&new)?;
    let conn = database::open(&new, &SCHEMA, true)?;
    // Its first page may be needed, which is in the log so far.
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .map_err(|e| database::named(e, &new))?;
    let damaged = open_damaged(&path, &new, &head);
    let saved = save(damaged.as_ref(), &conn, id).map_err(database::located(&new));
    drop(damaged);
    conn.close().map_err(|(_, e)| database::named(e, &new))?;
    remove(&head)?;
    let (tables, read_again) = match saved {
        Ok(saved) => saved,
        Err(e) => {
            remove(&new)?;
            return Err(e);
        }
    };
    let aside = dated(&path, now);
    let there = path.exists();
    // An empty log holds nothing: looking at the file may have made it.
    if std::fs::metadata(with(&path, "-wal")).is_ok_and(|log| log.len() == 0) {
        remove_one(&with(&path, "-wal"))?;
    }
    for ending in ["-wal", ""] {
        let (from, to) = (with(&path, ending), with(&aside, ending));
        if from.exists() {
            std::fs::rename(&from, &to).map_err(|e| EngineError::io(&from, e))?;
        }
    }
    remove_one(&with(&path, "-shm"))?;
    std::fs::rename(&new, &path).map_err(|e| EngineError::io(&new, e))?;
    Ok(Salvage { aside: there.then_some(aside), tables, read_again })
}

/// The name under which a damaged file is set aside.
pub(crate) fn dated(path: &Path, now: Timestamp) -> PathBuf {
    with(path, &format!("{ASIDE}{}", now.strftime("%Y-%m-%dT%H%M%SZ")))
}

/// The path with another ending after its own.
pub(crate) fn with(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Removes a database that was not finished.
pub(crate) fn remove(path: &Path) -> Result<()> {
    for ending in ["-wal", "-shm", ""] {
        remove_one(&with(path, ending))?;
    }
    Ok(())
}

fn remove_one(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(EngineError::io(path, e)),
        _ => Ok(()),
    }
}

type Saved = (Vec<(&'static str, usize, Option<usize>)>, usize);

fn save(damaged: Option<&Connection>, to: &Connection, id: LibraryId) -> Result<Saved> {
    to.pragma_update(None, "foreign_keys", false)?;
    let transaction = to.unchecked_transaction()?;
    let mut rows = Vec::new();
    for (table, _) in TABLES {
        rows.push(match damaged {
            Some(from) => (count(from, table), copy(from, to, table)?),
            None => (None, false),
        });
    }
    drop_unreadable_texts(to)?;
    to.execute_batch(TIDY)?;
    let read_again = to.execute(READ_AGAIN, [])?;
    set_meta(to, LIBRARY_ID, &id.to_string())?;
    let mut tables = Vec::new();
    for ((table, what), (before, whole)) in TABLES.into_iter().zip(rows) {
        let kept = count(to, table).unwrap_or(0);
        let lost = before.map(|before| before.saturating_sub(kept)).or(whole.then_some(0));
        if !what.is_empty() {
            tables.push((what, kept, lost));
        }
    }
    transaction.commit()?;
    Ok((tables, read_again))
}

fn count(conn: &Connection, table: &str) -> Option<usize> {
    let count = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0));
    count.ok().map(|n| n as usize)
}

/// Opens a damaged ledger for reading. Where its first page cannot be read, which names all tables, it is read through a copy
/// with the first page of a new ledger: tables never move.
fn open_damaged(path: &Path, fresh: &Path, head: &Path) -> Option<Connection> {
    let open = |path: &Path| {
        let conn = database::open_reader(path).ok()?;
        count(&conn, "meta")?;
        Some(conn)
    };
    open(path).or_else(|| {
        graft(path, fresh, head).ok()?;
        open(head)
    })
}

/// Copies `damaged` to `copy` with the first page of `fresh`.
fn graft(damaged: &Path, fresh: &Path, copy: &Path) -> std::io::Result<()> {
    /// Bytes of a page of every ledger.
    const PAGE: u64 = 8192;
    let mut page = Vec::new();
    File::open(fresh)?.take(PAGE).read_to_end(&mut page)?;
    let pages = std::fs::metadata(damaged)?.len() / PAGE;
    if pages < 2 || page.len() as u64 != PAGE {
        return Err(std::io::ErrorKind::InvalidData.into());
    }
    // The header of a database: its size in pages, and no free ones that are known.
    page[28..32].copy_from_slice(&(pages as u32).to_be_bytes());
    page[32..40].fill(0);
    // The size counts only where these two agree.
    page.copy_within(24..28, 92);
    std::fs::copy(damaged, copy)?;
    let mut copy = File::options().write(true).open(copy)?;
    copy.seek(SeekFrom::Start(0))?;
    copy.write_all(&page)?;
    copy.set_len(pages * PAGE)
}

/// Takes over the rows of a table that can be read. Whether the table could be read to its end.
pub(crate) fn copy(from: &Connection, to: &Connection, table: &str) -> Result<bool> {
    let named = |conn: &Connection| -> rusqlite::Result<Vec<String>> {
        let mut statement = conn.prepare("SELECT name FROM pragma_table_info(?1)")?;
        statement.query_map([table], |row| row.get(0))?.collect()
    };
    let mut columns = named(to)?;
    // An older ledger has fewer; what cannot be told has them all.
    if let Some(known) = named(from).ok().filter(|known| !known.is_empty()) {
        columns.retain(|column| known.contains(column));
    }
    for column in &mut columns {
        *column = format!("\"{column}\"");
    }
    let by_row: bool = to.query_row("SELECT NOT wr FROM pragma_table_list(?1)", [table], |row| row.get(0))?;
    let marks = vec!["?"; columns.len()].join(", ");
    let columns = columns.join(", ");
    let mut insert = to.prepare(&format!("INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})"))?;
    let order = if by_row { "WHERE rowid > ?1 ORDER BY rowid" } else { "WHERE ?1 = ?1" };
    let rowid = if by_row { "rowid" } else { "0" };
    let select = format!("SELECT {rowid}, {columns} FROM {table} {order}");
    let mut whole = true;
    let mut after = 0;
    loop {
        let mut disk = None;
        let read = each(from, &select, after, usize::MAX, &mut |row, values| {
            after = row;
            match insert.execute(params_from_iter(values.iter().copied().map(ToSqlOutput::Borrowed))) {
                Ok(_) => true,
                // Not what the column takes: a row that was overwritten.
                Err(e) if e.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => true,
                Err(e) => {
                    disk = Some(e);
                    false
                }
            }
        });
        if let Some(e) = disk {
            return Err(e.into());
        }
        if read.is_ok() {
            return Ok(whole);
        }
        whole = false;
        match readable_after(from, &select, after).filter(|_| by_row) {
            Some(next) => after = next,
            None => return Ok(false),
        }
    }
}

/// Reads at most `most` rows after a row, with all their values, until `take` says no.
fn each(
    from: &Connection,
    select: &str,
    after: i64,
    most: usize,
    take: &mut dyn FnMut(i64, &[ValueRef<'_>]) -> bool,
) -> rusqlite::Result<()> {
    let mut statement = from.prepare_cached(select)?;
    let columns = statement.column_count();
    let mut rows = statement.query([after])?;
    for _ in 0..most {
        let Some(row) = rows.next()? else { break };
        let values = (1..columns).map(|n| row.get_ref(n)).collect::<rusqlite::Result<Vec<_>>>()?;
        let text =
            |v: &ValueRef<'_>| !matches!(v, ValueRef::Text(bytes) if std::str::from_utf8(bytes).is_err());
        if values.iter().all(text) && !take(row.get(0)?, &values) {
            break;
        }
    }
    Ok(())
}

/// The least row from which on a table can be read again, given that it cannot right after `after`.
fn readable_after(from: &Connection, select: &str, after: i64) -> Option<i64> {
    let readable = |row: i64| each(from, select, row, 1, &mut |_, _| true).is_ok();
    let mut step = 1;
    while !readable(after + step) {
        step *= 2;
        if step > 1 << 40 {
            return None;
        }
    }
    let (mut bad, mut good) = (after + step / 2, after + step);
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        if readable(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}

/// Drops texts that were overwritten within a page, which SQLite does not notice.
fn drop_unreadable_texts(conn: &Connection) -> Result<()> {
    let rows: Vec<i64> = conn
        .prepare("SELECT id FROM content")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for row in rows {
        if content::read(conn, row).and_then(|text| text.structure().map(|_| ())).is_err() {
            conn.execute("DELETE FROM content WHERE id = ?1", [row])?;
        }
    }
    Ok(())
}
