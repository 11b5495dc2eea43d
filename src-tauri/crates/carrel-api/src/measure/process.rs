//! What the system knows about this process.

/// The most memory that it ever held, in mebibytes; 0 where the system does not say.
pub(super) fn peak_rss_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

/// CPU seconds of all threads of this process so far; 0 where the system does not say.
pub(super) fn cpu_seconds() -> f64 {
    carrel_models::bench::usage().0
}

/// Bytes of all files below a folder.
pub(super) fn bytes_below(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes_below(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
