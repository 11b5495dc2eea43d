//! What all roles share of an endpoint: its key, its model's name, and questions whose answer is one JSON value.

use super::Endpoint;
use crate::http::{Exchange, Patience, Redirects, agent, describe, without_secrets};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use serde::Deserialize;
use serde_json::Value;
use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use ureq::{Agent, Body, http::Response};

/// A large model may read a long prompt for a while before its first word; an answer that has begun may last as long as it likes.
const PATIENCE: Patience =
    Patience { connect: Duration::from_secs(10), silence: Duration::from_mins(2), whole: None };
/// To list its models an endpoint reads nothing first.
const PATIENCE_FOR_LIST: Duration = Duration::from_secs(15);
/// Time for a model to be loaded, and to answer with a vector.
pub(super) const FOR_A_VECTOR: Duration = Duration::from_secs(20);
/// Time to judge the passages of a search, on a slow machine.
pub(super) const FOR_SCORES: Duration = Duration::from_mins(1);
/// Enough of an error message to act on.
const MESSAGE_LENGTH: usize = 300;
/// Vectors of a batch, as text.
const LARGEST_ANSWER: u64 = 256 << 20;
/// Waits before an endpoint that is busy or was cut off is asked again.
const BACK_OFF: [Duration; 3] = [Duration::from_millis(300), Duration::from_secs(1), Duration::from_secs(4)];
/// Longest wait that an endpoint may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// An endpoint and what is known of it.
pub(super) struct Connection {
    endpoint: Endpoint,
    patience: Patience,
    /// The model's name, once known.
    name: Mutex<Option<String>>,
}

/// An endpoint said no, in this status and these words.
pub(super) struct Refusal {
    /// HTTP status.
    pub(super) status: u16,
    /// Its message, or its whole answer.
    pub(super) message: String,
}

impl Connection {
    /// Contacts nothing yet.
    pub(super) fn new(endpoint: Endpoint) -> Self {
        let name = Mutex::new(endpoint.model.clone());
        Self { endpoint, patience: PATIENCE, name }
    }

    /// The endpoint as it was given.
    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The same, waiting `whole` at most, asking again included: somebody waits for the answer who can do without it.
    pub(super) fn hurried(mut self, whole: Duration) -> Self {
        self.patience.silence = self.patience.silence.min(whole);
        self.patience.whole = Some(whole);
        self
    }

    /// How long to wait for what.
    pub(super) fn patience(&self) -> Patience {
        self.patience
    }

    /// Waits otherwise.
    #[cfg(test)]
    pub(super) fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
    }

    /// Address and key, as they are now.
    pub(super) fn caller(&self) -> Result<Caller, ModelError> {
        let base = self.endpoint.url.trim_end_matches('/').to_owned();
        let shown = without_secrets(&base);
        let key = match &self.endpoint.key_env {
            None => None,
            Some(variable) => Some(std::env::var(variable).map_err(|_| ModelError::Refused {
                endpoint: shown.clone(),
                detail: format!(
                    "its key is expected in the environment variable {variable}, which is not set"
                ),
            })?),
        };
        Ok(Caller { base, shown, key })
    }

    /// The model's name: as given, else the first that the endpoint lists.
    pub(super) fn model_name(&self, caller: &Caller, cancel: &Cancel) -> Result<String, ModelError> {
        if let Some(name) = self.name.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Ok(name);
        }
        let theirs = caller.clone();
        let patience = Patience { silence: self.patience.silence.min(PATIENCE_FOR_LIST), ..self.patience };
        let name = one(patience, caller, cancel, move |agent| theirs.first_model(agent))?;
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.clone());
        Ok(name)
    }

    /// Posts `body` to `path` and returns the JSON that comes back, or what was refused. A busy endpoint is asked again after a while, a few
    /// times; one that cannot be reached, once; where it is [`Self::hurried`], in that time. Blocks; looks at `cancel` every few tens of milliseconds.
    pub(super) fn ask(
        &self,
        caller: &Caller,
        path: &str,
        body: &Value,
        cancel: &Cancel,
    ) -> Result<Result<Value, Refusal>, ModelError> {
        let until = self.patience.whole.map(|whole| Instant::now() + whole);
        let mut waits = BACK_OFF.into_iter();
        let mut cut = false;
        loop {
            let (theirs, path, body) = (caller.clone(), path.to_owned(), body.clone());
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let patience = Patience { whole: left, ..self.patience };
            let told = one(patience, caller, cancel, move |agent| theirs.post(agent, &path, &body));
            let next = match &told {
                Ok(told) if told.is_busy() => waits.next().map(|wait| told.wait.unwrap_or(wait)),
                Err(ModelError::Unreachable { .. }) if !cut => {
                    cut = true;
                    waits.next()
                }
                _ => None,
            };
            match next {
                Some(wait) if until.is_none_or(|until| Instant::now() + wait < until) => {
                    rest(wait.min(LONGEST_WAIT), cancel)?;
                }
                _ => return told.map(Told::answer),
            }
        }
    }
}

/// What came back.
struct Told {
    value: Value,
    refusal: Option<Refusal>,
    /// How long the endpoint asks to wait.
    wait: Option<Duration>,
}

impl Told {
    fn is_busy(&self) -> bool {
        self.refusal.as_ref().is_some_and(|refusal| matches!(refusal.status, 408 | 429 | 500 | 502..=504))
    }

    fn answer(self) -> Result<Value, Refusal> {
        match self.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(self.value),
        }
    }
}

fn rest(wait: Duration, cancel: &Cancel) -> Result<(), ModelError> {
    let until = Instant::now() + wait;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        cancel.check().map_err(|_| ModelError::Cancelled)?;
        std::thread::sleep(left.min(Duration::from_millis(30)));
    }
    Ok(())
}

/// One request on a thread of its own, given up at once when cancelled.
fn one<T: Send + 'static>(
    patience: Patience,
    caller: &Caller,
    cancel: &Cancel,
    work: impl FnOnce(&Agent) -> Result<T, ModelError> + Send + 'static,
) -> Result<T, ModelError> {
    let exchange = Exchange::start(agent(patience, None, Redirects::Refuse), move |agent, items| {
        let _ = items.send(work(agent));
    })
    .map_err(|e| ModelError::Failed(e.to_string()))?;
    match exchange.next(cancel).map_err(|_| ModelError::Cancelled)? {
        Some(answer) => answer,
        None => Err(caller.unreachable("the request ended without an answer")),
    }
}

/// What a request needs.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) base: String,
    shown: String,
    key: Option<String>,
}

impl Caller {
    /// An error of the connection.
    pub(super) fn unreachable(&self, detail: impl Into<String>) -> ModelError {
        ModelError::Unreachable { endpoint: self.shown.clone(), detail: self.clean(&detail.into()) }
    }

    /// An error of the endpoint.
    pub(super) fn refused(&self, detail: impl Into<String>) -> ModelError {
        ModelError::Refused { endpoint: self.shown.clone(), detail: self.clean(&detail.into()) }
    }

    /// The same from what it said.
    pub(super) fn said_no(&self, refusal: &Refusal) -> ModelError {
        self.refused(format!("{}: {}", refusal.status, refusal.message))
    }

    /// Servers like to repeat the key that they do not accept.
    fn clean(&self, detail: &str) -> String {
        let clean = match self.key.as_deref() {
            Some(key) if !key.is_empty() => detail.replace(key, "…"),
            _ => detail.to_owned(),
        };
        clean.chars().take(MESSAGE_LENGTH).collect()
    }

    /// Value of the header that carries the key.
    pub(super) fn authorization(&self) -> Option<String> {
        self.key.as_ref().map(|key| format!("Bearer {key}"))
    }

    fn first_model(&self, agent: &Agent) -> Result<String, ModelError> {
        #[derive(Deserialize)]
        struct Listed {
            data: Vec<Named>,
        }
        #[derive(Deserialize)]
        struct Named {
            id: String,
        }
        let mut request = agent.get(format!("{}/models", self.base));
        if let Some(value) = self.authorization() {
            request = request.header("authorization", value);
        }
        let response = request.call().map_err(|e| self.unreachable(describe(&e)))?;
        let mut response = self.accepted(response)?;
        let listed: Listed = response
            .body_mut()
            .read_json()
            .map_err(|e| self.refused(format!("its list of models: {}", describe(&e))))?;
        let first = listed.data.into_iter().next();
        first.map(|m| m.id).ok_or_else(|| self.refused("it lists no model: load one there first"))
    }

    /// The response, unless it is a refusal.
    pub(super) fn accepted(&self, mut response: Response<Body>) -> Result<Response<Body>, ModelError> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        Err(self.refused(match message(&mut response) {
            Some(message) => format!("{status}: {message}"),
            None => status.to_string(),
        }))
    }

    fn post(&self, agent: &Agent, path: &str, body: &Value) -> Result<Told, ModelError> {
        let mut request = agent.post(format!("{}{path}", self.base)).header("accept", "application/json");
        if let Some(value) = self.authorization() {
            request = request.header("authorization", value);
        }
        let mut response = request.send_json(body).map_err(|e| self.unreachable(describe(&e)))?;
        let status = response.status();
        if !status.is_success() {
            let wait = response.headers().get("retry-after").and_then(|v| v.to_str().ok()?.parse().ok());
            let message = message(&mut response).unwrap_or_else(|| status.to_string());
            return Ok(Told {
                value: Value::Null,
                refusal: Some(Refusal { status: status.as_u16(), message }),
                wait: wait.map(Duration::from_secs),
            });
        }
        let reader = response.into_body().into_with_config().limit(LARGEST_ANSWER).reader();
        let value = serde_json::from_reader(reader).map_err(|e| {
            if e.is_io() {
                self.unreachable(format!("the connection was cut in the middle of the answer: {e}"))
            } else {
                self.refused(format!("its answer cannot be read: {e}"))
            }
        })?;
        Ok(Told { value, refusal: None, wait: None })
    }
}

/// What a refusing answer says.
fn message(response: &mut Response<Body>) -> Option<String> {
    let mut text = String::new();
    // A message that cannot be read leaves the status, which says enough.
    let _ = response.body_mut().as_reader().take(64 << 10).read_to_string(&mut text);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => Some(message_of(&value).unwrap_or(text)),
        Err(_) => (!text.trim().is_empty() && !text.trim_start().starts_with('<')).then_some(text),
    }
}

/// The sentence in an error as servers write it.
pub(super) fn message_of(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    let message = error.get("message").or_else(|| error.get("detail")).unwrap_or(error);
    message.as_str().map(str::to_owned)
}
