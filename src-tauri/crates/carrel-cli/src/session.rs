//! The connection of one run of the program to whoever owns the data folder.

use crate::output::Output;
use crate::signals;
use carrel_api::dto::Empty;
use carrel_api::{AppConfig, Cancel, Host, Problem};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;

/// Calls on behalf of one command line.
pub(crate) struct Session {
    host: Host,
    cancel: Cancel,
}

impl Session {
    /// Owns the data folder, or connects to its owner. `follow`: this program stays, so watched folders are followed.
    pub(crate) fn open(data: Option<PathBuf>, follow: bool) -> Result<Self, Problem> {
        let config = AppConfig::from_environment(data)?;
        let cancel = signals::cancel_on_interrupt();
        let host = Host::connect_or_own(config, follow, |notice| Output::new(false).message(notice))?;
        Ok(Self { host, cancel })
    }

    /// Connected or owning, with what changed on disk in these libraries (`*` for all, none for `default`) taken up as far as that
    /// is quick: nobody may have followed their folders.
    pub(crate) fn open_current(data: Option<PathBuf>, libraries: &[String]) -> Result<Self, Problem> {
        let session = Self::open(data, false)?;
        session.host.catch_up(libraries);
        Ok(session)
    }

    /// Whether work that is left ends with this program.
    pub(crate) fn is_owner(&self) -> bool {
        self.host.is_owner()
    }

    /// Fails where the person wants it to end.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.cancel.is_cancelled() { Err(Problem::cancelled()) } else { Ok(()) }
    }

    /// A call with an answer.
    pub(crate) fn call<T: DeserializeOwned>(
        &self,
        name: &str,
        request: &impl Serialize,
    ) -> Result<T, Problem> {
        self.stream(name, request, &mut |_: Value| ())
    }

    /// A call without parameters.
    pub(crate) fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, Problem> {
        self.call(name, &Empty {})
    }

    /// A call whose lines are wanted.
    pub(crate) fn stream<T: DeserializeOwned, L: DeserializeOwned>(
        &self,
        name: &str,
        request: &impl Serialize,
        lines: &mut dyn FnMut(L),
    ) -> Result<T, Problem> {
        let id = uuid::Uuid::now_v7().to_string();
        let params = serde_json::to_value(request).map_err(Problem::internal)?;
        let answer = self.host.call(
            &id,
            name,
            params,
            &self.cancel,
            &mut |line| match serde_json::from_value(line) {
                Ok(line) => lines(line),
                Err(error) => tracing::warn!(%error, name, "a line was not understood"),
            },
        )?;
        serde_json::from_value(answer).map_err(Problem::internal)
    }
}
