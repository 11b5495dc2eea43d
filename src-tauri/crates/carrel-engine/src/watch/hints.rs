//! Events of the file system: hints where to look, held back until their files are quiet.
//!
//! Refuses to believe them: an overflow, or an event without a place, is a hint to look everywhere.

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
            Ok(()) => !on_network(root),
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

/// Whether a folder lies on a network disk, which sends no events for what others change.
#[cfg(target_os = "linux")]
fn on_network(path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    const NETWORK: [i64; 8] =
        [0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F];
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return false };
    let mut info = std::mem::MaybeUninit::<libc::statfs>::uninit();
    #[expect(unsafe_code, reason = "the kind of a file system is known only to statfs")]
    // SAFETY: `path` ends with NUL and lives through the call; `info` is large enough and read only where the call succeeded.
    let kind = unsafe {
        if libc::statfs(path.as_ptr(), info.as_mut_ptr()) != 0 {
            return false;
        }
        info.assume_init().f_type
    };
    NETWORK.contains(&i64::from(kind))
}

/// Whether a folder lies on a network disk; known only on Linux.
#[cfg(not(target_os = "linux"))]
fn on_network(_: &Path) -> bool {
    false
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
