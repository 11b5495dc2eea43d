//! Under libFuzzer. `CARREL_FUZZ_TARGET` names the target.
//!
//! A panic of our own code ends the process even where the product would catch it; one of a dependency only where nothing caught
//! it. An input that takes more than [`SECONDS`] of processor time, or [`BYTES`] of memory, is a fault too.

#![allow(clippy::print_stderr, reason = "what ended the process is said")]

use carrel_fuzz::mutate::{Random, mutate};
use carrel_fuzz::table::Target;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex};
use std::time::Instant;

/// Processor time that an input may take.
const SECONDS: f64 = 2.0;
/// Memory that an input may take.
const BYTES: usize = 512 << 20;

static TARGET: LazyLock<(&Target, fn(&[u8]))> = LazyLock::new(|| {
    let name = std::env::var("CARREL_FUZZ_TARGET").unwrap_or_default();
    let found = carrel_fuzz::target(&name).and_then(|target| Some((target, carrel_fuzz::run(target)?)));
    found.unwrap_or_else(|| std::process::exit(2))
});

#[global_allocator]
static MEMORY: Counting = Counting { now: AtomicUsize::new(0), most: AtomicUsize::new(0) };

struct Counting {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Counting {
    fn count(&self, more: usize, less: usize) {
        let now = self.now.fetch_add(more, Relaxed) + more;
        self.most.fetch_max(now, Relaxed);
        self.now.fetch_sub(less, Relaxed);
    }
}

// SAFETY: all work is the system allocator's; only sizes are counted.
#[allow(unsafe_code, reason = "an allocator that counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size(), 0);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size(), 0);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count(size, layout.size());
        unsafe { System.realloc(ptr, layout, size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        self.count(0, layout.size());
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Ours end the process at once; those of dependencies are left to whoever guards against them.
fn watch_panics() {
    drop(std::panic::take_hook());
    let say = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let foreign = panic.location().is_some_and(|at| at.file().contains("/registry/src/"));
        if !foreign {
            say(panic);
            std::process::abort();
        }
        if let Ok(mut last) = LAST.lock() {
            *last = panic.to_string();
        }
    }));
}

/// The last panic of a dependency.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Runs the target; what nothing caught ends the process.
fn guarded(bytes: &[u8]) {
    let (_, run) = *TARGET;
    if std::panic::catch_unwind(|| run(bytes)).is_err() {
        eprintln!("nothing caught this: {}", LAST.lock().map(|last| last.clone()).unwrap_or_default());
        std::process::abort();
    }
}

fn checked(bytes: &[u8]) {
    let before = MEMORY.now.load(Relaxed);
    MEMORY.most.store(before, Relaxed);
    let started = Instant::now();
    guarded(bytes);
    let taken = MEMORY.most.load(Relaxed).saturating_sub(before);
    assert!(taken <= BYTES, "it took {} MB", taken >> 20);
    if started.elapsed().as_secs_f64() > SECONDS {
        // Others may have had the processor: only what is slow by itself counts.
        let before = processor_seconds();
        guarded(bytes);
        let taken = processor_seconds() - before;
        assert!(taken <= SECONDS, "it took {taken:.1} s");
    }
}

fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

libfuzzer_sys::fuzz_target!(init: watch_panics(), |bytes: &[u8]| checked(bytes));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    let (target, _) = *TARGET;
    let mut bytewise = |bytes: &mut Vec<u8>, most: usize| {
        let size = bytes.len();
        // Room to grow, but not all that there may be: it is copied each time.
        let room = most.min(size + 4096).max(size).max(1);
        bytes.resize(room, 0);
        let size = libfuzzer_sys::fuzzer_mutate(bytes, size, room);
        bytes.truncate(size);
    };
    let input = data.get(..size).unwrap_or_default();
    // What reads containers may panic at what it is given, here as in the target.
    let changed = std::panic::AssertUnwindSafe(|| {
        mutate(target.shape, input, most, &mut Random::new(u64::from(seed)), &mut bytewise)
    });
    let out = std::panic::catch_unwind(changed).unwrap_or_else(|_| input.to_vec());
    let length = out.len().min(most);
    data[..length].copy_from_slice(&out[..length]);
    length
});
