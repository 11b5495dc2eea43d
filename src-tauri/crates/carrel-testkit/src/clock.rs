//! A clock that is set by hand.

use carrel_engine::seams::Clock;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Mutex, PoisonError};

/// Stands still until it is moved. Begins on 1 January 2026.
pub struct ManualClock(Mutex<Timestamp>);

impl Default for ManualClock {
    fn default() -> Self {
        Self(Mutex::new(Timestamp::from_second(1_767_225_600).unwrap_or(Timestamp::UNIX_EPOCH)))
    }
}

impl ManualClock {
    /// Moves it on.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.checked_add(by).unwrap_or(*now);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
