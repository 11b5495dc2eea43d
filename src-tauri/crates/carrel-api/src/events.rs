//! Change notices: who listens, and what changed since they last looked.
//!
//! Emitting never blocks and never grows: a subscriber holds a set of what changed, not a queue. It is woken at most ten times a
//! second, so a thousand files converted in that time are one notice.

use crate::dto::ChangeNotice;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::LibraryId;
use carrel_engine::seams::{Event, EventSink, Tag};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Least time between two notices to one subscriber.
const INTERVAL: Duration = Duration::from_millis(100);
/// How often a waiting subscriber looks whether it was cancelled.
const PATIENCE: Duration = Duration::from_millis(200);

/// What changed, each once.
pub(crate) type Changes = HashSet<(Tag, Option<LibraryId>)>;

/// Hands events to all subscribers.
#[derive(Default)]
pub struct EventHub {
    subscribers: Mutex<Vec<Weak<Inbox>>>,
}

#[derive(Default)]
struct Inbox {
    changed: Mutex<Changes>,
    woken: Condvar,
}

impl EventSink for EventHub {
    fn emit(&self, event: Event) {
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        subscribers.retain(|weak| {
            let Some(inbox) = weak.upgrade() else { return false };
            inbox.changed.lock().unwrap_or_else(PoisonError::into_inner).insert((event.tag, event.library));
            inbox.woken.notify_one();
            true
        });
    }
}

impl EventHub {
    /// Listens from now on; dropping it ends that.
    pub(crate) fn subscribe(&self) -> Subscription {
        let inbox = Arc::new(Inbox::default());
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&inbox));
        Subscription { inbox }
    }

    /// Emits a tag of the data folder, or of one library.
    pub(crate) fn changed(&self, tag: Tag, library: Option<LibraryId>) {
        self.emit(Event { tag, library });
    }
}

/// One listener.
pub(crate) struct Subscription {
    inbox: Arc<Inbox>,
}

impl Subscription {
    /// Blocks until something changed; `None` when cancelled.
    pub(crate) fn next(&self, cancel: &Cancel) -> Option<Changes> {
        let mut changed = self.inbox.changed.lock().unwrap_or_else(PoisonError::into_inner);
        while changed.is_empty() {
            if cancel.is_cancelled() {
                return None;
            }
            changed =
                self.inbox.woken.wait_timeout(changed, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(changed);
        // Let what comes in close succession gather.
        std::thread::sleep(INTERVAL);
        if cancel.is_cancelled() {
            return None;
        }
        Some(std::mem::take(&mut *self.inbox.changed.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Events as notices: one for the data folder and one for each library, names looked up by `name_of`.
pub(crate) fn notices(changes: &Changes, name_of: &dyn Fn(LibraryId) -> Option<String>) -> Vec<ChangeNotice> {
    let mut by_library: BTreeMap<Option<LibraryId>, Vec<String>> = BTreeMap::new();
    for (tag, library) in changes {
        by_library.entry(*library).or_default().push(tag_name(*tag).to_owned());
    }
    by_library
        .into_iter()
        .map(|(library, mut tags)| {
            tags.sort_unstable();
            ChangeNotice { tags, library: library.and_then(name_of) }
        })
        .collect()
}

/// The word of a tag in the command table.
fn tag_name(tag: Tag) -> &'static str {
    match tag {
        Tag::Libraries => "libraries",
        Tag::Documents => "documents",
        Tag::Sources => "sources",
        Tag::Chats => "chats",
        Tag::Jobs => "jobs",
        Tag::Models => "models",
        Tag::Settings => "settings",
        Tag::Quality => "quality",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_becomes_one_notice_and_nothing_is_lost() {
        let hub = EventHub::default();
        let subscription = hub.subscribe();
        let library = LibraryId::random();
        for _ in 0..1_000 {
            hub.changed(Tag::Documents, Some(library));
        }
        hub.changed(Tag::Jobs, None);
        let events = subscription.next(&Cancel::new()).unwrap();
        let notices = notices(&events, &|_| Some("default".into()));
        assert_eq!(notices.len(), 2);
        assert_eq!(notices[0], ChangeNotice { tags: vec!["jobs".into()], library: None });
        assert_eq!(
            notices[1],
            ChangeNotice { tags: vec!["documents".into()], library: Some("default".into()) }
        );
        hub.changed(Tag::Documents, Some(library));
        assert_eq!(subscription.next(&Cancel::new()).unwrap().len(), 1);
    }

    #[test]
    fn a_cancelled_listener_stops_and_is_forgotten() {
        let hub = EventHub::default();
        let subscription = hub.subscribe();
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(subscription.next(&cancel).is_none());
        drop(subscription);
        hub.changed(Tag::Jobs, None);
        assert!(hub.subscribers.lock().unwrap().is_empty());
    }
}
