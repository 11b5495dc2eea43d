//! How much memory a worker holds, seen from outside: the limit where the system enforces none (macOS, Windows), and on Linux the
//! second line behind the worker's own, which does not count files that are mapped.

use std::time::{Duration, Instant};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// How often the system is asked.
const PACE: Duration = Duration::from_millis(250);

/// Looks at one process from time to time.
pub(super) struct MemoryWatch {
    process: Pid,
    system: System,
    looked: Instant,
}

impl MemoryWatch {
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
        let mut watch = MemoryWatch::new(std::process::id()).unwrap();
        let before = watch.resident().unwrap();
        let hoard = vec![1_u8; 64 << 20];
        let after = watch.resident().unwrap();
        assert!(after >= before + (48 << 20), "{before} {after} {}", hoard.len());
    }

    #[test]
    fn a_process_that_is_gone_holds_nothing() {
        assert_eq!(MemoryWatch::new(u32::MAX - 1).unwrap().resident(), None);
    }
}
