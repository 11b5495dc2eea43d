//! The indexes as searches see them.

use crate::domain::Generation;
use crate::index::dense::UsearchIndex;
use crate::index::lexical::LexicalIndex;
use crate::library::IndexState;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The generation that answers, with its indexes. Swapped whole when another generation takes over.
pub(crate) struct Indexes {
    active: RwLock<Arc<IndexSet>>,
    moment: AtomicU64,
}

impl Indexes {
    pub(super) fn new(active: Arc<IndexSet>) -> Self {
        Self { active: RwLock::new(active), moment: AtomicU64::new(0) }
    }

    /// The set that answers now; it does not change under a search.
    pub(crate) fn active(&self) -> Arc<IndexSet> {
        Arc::clone(&self.active.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A number that is another after every change of the ledger and of what searches see. While the indexes are current, two searches
    /// at the same moment find the same.
    pub(crate) fn moment(&self) -> u64 {
        self.moment.load(Ordering::Acquire)
    }

    pub(super) fn pass(&self) {
        self.moment.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn swap(&self, set: Arc<IndexSet>) {
        *self.active.write().unwrap_or_else(PoisonError::into_inner) = set;
    }
}

/// The indexes of one generation.
pub(crate) struct IndexSet {
    /// Which generation.
    pub(crate) generation: Generation,
    pub(super) lexical: Slot<LexicalIndex>,
    pub(super) dense: Option<Slot<UsearchIndex>>,
}

impl IndexSet {
    /// The lexical index as it is now.
    pub(crate) fn lexical(&self) -> Arc<LexicalIndex> {
        self.lexical.get()
    }

    /// The dense index as it is now; `None` where the generation has no embedding space.
    pub(crate) fn dense(&self) -> Option<Arc<UsearchIndex>> {
        self.dense.as_ref().map(Slot::get)
    }

    /// State of the lexical index, with what went wrong.
    pub(crate) fn lexical_state(&self) -> (IndexState, Option<String>) {
        (self.lexical.state.get(), self.lexical.state.detail())
    }

    /// State of the dense index, with what went wrong.
    pub(crate) fn dense_state(&self) -> (IndexState, Option<String>) {
        match &self.dense {
            Some(slot) => (slot.state.get(), slot.state.detail()),
            None => (IndexState::Absent, None),
        }
    }
}

/// An index that may be replaced by a new one while it is searched.
pub(super) struct Slot<I> {
    index: Arc<RwLock<Arc<I>>>,
    pub(super) state: Arc<State>,
}

impl<I> Clone for Slot<I> {
    fn clone(&self) -> Self {
        Self { index: Arc::clone(&self.index), state: Arc::clone(&self.state) }
    }
}

impl<I> Slot<I> {
    pub(super) fn new(index: I) -> Self {
        Self { index: Arc::new(RwLock::new(Arc::new(index))), state: Arc::default() }
    }

    pub(super) fn get(&self) -> Arc<I> {
        Arc::clone(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn replace(&self, index: I) {
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(index);
    }
}

/// Where an index stands.
#[derive(Default)]
pub(super) struct State {
    code: AtomicU8,
    detail: Mutex<Option<String>>,
}

impl State {
    pub(super) fn set(&self, state: IndexState) {
        let code = match state {
            IndexState::Current => 0,
            IndexState::Behind => 1,
            IndexState::Rebuilding => 2,
            IndexState::Absent => 3,
        };
        self.code.store(code, Ordering::Release);
    }

    pub(super) fn get(&self) -> IndexState {
        match self.code.load(Ordering::Acquire) {
            0 => IndexState::Current,
            1 => IndexState::Behind,
            2 => IndexState::Rebuilding,
            _ => IndexState::Absent,
        }
    }

    pub(super) fn explain(&self, detail: Option<String>) {
        *self.detail.lock().unwrap_or_else(PoisonError::into_inner) = detail;
    }

    pub(super) fn detail(&self) -> Option<String> {
        self.detail.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
