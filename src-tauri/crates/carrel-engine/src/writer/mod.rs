//! The one thread that changes a library's ledger and indexes.
//!
//! Everyone else hands it closures. Each runs in a savepoint of a grouped transaction; the caller returns when that is
//! committed. After each commit the indexes follow the change log. Refuses to make a lone write wait for company.
//! Invariants: what [`Writer::run`] returned `Ok` for is on disk; an index that fails never stops the ledger.

mod follow;
mod indexes;
mod job;
mod targets;
#[cfg(test)]
mod tests;
mod thread;

pub(crate) use indexes::{IndexSet, Indexes};
pub(crate) use job::WriteTx;

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::ledger::content::Contents;
use crate::library::Parts;
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use job::{Closure, Message};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Closures that may wait; more make their senders wait.
const QUEUE: usize = 64;

/// The handle through which closures reach the writer thread. Dropping it ends the thread after what it is committing.
pub(crate) struct Writer {
    queue: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Opens the indexes and starts the thread. The indexes that the result names answer from now on.
    pub(crate) fn start(
        conn: Connection,
        folder: &Path,
        id: crate::domain::LibraryId,
        parts: &Parts,
        contents: Arc<Contents>,
    ) -> Result<(Self, Arc<Indexes>)> {
        let thread = thread::Thread::open(conn, folder, id, parts, contents)?;
        let indexes = thread.indexes();
        let (queue, receiver) = bounded(QUEUE);
        let handle = std::thread::Builder::new()
            .name("carrel-writer".to_owned())
            .spawn(move || thread.run(&receiver))
            .map_err(|e| EngineError::io(folder, e))?;
        Ok((Self { queue, thread: Some(handle) }, indexes))
    }

    /// Runs `f` on the writer thread and returns after its effects are committed. `f`'s error undoes only `f`. Never called
    /// from within `f`.
    pub(crate) fn run<R, F>(&self, f: F) -> Result<R>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<R> + Send + 'static,
        R: Send + 'static,
    {
        let (reply, answer) = bounded(1);
        self.send(Message::Write(Box::new(Closure::new(f, reply))))?;
        answer.recv().map_err(|_| stopped())?
    }

    /// Returns when everything committed before the call is in the indexes and visible to searches.
    pub(crate) fn flush(&self) -> Result<()> {
        self.flush_unless(&Cancel::new())
    }

    /// The same, for who may not want to wait for indexes that are far behind.
    pub(crate) fn flush_unless(&self, cancel: &Cancel) -> Result<()> {
        /// How often it is looked whether anybody still waits.
        const LOOK: Duration = Duration::from_millis(100);
        let (reply, answer) = bounded(1);
        self.send(Message::Flush(reply))?;
        loop {
            match answer.recv_timeout(LOOK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => cancel.check()?,
                Err(RecvTimeoutError::Disconnected) => return Err(stopped()),
            }
        }
    }

    /// Throws an index's files away and makes it again from the ledger; returns when that is done.
    pub(crate) fn rebuild(&self, index: &'static str) -> Result<()> {
        let (reply, answer) = bounded(1);
        self.send(Message::Rebuild(index, reply))?;
        answer.recv().map_err(|_| stopped())?
    }

    fn send(&self, message: Message) -> Result<()> {
        self.queue.send(message).map_err(|_| stopped())
    }
}

fn stopped() -> EngineError {
    EngineError::Internal("the library is closed".to_owned())
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The thread may have ended by itself; then there is nobody to tell.
        let _ = self.queue.send(Message::Close);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread ended with a panic");
        }
    }
}
