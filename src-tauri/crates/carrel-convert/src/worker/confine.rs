//! What the system holds the worker to: its memory, no core dumps, no life without its parent.

/// Called once, first.
pub(super) fn at_start() {
    #[cfg(unix)]
    {
        // A core dump would lay the user's document on disk.
        let _ = rlimit::Resource::CORE.set(0, 0);
    }
    #[cfg(target_os = "linux")]
    die_with_parent();
}

/// Limits the memory of the conversions that follow. Linux counts heap and private mappings; elsewhere nothing is
/// enforced here, and the pool's limit on time remains.
pub(super) fn memory(bytes: u64) {
    #[cfg(target_os = "linux")]
    {
        let hard = rlimit::Resource::DATA.get_hard().unwrap_or(rlimit::INFINITY);
        let _ = rlimit::Resource::DATA.set(bytes.min(hard), hard);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// The pool's thread that started this process lives as long as the pool; when it ends, so does this process.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "prctl has no safe wrapper among the dependencies")]
fn die_with_parent() {
    // SAFETY: PR_SET_PDEATHSIG takes one integer argument and touches no memory of this process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}
