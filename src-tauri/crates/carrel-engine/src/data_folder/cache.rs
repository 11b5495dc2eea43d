//! Open libraries: at most so many, the least recently used idle one is closed.

use crate::domain::LibraryId;
use crate::error::Result;
use crate::library::Library;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Open libraries, each with its threads and buffers.
const MOST: usize = 8;

/// See the module. A library that someone holds, or whose sources are watched, stays open beyond the number.
#[derive(Default)]
pub(super) struct Cache {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    slots: HashMap<LibraryId, Slot>,
    clock: u64,
}

struct Slot {
    /// Locked while it is opened or closed, so that others wait for this one library only.
    library: Arc<Mutex<Option<Arc<Library>>>>,
    used: u64,
}

impl Cache {
    /// The open library, opened by `open` where it is not.
    pub(super) fn get(
        &self,
        id: LibraryId,
        open: impl FnOnce() -> Result<Arc<Library>>,
    ) -> Result<Arc<Library>> {
        let slot = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.clock += 1;
            let clock = state.clock;
            let slot = state.slots.entry(id).or_insert_with(|| Slot { library: Arc::default(), used: 0 });
            slot.used = clock;
            Arc::clone(&slot.library)
        };
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = &*held {
            return Ok(Arc::clone(library));
        }
        let library = open()?;
        *held = Some(Arc::clone(&library));
        drop(held);
        self.close_idle(id);
        Ok(library)
    }

    /// The library, if it is open.
    pub(super) fn peek(&self, id: LibraryId) -> Option<Arc<Library>> {
        let slot = {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(&state.slots.get(&id)?.library)
        };
        slot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a library out; it closes when the last one who holds it lets go.
    pub(super) fn take(&self, id: LibraryId) -> Option<Arc<Library>> {
        let slot = self.state.lock().unwrap_or_else(PoisonError::into_inner).slots.remove(&id)?;
        slot.library.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Puts a library back that was taken out.
    pub(super) fn put_back(&self, id: LibraryId, library: Arc<Library>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let used = state.clock;
        state.slots.insert(id, Slot { library: Arc::new(Mutex::new(Some(library))), used });
    }

    fn close_idle(&self, newest: LibraryId) {
        let mut closing = Vec::new();
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let mut by_use: Vec<(u64, LibraryId)> = state
                .slots
                .iter()
                .filter(|(id, _)| **id != newest)
                .map(|(id, slot)| (slot.used, *id))
                .collect();
            by_use.sort_unstable();
            for (_, id) in by_use {
                if state.slots.len() <= MOST {
                    break;
                }
                let Some(slot) = state.slots.get(&id) else { continue };
                let Ok(held) = slot.library.try_lock() else { continue };
                if held.as_ref().is_none_or(is_idle) {
                    drop(held);
                    closing.extend(state.slots.remove(&id));
                }
            }
        }
        // Closing saves and joins threads: not under the lock.
        drop(closing);
    }
}

/// Whether nobody holds it and nothing would be missed while it is closed.
fn is_idle(library: &Arc<Library>) -> bool {
    Arc::strong_count(library) == 1
        && library.sources().is_ok_and(|sources| sources.iter().all(|source| !source.watched))
}
