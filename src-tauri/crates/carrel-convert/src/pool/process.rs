//! One worker process and the threads that carry its pipes, so that no call ever blocks on one.

use crate::worker::protocol::{Reply, Request, read_reply, write_frame};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Replies that wait: a recording is decoded much faster than it is heard.
const REPLIES: usize = 8;
/// How much of stderr is kept.
const STDERR_KEPT: usize = 4 << 10;
/// How long the end of a process is waited for once its pipe has closed.
const REAP: Duration = Duration::from_millis(500);

/// How a process ended.
pub(super) struct Ended {
    pub(super) status: String,
    pub(super) stderr: String,
}

/// What came within the time given.
pub(super) enum Message {
    Nothing,
    Reply(Reply),
    Ended(Ended),
}

/// A worker process.
pub(super) struct Worker {
    child: Option<Child>,
    /// Files it has answered for.
    pub(super) files: u32,
    requests: Sender<(Request, Vec<u8>)>,
    replies: Receiver<Reply>,
    stderr: Arc<Mutex<Vec<u8>>>,
    usable: bool,
}

impl Worker {
    pub(super) fn new(mut child: Child) -> io::Result<Self> {
        let (requests, outbox) = channel();
        let (inbox, replies) = sync_channel(REPLIES);
        let stderr = Arc::new(Mutex::new(Vec::new()));
        if let (Some(stdin), Some(stdout), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        {
            let kept = Arc::clone(&stderr);
            std::thread::Builder::new()
                .name("carrel-worker-in".into())
                .spawn(move || write(stdin, &outbox))?;
            std::thread::Builder::new()
                .name("carrel-worker-out".into())
                .spawn(move || read(stdout, &inbox))?;
            std::thread::Builder::new()
                .name("carrel-worker-err".into())
                .spawn(move || keep(errors, &kept))?;
        }
        Ok(Self { child: Some(child), files: 0, requests, replies, stderr, usable: true })
    }

    /// Hands over a request; that it cannot be written shows as the end of the process.
    pub(super) fn send(&mut self, request: Request, payload: Vec<u8>) {
        if self.requests.send((request, payload)).is_err() {
            self.usable = false;
        }
    }

    /// Waits for a reply.
    pub(super) fn receive(&mut self, timeout: Duration) -> Message {
        match self.replies.recv_timeout(timeout) {
            Ok(reply) => Message::Reply(reply),
            Err(RecvTimeoutError::Timeout) => Message::Nothing,
            Err(RecvTimeoutError::Disconnected) => {
                self.usable = false;
                Message::Ended(self.ended())
            }
        }
    }

    /// The id of the process, while it runs.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Ends the process now.
    pub(super) fn kill(&mut self) {
        self.usable = false;
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            reap(child);
        }
    }

    /// Whether it may be given another file.
    pub(super) fn is_usable(&self) -> bool {
        self.usable
    }

    fn ended(&mut self) -> Ended {
        let status = match self.child.take() {
            None => "it was stopped".to_owned(),
            Some(mut child) => {
                let until = Instant::now() + REAP;
                loop {
                    match child.try_wait() {
                        Ok(Some(status)) => break status.to_string(),
                        Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                        _ => {
                            let _ = child.kill();
                            reap(child);
                            break "it stopped answering".to_owned();
                        }
                    }
                }
            }
        };
        // Its last words may still be under way.
        std::thread::sleep(Duration::from_millis(20));
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        Ended { status, stderr: String::from_utf8_lossy(&stderr).into_owned() }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Collects the dead process on a thread of its own: the wait can last where the kernel holds it in a disk operation.
fn reap(mut child: Child) {
    if matches!(child.try_wait(), Ok(Some(_))) {
        return;
    }
    let _ = std::thread::Builder::new().name("carrel-reap".into()).spawn(move || child.wait());
}

fn write(stdin: ChildStdin, outbox: &Receiver<(Request, Vec<u8>)>) {
    let mut stdin = BufWriter::new(stdin);
    for (request, payload) in outbox {
        let written = serde_json::to_vec(&request)
            .map_err(io::Error::other)
            .and_then(|head| write_frame(&mut stdin, &head))
            .and_then(|()| write_frame(&mut stdin, &payload))
            .and_then(|()| stdin.flush());
        if written.is_err() {
            return;
        }
    }
}

fn read(stdout: ChildStdout, inbox: &SyncSender<Reply>) {
    let mut stdout = BufReader::new(stdout);
    while let Ok(Some(reply)) = read_reply(&mut stdout) {
        if inbox.send(reply).is_err() {
            return;
        }
    }
}

fn keep(mut stderr: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let excess = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..excess);
    }
}
