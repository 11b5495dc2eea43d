//! Closures on their way to the writer thread.

use crate::error::Result;
use crate::seams::Tag;
use jiff::Timestamp;
use rusqlite::Connection;
use std::ops::Deref;

/// The right to write, which exists only on the writer thread. Reads as a connection.
pub(crate) struct WriteTx<'a> {
    conn: &'a Connection,
    now: Timestamp,
    passages: usize,
    tags: Vec<Tag>,
}

impl Deref for WriteTx<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn
    }
}

impl WriteTx<'_> {
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
}

/// The handle through which closures reach the writer thread. Dropping it ends the thread after what it is committing.
pub(crate) struct Writer {}

impl Writer {
    /// Runs `f` on the writer thread and returns after its effects are committed. `f`'s error undoes only `f`.
    pub(crate) fn run<R, F>(&self, f: F) -> Result<R>
    where
        F: FnOnce(&mut WriteTx<'_>) -> Result<R> + Send + 'static,
        R: Send + 'static,
    {
        let _ = f;
        unimplemented!()
    }

    /// Returns when everything committed so far is in the indexes and visible to searches.
    pub(crate) fn flush(&self) -> Result<()> {
        unimplemented!()
    }
}
