//! `watch`, `events.subscribe`: streams that last until they are stopped.

use crate::call::Call;
use crate::dto::{ChangeNotice, Empty, LibraryScope, WatchEvent};
use crate::events;
use crate::problem::Problem;
use carrel_engine::domain::{DocumentId, LibraryId};
use carrel_engine::library::{DocumentQuery, Library};
use carrel_engine::seams::Tag;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Least time between two comparisons of all documents.
const PACE: Duration = Duration::from_millis(500);

pub(crate) fn events_subscribe(
    call: &Call<'_>,
    _: Empty,
    lines: &mut dyn FnMut(ChangeNotice),
) -> Result<Empty, Problem> {
    let subscription = call.app.events.subscribe();
    let name_of = |id| call.app.data.library_name(id).ok();
    while let Some(changed) = subscription.next(call.cancel) {
        for notice in events::notices(&changed, &name_of) {
            lines(notice);
        }
    }
    Ok(Empty {})
}

pub(crate) fn watch(
    call: &Call<'_>,
    request: LibraryScope,
    lines: &mut dyn FnMut(WatchEvent),
) -> Result<Empty, Problem> {
    let subscription = call.app.events.subscribe();
    let mut followed = Vec::new();
    let mut sources = 0;
    for (name, library) in call.app.scope(request.library.as_deref())? {
        sources += library.sources()?.iter().filter(|s| s.watched).count();
        let seen = states(&library)?;
        followed.push(Followed { name, library, seen });
    }
    lines(WatchEvent::Watching { sources: sources as u32 });
    let mut last = Instant::now();
    while let Some(changed) = subscription.next(call.cancel) {
        if let Some(rest) = PACE.checked_sub(last.elapsed()) {
            std::thread::sleep(rest);
        }
        last = Instant::now();
        for one in &mut followed {
            let ours = |library: Option<LibraryId>| library.is_none_or(|id| id == one.library.id());
            if changed.iter().any(|(tag, library)| *tag == Tag::Documents && ours(*library)) {
                one.report(lines)?;
            }
        }
    }
    Ok(Empty {})
}

/// A library that is kept open, and what was last seen of its documents.
struct Followed {
    name: String,
    library: Arc<Library>,
    seen: HashMap<DocumentId, Seen>,
}

#[derive(PartialEq)]
struct Seen {
    uri: String,
    state: &'static str,
    version: Option<u32>,
}

impl Followed {
    fn report(&mut self, lines: &mut dyn FnMut(WatchEvent)) -> Result<(), Problem> {
        let now = states(&self.library)?;
        let mut line = |seen: &Seen, state: &str| {
            lines(WatchEvent::Document {
                uri: seen.uri.clone(),
                state: state.to_owned(),
                library: self.name.clone(),
            });
        };
        for (id, seen) in &now {
            if self.seen.get(id) != Some(seen) {
                line(seen, seen.state);
            }
        }
        for (id, seen) in &self.seen {
            if !now.contains_key(id) {
                line(seen, "missing");
            }
        }
        self.seen = now;
        Ok(())
    }
}

fn states(library: &Library) -> Result<HashMap<DocumentId, Seen>, Problem> {
    let query = DocumentQuery { limit: u32::MAX as usize, ..DocumentQuery::default() };
    let (documents, _) = library.documents(&query)?;
    let seen = documents
        .into_iter()
        .map(|d| (d.id, Seen { uri: d.uri, state: d.state.as_str(), version: d.version }))
        .collect();
    Ok(seen)
}
