//! The time that one conversion may take: that in which its worker computes, since a busy machine lets it wait. One that does not compute
//! ends as well, after [`PATIENCE`] times as long. Where the system does not tell how long it computed, the time that passed counts.
//!
//! A long document takes long, and a long scan longer: each of its parts adds time. Time that is spent on a page read as an image is not
//! counted against the rest, and a page that hangs ends the call all the same. Nor is time in which a recording is transcribed: it is not
//! the worker's.

use crate::audio;
use crate::formats::scan;
use std::time::{Duration, Instant};

/// How many times the limit may pass while a worker waits for the machine.
const PATIENCE: u32 = 8;

/// Time on top of the limit for each part.
const TIME_PER_PART: Duration = Duration::from_millis(200);
/// Time for each page that is read as an image, from when it is begun.
const TIME_PER_SCAN: Duration = Duration::from_secs(120);
/// Time to decode each piece of a recording, which sounds for ten seconds.
const TIME_PER_PIECE: Duration = Duration::from_secs(2);

/// Why no time is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Up {
    /// The worker used it.
    Used,
    /// It stood still: the machine was busy, or it waits for what does not come.
    Waited,
}

pub(super) struct Clock {
    started: Instant,
    limit: Duration,
    /// Time that was none of the worker's.
    aside: Duration,
    /// Parts that add time, at most.
    parts: u32,
    /// Whether the parts have added theirs.
    is_extended: bool,
    /// When the scan in hand was begun.
    scan: Option<Instant>,
    /// The last page that was begun as a scan: each is given time once.
    last_scan: u32,
    /// The last second that was heard: each gives time once.
    last_second: u32,
}

impl Clock {
    /// Starts. `parts` limits how many parts a worker can claim time for.
    pub(super) fn new(limit: Duration, parts: u32) -> Self {
        Self {
            started: Instant::now(),
            limit,
            aside: Duration::ZERO,
            parts,
            is_extended: false,
            scan: None,
            last_scan: 0,
            last_second: 0,
        }
    }

    /// The worker says what it begins.
    pub(super) fn at(&mut self, unit: &str, part: u32, of: u32) {
        if let Some(begun) = self.scan.take() {
            self.limit = self.limit.saturating_add(begun.elapsed().min(TIME_PER_SCAN));
        }
        if unit == scan::UNIT {
            if part > self.last_scan && part <= self.parts {
                self.last_scan = part;
                self.scan = Some(Instant::now());
            }
        } else if unit == audio::UNIT {
            if part > self.last_second && part as usize <= audio::MOST_SECONDS {
                self.last_second = part;
                self.limit = self.limit.saturating_add(TIME_PER_PIECE);
            }
        } else if !std::mem::replace(&mut self.is_extended, true) {
            self.limit = self.limit.saturating_add(TIME_PER_PART.saturating_mul(of.min(self.parts)));
        }
    }

    /// This time was none of the worker's.
    pub(super) fn aside(&mut self, took: Duration) {
        self.aside = self.aside.saturating_add(took);
    }

    /// The time that is left, and for one that is up why. `computed` says how long the worker has computed for this file; it is asked
    /// where more time has passed than the limit alone.
    pub(super) fn left(&self, computed: impl FnOnce() -> Option<Duration>) -> Result<Duration, Up> {
        let passed = self.started.elapsed();
        let within = |limit: Duration| limit.saturating_add(self.aside).saturating_sub(passed);
        let of_scan = self.scan.map(|begun| TIME_PER_SCAN.saturating_sub(begun.elapsed()));
        let left = within(self.limit).max(of_scan.unwrap_or_default());
        if !left.is_zero() {
            return Ok(left);
        }
        let computed = computed().unwrap_or(passed.saturating_sub(self.aside));
        let of_own = self.limit.saturating_sub(computed);
        let of_all = within(self.limit.saturating_mul(PATIENCE));
        match (of_own.is_zero(), of_all.is_zero()) {
            (true, _) => Err(Up::Used),
            (false, true) => Err(Up::Waited),
            (false, false) => Ok(of_own.min(of_all)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time that is left of one whose worker always computes.
    fn rest(clock: &Clock) -> Duration {
        clock.left(|| None).unwrap_or_default()
    }

    #[test]
    fn a_worker_that_a_busy_machine_lets_wait_is_given_more_time() {
        let limit = Duration::from_secs(1);
        let mut clock = Clock::new(limit, 3);
        clock.started -= Duration::from_secs(2);
        assert_eq!(clock.left(|| None), Err(Up::Used), "nobody knows how long it computed");
        assert_eq!(clock.left(|| Some(limit)), Err(Up::Used));
        assert_eq!(clock.left(|| Some(limit / 4)), Ok(limit * 3 / 4));
        clock.started -= Duration::from_secs(7);
        assert_eq!(clock.left(|| Some(limit / 4)), Err(Up::Waited));
    }

    #[test]
    fn scans_between_pages_are_given_time_once_each() {
        let mut clock = Clock::new(Duration::ZERO, 3);
        assert!(rest(&clock).is_zero());
        clock.at("page", 1, 1_000_000);
        assert!(rest(&clock) <= TIME_PER_PART * 3);
        clock.at(scan::UNIT, 1, 9);
        assert!(rest(&clock) > TIME_PER_SCAN / 2);
        clock.at("page", 2, 9);
        assert!(rest(&clock) <= TIME_PER_PART * 3);
        clock.at(scan::UNIT, 1, 9);
        assert!(rest(&clock) <= TIME_PER_PART * 3, "the same page again");
        clock.at(scan::UNIT, 2, 9);
        assert!(rest(&clock) > TIME_PER_SCAN / 2);
        clock.at(scan::UNIT, 4, 9);
        assert!(rest(&clock) <= TIME_PER_PART * 3, "more pages than may be");
    }

    #[test]
    fn what_a_recording_takes_to_be_transcribed_is_not_the_workers_time() {
        let mut clock = Clock::new(Duration::ZERO, 3);
        clock.aside(Duration::from_secs(3_600));
        let left = rest(&clock);
        assert!(left > Duration::from_secs(3_590) && left <= Duration::from_secs(3_600));
        let mut clock = Clock::new(Duration::ZERO, 3);
        for second in [10, 20, 20, u32::MAX] {
            clock.at(audio::UNIT, second, 20);
        }
        let left = rest(&clock);
        assert!(
            left > TIME_PER_PIECE && left <= TIME_PER_PIECE * 2,
            "each second once, and no more than there may be"
        );
    }
}
