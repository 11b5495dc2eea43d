//! One process owns a data folder; every other is its client.
//!
//! [`Host`] is what a surface holds: it owns the folder itself when nobody does, serves others while it lives, and otherwise has
//! its calls carried out by the owner. When the owner goes, the next call takes its place. There is no second way in and no
//! read-only mode.

mod address;
mod client;
mod protocol;
mod server;

use crate::app::{App, AppConfig};
use crate::call::Lines;
use crate::problem::Problem;
use address::Address;
use carrel_engine::cancel::Cancel;
use client::Outcome;
use serde_json::Value;
use server::Server;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long an owner may take to be reachable, such as while it opens its libraries or ends.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this long the person is told what is waited for.
const SILENCE: Duration = Duration::from_secs(2);

/// A way to call, whoever owns the data folder.
pub struct Host {
    config: AppConfig,
    follow: bool,
    notice: Box<dyn Fn(&str) + Send + Sync>,
    role: Mutex<Option<Role>>,
}

#[derive(Clone)]
enum Role {
    Owner(Arc<Owner>),
    Client(Address),
}

struct Owner {
    app: Arc<App>,
    server: Option<Server>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Clients first: what they still wait for is handed over to them.
        self.server.take();
        self.app.stop_calls();
    }
}

impl Host {
    /// Takes the data folder's lock, or connects to the process that has it. `follow` opens every library so that watched folders
    /// are followed while this process owns it. `notice` is told when something takes longer than a person would wait silently.
    pub fn connect_or_own(
        config: AppConfig,
        follow: bool,
        notice: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Host, Problem> {
        let host = Host { config, follow, notice: Box::new(notice), role: Mutex::new(None) };
        host.role()?;
        Ok(host)
    }

    /// Whether this process owns the data folder.
    pub fn is_owner(&self) -> bool {
        matches!(*self.role.lock().unwrap_or_else(PoisonError::into_inner), Some(Role::Owner(_)))
    }

    /// Where this process has just become the owner: takes up what changed on disk in these libraries (`*` for all, none for
    /// `default`) before they are asked, for two seconds at most. An owner that stays has done so already.
    pub fn catch_up(&self, libraries: &[String]) {
        let role = self.role.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(Role::Owner(owner)) = role {
            owner.app.catch_up(libraries, SILENCE);
        }
    }

    /// Carries out a command and blocks until it is done; see [`App::call`]. A call that the owner could not finish because it
    /// ended is carried out again by this process, unless lines of it are out already.
    pub fn call(
        &self,
        id: &str,
        name: &str,
        params: Value,
        cancel: &Cancel,
        lines: Lines<'_>,
    ) -> Result<Value, Problem> {
        // An owner may change between connecting and calling, but not for ever.
        for _ in 0..5 {
            let address = match self.role()? {
                Role::Owner(owner) => return owner.app.call(id, name, params, cancel, lines),
                Role::Client(address) => address,
            };
            match client::call(&address, id, name, &params, cancel, lines) {
                Outcome::Done(result) => return result,
                Outcome::Unreachable => self.forget(&address),
                Outcome::Refused(problem) => return Err(problem),
                Outcome::Lost { lines: begun, handed_over } => {
                    self.forget(&address);
                    if cancel.is_cancelled() {
                        return Err(Problem::cancelled());
                    }
                    let endless = protocol::ENDLESS.contains(&name);
                    if !(endless || !begun && (handed_over || is_repeatable(name))) {
                        return Err(Problem::new(
                            "connection_lost",
                            "the Carrel that owns the data folder ended before it was done",
                        )
                        .hint("try again: this program takes its place")
                        .retryable());
                    }
                    if name == "events.subscribe" {
                        lines(everything_changed());
                    }
                }
            }
        }
        Err(self.not_answering(None))
    }

    fn forget(&self, address: &Address) {
        let mut role = self.role.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(&*role, Some(Role::Client(known)) if known == address) {
            *role = None;
        }
    }

    /// The role of this process, found out anew when it has none.
    fn role(&self) -> Result<Role, Problem> {
        let mut role = self.role.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(role) = &*role {
            return Ok(role.clone());
        }
        let began = Instant::now();
        let mut told = false;
        loop {
            match App::open(self.config.clone()) {
                Ok(app) => return Ok(role.insert(Role::Owner(Arc::new(self.own(app)))).clone()),
                Err(problem) if problem.code == "data_folder_locked" => {}
                Err(problem) => return Err(problem),
            }
            let address = Address::recorded(&self.config.data);
            if let Some(address) = &address {
                match client::greet(address) {
                    Ok(()) => return Ok(role.insert(Role::Client(address.clone())).clone()),
                    Err(Outcome::Refused(problem)) => return Err(problem),
                    Err(_) => {}
                }
            }
            if began.elapsed() > PATIENCE {
                return Err(self.not_answering(address.as_ref()));
            }
            if began.elapsed() > SILENCE && !std::mem::replace(&mut told, true) {
                (self.notice)(&format!(
                    "waiting for the Carrel that owns {}{}",
                    self.config.data.display(),
                    process(address.as_ref())
                ));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn own(&self, app: Arc<App>) -> Owner {
        let server = match Server::start(&app) {
            Ok(server) => Some(server),
            Err(error) => {
                tracing::error!(%error, "other programs cannot reach this one");
                (self.notice)(&format!(
                    "other programs cannot use this library while this one runs: {error}"
                ));
                None
            }
        };
        if self.follow {
            let app = app.clone();
            let started = std::thread::Builder::new().name("follow".into()).spawn(move || drop(app.follow()));
            if let Err(error) = started {
                tracing::error!(%error, "watched folders are not followed");
            }
        }
        Owner { app, server }
    }

    fn not_answering(&self, address: Option<&Address>) -> Problem {
        let path = self.config.data.display().to_string();
        let message = format!("the Carrel that owns {path}{} does not answer", process(address));
        Problem::new("owner_not_answering", message)
            .hint("wait until it is done, or close it")
            .detail("path", path)
            .retryable()
    }
}

/// The notice after a change of owners: what happened meanwhile nobody told.
fn everything_changed() -> Value {
    let mut tags: Vec<&str> = crate::commands::COMMANDS.iter().flat_map(|c| c.provides).copied().collect();
    tags.sort_unstable();
    tags.dedup();
    serde_json::json!({ "tags": tags, "library": null })
}

fn process(address: Option<&Address>) -> String {
    address.map(|a| format!(" (process {})", a.process)).unwrap_or_default()
}

/// Whether doing it twice does no more than doing it once, should the owner have died after it was done.
fn is_repeatable(name: &str) -> bool {
    let reads = crate::commands::COMMANDS.iter().any(|c| c.name == name && c.invalidates.is_empty());
    reads
        || matches!(
            name,
            "add"
                | "sync"
                | "settings.set"
                | "library.settings"
                | "models.get"
                | "document.retry"
                | "document.unlock"
        )
}

#[cfg(test)]
mod tests;
