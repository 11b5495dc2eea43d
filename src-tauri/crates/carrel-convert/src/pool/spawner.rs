//! Starts workers from one thread that lives as long as the pool.
//!
//! Linux kills a process when the *thread* that started it ends, if the process asked to die with its parent, as
//! workers do. Callers' threads come and go; this one stays.

use super::process::Worker;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;

type Reply = mpsc::Sender<io::Result<Worker>>;

pub(super) struct Spawner {
    requests: mpsc::Sender<Reply>,
}

impl Spawner {
    pub(super) fn new(program: PathBuf) -> Self {
        let (requests, inbox) = mpsc::channel::<Reply>();
        // Without the thread every request fails, which the caller reports.
        let _ = std::thread::Builder::new().name("carrel-spawn".into()).spawn(move || {
            for reply in inbox {
                let worker = Command::new(&program)
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .and_then(Worker::new);
                // A caller that went away drops the worker, which ends with its stdin.
                let _ = reply.send(worker);
            }
        });
        Self { requests }
    }

    pub(super) fn spawn(&self) -> io::Result<Worker> {
        let (reply, answer) = mpsc::channel();
        let gone = || io::Error::other("no thread could be started");
        self.requests.send(reply).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }
}
