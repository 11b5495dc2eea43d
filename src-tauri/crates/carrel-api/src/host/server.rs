//! The owner's side: carries out the calls of others while it lives.

use super::address::Address;
use super::protocol::{self, Body, ENDLESS, Greeting, PROTOCOL, Reply, Request};
use crate::app::App;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use interprocess::local_socket::prelude::*;
use interprocess::local_socket::{Listener, Stream};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an ending owner lets the calls of others go on before it hands them over.
const GRACE: Duration = Duration::from_secs(1);
/// How long a stopped call may take to end.
const ENDING: Duration = Duration::from_secs(5);
/// How often an idle connection looks whether the owner ends.
const PATIENCE: Duration = Duration::from_millis(200);
/// Calls of one connection at a time.
const MOST_CALLS: usize = 64;

/// The listening owner. Dropping it ends the service: calls under way get a moment, then they are handed over.
pub(super) struct Server {
    address: Address,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    app: Weak<App>,
    data: std::path::PathBuf,
    /// No new calls.
    ending: AtomicBool,
    /// Running calls are stopped to be handed over.
    handing_over: AtomicBool,
    running: Mutex<usize>,
    idle: Condvar,
}

impl Server {
    /// Listens from now on.
    pub(super) fn start(app: &Arc<App>) -> std::io::Result<Server> {
        let data = app.data_folder().to_owned();
        let (address, listener) = Address::listen(&data)?;
        let shared = Arc::new(Shared {
            app: Arc::downgrade(app),
            data,
            ending: AtomicBool::new(false),
            handing_over: AtomicBool::new(false),
            running: Mutex::new(0),
            idle: Condvar::new(),
        });
        let accepting = {
            let shared = shared.clone();
            std::thread::Builder::new().name("accept".into()).spawn(move || accept(&listener, &shared))?
        };
        Ok(Server { address, shared, accepting: Some(accepting) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::SeqCst);
        // Wakes the accepting thread. Where the socket is gone it sleeps on, and holds nothing.
        let woken = self.address.connect().is_ok();
        if let Some(thread) = self.accepting.take()
            && woken
        {
            let _ = thread.join();
        }
        self.address.clear(&self.shared.data);
        if !self.shared.wait_idle(GRACE) {
            self.shared.handing_over.store(true, Ordering::SeqCst);
            if let Some(app) = self.shared.app.upgrade() {
                app.stop_calls();
            }
            self.shared.wait_idle(ENDING);
        }
    }
}

impl Shared {
    fn wait_idle(&self, most: Duration) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let (running, _) =
            self.idle.wait_timeout_while(running, most, |n| *n > 0).unwrap_or_else(PoisonError::into_inner);
        *running == 0
    }

    fn count(&self, change: isize) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = running.saturating_add_signed(change);
        self.idle.notify_all();
    }
}

fn accept(listener: &Listener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.ending.load(Ordering::SeqCst) {
            return;
        }
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
        };
        let shared = shared.clone();
        let started = std::thread::Builder::new()
            .name("connection".into())
            .spawn(move || serve(Arc::new(stream), &shared));
        if let Err(error) = started {
            tracing::warn!(%error, "a connection could not be served");
        }
    }
}

/// One client: its calls run on threads of their own and are stopped when it goes.
struct Connection {
    stream: Arc<Stream>,
    writing: Mutex<()>,
    calls: Mutex<HashMap<String, Cancel>>,
}

impl Connection {
    fn send(&self, id: &str, body: Body) -> std::io::Result<()> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        protocol::write(&*self.stream, &Reply { id: id.to_owned(), body })
    }

    fn cancel_all(&self) {
        for cancel in self.calls.lock().unwrap_or_else(PoisonError::into_inner).values() {
            cancel.cancel();
        }
    }
}

struct Reading(Arc<Stream>);

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

fn serve(stream: Arc<Stream>, shared: &Arc<Shared>) {
    // Where a system knows no timeouts, the end of the process ends the thread.
    let _ = stream.set_recv_timeout(Some(PATIENCE));
    let greeting = Greeting { carrel: PROTOCOL, version: env!("CARGO_PKG_VERSION").to_owned() };
    if protocol::write(&*stream, &greeting).is_err() {
        return;
    }
    let mut reader = BufReader::new(Reading(stream.clone()));
    let connection = Arc::new(Connection { stream, writing: Mutex::new(()), calls: Mutex::default() });
    let over = || shared.ending.load(Ordering::SeqCst) && shared.wait_idle(Duration::ZERO);
    loop {
        match protocol::read::<Request>(&mut reader, &over) {
            Ok(Some(request)) => start(request, &connection, shared),
            Ok(None) => break,
            Err(error) => {
                tracing::debug!(%error, "a connection was broken off");
                break;
            }
        }
    }
    connection.cancel_all();
}

fn start(request: Request, connection: &Arc<Connection>, shared: &Arc<Shared>) {
    let refuse = |problem: Problem| {
        let _ = connection.send(&request.id, Body::Problem(problem));
    };
    let Some(app) = shared.app.upgrade().filter(|_| !shared.ending.load(Ordering::SeqCst)) else {
        let _ = connection.send(&request.id, Body::Handover(true));
        return;
    };
    // Stopping a call is not a call of its own: the client waits for the end of the one it stops.
    if request.name == "call.cancel" {
        let ours = request.params.get("call").and_then(Value::as_str);
        let calls = connection.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cancel) = ours.and_then(|id| calls.get(id)) {
            cancel.cancel();
            return;
        }
    }
    let cancel = Cancel::new();
    {
        let mut calls = connection.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= MOST_CALLS || calls.contains_key(&request.id) {
            drop(calls);
            return refuse(Problem::bad_request("too many calls on one connection, or two with one id"));
        }
        calls.insert(request.id.clone(), cancel.clone());
    }
    shared.count(1);
    let running = {
        let (connection, shared) = (connection.clone(), shared.clone());
        let id = request.id.clone();
        std::thread::Builder::new().name("call".into()).spawn(move || {
            let _counted = Counted(&shared);
            carry_out(&app, request, &cancel, &connection, &shared);
            connection.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        })
    };
    if let Err(error) = running {
        shared.count(-1);
        tracing::error!(%error, "a call could not be started");
        connection.cancel_all();
    }
}

/// Counts a call as ended however it ends.
struct Counted<'a>(&'a Shared);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.count(-1);
    }
}

fn carry_out(app: &App, request: Request, cancel: &Cancel, connection: &Connection, shared: &Shared) {
    let Request { id, name, params } = request;
    let result = app.call(&id, &name, params, cancel, &mut |line| {
        if connection.send(&id, Body::Event(line)).is_err() {
            cancel.cancel();
        }
    });
    let stopped_by_us = shared.handing_over.load(Ordering::SeqCst)
        && match &result {
            Ok(value) => {
                ENDLESS.contains(&name.as_str()) || value.get("mode").is_some_and(|m| m == "stopped")
            }
            Err(problem) => problem.is_cancelled(),
        };
    let body = match result {
        _ if stopped_by_us => Body::Handover(true),
        Ok(value) => Body::Ok(value),
        Err(problem) => Body::Problem(problem),
    };
    if let Err(error) = connection.send(&id, body) {
        tracing::debug!(%error, name, "the client was gone before its call ended");
    }
}
