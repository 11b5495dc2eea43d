//! What became of documents, for the report of an add or a sync.

use crate::ledger::DocumentRow;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

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
pub(crate) struct Tracker(Mutex<HashMap<DocumentRow, Outcome>>);

impl Tracker {
    pub(super) fn note(&self, row: DocumentRow, outcome: Outcome) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(row, outcome);
    }

    /// What became of a document, if anything did yet.
    pub(crate) fn of(&self, row: DocumentRow) -> Option<Outcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&row).copied()
    }
}
