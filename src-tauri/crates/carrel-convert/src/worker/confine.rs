//! What the system holds the worker to: its memory, no network, no programs, no core dumps, no life without its parent; and that
//! a lack of memory is said.
//!
//! Network and programs are refused on Linux alone (seccomp), where the kernel offers it; elsewhere that is not enforced.

/// Called once, first.
pub(super) fn at_start() {
    #[cfg(unix)]
    {
        // A core dump would lay the user's document on disk.
        let _ = rlimit::Resource::CORE.set(0, 0);
    }
    #[cfg(target_os = "linux")]
    {
        die_with_parent();
        name_lack_of_memory();
        // A kernel without seccomp leaves a worker that still converts.
        let _ = refuse_network_and_programs();
    }
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

/// Calls that a hostile document, once it has taken the worker over, would need to reach the network, another program or another
/// process. They fail with "operation not permitted". Conversion needs none of them.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn refuse_network_and_programs() -> seccompiler::Result<()> {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    let refused = [
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_io_uring_setup,
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_getfd,
        libc::SYS_bpf,
        libc::SYS_keyctl,
        libc::SYS_mount,
        libc::SYS_unshare,
        libc::SYS_setns,
    ];
    let filter = SeccompFilter::new(
        refused.into_iter().map(|call| (call, Vec::new())).collect(),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.cast_unsigned()),
        std::env::consts::ARCH.try_into()?,
    )?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)
}

#[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn refuse_network_and_programs() -> Result<(), std::convert::Infallible> {
    Ok(())
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

/// Libraries in other languages end the process without a word where memory is refused to them: then it is said for them.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "signal handlers have no safe wrapper among the dependencies")]
fn name_lack_of_memory() {
    extern "C" fn say(signal: libc::c_int) {
        // SAFETY: all three are async-signal-safe; errno is this thread's own, and the message is static.
        unsafe {
            // What an allocation left behind just before.
            if *libc::__errno_location() == libc::ENOMEM {
                let words = super::OUT_OF_MEMORY;
                libc::write(libc::STDERR_FILENO, words.as_ptr().cast(), words.len());
            }
            // The handler is gone by now: this ends the process.
            libc::raise(signal);
        }
    }
    let handler = say as extern "C" fn(libc::c_int);
    for signal in [libc::SIGABRT, libc::SIGTRAP, libc::SIGILL] {
        // SAFETY: an all-zero sigaction is valid (no flags, empty mask), and `say` has the signature of a handler.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_RESETHAND;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}
