//! The doctor: looks at ledger, indexes and sources, and mends what it can.

use super::{Check, IndexState, Library};
use crate::domain::{GenerationId, PassageId};
use crate::error::Result;
use crate::ledger::{DocumentRow, documents, generations, passages, sources};
use crate::platform;
use rusqlite::Connection;
use std::io::ErrorKind;

/// Name of the check of the ledger.
pub(crate) const LEDGER: &str = "ledger";

/// Least free room that is well: what a large group of writes may need.
const LEAST_FREE: u64 = 256 << 20;

impl Library {
    /// Looks at ledger, indexes and sources; with `repair`, mends what it can. Reads everything: slow on a large library.
    pub fn doctor(&self, repair: bool) -> Result<Vec<Check>> {
        let ledger = self.check_ledger()?;
        if !ledger.ok {
            // What else it says is not to be trusted.
            return Ok(vec![ledger]);
        }
        let mut checks = vec![ledger, self.check_counters(repair)?, self.check_queue(repair)?];
        checks.push(self.check_index("lexical", repair)?);
        if self.shared.index_set().dense().is_some() {
            checks.push(self.check_index("dense", repair)?);
        }
        checks.push(self.check_sources()?);
        checks.extend(self.check_disk());
        Ok(checks)
    }

    fn check_ledger(&self) -> Result<Check> {
        let (integrity, orphans) = self.shared.reads.with(|conn| {
            let integrity: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
            Ok((integrity, statement.exists([])?))
        })?;
        let ok = integrity == "ok" && !orphans;
        let message = if ok {
            "the ledger is whole".to_owned()
        } else {
            let what = if integrity == "ok" { "rows refer to others that are gone" } else { &integrity };
            format!("the ledger is damaged: {what}")
        };
        Ok(Check { name: LEDGER.to_owned(), ok, message, mended: false })
    }

    fn check_counters(&self, repair: bool) -> Result<Check> {
        let generation = self.shared.generation().id;
        let counts = |conn: &Connection| {
            Ok((generations::counts(conn, generation)?, generations::recount(conn, generation)?))
        };
        let (kept, counted) = self.shared.reads.with(counts)?;
        let ok = kept == counted;
        let mended = !ok && repair;
        if mended {
            self.shared.writer.run(move |tx| generations::set_counts(tx, generation))?;
        }
        let message = format!("{} passages, {} with a vector", counted.passages, counted.vectors);
        Ok(Check { name: "counts".to_owned(), ok: ok || mended, message, mended })
    }

    /// A document that waits to be read and stands in no queue would wait for good.
    fn check_queue(&self, repair: bool) -> Result<Check> {
        let stuck: Vec<DocumentRow> = self.shared.reads.with(|conn| {
            let mut statement = conn.prepare(
                "SELECT row FROM document WHERE state IN ('waiting', 'names') AND queued = 0 AND hidden_ns IS NULL",
            )?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })?;
        let message = match stuck.len() {
            0 => "every document that waits will be read".to_owned(),
            1 => "1 document waits, and nothing is going to read it".to_owned(),
            n => format!("{n} documents wait, and nothing is going to read them"),
        };
        let (ok, mended) = (stuck.is_empty(), !stuck.is_empty() && repair);
        if mended {
            self.shared
                .writer
                .run(move |tx| stuck.iter().try_for_each(|&row| documents::queue(tx, row, true)))?;
            self.ingest.core.work.ring();
        }
        Ok(Check { name: "queue".to_owned(), ok: ok || mended, message, mended })
    }

    fn check_index(&self, name: &'static str, repair: bool) -> Result<Check> {
        let wrong = self.compare_index(name)?;
        let mut check = Check {
            name: name.to_owned(),
            ok: wrong.is_none(),
            message: wrong.unwrap_or_else(|| format!("the {name} index holds what the ledger has")),
            mended: false,
        };
        if !check.ok && repair {
            self.shared.writer.rebuild(name)?;
            check.ok = self.compare_index(name)?.is_none();
            check.mended = check.ok;
        }
        Ok(check)
    }

    /// What is wrong with an index, compared entry by entry with the ledger.
    fn compare_index(&self, name: &str) -> Result<Option<String>> {
        let flushed = self.shared.writer.flush();
        let set = self.shared.index_set();
        let lexical = name == "lexical";
        let (state, detail) = if lexical { set.lexical_state() } else { set.dense_state() };
        if flushed.is_err() || state == IndexState::Rebuilding {
            return Ok(Some(detail.unwrap_or_else(|| "it is being rebuilt".to_owned())));
        }
        if lexical && let Err(e) = set.lexical().verify() {
            return Ok(Some(e.detail));
        }
        let held: Vec<PassageId> = if lexical {
            set.lexical().snapshot().entries()?.into_iter().map(|(passage, ..)| passage).collect()
        } else {
            set.dense().map(|dense| dense.keys()).unwrap_or_default()
        };
        let right = self.shared.reads.with(|conn| expected(conn, set.generation.id, lexical))?;
        if held == right {
            return Ok(None);
        }
        Ok(Some(format!("it holds {} passages, the ledger {}", held.len(), right.len())))
    }

    fn check_sources(&self) -> Result<Check> {
        let (mut absent, mut refused) = (Vec::new(), Vec::new());
        for source in self.shared.reads.with(sources::all)? {
            let root = source.root.display();
            match std::fs::read_dir(&source.root) {
                _ if source.root.as_os_str().is_empty() => {}
                Ok(_) => {}
                Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    absent.push(root.to_string());
                }
                Err(error) => refused.push(format!("{root} ({error})")),
            }
        }
        let mut told = Vec::new();
        if !absent.is_empty() {
            told.push(format!("not there now (their documents are kept): {}", absent.join(", ")));
        }
        if !refused.is_empty() {
            let refused = refused.join(", ");
            told.push(format!("cannot be read: {refused}; let Carrel read them, then run `carrel sync`"));
        }
        let ok = told.is_empty();
        let message = if ok { "all sources are there".to_owned() } else { told.join("; ") };
        Ok(Check { name: "sources".to_owned(), ok, message, mended: false })
    }

    fn check_disk(&self) -> Option<Check> {
        let free = platform::free_bytes(&self.shared.folder)?;
        let ok = free >= LEAST_FREE;
        let mut message =
            format!("{} MB are free on the disk of {}", free >> 20, self.shared.folder.display());
        if !ok {
            message.push_str(": free some space, or nothing can be added");
        }
        Some(Check { name: "disk".to_owned(), ok, message, mended: false })
    }
}

/// The passages that an index should hold, ascending.
fn expected(conn: &Connection, generation: GenerationId, lexical: bool) -> Result<Vec<PassageId>> {
    if lexical {
        return passages::next_live(conn, generation, PassageId(0), i64::MAX as usize);
    }
    let mut statement = conn.prepare(
        "SELECT p.id FROM passage p JOIN version v ON v.id = p.version JOIN document d ON d.row = v.document \
         WHERE p.generation = ?1 AND p.vector IS NOT NULL AND v.state = 'active' AND d.hidden_ns IS NULL ORDER BY p.id",
    )?;
    let rows = statement.query_map([generation.0], |row| Ok(PassageId(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
