//! A worker seen from outside. How much memory it holds: the limit where the system enforces none (macOS, Windows), and on Linux the
//! second line behind the worker's own, which does not count files that are mapped. And how long it has computed.

use std::time::{Duration, Instant};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// How often the system is asked.
const PACE: Duration = Duration::from_millis(250);

/// Looks at one process from time to time.
pub(super) struct ProcessWatch {
    process: Pid,
    system: System,
    looked: Instant,
}

impl ProcessWatch {
    /// `None` where the system does not tell.
    pub(super) fn new(process: u32) -> Option<Self> {
        let system = System::new().ok()?;
        Some(Self { process: Pid::from_u32(process), system, looked: Instant::now() })
    }

    /// Whether the process holds more than `limit` bytes. Looks only as often as is worth it.
    pub(super) fn exceeds(&mut self, limit: u64) -> bool {
        if self.looked.elapsed() < PACE {
            return false;
        }
        self.looked = Instant::now();
        self.resident().is_some_and(|bytes| bytes > limit)
    }

    /// How long it has computed since it was started, all its threads together; `None` where that is not told, or the process is gone.
    pub(super) fn computed(&mut self) -> Option<Duration> {
        let kind = ProcessRefreshKind::nothing().with_cpu();
        self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&[self.process]), true, kind);
        Some(Duration::from_millis(self.system.process(self.process)?.accumulated_cpu_time()))
    }

    /// Bytes in physical memory; `None` where the process is gone.
    fn resident(&mut self) -> Option<u64> {
        let kind = ProcessRefreshKind::nothing().with_memory();
        self.system.refresh_processes_specifics(ProcessesToUpdate::Some(&[self.process]), true, kind);
        Some(self.system.process(self.process)?.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_grows_is_seen_to_grow() {
        let mut watch = ProcessWatch::new(std::process::id()).unwrap();
        let before = watch.resident().unwrap();
        let hoard = vec![1_u8; 64 << 20];
        let after = watch.resident().unwrap();
        assert!(after >= before + (48 << 20), "{before} {after} {}", hoard.len());
    }

    #[test]
    fn a_process_that_computes_is_seen_to_compute() {
        let mut watch = ProcessWatch::new(std::process::id()).unwrap();
        let before = watch.computed().unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        while watch.computed().unwrap() < before + Duration::from_millis(50) {
            assert!(Instant::now() < until, "it computes, and is not seen to");
        }
    }

    #[test]
    fn a_process_that_is_gone_holds_nothing() {
        assert_eq!(ProcessWatch::new(u32::MAX - 1).unwrap().resident(), None);
    }
}
