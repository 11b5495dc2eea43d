//! A listener that remembers.

use carrel_engine::seams::{Event, EventSink, Tag};
use std::sync::{Mutex, PoisonError};

/// Keeps every event it was told.
#[derive(Default)]
pub struct RecordingEvents(Mutex<Vec<Event>>);

impl RecordingEvents {
    /// What it was told so far.
    pub fn all(&self) -> Vec<Event> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it was told of this part of the truth.
    pub fn told_of(&self, tag: Tag) -> bool {
        self.all().iter().any(|event| event.tag == tag)
    }
}

impl EventSink for RecordingEvents {
    fn emit(&self, event: Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}
