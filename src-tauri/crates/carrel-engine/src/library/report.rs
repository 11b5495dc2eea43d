//! How an add or a sync ended, counted from what became of each document: every one is in one place of the report.

use super::{FileReport, SyncReport};
use crate::cancel::Cancel;
use crate::domain::DocumentState;
use crate::error::{EngineError, Result};
use crate::ingest::{ATTEMPTS, Core, Outcome, Tracker};
use crate::ledger::{DocumentRow, changes, json_ids, listing};
use crate::watch::Round;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::time::Instant;

/// A report in the making.
#[derive(Default)]
pub(super) struct Report {
    /// The last document there was when it began: a scan by the watcher may see a new source before the caller's own does.
    last_known: Option<DocumentRow>,
    /// Seen for the first time.
    pub(super) new: BTreeSet<DocumentRow>,
    /// Known; their bytes are looked at.
    pub(super) check: BTreeSet<DocumentRow>,
    /// Nothing is to be done; their state says whether they are well.
    pub(super) settled: Vec<DocumentRow>,
    unchanged: BTreeSet<DocumentRow>,
    moved: BTreeSet<DocumentRow>,
    removed: usize,
    pub(super) failed: Vec<FileReport>,
    skipped: Vec<FileReport>,
}

impl Report {
    /// A report whose new documents are those after `last_known`, whoever sees them first.
    pub(super) fn since(last_known: DocumentRow) -> Self {
        Self { last_known: Some(last_known), ..Self::default() }
    }

    /// Takes what a scan touched.
    pub(super) fn take(&mut self, mut round: Round) {
        if let Some(last) = self.last_known {
            let later = round.check.extract_if(.., |row| *row > last);
            self.new.extend(later.chain(round.unchanged.extract_if(.., |row| *row > last)));
        }
        self.new.extend(round.new);
        self.check.extend(round.check);
        self.unchanged.extend(round.unchanged);
        self.settled.extend(round.failing.into_iter().chain(round.skipped));
        self.moved.extend(round.moved);
        self.removed += round.removed;
        self.skipped.extend(round.unreadable.into_iter().map(|(uri, why)| FileReport::unreadable(uri, &why)));
    }

    /// Waits until nothing is left to do for its documents.
    pub(super) fn wait(&mut self, core: &Core, tracker: &Tracker, cancel: &Cancel) -> Result<()> {
        let mut converting: Vec<DocumentRow> = self.new.union(&self.check).copied().collect();
        // What an earlier run did not finish is waited for too.
        let mut embedding: Vec<DocumentRow> = converting.iter().chain(&self.unchanged).copied().collect();
        let mut failure = None;
        let begun = Instant::now();
        let done = core.work.wait_until(cancel, || {
            if let Err(error) = core.work.room_since(begun) {
                failure = Some(error);
                return true;
            }
            converting.retain(|&row| tracker.of(row).is_none());
            if !converting.is_empty() {
                // What left the queue before this call asked has no outcome to wait for; what left it just now is told of when it
                // is not under way any more.
                match core.shared.reads.with(|conn| still(conn, QUEUED, &converting)) {
                    Ok(rows) => {
                        let queued: BTreeSet<DocumentRow> = rows.into_iter().collect();
                        converting.retain(|row| queued.contains(row) || core.work.is_under_way(*row));
                    }
                    Err(error) => failure = Some(error),
                }
                return failure.is_some() || (converting.is_empty() && embedding.is_empty());
            }
            match core.shared.reads.with(|conn| still(conn, WAITING, &embedding)) {
                Ok(rows) => embedding = rows,
                Err(error) => failure = Some(error),
            }
            failure.is_some() || embedding.is_empty()
        });
        match failure {
            Some(error) => Err(error),
            None if !done => Err(EngineError::Cancelled),
            None => core.shared.writer.flush(),
        }
    }

    /// Counts. Without having waited, what is queued counts as added or updated.
    pub(super) fn finish(self, core: &Core, tracker: &Tracker, waited: bool) -> Result<SyncReport> {
        let mut report = SyncReport {
            removed: self.removed,
            failed: self.failed,
            skipped: self.skipped,
            ..SyncReport::default()
        };
        core.shared.reads.with(|conn| {
            for &row in &self.new {
                match tracker.of(row) {
                    Some(Outcome::NotTaken) => not_taken(conn, row, &mut report)?,
                    Some(Outcome::Gone) => {}
                    _ => report.added += 1,
                }
            }
            for &row in self.check.difference(&self.new) {
                match tracker.of(row) {
                    Some(Outcome::NotTaken) => not_taken(conn, row, &mut report)?,
                    Some(Outcome::Later | Outcome::First) => report.updated += 1,
                    None if !waited => report.updated += 1,
                    Some(Outcome::Gone) => {}
                    Some(Outcome::Same) | None => not_taken_or(conn, row, &mut report)?,
                }
            }
            for &row in &self.settled {
                if !self.new.contains(&row) && !self.check.contains(&row) {
                    not_taken_or(conn, row, &mut report)?;
                }
            }
            let touched = |row: &&DocumentRow| self.new.contains(*row) || self.check.contains(*row);
            report.unchanged += self.unchanged.len() - self.unchanged.iter().filter(touched).count();
            report.moved = self.moved.len();
            report.seq = changes::head(conn)?.0;
            Ok(())
        })?;
        report.failed.sort_by(|a, b| a.uri.cmp(&b.uri));
        report.failed.dedup();
        report.skipped.sort_by(|a, b| a.uri.cmp(&b.uri));
        report.skipped.dedup();
        Ok(report)
    }
}

const QUEUED: &str = "SELECT row FROM document WHERE queued = 1 AND row IN (SELECT value FROM json_each(?1))";

const WAITING: &str = "
    SELECT DISTINCT v.document FROM version v JOIN passage p ON p.version = v.id AND p.waits = 1
    JOIN generation g ON g.id = p.generation AND g.state = 'active'
    WHERE v.document IN (SELECT value FROM json_each(?1)) AND v.state IN ('active', 'pending') AND p.embed_failed < ?2";

/// Those of these documents for which there is still something to do.
fn still(conn: &Connection, sql: &str, rows: &[DocumentRow]) -> Result<Vec<DocumentRow>> {
    let mut statement = conn.prepare_cached(sql)?;
    let ids = json_ids(rows.iter().copied());
    let found = if sql == QUEUED {
        statement.query_map([ids], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
    } else {
        statement
            .query_map(rusqlite::params![ids, ATTEMPTS], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?
    };
    Ok(found)
}

fn not_taken(conn: &Connection, row: DocumentRow, report: &mut SyncReport) -> Result<()> {
    let Some(document) = listing::by_row(conn, row)? else { return Ok(()) };
    let (code, reason) =
        document.reason.map_or_else(Default::default, |reason| (reason.code, reason.message));
    let file = FileReport { uri: document.uri, code, reason };
    if document.state == DocumentState::Skipped {
        report.skipped.push(file);
    } else {
        report.failed.push(file);
    }
    Ok(())
}

fn not_taken_or(conn: &Connection, row: DocumentRow, report: &mut SyncReport) -> Result<()> {
    let state: Option<String> = rusqlite::OptionalExtension::optional(
        conn.prepare_cached("SELECT state FROM document WHERE row = ?1")?.query_row([row], |r| r.get(0)),
    )?;
    match state.as_deref().and_then(DocumentState::parse) {
        Some(
            DocumentState::Failed
            | DocumentState::Skipped
            | DocumentState::NeedsPassword
            | DocumentState::NoText,
        ) => not_taken(conn, row, report),
        Some(_) => {
            report.unchanged += 1;
            Ok(())
        }
        None => Ok(()),
    }
}
