//! The inference workers: one thread per core, each running single-threaded forwards.
//!
//! Independent batches side by side use two cores nearly twice as well as one forward on two threads, and a question
//! waits for at most one short batch: queries are taken before passages.
//! Invariant: a job owns its data, so a caller may leave at any time; a job that panics ends as an error of its caller.

use super::Scratch;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Work for one thread.
pub(crate) type Job = Box<dyn FnOnce(&mut Scratch) + Send>;

/// Which queue a job waits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// A question: taken first.
    Query,
    /// Bulk work.
    Passage,
}

#[derive(Default)]
struct Lanes {
    queries: VecDeque<Job>,
    passages: VecDeque<Job>,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    lanes: Mutex<Lanes>,
    work: Condvar,
}

impl Shared {
    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads. Dropping it ends them after their current job.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `threads` workers, at least one.
    pub(crate) fn start(threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let mut pool = Self { shared: Arc::clone(&shared), threads: Vec::new() };
        for n in 0..threads.max(1) {
            let shared = Arc::clone(&shared);
            let thread =
                std::thread::Builder::new().name(format!("carrel-infer-{n}")).spawn(move || run(&shared))?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// How many workers there are.
    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Puts a job at the end of its lane. Callers bound how many of theirs wait.
    pub(crate) fn submit(&self, lane: Lane, job: Job) {
        let mut lanes = self.shared.lanes();
        match lane {
            Lane::Query => lanes.queries.push_back(job),
            Lane::Passage => lanes.passages.push_back(job),
        }
        drop(lanes);
        self.shared.work.notify_one();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lanes().closed = true;
        self.shared.work.notify_all();
        for thread in self.threads.drain(..) {
            // A worker catches the panics of its jobs, so joining cannot fail in a way that matters here.
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared) {
    let mut scratch = Scratch::default();
    while let Some(job) = next(shared) {
        if catch_unwind(AssertUnwindSafe(|| job(&mut scratch))).is_err() {
            // The caller sees its channel close.
            tracing::error!("an inference job panicked");
            scratch = Scratch::default();
        }
    }
}

fn next(shared: &Shared) -> Option<Job> {
    let mut lanes = shared.lanes();
    loop {
        if lanes.closed {
            return None;
        }
        if let Some(job) = lanes.queries.pop_front().or_else(|| lanes.passages.pop_front()) {
            return Some(job);
        }
        lanes = shared.work.wait(lanes).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_query_goes_before_the_passages_that_wait() {
        let pool = Pool::start(1).unwrap();
        let (order, seen) = channel();
        let (go, wait) = channel::<()>();
        pool.submit(Lane::Passage, Box::new(move |_| wait.recv().unwrap()));
        for (lane, name) in [(Lane::Passage, "first"), (Lane::Passage, "second"), (Lane::Query, "query")] {
            let order = order.clone();
            pool.submit(lane, Box::new(move |_| order.send(name).unwrap()));
        }
        go.send(()).unwrap();
        let seen: Vec<_> = (0..3).map(|_| seen.recv().unwrap()).collect();
        assert_eq!(seen[1..], ["first", "second"]);
        assert_eq!(seen[0], "query");
    }

    #[test]
    fn a_panic_ends_the_job_and_not_the_worker() {
        let pool = Pool::start(1).unwrap();
        let (done, seen) = channel();
        pool.submit(Lane::Passage, Box::new(|_| panic!("of this test")));
        pool.submit(Lane::Passage, Box::new(move |_| done.send(()).unwrap()));
        seen.recv().unwrap();
    }
}
