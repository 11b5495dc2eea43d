//! Watching: keeps a library's documents in step with the disk.
//!
//! One thread per library looks at folders, at start, on request, where events point, and by timer where there are none. It compares
//! size, time and file id with the ledger and queues what may have changed; it reads no file, except to recognise one that moved.
//!
//! Invariant: events are hints, a scan is the truth; nothing is taken for deleted that could not be looked at.

mod apply;
mod diff;
mod hints;
pub(crate) mod paths;
pub(crate) mod rules;
mod scan;
#[cfg(test)]
mod tests;
pub(crate) mod unreadable;
pub(crate) mod walk;

pub(crate) use apply::Round;
pub(crate) use walk::Scope;

use crate::cancel::Cancel;
use crate::domain::{Source, SourceId, SourceKind};
use crate::error::Result;
use crate::ingest::Core;
use crate::ledger::{documents, sources, versions};
use crossbeam_channel::{Receiver, Sender, bounded, select};
use hints::{Events, Pending};
use scan::Cause;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Something for the watch thread.
pub(crate) enum Request {
    /// Look at these places and say what was found.
    Scan {
        /// Sources with what is to be looked at; empty for everything.
        targets: BTreeMap<SourceId, Scope>,
        /// The user's word on a mass deletion of this source was given.
        confirmed: Option<SourceId>,
        /// Stops it.
        cancel: Cancel,
        /// Where the answer goes.
        reply: Sender<Result<Round>>,
    },
    /// Look at a place when it is quiet.
    Look(PathBuf),
    /// Sources were made, removed, switched.
    Sources,
    /// The library closes.
    Stop,
}

/// Shortest time between two looks by timer.
const POLL: Duration = Duration::from_millis(1_500);

/// Longest time between two looks by timer.
const POLL_MOST: Duration = Duration::from_mins(5);

/// A look by timer takes at most this part of the time.
const POLL_SHARE: u32 = 20;

/// How often what went missing long ago is purged.
const PURGE: Duration = Duration::from_hours(1);

/// Hidden documents are kept so long.
const KEPT_DAYS: i64 = 30;

/// The watch thread.
pub(crate) fn run(core: &Arc<Core>, requests: &Receiver<Request>) {
    let (sender, events) = bounded::<PathBuf>(8_192);
    let announced = Arc::downgrade(core);
    let events_of = Events::new(sender, move || {
        if let Some(core) = announced.upgrade() {
            core.work.hints(true);
        }
    });
    let mut watch =
        Watch { core, events: events_of, pending: Pending::default(), followed: HashMap::new(), lost: false };
    watch.follow();
    watch.at_opening();
    core.work.reconciled();
    watch.purge();
    let mut purge = Instant::now() + PURGE;
    loop {
        let now = Instant::now();
        let due = [Some(purge), watch.pending.next(), watch.next_poll()]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(purge);
        // Never long: events that were lost come without a message.
        let wait = due.saturating_duration_since(now).min(Duration::from_secs(1));
        select! {
            recv(requests) -> request => match request {
                Ok(Request::Stop) | Err(_) => return,
                Ok(request) => watch.answer(request),
            },
            recv(events) -> path => if let Ok(path) = path { watch.note(path) },
            default(wait) => {}
        }
        if core.cancel.is_cancelled() {
            return;
        }
        while let Ok(path) = events.try_recv() {
            watch.note(path);
        }
        core.forget_opening_in_time();
        watch.look_at_quiet_places();
        watch.poll();
        core.work.hints(!watch.pending.is_empty() || watch.lost || !events.is_empty());
        if purge <= Instant::now() {
            watch.purge();
            purge = Instant::now() + PURGE;
        }
    }
}

/// Whether a stored path lies in a folder that is never entered.
fn below_passed_over(path: &[u8]) -> bool {
    let Some(last) = path.iter().rposition(|&b| b == b'/') else { return false };
    path[..last]
        .split(|&b| b == b'/')
        .any(|part| !part.is_empty() && rules::passed_over(paths::path_of(part).as_os_str(), true))
}

/// A source that is followed.
struct Followed {
    source: Source,
    /// When it is looked at by timer next, where events do not tell everything.
    poll: Option<Instant>,
}

struct Watch<'c> {
    core: &'c Arc<Core>,
    events: Events,
    pending: Pending,
    followed: HashMap<SourceId, Followed>,
    lost: bool,
}

impl Watch<'_> {
    fn note(&mut self, path: PathBuf) {
        self.pending.note(path, Instant::now());
    }

    /// Follows the watched folders, and no others.
    fn follow(&mut self) {
        let all = match self.core.shared.reads.with(sources::all) {
            Ok(all) => all,
            Err(error) => return tracing::warn!(%error, "the sources could not be read"),
        };
        let wanted: HashMap<SourceId, Source> = all
            .into_iter()
            .filter(|source| match source.kind {
                SourceKind::Folder => source.watched,
                SourceKind::Files => true,
                SourceKind::Texts | SourceKind::Pages => false,
            })
            .map(|source| (source.id, source))
            .collect();
        let gone: Vec<SourceId> =
            self.followed.keys().filter(|id| !wanted.contains_key(id)).copied().collect();
        for id in gone {
            if let Some(followed) = self.followed.remove(&id)
                && followed.source.kind == SourceKind::Folder
            {
                self.events.unwatch(&followed.source.root);
            }
        }
        for (id, source) in wanted {
            if !self.followed.contains_key(&id) {
                let poll = self.begin(&source);
                self.followed.insert(id, Followed { source, poll });
            }
        }
    }

    /// Asks for events; when the first look by timer is due, where they do not tell everything.
    fn begin(&mut self, source: &Source) -> Option<Instant> {
        let told =
            source.kind == SourceKind::Folder && source.root.is_dir() && self.events.watch(&source.root);
        (!told).then(|| Instant::now() + POLL)
    }

    fn answer(&mut self, request: Request) {
        match request {
            Request::Scan { targets, confirmed, cancel, reply } => {
                let result = scan::round(
                    self.core,
                    &targets,
                    confirmed.map_or(Cause::Asked, Cause::Confirmed),
                    &cancel,
                );
                // Whoever asked may have gone.
                let _ = reply.send(result);
                self.core.work.scanning(false);
            }
            Request::Look(path) => self.note(path),
            Request::Sources => self.follow(),
            Request::Stop => {}
        }
    }

    /// The first scan, of everything.
    fn at_opening(&self) {
        self.core.work.scanning(true);
        let found = self.round(&BTreeMap::new(), Cause::Asked);
        *self.core.opening.round.lock().unwrap_or_else(PoisonError::into_inner) = found;
        self.core.work.scanning(false);
    }

    /// A scan that nobody asked for, but that something is known to be due to.
    fn quietly(&self, targets: &BTreeMap<SourceId, Scope>) {
        self.core.work.scanning(true);
        self.round(targets, Cause::Asked);
        self.core.work.scanning(false);
    }

    fn round(&self, targets: &BTreeMap<SourceId, Scope>, cause: Cause) -> Option<Round> {
        let found = scan::round(self.core, targets, cause, &self.core.cancel);
        if let Err(error) = &found
            && !self.core.cancel.is_cancelled()
        {
            tracing::warn!(%error, "a scan failed; the next one tries again");
        }
        found.ok()
    }

    fn look_at_quiet_places(&mut self) {
        self.lost |= self.events.take_overflow();
        let everything = if self.pending.is_empty() {
            self.lost
        } else {
            match self.pending.take_quiet(Instant::now()) {
                None => true,
                Some(places) => {
                    let targets = self.targets(&places);
                    if !targets.is_empty() {
                        self.quietly(&targets);
                    }
                    self.lost
                }
            }
        };
        if everything {
            self.lost = false;
            let all = self.followed.keys().map(|&id| (id, Scope::All)).collect();
            self.quietly(&all);
        }
    }

    /// Which places of which sources these paths are.
    fn targets(&self, places: &[PathBuf]) -> BTreeMap<SourceId, Scope> {
        let mut targets: BTreeMap<SourceId, Scope> = BTreeMap::new();
        for place in places {
            let name = place.file_name().unwrap_or_default();
            let rules_changed = rules::is_ignore_file(name);
            if !rules_changed && rules::passed_over(name, false) {
                continue;
            }
            for (&id, followed) in &self.followed {
                let path = match followed.source.kind {
                    SourceKind::Folder => {
                        paths::relative(&followed.source.root, place).filter(|path| !below_passed_over(path))
                    }
                    _ => Some(paths::bytes_of(place)),
                };
                let Some(path) = path else { continue };
                if rules_changed || path.is_empty() {
                    targets.insert(id, Scope::All);
                } else if let Scope::Places(places) =
                    targets.entry(id).or_insert_with(|| Scope::Places(BTreeSet::new()))
                {
                    places.insert(path);
                }
            }
        }
        targets
    }

    fn next_poll(&self) -> Option<Instant> {
        self.followed.values().filter_map(|followed| followed.poll).min()
    }

    /// Looks at what is due by timer. A folder that came back is followed by events again.
    fn poll(&mut self) {
        let now = Instant::now();
        let due: Vec<SourceId> = self
            .followed
            .iter()
            .filter(|(_, f)| f.poll.is_some_and(|at| at <= now))
            .map(|(&id, _)| id)
            .collect();
        for id in due {
            // Nobody sees it unless it finds something.
            self.round(&BTreeMap::from([(id, Scope::All)]), Cause::Timer);
            let took = now.elapsed();
            let Some(followed) = self.followed.get(&id) else { continue };
            let source = followed.source.clone();
            let told =
                source.kind == SourceKind::Folder && source.root.is_dir() && self.events.watch(&source.root);
            let wait = (took * POLL_SHARE).clamp(POLL, POLL_MOST);
            if let Some(followed) = self.followed.get_mut(&id) {
                followed.poll = (!told).then(|| Instant::now() + wait);
            }
            if told {
                // What happened before the events began.
                self.quietly(&BTreeMap::from([(id, Scope::All)]));
            }
        }
        self.lose_absent_roots();
    }

    /// A watched root that vanished sends no more events: it is looked at by timer until it is back.
    fn lose_absent_roots(&mut self) {
        let mut lost = Vec::new();
        for (&id, followed) in &mut self.followed {
            if followed.poll.is_none() && !followed.source.root.is_dir() {
                followed.poll = Some(Instant::now());
                lost.push((id, followed.source.root.clone()));
            }
        }
        for (_, root) in lost {
            self.events.unwatch(&root);
        }
    }

    /// Forgets for good what went missing long ago.
    fn purge(&self) {
        let before =
            self.core.shared.parts.clock.now().as_nanosecond() as i64 - KEPT_DAYS * 86_400 * 1_000_000_000;
        loop {
            let purged = self.core.shared.writer.run(move |tx| {
                let rows = documents::hidden_before(tx, before, 200)?;
                for &row in &rows {
                    versions::purge(tx, row)?;
                }
                Ok(rows.len())
            });
            match purged {
                Ok(0) => return,
                Ok(_) if self.core.cancel.is_cancelled() => return,
                Ok(_) => {}
                Err(error) => return tracing::warn!(%error, "what went missing long ago could not be purged"),
            }
        }
    }
}
