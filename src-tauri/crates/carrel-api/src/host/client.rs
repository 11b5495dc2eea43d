//! Calls carried out by the owner: one connection for each.

use super::address::Address;
use super::protocol::{self, Body, Greeting, PROTOCOL, Reply, Request};
use crate::call::Lines;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use interprocess::local_socket::Stream;
use interprocess::local_socket::prelude::*;
use serde_json::{Value, json};
use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How long an owner may take to greet.
const GREETING: Duration = Duration::from_secs(3);
/// How often a waiting call looks whether it was stopped.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a stopped call may take to end.
const ENDING: Duration = Duration::from_secs(5);

/// How a call by way of the owner ended.
pub(super) enum Outcome {
    /// With an answer or a problem.
    Done(Result<Value, Problem>),
    /// Nobody listens there.
    Unreachable,
    /// The owner cannot carry it out for this program.
    Refused(Problem),
    /// The owner ended meanwhile.
    Lost {
        /// Lines had come.
        lines: bool,
        /// The owner said so itself: the call is not done.
        handed_over: bool,
    },
}

/// Whether an owner listens and understands.
pub(super) fn greet(address: &Address) -> Result<(), Outcome> {
    connect(address).map(|_| ())
}

/// A connection on which the owner has greeted. Dropping it closes it.
struct Connection {
    stream: Arc<Stream>,
    replies: Receiver<Reply>,
    closed: Arc<AtomicBool>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
    }
}

fn connect(address: &Address) -> Result<Connection, Outcome> {
    let stream = Arc::new(address.connect().map_err(|_| Outcome::Unreachable)?);
    // Where a system knows no timeouts, the last reply or the end of the process ends the reading thread.
    let _ = stream.set_recv_timeout(Some(PATIENCE * 4));
    let closed = Arc::new(AtomicBool::new(false));
    let over = closed.clone();
    let (greeting_sender, greeting) = sync_channel::<Greeting>(1);
    let (sender, replies) = sync_channel::<Reply>(256);
    let reading = stream.clone();
    let reader = std::thread::Builder::new().name("owner".into()).spawn(move || {
        let mut reader = BufReader::new(Reading(reading));
        let over = || over.load(Ordering::Relaxed);
        let Ok(Some(greeting)) = protocol::read(&mut reader, &over) else { return };
        if greeting_sender.send(greeting).is_err() {
            return;
        }
        drop(greeting_sender);
        while let Ok(Some(reply)) = protocol::read::<Reply>(&mut reader, &over) {
            let last = !matches!(reply.body, Body::Event(_));
            if sender.send(reply).is_err() || last {
                return;
            }
        }
    });
    reader.map_err(|error| Outcome::Refused(Problem::internal(error)))?;
    let connection = Connection { stream, replies, closed };
    match greeting.recv_timeout(GREETING) {
        Ok(greeting) if greeting.carrel == PROTOCOL => Ok(connection),
        Ok(greeting) => Err(Outcome::Refused(
            Problem::new(
                "owner_version",
                format!(
                    "Carrel {} owns the data folder and does not understand Carrel {}",
                    greeting.version,
                    env!("CARGO_PKG_VERSION")
                ),
            )
            .hint("close it, or use the same version")
            .detail("version", greeting.version),
        )),
        Err(_) => Err(Outcome::Unreachable),
    }
}

/// `Read` over a shared stream.
struct Reading(Arc<Stream>);

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

/// Has the owner carry out a call.
pub(super) fn call(
    address: &Address,
    id: &str,
    name: &str,
    params: &Value,
    cancel: &Cancel,
    lines: Lines<'_>,
) -> Outcome {
    let connection = match connect(address) {
        Ok(connection) => connection,
        Err(outcome) => return outcome,
    };
    let request = Request { id: id.to_owned(), name: name.to_owned(), params: params.clone() };
    if protocol::write(&*connection.stream, &request).is_err() {
        return Outcome::Lost { lines: false, handed_over: false };
    }
    let mut any = false;
    let mut stopping: Option<Instant> = None;
    loop {
        match connection.replies.recv_timeout(PATIENCE) {
            Ok(Reply { body: Body::Event(line), .. }) => {
                any = true;
                lines(line);
            }
            Ok(Reply { body: Body::Ok(value), .. }) => return Outcome::Done(Ok(value)),
            Ok(Reply { body: Body::Problem(problem), .. }) => return Outcome::Done(Err(problem)),
            Ok(Reply { body: Body::Handover(_), .. }) => {
                return Outcome::Lost { lines: any, handed_over: true };
            }
            Err(RecvTimeoutError::Disconnected) => return Outcome::Lost { lines: any, handed_over: false },
            Err(RecvTimeoutError::Timeout) => {}
        }
        match stopping {
            None if cancel.is_cancelled() => {
                stopping = Some(Instant::now());
                let stop = Request {
                    id: format!("{id}-stop"),
                    name: "call.cancel".to_owned(),
                    params: json!({ "call": id }),
                };
                if protocol::write(&*connection.stream, &stop).is_err() {
                    return Outcome::Done(Err(Problem::cancelled()));
                }
            }
            Some(since) if since.elapsed() > ENDING => return Outcome::Done(Err(Problem::cancelled())),
            _ => {}
        }
    }
}
