//! The work itself: progress, pause, retry, and documents that are text already.

use super::{DirectDocument, Library, Progress};
use crate::cancel::Cancel;
use crate::domain::{DocumentId, SourceKind};
use crate::error::{EngineError, Result};
use crate::ingest::{ATTEMPTS, DirectText, Outcome};
use crate::ledger::documents::{self, Place, Stat};
use crate::ledger::{DocumentRow, contexts, generations, sources, vectors};
use crate::seams::Tag;
use rusqlite::params;
use std::path::Path;
use std::time::{Duration, Instant};

/// Passages written in one transaction by [`Library::add_direct`].
const PASSAGES: usize = 1_000;

impl Library {
    /// Queues a document again, or every retryable one.
    pub fn retry(&self, document: Option<DocumentId>) -> Result<()> {
        let row = document.map(|id| self.row_of(id)).transpose()?;
        self.queue_again(row)?;
        self.ingest.core.work.ring();
        Ok(())
    }

    /// Converts a document again with a password (or several, one a line), which is not kept, before all others and even while work is
    /// halted. Returns when its text answers, or its state says why not: whether its text is another now. Where it replaces a text
    /// and work is halted, that answers until the work goes on.
    pub fn unlock(&self, document: DocumentId, password: &str, cancel: &Cancel) -> Result<bool> {
        let core = &self.ingest.core;
        let row = self.row_of(document)?;
        core.remember_password(row, password);
        let tracker = core.work.track();
        let begun = Instant::now();
        let mut outcome = None;
        let mut failure = None;
        let queued = self.shared.writer.run(move |tx| documents::queue(tx, row, false));
        let waited = queued.map(|()| {
            core.work.hurry(row);
            core.work.wait_until(cancel, || {
                outcome = tracker.of(row);
                failure = core.work.room_since(begun).err();
                let done = outcome.is_some() && (core.work.is_paused() || !self.is_replaced(row));
                done || failure.is_some() || core.cancel.is_cancelled()
            })
        });
        core.work.untrack(&tracker);
        core.forget_password(row);
        waited?;
        match (failure, outcome) {
            (Some(error), _) => Err(error),
            (None, Some(outcome)) => {
                self.shared.writer.flush()?;
                Ok(outcome != Outcome::Same)
            }
            (None, None) => Err(EngineError::Cancelled),
        }
    }

    /// Whether a text waits for its vectors to take the place of another.
    fn is_replaced(&self, row: DocumentRow) -> bool {
        let waits = self.shared.reads.with(|conn| {
            let mut pending = conn.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM version WHERE document = ?1 AND state = 'pending')",
            )?;
            Ok(pending.query_row([row], |r| r.get(0))?)
        });
        waits.unwrap_or(false)
    }

    fn row_of(&self, document: DocumentId) -> Result<DocumentRow> {
        let row = self.shared.reads.with(|conn| documents::row_of(conn, document))?;
        row.ok_or_else(|| EngineError::NotFound { kind: "document", name: document.to_string() })
    }

    fn queue_again(&self, row: Option<DocumentRow>) -> Result<()> {
        let core = std::sync::Arc::clone(&self.ingest.core);
        self.shared.writer.run(move |tx| {
            let due: Vec<DocumentRow> = match row {
                // Words are there: only vectors are to be tried again.
                Some(row) if state_is(tx, row, "words")? => Vec::new(),
                Some(row) => vec![row],
                None => tx
                    .prepare_cached(
                        "SELECT row FROM document WHERE retryable = 1 AND hidden_ns IS NULL AND state <> 'words'",
                    )?
                    .query_map([], |r| r.get(0))?
                    .collect::<rusqlite::Result<_>>()?,
            };
            for row in due {
                documents::queue(tx, row, true)?;
                core.work.changed_again(row);
            }
            vectors::retry(tx, row)?;
            tx.changed(Tag::Jobs);
            Ok(())
        })
    }

    /// Queues what waited for a converter that is there now, as each start does. Returns how many documents.
    pub fn convert_what_waited(&self) -> Result<usize> {
        let count = crate::ingest::requeue::by_converters(&self.shared)?;
        self.ingest.core.work.ring();
        Ok(count)
    }

    /// Halts and resumes ingest (an answer is being generated; the user paused it). Nests.
    pub fn pause_ingest(&self, paused: bool) {
        self.ingest.core.work.pause(paused);
        self.ingest.core.tell();
    }

    /// How far the work is.
    pub fn progress(&self) -> Progress {
        let snapshot = self.ingest.core.work.snapshot();
        let counts = self.shared.reads.with(|conn| {
            let queued: i64 = conn
                .prepare_cached("SELECT count(*) FROM document WHERE queued = 1")?
                .query_row([], |r| r.get(0))?;
            let active = generations::active(conn)?.id;
            let mut embedding = vectors::count_missing(conn, active, ATTEMPTS)?;
            if let Some(building) = generations::building(conn)? {
                embedding += vectors::count_missing(conn, building.id, ATTEMPTS)?;
            }
            Ok((queued as usize, embedding, contexts::count_bare(conn, active)?))
        });
        let (converting, embedding, enriching) = counts.unwrap_or_else(|error| {
            tracing::warn!(%error, "progress could not be read");
            (0, 0, 0)
        });
        Progress {
            converting,
            embedding,
            enriching,
            done: snapshot.done,
            total: snapshot.done + converting,
            current: snapshot.current,
            part: snapshot.part,
            scanning: snapshot.scanning,
            paused: snapshot.paused,
        }
    }

    /// Blocks until nothing is left to do: nothing queued, no vectors due, indexes current.
    pub fn wait_idle(&self, cancel: &Cancel) -> Result<()> {
        let work = &self.ingest.core.work;
        loop {
            if !work.wait_until(cancel, || work.is_idle() || self.ingest.core.cancel.is_cancelled()) {
                return Err(EngineError::Cancelled);
            }
            self.shared.writer.flush_unless(cancel)?;
            if work.is_idle() {
                return Ok(());
            }
            if self.ingest.core.cancel.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
        }
    }

    /// Waits until nothing is left to do, `patience` at most: for a program that has just opened the library, asks it one thing and
    /// ends, what changed on disk meanwhile is taken up first.
    pub fn catch_up(&self, patience: Duration) {
        let work = &self.ingest.core.work;
        let begun = Instant::now();
        let stop = &self.ingest.core.cancel;
        work.wait_until(stop, || work.is_idle() || begun.elapsed() > patience);
        // An index that cannot follow is said by the search itself.
        let _ = self.shared.writer.flush();
    }

    /// Adds documents that are already final text, in few transactions; returns when words and vectors are in. `progress` is
    /// given the number of documents whose words are in.
    pub fn add_direct(
        &self,
        documents: &mut dyn Iterator<Item = DirectDocument>,
        progress: &mut dyn FnMut(usize),
        cancel: &Cancel,
    ) -> Result<()> {
        let mut done = 0;
        let mut batch: Vec<DirectText> = Vec::new();
        let mut passages = 0;
        loop {
            cancel.check()?;
            let next =
                documents.next().map(|document| DirectText::new(&self.ingest.core, document)).transpose()?;
            let ended = next.is_none();
            if let Some(text) = next {
                passages += text.passages();
                batch.push(text);
            }
            if !batch.is_empty() && (ended || passages >= PASSAGES || batch.len() >= PASSAGES) {
                done += batch.len();
                let writing = std::mem::take(&mut batch);
                passages = 0;
                self.shared.writer.run(move |tx| {
                    let source = sources::ensure(tx, SourceKind::Texts, Path::new(""))?;
                    for text in &writing {
                        let path = text.id.as_bytes();
                        let row = if let Some(known) = documents::at(tx, source, path)? {
                            known.row
                        } else {
                            let place = Place { source, kind: SourceKind::Texts, root: Path::new(""), path };
                            documents::insert(tx, place, Stat::default(), None)?
                        };
                        tx.prepare_cached("UPDATE document SET queued = 0, title = ?2, title_given = 1, bytes = ?3 WHERE row = ?1")?
                            .execute(params![row, text.title, text.bytes() as i64])?;
                        text.write(tx, row)?;
                    }
                    tx.changed(Tag::Jobs);
                    Ok(())
                })?;
                self.ingest.core.work.ring();
                progress(done);
            }
            if ended {
                break;
            }
        }
        self.wait_idle(cancel)
    }
}

fn state_is(conn: &rusqlite::Connection, row: DocumentRow, state: &str) -> Result<bool> {
    Ok(conn
        .prepare_cached("SELECT state = ?2 FROM document WHERE row = ?1")?
        .query_row(params![row, state], |r| r.get(0))?)
}
