//! Closures on their way to the writer thread.

use crate::error::{EngineError, Result};
use crate::ledger::database;
use crate::seams::Tag;
use crossbeam_channel::Sender;
use jiff::Timestamp;
use rusqlite::Connection;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The right to write, which exists only on the writer thread. Reads as a connection.
pub(crate) struct WriteTx<'a> {
    conn: &'a Connection,
    now: Timestamp,
    pub(super) passages: usize,
    pub(super) tags: Vec<Tag>,
    pub(super) generations_changed: bool,
}

impl Deref for WriteTx<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn
    }
}

impl<'a> WriteTx<'a> {
    pub(crate) fn new(conn: &'a Connection, now: Timestamp) -> Self {
        Self { conn, now, passages: 0, tags: Vec::new(), generations_changed: false }
    }

    /// The wall clock at the beginning of this closure.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Tells listeners, after the commit, that a part of the truth changed.
    pub(crate) fn changed(&mut self, tag: Tag) {
        if !self.tags.contains(&tag) {
            self.tags.push(tag);
        }
    }

    /// Counts towards the size of the group.
    pub(crate) fn wrote_passages(&mut self, n: usize) {
        self.passages += n;
    }

    /// A generation began, was swapped in or dropped: the indexes are to be opened anew after the commit.
    pub(crate) fn generations_changed(&mut self) {
        self.generations_changed = true;
    }
}

/// What reaches the writer thread.
pub(super) enum Message {
    Write(Box<dyn Job>),
    Flush(Sender<Result<()>>),
    Rebuild(&'static str, Sender<Result<()>>),
    Close,
}

/// A write, with someone waiting for it.
pub(super) trait Job: Send {
    /// Does the work in a savepoint; false where it is to be undone.
    fn run(&mut self, tx: &mut WriteTx<'_>) -> bool;

    /// Tells the one who waits. `failed` says why the transaction was not committed; `folder` names the library in errors.
    fn finish(self: Box<Self>, failed: Option<EngineError>, folder: &Path);
}

/// A closure as a [`Job`].
pub(super) struct Closure<F, R> {
    work: Option<F>,
    result: Option<Result<R>>,
    reply: Sender<Result<R>>,
}

impl<F, R> Closure<F, R> {
    pub(super) fn new(work: F, reply: Sender<Result<R>>) -> Self {
        Self { work: Some(work), result: None, reply }
    }
}

impl<F, R> Job for Closure<F, R>
where
    F: FnOnce(&mut WriteTx<'_>) -> Result<R> + Send,
    R: Send,
{
    fn run(&mut self, tx: &mut WriteTx<'_>) -> bool {
        let Some(work) = self.work.take() else { return false };
        let result = catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|panic| {
            let said = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            Err(EngineError::Internal(format!("a write failed: {said}")))
        });
        let done = result.is_ok();
        self.result = Some(result);
        done
    }

    fn finish(self: Box<Self>, failed: Option<EngineError>, folder: &Path) {
        let result = match (self.result, failed) {
            (Some(Err(EngineError::Ledger(own))), _) => Err(database::named(own, folder)),
            (Some(Err(own)), _) => Err(own),
            (_, Some(failed)) => Err(failed),
            (Some(Ok(value)), None) => Ok(value),
            (None, None) => Err(EngineError::Internal("a write was not carried out".to_owned())),
        };
        // Whoever waited may be gone.
        let _ = self.reply.send(result);
    }
}
