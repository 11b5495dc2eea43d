//! What is to be done, what is under way, and whether it may go on.
//!
//! The queue itself is the ledger's; this keeps a few of its rows at hand, knows which are being converted, and rings when there is
//! something new. Invariant: a row is converted by one thread at a time, and none is handed out that was settled while the queue was
//! read: its outcome would be told again, as that of a document that is gone.

use super::outcome::{Outcome, Tracker};
use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::ledger::DocumentRow;
use crate::ledger::documents::ContentHash;
use crate::seams::FilePart;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Rows taken from the ledger at a time.
const BUFFER: usize = 64;

/// Most bytes of text on their way to the commit thread; one text may be larger.
const HELD: usize = 32 << 20;

/// Longest sleep without looking at the cancel flags.
const NAP: Duration = Duration::from_millis(100);

/// Parts of files are told no more often.
const PACE: Duration = Duration::from_millis(500);

/// Shared state with its bell.
#[derive(Default)]
pub(crate) struct Work {
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Default)]
struct State {
    paused: usize,
    /// Scans asked for and not done.
    scans: usize,
    /// Events wait for their files to be quiet.
    hints: bool,
    /// The rescan at start is done.
    reconciled: bool,
    buffer: VecDeque<DocumentRow>,
    /// Rows that somebody waits for: they come before all others, and even while work is halted.
    urgent: VecDeque<DocumentRow>,
    /// Rows being converted or written; `true` where the file changed again meanwhile.
    in_flight: HashMap<DocumentRow, bool>,
    deferred: HashMap<DocumentRow, Instant>,
    /// Threads that are reading the queue, and the rows that were let go meanwhile: what they read may hold them still.
    reading: usize,
    let_go: HashSet<DocumentRow>,
    /// Bytes of text on their way to the commit thread.
    held: usize,
    /// Contents being converted, each by one row.
    claims: HashMap<ContentHash, DocumentRow>,
    /// Counts rings: whoever found nothing to do sleeps only if it did not ring meanwhile.
    rings: u64,
    queue_dry_at: Option<u64>,
    embed_dry_at: Option<u64>,
    done: usize,
    /// Where and when the last write found no room on the disk.
    no_room: Option<(PathBuf, Instant)>,
    /// The file that was last heard of, and the part of it that is being converted.
    current: Option<(String, Option<FilePart>)>,
    /// When listeners were last told of a part.
    told: Option<Instant>,
    trackers: Vec<Arc<Tracker>>,
}

impl State {
    fn let_go(&mut self, row: DocumentRow) {
        self.in_flight.remove(&row);
        // It may have been hurried past its place here.
        self.buffer.retain(|waiting| *waiting != row);
        if self.reading > 0 {
            self.let_go.insert(row);
        }
        self.claims.retain(|_, holder| *holder != row);
    }
}

/// How far the work is, apart from what the ledger counts.
pub(crate) struct Snapshot {
    pub(crate) done: usize,
    pub(crate) current: Option<String>,
    pub(crate) part: Option<FilePart>,
    pub(crate) scanning: bool,
    pub(crate) paused: bool,
}

impl Work {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        let result = f(&mut self.lock());
        self.bell.notify_all();
        result
    }

    /// There may be something new in the queue or to be embedded.
    pub(crate) fn ring(&self) {
        self.change(|state| state.rings += 1);
    }

    /// Halts or resumes; nests.
    pub(crate) fn pause(&self, paused: bool) {
        self.change(|state| {
            state.paused = if paused { state.paused + 1 } else { state.paused.saturating_sub(1) }
        });
    }

    /// Whether work is halted.
    pub(crate) fn is_paused(&self) -> bool {
        self.lock().paused > 0
    }

    /// The next row to convert; waits for one. `refill` reads queued rows, smallest first, at most so many. `None` when cancelled.
    pub(super) fn next(
        &self,
        cancel: &Cancel,
        refill: impl Fn(usize) -> Vec<DocumentRow>,
    ) -> Option<DocumentRow> {
        let mut state = self.lock();
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            if let Some(row) = state.urgent.pop_front() {
                if let Entry::Vacant(free) = state.in_flight.entry(row) {
                    free.insert(false);
                    return Some(row);
                }
                continue;
            }
            // Halted: whether there is anything in the queue is found out all the same, so that an idle library is known to be.
            let halted = state.paused > 0;
            if halted && (!state.buffer.is_empty() || state.queue_dry_at == Some(state.rings)) {
                state = self.nap(state, NAP);
                continue;
            }
            if !halted && let Some(row) = state.buffer.pop_front() {
                if state.in_flight.contains_key(&row) {
                    continue;
                }
                state.in_flight.insert(row, false);
                return Some(row);
            }
            let now = Instant::now();
            let due = state.deferred.len();
            state.deferred.retain(|_, until| *until > now);
            if due > state.deferred.len() {
                state.rings += 1;
            }
            if state.queue_dry_at == Some(state.rings) {
                let nap = state.deferred.values().min().map_or(NAP * 10, |until| until.duration_since(now));
                state = self.nap(state, nap.max(Duration::from_millis(1)));
                continue;
            }
            let rings = state.rings;
            let most = state.in_flight.len() + state.deferred.len() + BUFFER;
            state.reading += 1;
            drop(state);
            let rows = refill(most);
            state = self.lock();
            let in_hand = state.in_flight.keys().chain(state.deferred.keys()).chain(&state.buffer);
            let known: HashSet<DocumentRow> = in_hand.chain(&state.let_go).copied().collect();
            state.reading -= 1;
            if state.reading == 0 {
                state.let_go.clear();
            }
            let fresh: Vec<DocumentRow> = rows.into_iter().filter(|row| !known.contains(row)).collect();
            if fresh.is_empty() && state.buffer.is_empty() {
                state.queue_dry_at = Some(rings);
                self.bell.notify_all();
            }
            state.buffer.extend(fresh);
        }
    }

    /// Converts a queued row before all others, even while work is halted.
    pub(crate) fn hurry(&self, row: DocumentRow) {
        self.change(|state| {
            state.urgent.push_back(row);
            state.rings += 1;
        });
    }

    /// Takes a content for a row, so that the same bytes are not converted twice at a time; waits while another row has it. The
    /// claim ends when the row is settled or put off. False when cancelled.
    pub(super) fn claim(&self, hash: ContentHash, row: DocumentRow, cancel: &Cancel) -> bool {
        let mut state = self.lock();
        while state.claims.get(&hash).is_some_and(|&holder| holder != row) {
            if cancel.is_cancelled() {
                return false;
            }
            state = self.nap(state, NAP);
        }
        state.claims.insert(hash, row);
        true
    }

    /// Waits until so many bytes of text may be handed to the commit thread. False when cancelled.
    pub(super) fn hold(&self, bytes: usize, cancel: &Cancel) -> bool {
        let mut state = self.lock();
        while state.held > 0 && state.held + bytes > HELD {
            if cancel.is_cancelled() {
                return false;
            }
            state = self.nap(state, NAP);
        }
        state.held += bytes;
        true
    }

    /// The commit thread has taken them.
    pub(super) fn release(&self, bytes: usize) {
        self.change(|state| state.held = state.held.saturating_sub(bytes));
    }

    /// Names the file being converted.
    pub(super) fn begin(&self, name: &str) {
        self.lock().current = Some((name.to_owned(), None));
    }

    /// Names the part of a file that is being converted. Whether it is time to tell.
    pub(super) fn begin_part(&self, name: &str, part: &FilePart) -> bool {
        let mut state = self.lock();
        state.current = Some((name.to_owned(), Some(part.clone())));
        let due = state.told.is_none_or(|told| told.elapsed() > PACE);
        if due {
            state.told = Some(Instant::now());
        }
        due
    }

    /// Called on the writer thread when a row is queued: a conversion under way is of an older content.
    pub(crate) fn changed_again(&self, row: DocumentRow) {
        if let Some(again) = self.lock().in_flight.get_mut(&row) {
            *again = true;
        }
    }

    /// Called on the writer thread when an outcome is written: whether the row must stay in the queue.
    pub(super) fn is_changed_again(&self, row: DocumentRow) -> bool {
        self.lock().in_flight.get(&row).copied().unwrap_or(false)
    }

    /// Whether a row is being converted or written. When it is not any more, its outcome was told.
    pub(crate) fn is_under_way(&self, row: DocumentRow) -> bool {
        self.lock().in_flight.contains_key(&row)
    }

    /// A row is settled; `outcome` is `None` where it will be tried again.
    pub(super) fn finish(&self, row: DocumentRow, outcome: Option<Outcome>) {
        self.change(|state| {
            state.let_go(row);
            state.rings += 1;
            if let Some(outcome) = outcome {
                state.done += 1;
                for tracker in &state.trackers {
                    tracker.note(row, outcome);
                }
            }
        });
    }

    /// A row is to be looked at once more; `outcome` is what became of it for now.
    pub(super) fn finish_for_now(&self, row: DocumentRow, outcome: Option<Outcome>) {
        if let Some(outcome) = outcome {
            self.lock().trackers.iter().for_each(|tracker| tracker.note_for_now(row, outcome));
        }
        self.finish(row, None);
    }

    /// Notes how a write ended: whether the disk had room.
    pub(super) fn wrote<T>(&self, result: &Result<T>) {
        self.change(|state| {
            state.no_room = match result {
                Err(EngineError::DiskFull { path, .. }) => Some((path.clone(), Instant::now())),
                _ => None,
            };
        });
    }

    /// Fails where a write since `begun` found no room. What it was about is tried again by itself, but nobody should have to
    /// wait for that.
    pub(crate) fn room_since(&self, begun: Instant) -> Result<()> {
        match &self.lock().no_room {
            Some((path, at)) if *at >= begun => Err(EngineError::disk_full(path)),
            _ => Ok(()),
        }
    }

    /// A row is tried again after a while.
    pub(super) fn defer(&self, row: DocumentRow, wait: Duration) {
        self.change(|state| {
            state.let_go(row);
            state.deferred.insert(row, Instant::now() + wait);
        });
    }

    /// The number of rings so far, to be given to [`Work::nothing_to_embed`].
    pub(super) fn rings(&self) -> u64 {
        self.lock().rings
    }

    /// There was nothing to embed since `rings`: nobody waits for what is left to do.
    pub(super) fn embedded(&self, rings: u64) {
        let mut state = self.lock();
        if state.embed_dry_at != Some(rings) {
            state.embed_dry_at = Some(rings);
            self.bell.notify_all();
        }
    }

    /// There was nothing to embed since `rings`; sleeps until it rings, or at most `nap`. False when cancelled.
    pub(super) fn nothing_to_embed(&self, rings: u64, nap: Duration, cancel: &Cancel) -> bool {
        let mut state = self.change_and_keep(|state| state.embed_dry_at = Some(rings));
        let until = Instant::now() + nap;
        while state.rings == rings && !cancel.is_cancelled() && Instant::now() < until {
            state = self.nap(state, NAP * 10);
        }
        !cancel.is_cancelled()
    }

    /// Sleeps for `wait` unless cancelled; false when cancelled.
    pub(super) fn back_off(&self, wait: Duration, cancel: &Cancel) -> bool {
        let until = Instant::now() + wait;
        let mut state = self.lock();
        while !cancel.is_cancelled() {
            let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
            else {
                break;
            };
            state = self.nap(state, left);
        }
        !cancel.is_cancelled()
    }

    /// A scan was asked for (`true`) or is done.
    pub(crate) fn scanning(&self, begins: bool) {
        self.change(|state| {
            state.scans = if begins { state.scans + 1 } else { state.scans.saturating_sub(1) }
        });
    }

    /// Whether events wait.
    pub(crate) fn hints(&self, waiting: bool) {
        let mut state = self.lock();
        if state.hints != waiting {
            state.hints = waiting;
            self.bell.notify_all();
        }
    }

    /// The rescan at start is done.
    pub(crate) fn reconciled(&self) {
        self.change(|state| state.reconciled = true);
    }

    /// Whether the rescan at start is done.
    pub(crate) fn is_reconciled(&self) -> bool {
        self.lock().reconciled
    }

    /// Follows the outcomes of all documents from now on.
    pub(crate) fn track(&self) -> Arc<Tracker> {
        let tracker = Arc::new(Tracker::default());
        self.lock().trackers.push(Arc::clone(&tracker));
        tracker
    }

    /// Ends following.
    pub(crate) fn untrack(&self, tracker: &Arc<Tracker>) {
        self.lock().trackers.retain(|other| !Arc::ptr_eq(other, tracker));
    }

    /// Waits until `ready` holds; looks again whenever something happens, and every 100 ms. False when cancelled.
    pub(crate) fn wait_until(&self, cancel: &Cancel, mut ready: impl FnMut() -> bool) -> bool {
        loop {
            if cancel.is_cancelled() {
                return false;
            }
            if ready() {
                return true;
            }
            // Bells may come thick and fast; what is asked may cost a query.
            std::thread::sleep(NAP / 10);
            drop(self.nap(self.lock(), NAP));
        }
    }

    /// Whether nothing is left to do: no scan, no event, nothing queued, nothing to embed.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.scans == 0
            && !state.hints
            && state.reconciled
            && state.buffer.is_empty()
            && state.urgent.is_empty()
            && state.in_flight.is_empty()
            && state.deferred.is_empty()
            && state.queue_dry_at == Some(state.rings)
            && state.embed_dry_at == Some(state.rings)
    }

    /// For the progress that is shown. Begins to count anew when nothing is left to do.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let idle = self.is_idle();
        let mut state = self.lock();
        let current = state.current.clone().filter(|_| !state.in_flight.is_empty());
        let (current, part) = current.map_or((None, None), |(name, part)| (Some(name), part));
        let snapshot =
            Snapshot { done: state.done, current, part, scanning: state.scans > 0, paused: state.paused > 0 };
        if idle {
            state.done = 0;
        }
        snapshot
    }

    fn change_and_keep(&self, f: impl FnOnce(&mut State)) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        f(&mut state);
        self.bell.notify_all();
        state
    }

    fn nap<'s>(&self, state: MutexGuard<'s, State>, most: Duration) -> MutexGuard<'s, State> {
        self.bell
            .wait_timeout(state, most)
            .map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_is_settled_while_the_queue_is_read_is_not_handed_out_again() {
        let (work, cancel) = (Work::default(), Cancel::new());
        let (one, two) = (1, 2);
        let tracker = work.track();
        assert_eq!(work.next(&cancel, |_| vec![one]), Some(one));
        let reads = Cell::new(0);
        let next = work.next(&cancel, |_| {
            reads.set(reads.get() + 1);
            if reads.get() > 1 {
                return vec![two];
            }
            // The ledger was read before this was written.
            work.finish(one, Some(Outcome::First));
            vec![one]
        });
        assert_eq!((next, tracker.of(one)), (Some(two), Some(Outcome::First)));
        work.finish(two, None);
        assert_eq!(work.next(&cancel, |_| vec![one, two]), Some(one), "it changed again");
        work.hurry(two);
        assert_eq!(work.next(&cancel, |_| Vec::new()), Some(two));
        work.finish(two, Some(Outcome::Later));
        assert_eq!(work.next(&cancel, |_| vec![3]), Some(3), "it was hurried past its place");
    }
}
