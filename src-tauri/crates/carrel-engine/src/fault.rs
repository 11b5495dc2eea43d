//! Named fault points for crash tests. Compiled to nothing unless the feature `faults` is on.
//!
//! A test names one point in the environment of a child process (`CARREL_FAULT=name` or `name:N` for the
//! N-th time it is reached); the process then aborts there as if it had been killed.

/// Every fault point, in the order in which one document meets them. The kill test visits each.
pub const POINTS: &[&str] = &[
    "ingest.after_scan",
    "ingest.after_convert",
    "writer.before_commit",
    "writer.after_commit",
    "writer.after_version_written",
    "writer.after_vectors_written",
    "writer.after_activate",
    "lexical.before_commit",
    "lexical.after_commit",
    "dense.before_save",
    "dense.after_temporary_written",
    "dense.after_rename",
];

/// Aborts the process here when the environment says so.
#[cfg(feature = "faults")]
pub fn point(name: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};
    static WANTED: OnceLock<Option<(String, u32)>> = OnceLock::new();
    static REACHED: AtomicU32 = AtomicU32::new(0);
    debug_assert!(POINTS.contains(&name), "unknown fault point {name}");
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var("CARREL_FAULT").ok()?;
        match text.split_once(':') {
            Some((name, n)) => Some((name.to_owned(), n.parse().ok()?)),
            None => Some((text, 1)),
        }
    });
    if let Some((at, n)) = wanted
        && at == name
        && REACHED.fetch_add(1, Ordering::SeqCst) + 1 == *n
    {
        std::process::abort();
    }
}

/// Does nothing: the feature `faults` is off.
#[cfg(not(feature = "faults"))]
#[inline]
pub fn point(_name: &str) {}
