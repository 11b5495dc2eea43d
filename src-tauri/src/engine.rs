//! The engine behind the window: opened on a thread of its own, waited for by calls, never by the window.

use carrel_api::{AppConfig, Cancel, Host, Problem};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long closing waits for calls that were told to stop.
const PATIENCE: Duration = Duration::from_secs(3);

/// The host, once it is there, and the calls that run on it.
#[derive(Default)]
pub(crate) struct Engine {
    /// Set once opening ended; emptied by closing.
    host: OnceLock<Result<Mutex<Option<Arc<Host>>>, Problem>>,
    running: Mutex<HashMap<String, Cancel>>,
}

impl Engine {
    /// Opens the data folder, or connects to the process that has it. Returns at once.
    pub(crate) fn open_in_background(self: &Arc<Self>) {
        let engine = Arc::clone(self);
        let open = move || {
            let notice = |message: &str| tracing::warn!("{message}");
            let host = AppConfig::from_environment(None)
                .and_then(|config| Host::connect_or_own(config, true, notice));
            if let Err(problem) = &host {
                tracing::error!(
                    code = problem.code,
                    message = problem.message,
                    "the data folder could not be opened"
                );
            }
            engine.host.set(host.map(|host| Mutex::new(Some(Arc::new(host))))).ok();
        };
        if let Err(error) = std::thread::Builder::new().name("open".into()).spawn(open) {
            self.host.set(Err(Problem::internal(format!("no thread could be started: {error}")))).ok();
        }
    }

    /// Carries out a command; blocks until the engine is open and the command is done.
    pub(crate) fn call(
        &self,
        call: &str,
        name: &str,
        params: Value,
        lines: &mut dyn FnMut(Value),
    ) -> Result<Value, Problem> {
        let cancel = Cancel::default();
        self.running().insert(call.to_owned(), cancel.clone());
        let outcome = self.host().and_then(|host| host.call(call, name, params, &cancel, lines));
        self.running().remove(call);
        outcome
    }

    /// The host, waited for. Holds no lock once it returns: a call may run for as long as the window lives.
    fn host(&self) -> Result<Arc<Host>, Problem> {
        let host = self.host.wait().as_ref().map_err(Clone::clone)?;
        locked(host).clone().ok_or_else(Problem::cancelled)
    }

    /// Stops every call that still runs.
    pub(crate) fn stop_calls(&self) {
        for cancel in self.running().values() {
            cancel.cancel();
        }
    }

    /// Stops every call and lets go of the data folder. What calls had not acknowledged is not waited for.
    pub(crate) fn close(&self) {
        let Some(Ok(host)) = self.host.get() else { return };
        let host = locked(host).take();
        self.stop_calls();
        let begun = Instant::now();
        while !self.running().is_empty() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(host);
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Cancel>> {
        locked(&self.running)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
