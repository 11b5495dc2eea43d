//! Following the change log: replay, rebuild, and what happens when an index fails.
//!
//! Every index has its own cursor. What is applied is not the entry but what the ledger says of its passage now, so replay
//! after a crash, rebuild beside new changes, and retries all end in the same entries. Refuses to trouble the ledger: a
//! failure marks the index behind, and it is tried again later.

use super::indexes::State;
use super::targets::{Pending, Target};
use crate::domain::{ChangeSeq, GenerationId, PassageId};
use crate::error::{EngineError, Result};
use crate::ledger::content::Contents;
use crate::ledger::{changes, passages};
use crate::library::IndexState;
use crate::seams::IndexError;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Wait after the first failure; doubled after each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Failures in a row after which the files are not trusted any more.
const TRUSTED: u32 = 3;

/// One index on its way through the change log.
pub(super) struct Follower<T> {
    pub(super) target: T,
    generation: GenerationId,
    state: Arc<State>,
    /// Everything up to here is applied.
    cursor: ChangeSeq,
    /// Everything up to here is durable.
    durable: ChangeSeq,
    /// Live passages up to this one are in; `None` when the index needs no rebuilding.
    rebuilding: Option<PassageId>,
    /// What is applied and not durable.
    pending: Pending,
    pending_since: Option<Instant>,
    failures: u32,
    wait_until: Option<Instant>,
}

impl<T: Target> Follower<T> {
    /// A follower of an index that holds `opened`, or that had to begin empty for a reason.
    pub(super) fn new(
        target: T,
        state: Arc<State>,
        generation: GenerationId,
        opened: std::result::Result<ChangeSeq, String>,
        conn: &Connection,
    ) -> Result<Self> {
        let mut follower = Self {
            target,
            generation,
            state,
            cursor: ChangeSeq(0),
            durable: ChangeSeq(0),
            rebuilding: None,
            pending: Pending::default(),
            pending_since: None,
            failures: 0,
            wait_until: None,
        };
        match opened {
            Ok(applied) => follower.resume(conn, applied)?,
            Err(reason) => {
                tracing::warn!("the {} index is rebuilt: {reason}", T::NAME);
                follower.state.explain(Some(reason));
                follower.start_over(conn)?;
            }
        }
        follower.show(changes::head(conn)?);
        Ok(follower)
    }

    /// Goes on from what the index holds, by replay where the log reaches back that far.
    fn resume(&mut self, conn: &Connection, applied: ChangeSeq) -> Result<()> {
        self.pending = Pending::default();
        self.pending_since = None;
        self.rebuilding = None;
        self.cursor = applied;
        self.durable = applied;
        let (floor, head) = (changes::floor(conn)?, changes::head(conn)?);
        if applied >= floor && applied <= head {
            return Ok(());
        }
        if applied != ChangeSeq(0) {
            let reason = format!("it stands at change {applied} and the ledger at {head}");
            tracing::warn!("the {} index is rebuilt: {reason}", T::NAME);
            self.state.explain(Some(reason));
        }
        self.target.wipe()?;
        self.start_over(conn)
    }

    /// Begins the rebuild of an index that is empty. What changes from now on follows by the log.
    fn start_over(&mut self, conn: &Connection) -> Result<()> {
        self.cursor = changes::head(conn)?;
        self.durable = ChangeSeq(0);
        self.pending = Pending::default();
        self.pending_since = None;
        self.rebuilding = Some(PassageId(0));
        Ok(())
    }

    /// Applies one batch. True where there may be more to do now.
    pub(super) fn step(&mut self, conn: &Connection, contents: &Contents) -> bool {
        if self.wait_until.is_some_and(|until| Instant::now() < until) {
            return false;
        }
        self.wait_until = None;
        match self.advance(conn, contents) {
            Ok(more) => more,
            Err(e) => {
                self.failed(conn, &e);
                false
            }
        }
    }

    fn advance(&mut self, conn: &Connection, contents: &Contents) -> Result<bool> {
        if let Some(after) = self.rebuilding {
            let ids = passages::next_live(conn, self.generation, after, T::BATCH)?;
            let Some(&last) = ids.last() else {
                self.rebuilding = None;
                self.state.explain(None);
                // The index is whole only now: say so on disk even where nothing was put.
                self.note(1, 1);
                return Ok(true);
            };
            let touched = self.target.apply(conn, contents, self.generation, &ids)?;
            self.note(touched, touched);
            self.rebuilding = Some(last);
            return Ok(true);
        }
        let entries = changes::read(conn, self.cursor, T::BATCH)?;
        let Some(last) = entries.last() else { return Ok(false) };
        let seq = last.seq;
        let ids: BTreeSet<PassageId> = entries
            .iter()
            .filter(|entry| entry.generation == self.generation && T::concerns(entry.kind))
            .map(|entry| entry.passage)
            .collect();
        let mut touched = 0;
        if !ids.is_empty() {
            let ids: Vec<PassageId> = ids.into_iter().collect();
            touched = self.target.apply(conn, contents, self.generation, &ids)?;
        }
        self.note(touched, entries.len());
        self.cursor = seq;
        Ok(true)
    }

    fn note(&mut self, touched: usize, passed: usize) {
        self.pending.touched += touched;
        self.pending.passed += passed;
        self.pending_since.get_or_insert_with(Instant::now);
    }

    /// Makes what is applied durable where that is due. True where it did.
    pub(super) fn persist_if_due(&mut self, conn: &Connection, idle: Duration) -> bool {
        let Some(since) = self.pending_since else { return false };
        if self.wait_until.is_some() || !self.target.due(self.pending, since.elapsed(), idle) {
            return false;
        }
        self.persist(conn)
    }

    /// Makes what is applied durable. True where it did.
    fn persist(&mut self, conn: &Connection) -> bool {
        // A half-built index must not claim to be whole after a crash; a dense one is not worth its file yet.
        let seq = match self.rebuilding {
            None => self.cursor,
            Some(_) if T::VISIBLE_WHEN_PERSISTED => ChangeSeq(0),
            Some(_) => return false,
        };
        match self.target.persist(seq) {
            Ok(()) => {
                self.durable = seq;
                self.pending = Pending::default();
                self.pending_since = None;
                self.failures = 0;
                true
            }
            Err(e) => {
                self.failed(conn, &e.into());
                false
            }
        }
    }

    /// Tries again at once what waits after a failure.
    pub(super) fn hurry(&mut self) {
        self.wait_until = None;
    }

    /// Whether searches see everything up to `seq`; makes it visible where only that is missing. An error where the index
    /// failed and waits.
    pub(super) fn reached(&mut self, conn: &Connection, seq: ChangeSeq) -> Result<bool> {
        let due = T::VISIBLE_WHEN_PERSISTED && self.pending.touched > 0;
        if self.wait_until.is_none() && self.rebuilding.is_none() && self.cursor >= seq && due {
            self.persist(conn);
        }
        if self.wait_until.is_some() {
            return Err(self.error());
        }
        Ok(self.rebuilding.is_none() && self.cursor >= seq)
    }

    fn error(&self) -> EngineError {
        IndexError { index: T::NAME, detail: self.state.detail().unwrap_or_default() }.into()
    }

    /// Saves before the library is closed, where that is worth it.
    pub(super) fn close(&mut self, conn: &Connection) {
        if self.pending.passed > 0 && self.wait_until.is_none() && self.target.due_at_close(self.pending) {
            self.persist(conn);
        }
    }

    /// Throws the files away and rebuilds.
    pub(super) fn rebuild(&mut self, conn: &Connection) -> Result<()> {
        self.target.wipe()?;
        self.wait_until = None;
        self.failures = 0;
        self.start_over(conn)
    }

    fn failed(&mut self, conn: &Connection, e: &EngineError) {
        tracing::warn!("the {} index: {e}", T::NAME);
        self.state.explain(Some(e.to_string()));
        self.failures += 1;
        let wait = FIRST_WAIT.saturating_mul(1 << (self.failures - 1).min(8)).min(LONGEST_WAIT);
        self.wait_until = Some(Instant::now() + wait);
        // A full disk says nothing against the files, and to make them anew would need more room still.
        let full = match e {
            EngineError::DiskFull { .. } => true,
            EngineError::Index(e) => e.is_full_disk(),
            _ => false,
        };
        // What was applied and not durable is lost with the index that failed: go back to what its files hold.
        let back = match self.target.reopen() {
            Ok(applied) if full || self.failures <= TRUSTED => self.resume(conn, applied),
            Err(_) if full => {
                // The index in memory goes on answering. A rebuild begins again, for what it had put is not certain.
                match &mut self.rebuilding {
                    Some(done) => *done = PassageId(0),
                    None => self.cursor = self.durable,
                }
                self.pending = Pending::default();
                self.pending_since = None;
                Ok(())
            }
            _ => self.target.wipe().map_err(EngineError::from).and_then(|()| self.start_over(conn)),
        };
        if let Err(e) = back {
            tracing::warn!("the {} index: {e}", T::NAME);
            self.rebuilding = Some(PassageId(0));
        }
    }

    /// Shows where the index stands, given the newest change.
    pub(super) fn show(&self, head: ChangeSeq) {
        let invisible = T::VISIBLE_WHEN_PERSISTED && self.pending.touched > 0;
        let state = if self.rebuilding.is_some() {
            IndexState::Rebuilding
        } else if self.cursor < head || invisible || self.wait_until.is_some() {
            IndexState::Behind
        } else {
            IndexState::Current
        };
        self.state.set(state);
        if state == IndexState::Current {
            self.state.explain(None);
        }
    }

    /// When this follower has something to do although nothing is written.
    pub(super) fn wakes_in(&self, idle: Duration) -> Option<Duration> {
        if let Some(until) = self.wait_until {
            return Some(until.saturating_duration_since(Instant::now()));
        }
        let since = self.pending_since?;
        [Duration::from_millis(50), Duration::from_secs(1), Duration::from_secs(5)]
            .into_iter()
            .find(|&ahead| self.target.due(self.pending, since.elapsed() + ahead, idle + ahead))
    }

    /// The log may be trimmed up to here as far as this index is concerned.
    pub(super) fn durable(&self) -> ChangeSeq {
        self.durable
    }

    /// Whether it is being made anew.
    pub(super) fn is_rebuilding(&self) -> bool {
        self.rebuilding.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::LibraryId;
    use crate::ledger;
    use crate::ledger::changes::ChangeKind;

    /// Counts how often its files were thrown away.
    #[derive(Default)]
    struct Files {
        wiped: usize,
        /// They cannot be opened again.
        no_room: bool,
    }

    impl Target for Files {
        const NAME: &'static str = "lexical";
        const BATCH: usize = 1;
        const VISIBLE_WHEN_PERSISTED: bool = true;

        fn concerns(_: ChangeKind) -> bool {
            true
        }

        fn apply(&mut self, _: &Connection, _: &Contents, _: GenerationId, _: &[PassageId]) -> Result<usize> {
            Ok(0)
        }

        fn persist(&mut self, _: ChangeSeq) -> std::result::Result<(), IndexError> {
            Ok(())
        }

        fn due(&self, _: Pending, _: Duration, _: Duration) -> bool {
            true
        }

        fn due_at_close(&self, _: Pending) -> bool {
            true
        }

        fn reopen(&mut self) -> std::result::Result<ChangeSeq, IndexError> {
            let full = "tantivy-writer.lock: No space left on device (os error 28)".to_owned();
            if self.no_room { Err(IndexError { index: "lexical", detail: full }) } else { Ok(ChangeSeq(0)) }
        }

        fn wipe(&mut self) -> std::result::Result<(), IndexError> {
            self.wiped += 1;
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_costs_no_files_and_other_failures_do() {
        let folder = tempfile::tempdir().unwrap();
        let (conn, _) = ledger::open(&folder.path().join(ledger::FILE), Some(LibraryId::random())).unwrap();
        let state = Arc::new(State::default());
        let mut follower =
            Follower::new(Files::default(), state, GenerationId(1), Ok(ChangeSeq(0)), &conn).unwrap();
        let fail = |follower: &mut Follower<Files>, detail: &str| {
            for _ in 0..10 {
                let failure = IndexError { index: "lexical", detail: detail.to_owned() };
                follower.failed(&conn, &failure.into());
            }
        };
        fail(&mut follower, "meta.json: No space left on device (os error 28)");
        assert_eq!((follower.target.wiped, follower.is_rebuilding()), (0, false));
        follower.target.no_room = true;
        follower.rebuilding = Some(PassageId(7));
        fail(&mut follower, "meta.json: No space left on device (os error 28)");
        assert_eq!((follower.target.wiped, follower.rebuilding), (0, Some(PassageId(0))));
        (follower.target.no_room, follower.rebuilding) = (false, None);
        fail(&mut follower, "meta.json: expected value at line 1 column 1");
        assert!(follower.target.wiped > 0 && follower.is_rebuilding());
    }
}
