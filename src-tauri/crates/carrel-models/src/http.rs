//! Requests that can be given up at once: each runs on a thread of its own, whose connection is shut down when its
//! reader is cancelled or leaves.
//!
//! Invariant: waiting for the network never delays the answer to a cancel by more than a few tens of milliseconds.

use carrel_engine::cancel::{Cancel, Cancelled};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use ureq::{Agent, Proxy};

/// How often a waiting reader looks at its cancel flag.
const LOOK: Duration = Duration::from_millis(30);
/// Items that may wait for their reader.
const AHEAD: usize = 32;

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For a connection.
    pub(crate) connect: Duration,
    /// For the next byte.
    pub(crate) silence: Duration,
    /// For all of it; `None` for as long as something comes.
    pub(crate) whole: Option<Duration>,
}

/// Whether a server may send the request on to another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redirects {
    /// As a hub does with its files.
    Follow,
    /// What goes to an address of the user's goes nowhere else.
    Refuse,
}

/// An agent for one request. Status codes are answers, not errors. Without `proxy`, the environment's proxies hold.
pub(crate) fn agent(patience: Patience, proxy: Option<Proxy>, redirects: Redirects) -> Agent {
    let mut config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(patience.whole)
        .timeout_resolve(Some(patience.connect))
        .timeout_connect(Some(patience.connect))
        .timeout_per_read(Some(patience.silence))
        .timeout_per_write(Some(patience.silence))
        .user_agent(concat!("carrel/", env!("CARGO_PKG_VERSION")));
    if let Some(proxy) = proxy {
        config = config.proxy(Some(proxy));
    }
    if redirects == Redirects::Refuse {
        config = config.max_redirects(0).max_redirects_will_error(false);
    }
    config.build().new_agent()
}

/// What a request hands out, item by item.
pub(crate) struct Exchange<T> {
    items: Receiver<T>,
    agent: Agent,
}

impl<T: Send + 'static> Exchange<T> {
    /// Starts `work` on a thread. It sends items until it is done or until sending fails because the reader left.
    pub(crate) fn start(
        agent: Agent,
        work: impl FnOnce(&Agent, &SyncSender<T>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (sender, items) = sync_channel(AHEAD);
        let theirs = agent.clone();
        std::thread::Builder::new().name("carrel-http".into()).spawn(move || work(&theirs, &sender))?;
        Ok(Self { items, agent })
    }

    /// The next item; `None` when the work is done.
    pub(crate) fn next(&self, cancel: &Cancel) -> Result<Option<T>, Cancelled> {
        loop {
            cancel.check()?;
            match self.items.recv_timeout(LOOK) {
                Ok(item) => return Ok(Some(item)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }
}

impl<T> Drop for Exchange<T> {
    fn drop(&mut self) {
        self.agent.clone().shutdown();
    }
}

/// A URL without user, password and query: fit for messages.
pub fn without_secrets(url: &str) -> String {
    let bare = url.split(['?', '#']).next().unwrap_or(url);
    match bare.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_once('/').map_or((rest, None), |(a, p)| (a, Some(p)));
            let host = authority.rsplit('@').next().unwrap_or(authority);
            match path {
                Some(path) => format!("{scheme}://{host}/{path}"),
                None => format!("{scheme}://{host}"),
            }
        }
        None => bare.to_owned(),
    }
}

/// What went wrong, for people.
pub(crate) fn describe(error: &ureq::Error) -> String {
    match error {
        ureq::Error::HostNotFound => "there is no such host".into(),
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            "it could not be reached in time".into()
        }
        ureq::Error::Timeout(_) => "it fell silent".into(),
        ureq::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_carry_no_secrets() {
        assert_eq!(without_secrets("https://me:pw@host:8/v1?key=s"), "https://host:8/v1");
        assert_eq!(without_secrets("http://host"), "http://host");
    }
}
