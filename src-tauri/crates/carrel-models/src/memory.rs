//! How much memory is free.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Bytes that a program can still take without driving others out; `None` where the system does not say. Where the program is fenced
/// in (a container), the fence counts.
pub(crate) fn available() -> Option<u64> {
    let only_memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(only_memory).ok()?;
    // What the fence counts as used, kept files are part of; those give way.
    let fence = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    let free = system.available_memory().min(fence.unwrap_or(u64::MAX));
    (free > 0).then_some(free)
}
