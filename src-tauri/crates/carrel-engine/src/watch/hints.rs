//! Events of the file system: hints where to look, held back until their files are quiet.
//!
//! Refuses to believe them: an overflow, or an event without a place, is a hint to look everywhere.

use crate::platform::is_network_disk;
use crossbeam_channel::Sender;
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A file is quiet after this long without an event.
pub(super) const QUIET: Duration = Duration::from_millis(300);

/// A file that is never quiet is looked at after this long all the same.
const PATIENCE: Duration = Duration::from_secs(10);

/// More places than this at once are looked at by one scan of everything.
const MANY: usize = 2_000;

/// The connection to the system's events.
pub(super) struct Events {
    watcher: Option<RecommendedWatcher>,
    /// Set when an event was lost.
    overflow: Arc<AtomicBool>,
}

impl Events {
    /// `announce` is called before an event is sent, so that nobody takes the library for idle in between.
    pub(super) fn new(sender: Sender<PathBuf>, announce: impl Fn() + Send + 'static) -> Self {
        let overflow = Arc::new(AtomicBool::new(false));
        let lost = Arc::clone(&overflow);
        let handler = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else {
                lost.store(true, Ordering::Relaxed);
                announce();
                return;
            };
            if event.need_rescan() {
                lost.store(true, Ordering::Relaxed);
            } else if matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write))
            {
                return;
            }
            announce();
            for path in event.paths {
                if sender.try_send(path).is_err() {
                    lost.store(true, Ordering::Relaxed);
                }
            }
        };
        let watcher = RecommendedWatcher::new(handler, Config::default().with_follow_symlinks(false));
        let watcher = watcher
            .map_err(|error| tracing::warn!(%error, "the system gives no file events: folders are looked at by timer"))
            .ok();
        Self { watcher, overflow }
    }

    /// Follows a folder; false where the system cannot tell of every change, and it must be looked at by timer too.
    pub(super) fn watch(&mut self, root: &Path) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        match watcher.watch(root, RecursiveMode::Recursive) {
            // Of what others change there, a network disk does not tell.
            Ok(()) => !is_network_disk(root),
            Err(error) => {
                tracing::warn!(%error, root = %root.display(), "no events for this folder: it is looked at by timer");
                // Half a watch would only pretend.
                let _ = watcher.unwatch(root);
                false
            }
        }
    }

    /// Ends following.
    pub(super) fn unwatch(&mut self, root: &Path) {
        if let Some(watcher) = &mut self.watcher {
            // The root may be gone, and its watch with it.
            let _ = watcher.unwatch(root);
        }
    }

    /// Whether an event was lost since the last call.
    pub(super) fn take_overflow(&self) -> bool {
        self.overflow.swap(false, Ordering::Relaxed)
    }
}

/// Places with events, each with its first and last.
#[derive(Default)]
pub(super) struct Pending(HashMap<PathBuf, (Instant, Instant)>);

impl Pending {
    pub(super) fn note(&mut self, path: PathBuf, now: Instant) {
        self.0.entry(path).and_modify(|(_, last)| *last = now).or_insert((now, now));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When the next place is quiet.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.values().map(|(first, last)| (*last + QUIET).min(*first + PATIENCE)).min()
    }

    /// Takes the places that are quiet; `None` where there are so many that everything should be looked at.
    pub(super) fn take_quiet(&mut self, now: Instant) -> Option<Vec<PathBuf>> {
        if self.0.len() > MANY {
            self.0.clear();
            return None;
        }
        let quiet: Vec<PathBuf> = self
            .0
            .iter()
            .filter(|(_, (first, last))| *last + QUIET <= now || *first + PATIENCE <= now)
            .map(|(path, _)| path.clone())
            .collect();
        for path in &quiet {
            self.0.remove(path);
        }
        Some(quiet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_waits_until_it_is_quiet_but_not_for_ever() {
        let start = Instant::now();
        let mut pending = Pending::default();
        pending.note("a".into(), start);
        assert_eq!(pending.take_quiet(start + QUIET / 2), Some(vec![]));
        for i in 0..60 {
            pending.note("a".into(), start + QUIET * i / 2);
        }
        assert_eq!(pending.next(), Some((start + QUIET * 59 / 2 + QUIET).min(start + PATIENCE)));
        pending.note("b".into(), start);
        assert_eq!(pending.take_quiet(start + QUIET * 59 / 2), Some(vec!["b".into()]));
        assert_eq!(pending.take_quiet(start + PATIENCE), Some(vec!["a".into()]));
        assert!(pending.is_empty());
    }
}
