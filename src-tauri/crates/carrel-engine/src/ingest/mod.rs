//! From a queued document to words and vectors.
//!
//! queue (the `queued` column, small files first) → converter threads → commit thread (words answer) → embed thread (meaning
//! follows). Bounded channels hold each step back; everything that was not done is in the ledger and goes on at the next start.
//! Refuses to read a file twice for the same content, to embed a text twice, and to lose a later change to an earlier conversion.
//!
//! Invariant: a document leaves the queue in the transaction that writes its outcome, and only if it did not change meanwhile.

mod commit;
mod convert;
mod direct;
mod embed;
mod enrich;
mod estimate;
mod fill;
mod outcome;
pub(crate) mod requeue;
mod work;

pub(crate) use convert::hash_file;
pub(crate) use direct::DirectText;
pub(crate) use embed::ATTEMPTS;
pub(crate) use outcome::{Outcome, Tracker};
pub(crate) use work::Work;

use crate::cancel::Cancel;
use crate::error::{EngineError, Result, if_there_is_room};
use crate::ledger::DocumentRow;
use crate::library::shared::Shared;
use crate::seams::{Event, Tag};
use crate::watch;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What the threads of one library's ingest have in common.
pub(crate) struct Core {
    pub(crate) shared: Arc<Shared>,
    /// Set when the library closes.
    pub(crate) cancel: Cancel,
    pub(crate) work: Work,
    /// To the watch thread.
    pub(crate) scans: Sender<watch::Request>,
    passwords: Mutex<HashMap<DocumentRow, String>>,
    pub(crate) opening: Opening,
}

/// How long what was found at opening is kept for whoever began it.
const OPENING: Duration = Duration::from_secs(5);

/// What the scan at opening found, and what became of it: it counts for the sync for which the library was opened.
pub(crate) struct Opening {
    pub(crate) tracker: Arc<Tracker>,
    pub(crate) round: Mutex<Option<watch::Round>>,
    began: Instant,
    taken: AtomicBool,
}

impl Core {
    /// The scan at opening, for the first who asks for a scan soon after. Whoever takes it ends its tracker.
    pub(crate) fn take_opening(&self) -> Option<&Opening> {
        let opening = &self.opening;
        let fresh = opening.began.elapsed() < OPENING;
        (fresh && !opening.taken.swap(true, Ordering::SeqCst)).then_some(opening)
    }

    /// Lets go of what the scan at opening found once nobody can ask for it.
    pub(crate) fn forget_opening_in_time(&self) {
        let opening = &self.opening;
        if opening.began.elapsed() > OPENING && !opening.taken.swap(true, Ordering::SeqCst) {
            self.work.untrack(&opening.tracker);
            opening.round.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }

    /// Remembers a password until the document is converted.
    pub(crate) fn remember_password(&self, row: DocumentRow, password: &str) {
        self.passwords.lock().unwrap_or_else(PoisonError::into_inner).insert(row, password.to_owned());
    }

    /// Forgets one that was not needed after all.
    pub(crate) fn forget_password(&self, row: DocumentRow) {
        drop(self.take_password(row));
    }

    fn take_password(&self, row: DocumentRow) -> Option<String> {
        self.passwords.lock().unwrap_or_else(PoisonError::into_inner).remove(&row)
    }

    /// Tells listeners at once that progress changed.
    pub(crate) fn tell(&self) {
        self.shared.parts.events.emit(Event { tag: Tag::Jobs, library: Some(self.shared.id) });
    }
}

/// The running ingest of an open library. Dropping it ends its threads; what they had not written goes on at the next start.
pub(crate) struct Ingest {
    pub(crate) core: Arc<Core>,
    threads: Vec<JoinHandle<()>>,
}

impl Ingest {
    /// Starts the threads. The rescan of the sources begins by itself.
    pub(crate) fn start(shared: Arc<Shared>) -> Result<Self> {
        if_there_is_room(requeue::at_start(&shared))?;
        let converters = converters();
        let (scans, requests) = bounded(256);
        let (results, finished) = bounded(commit::MOST);
        let work = Work::default();
        let core = Arc::new(Core {
            shared,
            cancel: Cancel::new(),
            opening: Opening {
                tracker: work.track(),
                round: Mutex::default(),
                began: Instant::now(),
                taken: AtomicBool::new(false),
            },
            work,
            scans,
            passwords: Mutex::default(),
        });
        let mut ingest = Self { core, threads: Vec::new() };
        for n in 0..converters {
            let results: Sender<convert::Finished> = results.clone();
            ingest.spawn(&format!("carrel-convert-{n}"), move |core| convert::run(core, &results))?;
        }
        drop(results);
        ingest.spawn("carrel-commit", move |core| commit::run(core, &finished))?;
        ingest.spawn("carrel-embed", embed::run)?;
        ingest.spawn("carrel-watch", move |core| watch::run(core, &requests))?;
        Ok(ingest)
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce(&Arc<Core>) + Send + 'static) -> Result<()> {
        let core = Arc::clone(&self.core);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || run(&core))
            .map_err(|error| EngineError::io(&self.core.shared.folder, error))?;
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Ingest {
    fn drop(&mut self) {
        self.core.cancel.cancel();
        self.core.work.ring();
        // Full or closed: the thread looks at the flag anyway.
        let _ = self.core.scans.try_send(watch::Request::Stop);
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread of the ingest ended with a panic");
            }
        }
    }
}

/// Converter threads: half the cores, 2 to 4. The converter's own pool may allow fewer at a time.
fn converters() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| (cores.get() / 2).clamp(2, 4))
}

/// Takes everything that is there now, at least one; `None` when the senders are gone.
fn drain<T>(receiver: &Receiver<T>, most: usize) -> Option<Vec<T>> {
    let mut taken = vec![receiver.recv().ok()?];
    while taken.len() < most
        && let Ok(next) = receiver.try_recv()
    {
        taken.push(next);
    }
    Some(taken)
}
