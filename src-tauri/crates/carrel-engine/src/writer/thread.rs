//! The thread itself: its queue, its groups, its commits.

use super::follow::Follower;
use super::indexes::{IndexSet, Indexes};
use super::job::{Job, Message, WriteTx};
use super::targets::{Dense, Lexical, remove_files};
use crate::domain::{ChangeSeq, Generation, GenerationId, LibraryId};
use crate::error::{EngineError, Result};
use crate::fault;
use crate::index::dense::Marker;
use crate::ledger::content::Contents;
use crate::ledger::{changes, database, generations};
use crate::library::Parts;
use crate::seams::{Clock, Event, EventSink, Tag};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A group ends when it has written this many passages …
const GROUP_PASSAGES: usize = 1_000;
/// … or is this old, or nobody waits.
const GROUP_TIME: Duration = Duration::from_secs(1);
/// The indexes follow for this long before the queue is looked at again.
const FOLLOW_TIME: Duration = Duration::from_millis(60);
/// Listeners hear of a change at most this often.
const EVENTS_EVERY: Duration = Duration::from_millis(100);
/// The log is trimmed when this many entries can go.
const TRIM: i64 = 4_096;

/// The indexes of one generation on their way through the log.
struct Followers {
    set: Arc<IndexSet>,
    lexical: Follower<Lexical>,
    dense: Option<Follower<Dense>>,
}

pub(super) struct Thread {
    conn: Connection,
    folder: PathBuf,
    library: LibraryId,
    clock: Arc<dyn Clock>,
    events: Arc<dyn EventSink>,
    contents: Arc<Contents>,
    marker: Arc<Marker>,
    indexes: Arc<Indexes>,
    followers: Vec<Followers>,
    flushes: Vec<(ChangeSeq, Sender<Result<()>>)>,
    tags: Vec<Tag>,
    told: Option<Instant>,
    last_write: Instant,
}

impl Thread {
    pub(super) fn open(
        conn: Connection,
        folder: &Path,
        library: LibraryId,
        parts: &Parts,
        contents: Arc<Contents>,
    ) -> Result<Self> {
        let (marker, died) = Marker::open(folder)?;
        let marker = Arc::new(marker);
        let active = generations::active(&conn)?;
        let mut followers = vec![open_followers(&conn, folder, &active, &marker, died)?];
        if let Some(building) = generations::building(&conn)? {
            followers.push(open_followers(&conn, folder, &building, &marker, died)?);
        }
        let indexes = Arc::new(Indexes::new(Arc::clone(&followers[0].set)));
        let thread = Self {
            conn,
            folder: folder.to_owned(),
            library,
            clock: Arc::clone(&parts.clock),
            events: Arc::clone(&parts.events),
            contents,
            marker,
            indexes,
            followers,
            flushes: Vec::new(),
            tags: Vec::new(),
            told: None,
            last_write: Instant::now(),
        };
        thread.remove_unused();
        Ok(thread)
    }

    pub(super) fn indexes(&self) -> Arc<Indexes> {
        Arc::clone(&self.indexes)
    }

    pub(super) fn run(mut self, queue: &Receiver<Message>) {
        let mut busy = true;
        loop {
            let message = if busy {
                queue.try_recv().map_err(|e| match e {
                    TryRecvError::Empty => RecvTimeoutError::Timeout,
                    TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                })
            } else {
                queue.recv_timeout(self.wakes_in())
            };
            match message {
                Ok(Message::Write(first)) => {
                    if let Some(next) = self.group(first, queue)
                        && !self.answer(next)
                    {
                        break;
                    }
                }
                Ok(other) => {
                    if !self.answer(other) {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            busy = self.follow();
            self.answer_flushes();
            self.tell(false);
        }
        self.close();
    }

    /// Answers what is not a write. False when the thread is to end.
    fn answer(&mut self, message: Message) -> bool {
        match message {
            Message::Write(job) => {
                let error = EngineError::Internal("a write came out of turn".to_owned());
                job.finish(Some(error), &self.folder);
            }
            Message::Flush(reply) => {
                for followers in &mut self.followers {
                    followers.lexical.hurry();
                    if let Some(dense) = &mut followers.dense {
                        dense.hurry();
                    }
                }
                self.wait_for_head(reply);
            }
            Message::Rebuild(index, reply) => match self.rebuild(index) {
                Ok(()) => self.wait_for_head(reply),
                // Whoever waited may be gone.
                Err(e) => drop(reply.send(Err(e))),
            },
            Message::Close => return false,
        }
        true
    }

    /// Carries out a group of writes in one transaction. Returns a message that was met and is not a write.
    fn group(&mut self, first: Box<dyn Job>, queue: &Receiver<Message>) -> Option<Message> {
        let begun = Instant::now();
        let now = self.clock.now();
        let mut done: Vec<Box<dyn Job>> = Vec::new();
        let mut met = None;
        let mut generations_changed = false;
        let mut tags: Vec<Tag> = Vec::new();
        if let Err(e) = self.conn.execute_batch("BEGIN IMMEDIATE") {
            first.finish(Some(database::named(e, &self.folder)), &self.folder);
            return None;
        }
        let mut passages = 0;
        let mut next = Some(first);
        let mut broken: Option<EngineError> = None;
        while let Some(mut job) = next.take() {
            let mut tx = WriteTx::new(&self.conn, now);
            match in_savepoint(&self.conn, job.as_mut(), &mut tx) {
                Ok(true) => {
                    passages += tx.passages;
                    generations_changed |= tx.generations_changed;
                    for tag in tx.tags {
                        if !tags.contains(&tag) {
                            tags.push(tag);
                        }
                    }
                }
                Ok(false) => {}
                Err(e) => broken = Some(database::named(e, &self.folder)),
            }
            done.push(job);
            // A full disk may have ended the whole transaction.
            if broken.is_some() || self.conn.is_autocommit() {
                break;
            }
            if passages < GROUP_PASSAGES && begun.elapsed() < GROUP_TIME {
                match queue.try_recv() {
                    Ok(Message::Write(job)) => next = Some(job),
                    Ok(other) => met = Some(other),
                    Err(_) => {}
                }
            }
        }
        let failed = self.commit(broken);
        let committed = failed.is_none();
        if committed && generations_changed {
            self.reload();
        }
        for job in done {
            job.finish(failed.as_ref().map(again), &self.folder);
        }
        if committed {
            for tag in tags {
                if !self.tags.contains(&tag) {
                    self.tags.push(tag);
                }
            }
        }
        self.last_write = Instant::now();
        met
    }

    fn commit(&mut self, broken: Option<EngineError>) -> Option<EngineError> {
        if broken.is_none() && !self.conn.is_autocommit() {
            fault::point("writer.before_commit");
            match self.conn.execute_batch("COMMIT") {
                Ok(()) => {
                    fault::point("writer.after_commit");
                    self.indexes.pass();
                    return None;
                }
                Err(e) => {
                    let e = database::named(e, &self.folder);
                    self.roll_back();
                    return Some(e);
                }
            }
        }
        self.roll_back();
        Some(broken.unwrap_or_else(|| EngineError::disk_full(&self.folder)))
    }

    fn roll_back(&self) {
        if !self.conn.is_autocommit()
            && let Err(e) = self.conn.execute_batch("ROLLBACK")
        {
            tracing::error!("a transaction could not be rolled back: {e}");
        }
    }

    /// Lets the indexes follow for a while. True where there is more to do now.
    fn follow(&mut self) -> bool {
        let begun = Instant::now();
        let (mut more, mut stepped) = (true, false);
        while more && begun.elapsed() < FOLLOW_TIME {
            more = false;
            for followers in &mut self.followers {
                more |= followers.lexical.step(&self.conn, &self.contents);
                if let Some(dense) = &mut followers.dense {
                    more |= dense.step(&self.conn, &self.contents);
                }
            }
            stepped |= more;
        }
        let idle = if more { Duration::ZERO } else { self.last_write.elapsed() };
        let mut persisted = false;
        for followers in &mut self.followers {
            persisted |= followers.lexical.persist_if_due(&self.conn, idle);
            if let Some(dense) = &mut followers.dense {
                persisted |= dense.persist_if_due(&self.conn, idle);
            }
        }
        self.show();
        if stepped || persisted {
            self.indexes.pass();
        }
        if persisted {
            self.trim(TRIM);
        }
        more
    }

    fn wait_for_head(&mut self, reply: Sender<Result<()>>) {
        match changes::head(&self.conn) {
            Ok(head) => self.flushes.push((head, reply)),
            Err(e) => drop(reply.send(Err(e))),
        }
    }

    /// Answers those who wait for the indexes.
    fn answer_flushes(&mut self) {
        if self.flushes.is_empty() {
            return;
        }
        let mut answers = Vec::new();
        for (seq, reply) in std::mem::take(&mut self.flushes) {
            match self.reached(seq) {
                Ok(false) => self.flushes.push((seq, reply)),
                Ok(true) => answers.push((reply, Ok(()))),
                Err(e) => answers.push((reply, Err(e))),
            }
        }
        // Whoever waited looks at the states next.
        self.show();
        self.indexes.pass();
        for (reply, answer) in answers {
            let _ = reply.send(answer);
        }
    }

    fn reached(&mut self, seq: ChangeSeq) -> Result<bool> {
        let mut reached = true;
        for followers in &mut self.followers {
            reached &= followers.lexical.reached(&self.conn, seq)?;
            if let Some(dense) = &mut followers.dense {
                reached &= dense.reached(&self.conn, seq)?;
            }
        }
        Ok(reached)
    }

    fn rebuild(&mut self, index: &str) -> Result<()> {
        for followers in &mut self.followers {
            match index {
                "lexical" => followers.lexical.rebuild(&self.conn)?,
                _ => {
                    if let Some(dense) = &mut followers.dense {
                        dense.rebuild(&self.conn)?;
                    }
                }
            }
        }
        self.show();
        self.indexes.pass();
        Ok(())
    }

    fn show(&mut self) {
        let Ok(head) = changes::head(&self.conn) else { return };
        for followers in &self.followers {
            let before = (followers.set.lexical_state().0, followers.set.dense_state().0);
            followers.lexical.show(head);
            if let Some(dense) = &followers.dense {
                dense.show(head);
            }
            let after = (followers.set.lexical_state().0, followers.set.dense_state().0);
            if before != after && !self.tags.contains(&Tag::Documents) {
                self.tags.push(Tag::Documents);
            }
        }
    }

    /// Forgets what every index holds for good, when that is at least `least` entries.
    fn trim(&mut self, least: i64) {
        let durable = self.followers.iter().flat_map(|f| {
            let dense = f.dense.as_ref().map(Follower::durable);
            [Some(f.lexical.durable()), dense].into_iter().flatten()
        });
        let Some(upto) = durable.min() else { return };
        let trimmed = changes::floor(&self.conn).and_then(|floor| {
            if upto.0 - floor.0 < least.max(1) {
                return Ok(());
            }
            let transaction = self.conn.unchecked_transaction()?;
            changes::trim(&mut WriteTx::new(&transaction, self.clock.now()), upto)?;
            Ok(transaction.commit()?)
        });
        if let Err(e) = trimmed {
            tracing::warn!("the change log could not be trimmed: {e}");
        }
    }

    /// Opens what a changed set of generations needs and drops what it does not.
    fn reload(&mut self) {
        let wanted = generations::active(&self.conn).and_then(|active| {
            let mut wanted = vec![active];
            wanted.extend(generations::building(&self.conn)?);
            Ok(wanted)
        });
        let wanted = match wanted {
            Ok(wanted) => wanted,
            Err(e) => return tracing::error!("the generations of a library could not be read: {e}"),
        };
        let mut followers = Vec::with_capacity(wanted.len());
        for generation in wanted {
            let known = self.followers.iter().position(|f| f.set.generation.id == generation.id);
            match known.map(|at| self.followers.swap_remove(at)) {
                Some(mut kept) => {
                    kept.set = Arc::new(IndexSet {
                        generation,
                        lexical: kept.set.lexical.clone(),
                        dense: kept.set.dense.clone(),
                    });
                    followers.push(kept);
                }
                None => match open_followers(&self.conn, &self.folder, &generation, &self.marker, false) {
                    Ok(opened) => followers.push(opened),
                    Err(e) => tracing::error!("an index could not be opened: {e}"),
                },
            }
        }
        if let Some(active) = followers.first() {
            self.indexes.swap(Arc::clone(&active.set));
        }
        self.followers = followers;
        self.remove_unused();
    }

    /// Deletes index files of generations that do not answer: they can be made again from the ledger.
    fn remove_unused(&self) {
        let used: Vec<GenerationId> = self.followers.iter().map(|f| f.set.generation.id).collect();
        let all = self.conn.prepare("SELECT id FROM generation").and_then(|mut statement| {
            statement.query_map([], |row| Ok(GenerationId(row.get(0)?)))?.collect::<Result<Vec<_>, _>>()
        });
        let found = all.map_err(EngineError::from).and_then(|all| {
            all.into_iter().filter(|id| !used.contains(id)).try_for_each(|id| remove_files(&self.folder, id))
        });
        if let Err(e) = found {
            tracing::warn!("unused index files could not be removed: {e}");
        }
    }

    fn wakes_in(&self) -> Duration {
        let idle = self.last_write.elapsed();
        let mut wait = Duration::from_mins(1);
        for followers in &self.followers {
            let dense = followers.dense.as_ref().and_then(|dense| dense.wakes_in(idle));
            for due in [followers.lexical.wakes_in(idle), dense].into_iter().flatten() {
                wait = wait.min(due);
            }
        }
        if !self.tags.is_empty() {
            wait = wait.min(EVENTS_EVERY);
        }
        wait
    }

    fn tell(&mut self, now: bool) {
        if self.tags.is_empty() || (!now && self.told.is_some_and(|told| told.elapsed() < EVENTS_EVERY)) {
            return;
        }
        self.told = Some(Instant::now());
        for tag in std::mem::take(&mut self.tags) {
            self.events.emit(Event { tag, library: Some(self.library) });
        }
    }

    fn close(mut self) {
        for followers in &mut self.followers {
            while followers.lexical.step(&self.conn, &self.contents) {}
            followers.lexical.close(&self.conn);
            if let Some(dense) = &mut followers.dense {
                // A rebuild that is under way starts over next time; small remainders are applied and saved.
                while !dense.is_rebuilding() && dense.step(&self.conn, &self.contents) {}
                dense.close(&self.conn);
            }
        }
        self.trim(1);
        self.tell(true);
        if let Err(e) = self.conn.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);") {
            tracing::warn!("the ledger could not be checkpointed: {e}");
        }
    }
}

/// The same error for each of several who wait.
fn again(e: &EngineError) -> EngineError {
    match e {
        EngineError::DiskFull { path, free } => EngineError::DiskFull { path: path.clone(), free: *free },
        EngineError::Damaged { path, detail } => {
            EngineError::Damaged { path: path.clone(), detail: detail.clone() }
        }
        other => EngineError::Internal(format!("the write was not committed: {other}")),
    }
}

/// Runs a write in a savepoint. `Ok(false)`: it failed and was undone.
fn in_savepoint(conn: &Connection, job: &mut dyn Job, tx: &mut WriteTx<'_>) -> rusqlite::Result<bool> {
    conn.execute_batch("SAVEPOINT job")?;
    if job.run(tx) {
        conn.execute_batch("RELEASE job")?;
        return Ok(true);
    }
    if !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK TO job; RELEASE job")?;
    }
    Ok(false)
}

fn open_followers(
    conn: &Connection,
    folder: &Path,
    generation: &Generation,
    marker: &Arc<Marker>,
    suspect: bool,
) -> Result<Followers> {
    let (lexical, lexical_at) = Lexical::open(folder, generation)?;
    let dense = generation
        .space
        .as_ref()
        .map(|space| Dense::open(folder, generation.id, space, marker, suspect))
        .transpose()?;
    let set = Arc::new(IndexSet {
        generation: generation.clone(),
        lexical: lexical.slot.clone(),
        dense: dense.as_ref().map(|(dense, _)| dense.slot.clone()),
    });
    let state = Arc::clone(&lexical.slot.state);
    let lexical = Follower::new(lexical, state, generation.id, lexical_at, conn)?;
    let dense = dense
        .map(|(dense, at)| {
            let state = Arc::clone(&dense.slot.state);
            Follower::new(dense, state, generation.id, at, conn)
        })
        .transpose()?;
    Ok(Followers { set, lexical, dense })
}
