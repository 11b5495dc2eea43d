//! The commit thread: writes outcomes, many in one transaction when many are there.

use super::convert::{Finished, Text, What, converter_name, still_queued};
use super::outcome::Outcome;
use super::{Core, drain};
use crate::domain::DocumentState;
use crate::error::{EngineError, Result};
use crate::ledger::documents::{self, Stat};
use crate::ledger::versions::{self, VersionOutcome};
use crate::ledger::{DocumentRow, changes, generations};
use crate::seams::Tag;
use crate::writer::WriteTx;
use crossbeam_channel::Receiver;
use rusqlite::params;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Most documents in one transaction.
pub(super) const MOST: usize = 64;

/// How long after a full disk is tried again.
const DISK_FULL: Duration = Duration::from_secs(5);

/// The commit thread.
pub(super) fn run(core: &Arc<Core>, finished: &Receiver<Finished>) {
    while let Some(batch) = drain(finished, MOST) {
        let batch: Vec<Arc<Finished>> = batch.into_iter().map(Arc::new).collect();
        core.work.release(batch.iter().map(|one| one.what.bytes()).sum());
        let written = write(core, &batch);
        core.work.wrote(&written);
        let Err(error) = written else { continue };
        tracing::warn!(%error, "outcomes could not be written together");
        for one in batch {
            match write(core, std::slice::from_ref(&one)) {
                Ok(()) => {}
                Err(EngineError::Cancelled) => core.work.finish(one.row, None),
                Err(error) => {
                    tracing::warn!(%error, "an outcome could not be written; the document stays in the queue");
                    core.work.defer(one.row, DISK_FULL);
                }
            }
        }
    }
}

fn write(core: &Arc<Core>, batch: &[Arc<Finished>]) -> Result<()> {
    let (inside, writing) = (Arc::clone(core), batch.to_vec());
    let outcomes = core.shared.writer.run(move |tx| {
        let outcomes: Result<Vec<_>> =
            writing.iter().map(|one| Ok((one.row, settle(&inside, tx, one)?))).collect();
        tx.changed(Tag::Jobs);
        outcomes
    })?;
    for (row, settled) in outcomes {
        match settled {
            Settled::Done(outcome) => core.work.finish(row, Some(outcome)),
            Settled::Again(outcome) => core.work.finish_for_now(row, outcome),
        }
    }
    for one in batch.iter().filter(|one| matches!(one.what, What::Gone)) {
        core.rescan_of(one.row);
    }
    Ok(())
}

/// How writing an outcome left a document.
enum Settled {
    Done(Outcome),
    /// It stays in the queue, with what became of it for now.
    Again(Option<Outcome>),
}

/// Writes one outcome.
fn settle(core: &Core, tx: &mut WriteTx<'_>, finished: &Finished) -> Result<Settled> {
    let row = finished.row;
    if !still_queued(tx, row)? {
        // Removed, or found missing, while it was converted.
        return Ok(Settled::Done(Outcome::Gone));
    }
    let again = core.work.is_changed_again(row);
    let outcome = match &finished.what {
        What::Gone => {
            documents::leave_unread(tx, row)?;
            return Ok(Settled::Done(Outcome::Gone));
        }
        What::Same(stat) => {
            keep_stat(tx, row, *stat)?;
            documents::dequeue(tx, row)?;
            if documents::is_hidden(tx, row)? {
                documents::unhide(tx, row)?;
            }
            tx.changed(Tag::Documents);
            Outcome::Same
        }
        What::Refused { stat, hash, converter, state, reason } => {
            keep_stat(tx, row, *stat)?;
            if documents::is_hidden(tx, row)? {
                versions::unhide(tx, row)?;
            }
            tx.prepare_cached(
                "UPDATE document SET content_hash = ?2, converter = ?3, attempts = attempts + 1, queued = 0 WHERE row = ?1",
            )?
            .execute(params![row, hash, converter])?;
            documents::set_state(tx, row, *state, Some(reason))?;
            Outcome::NotTaken
        }
        What::Text(text) => match take_in(tx, row, text)? {
            Some(outcome) => outcome,
            None => return Ok(Settled::Again(None)),
        },
    };
    if again {
        documents::queue(tx, row, false)?;
        return Ok(Settled::Again(Some(outcome)));
    }
    Ok(Settled::Done(outcome))
}

fn keep_stat(tx: &mut WriteTx<'_>, row: DocumentRow, stat: Stat) -> Result<()> {
    // Without a file there is nothing to compare, and what could not be looked at is looked at again.
    if stat.modified_ns.is_some() { documents::set_stat(tx, row, stat) } else { Ok(()) }
}

/// Writes a text as a version; `None` where it was cut for a generation that does not answer any more.
pub(super) fn take_in(tx: &mut WriteTx<'_>, row: DocumentRow, text: &Text) -> Result<Option<Outcome>> {
    if generations::active(tx)?.id != text.generation.id {
        return Ok(None);
    }
    let converted = &text.converted;
    let hidden = documents::is_hidden(tx, row)?;
    keep_stat(tx, row, text.stat)?;
    let retitled = tx
        .prepare_cached(
            "UPDATE document SET title = coalesce(?2, name)
             WHERE row = ?1 AND title_given = 0 AND title <> coalesce(?2, name)",
        )?
        .execute(params![row, converted.title.as_deref().map(str::trim).filter(|title| !title.is_empty())])?
        > 0;
    let outcome =
        versions::write_version(tx, row, converted, &text.hash, &text.passages, text.generation.id)?;
    tx.prepare_cached(
        "UPDATE document SET media_type = ?2, content_hash = ?3, converter = ?4, attempts = 0, queued = 0 WHERE row = ?1",
    )?
    .execute(params![row, converted.media_type, text.hash, converter_name(converted)])?;
    if hidden {
        versions::unhide(tx, row)?;
    }
    documents::settle(tx, row)?;
    tx.wrote_passages(text.passages.len());
    Ok(Some(match outcome {
        VersionOutcome::Unchanged { .. } => {
            if retitled {
                changes::reindex_document(tx, row)?;
            }
            Outcome::Same
        }
        VersionOutcome::Active { version, .. } | VersionOutcome::Pending { version, .. } => {
            let number: u32 = tx
                .prepare_cached("SELECT number FROM version WHERE id = ?1")?
                .query_row([version.0], |r| r.get(0))?;
            if number == 1 { Outcome::First } else { Outcome::Later }
        }
    }))
}

impl Core {
    /// A file was not there: what that means, a scan of its place says.
    fn rescan_of(&self, row: DocumentRow) {
        let path = self.shared.reads.with(|conn| documents::file_of(conn, row));
        if let Ok(Some(path)) = path {
            self.hint(path);
        }
    }

    /// Asks for a look at a place on disk, without waiting.
    pub(crate) fn hint(&self, path: PathBuf) {
        // Where the queue is full, the scans before it see the same disk.
        let _ = self.scans.try_send(crate::watch::Request::Look(path));
    }
}

/// Whether words of a document that waits for its vectors are all there will be for now.
pub(super) fn give_up(
    tx: &mut WriteTx<'_>,
    completed: &[crate::ledger::vectors::Completed],
    why: &str,
) -> Result<()> {
    for done in completed {
        if done.pending {
            versions::activate(tx, done.version)?;
        }
        documents::set_state(
            tx,
            done.document,
            DocumentState::Words,
            Some(&crate::domain::Reason {
                code: "embedding_failed".to_owned(),
                message: format!("it is found by its words only: {why}"),
                retryable: true,
            }),
        )?;
    }
    Ok(())
}
