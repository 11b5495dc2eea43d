//! What became of documents, for the report of an add or a sync.

use crate::ledger::DocumentRow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What became of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its first version.
    First,
    /// A later version.
    Later,
    /// The same content, or the same text.
    Same,
    /// Not converted: its state says why.
    NotTaken,
    /// Not there any more.
    Gone,
}

/// Remembers outcomes while someone waits for them.
#[derive(Default)]
pub(crate) struct Tracker(Mutex<Known>);

#[derive(Clone, Default)]
struct Known {
    settled: HashMap<DocumentRow, Outcome>,
    /// What became of documents that are looked at once more.
    before: HashMap<DocumentRow, Outcome>,
}

impl Known {
    /// Two scans may see the same change; the second finds the same content, which does not undo what the first found.
    fn settle(&mut self, row: DocumentRow, outcome: Outcome) {
        let before = self.before.remove(&row).or_else(|| self.settled.get(&row).copied());
        let outcome = if outcome == Outcome::Same { before.unwrap_or(outcome) } else { outcome };
        self.settled.insert(row, outcome);
    }
}

impl Tracker {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A document is settled.
    pub(super) fn note(&self, row: DocumentRow, outcome: Outcome) {
        self.known().settle(row, outcome);
    }

    /// This became of a document, which is looked at once more.
    pub(super) fn note_for_now(&self, row: DocumentRow, outcome: Outcome) {
        self.known().before.insert(row, outcome);
    }

    /// Takes over what another remembers of before.
    pub(crate) fn absorb(&self, earlier: &Self) {
        let earlier = earlier.known().clone();
        let mut own = self.known();
        for (row, outcome) in earlier.settled {
            match own.settled.get(&row) {
                None | Some(Outcome::Same) => own.settled.insert(row, outcome),
                Some(_) => None,
            };
        }
    }

    /// What became of a document, if it is settled.
    pub(crate) fn of(&self, row: DocumentRow) -> Option<Outcome> {
        self.known().settled.get(&row).copied()
    }
}
