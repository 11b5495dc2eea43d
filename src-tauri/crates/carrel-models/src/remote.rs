//! Language models behind endpoints that speak the `OpenAI` chat protocol (Ollama, LM Studio, llama.cpp, a cloud).
//!
//! An endpoint is contacted only when a question is asked, a test is run, or its model's name must be looked up. The key
//! is read from the named environment variable for each request and appears in no message.

use crate::catalogue::READS_TOKENS;
use crate::http::{Exchange, Patience, agent, describe, without_secrets};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{
    Finish, GenerateRequest, Generated, LanguageModel, LanguageModelSpec, ModelError, Role,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use ureq::{Agent, Body, http::Response};

/// What endpoints offer at least; they do not say it themselves.
const CONTEXT_TOKENS: usize = 4096;
/// A large model may read a long prompt for a while before its first word; an answer that has begun may last as long as it likes.
const PATIENCE: Patience = Patience { connect: Duration::from_secs(10), silence: Duration::from_mins(2) };
/// To list its models an endpoint reads nothing first.
const PATIENCE_FOR_LIST: Duration = Duration::from_secs(15);
/// Enough of an error message to act on.
const MESSAGE_LENGTH: usize = 300;
const LARGEST_ANSWER: u64 = 4 << 20;

/// Where a model answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Its id; also the id of its model.
    pub id: String,
    /// Base URL, such as `http://localhost:11434/v1`.
    pub url: String,
    /// Name of the model there; the first that it lists when not given.
    #[serde(default)]
    pub model: Option<String>,
    /// Environment variable that holds the key.
    #[serde(default)]
    pub key_env: Option<String>,
}

/// The language model of an endpoint.
pub(crate) struct RemoteLanguageModel {
    endpoint: Endpoint,
    spec: LanguageModelSpec,
    patience: Patience,
    /// The model's name, once known.
    name: Mutex<Option<String>>,
}

enum Event {
    Text(String),
    Finish(Finish),
    Failed(ModelError),
}

impl RemoteLanguageModel {
    /// A model that contacts nothing yet.
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        let spec = LanguageModelSpec {
            id: endpoint.id.clone(),
            context_tokens: CONTEXT_TOKENS,
            local: false,
            reads_tokens: READS_TOKENS,
            rewords: true,
            languages: Vec::new(),
        };
        let name = Mutex::new(endpoint.model.clone());
        Self { endpoint, spec, patience: PATIENCE, name }
    }

    /// The endpoint as it was given.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn caller(&self) -> Result<Caller, ModelError> {
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

    fn model_name(&self, caller: &Caller, cancel: &Cancel) -> Result<String, ModelError> {
        if let Some(name) = self.name.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Ok(name);
        }
        let theirs = caller.clone();
        let patience = Patience { silence: self.patience.silence.min(PATIENCE_FOR_LIST), ..self.patience };
        let exchange = Exchange::start(agent(patience, None), move |agent, items| {
            let _ = items.send(theirs.first_model(agent));
        })
        .map_err(|e| ModelError::Failed(e.to_string()))?;
        let name = match exchange.next(cancel).map_err(|_| ModelError::Cancelled)? {
            Some(name) => name?,
            None => return Err(caller.unreachable("the request ended without an answer")),
        };
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.clone());
        Ok(name)
    }
}

impl LanguageModel for RemoteLanguageModel {
    fn spec(&self) -> &LanguageModelSpec {
        &self.spec
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(estimate(text))
    }

    fn generate(
        &self,
        request: &GenerateRequest,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generated, ModelError> {
        let prompt_tokens = request.messages.iter().map(|m| estimate(&m.content) + 4).sum();
        let mut result = Generated { finish: Finish::Cancelled, prompt_tokens, tokens: 0 };
        let caller = self.caller()?;
        let model = match self.model_name(&caller, cancel) {
            Err(ModelError::Cancelled) => return Ok(result),
            name => name?,
        };
        let messages: Vec<_> = request
            .messages
            .iter()
            .map(|m| {
                let role = match m.role {
                    Role::System => "system",
                    Role::User => "user",
                    Role::Assistant => "assistant",
                };
                json!({ "role": role, "content": m.content })
            })
            .collect();
        let body = json!({
            "model": model,
            "messages": messages,
            "stream": true,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
        });
        let theirs = caller.clone();
        let exchange = Exchange::start(agent(self.patience, None), move |agent, events| {
            if let Err(error) = theirs.chat(agent, &body, events) {
                let _ = events.send(Event::Failed(error));
            }
        })
        .map_err(|e| ModelError::Failed(e.to_string()))?;
        loop {
            match exchange.next(cancel) {
                Err(_) => return Ok(result),
                Ok(Some(Event::Text(text))) => {
                    result.tokens += 1;
                    on_text(&text);
                }
                Ok(Some(Event::Finish(finish))) => {
                    result.finish = finish;
                    return Ok(result);
                }
                Ok(Some(Event::Failed(error))) => return Err(error),
                Ok(None) => {
                    return Err(caller.unreachable("the connection was cut in the middle of the answer"));
                }
            }
        }
    }
}

/// Tokens that `text` costs at most, for any usual tokenizer: three letters a token, two tokens a character outside ASCII.
fn estimate(text: &str) -> usize {
    let (mut letters, mut tokens) = (0usize, 0usize);
    for c in text.chars() {
        if c.is_ascii_alphabetic() || c == ' ' {
            letters += 1;
        } else if c.is_ascii() {
            tokens += 1;
        } else {
            tokens += 2;
        }
    }
    tokens + letters.div_ceil(3)
}

/// What a request needs.
#[derive(Clone)]
struct Caller {
    base: String,
    shown: String,
    key: Option<String>,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default, alias = "message")]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
}

impl Caller {
    fn unreachable(&self, detail: impl Into<String>) -> ModelError {
        ModelError::Unreachable { endpoint: self.shown.clone(), detail: self.clean(&detail.into()) }
    }

    fn refused(&self, detail: impl Into<String>) -> ModelError {
        ModelError::Refused { endpoint: self.shown.clone(), detail: self.clean(&detail.into()) }
    }

    /// Servers like to repeat the key that they do not accept.
    fn clean(&self, detail: &str) -> String {
        let clean = match self.key.as_deref() {
            Some(key) if !key.is_empty() => detail.replace(key, "…"),
            _ => detail.to_owned(),
        };
        clean.chars().take(MESSAGE_LENGTH).collect()
    }

    fn authorization(&self) -> Option<String> {
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

    fn accepted(&self, mut response: Response<Body>) -> Result<Response<Body>, ModelError> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let mut text = String::new();
        // A message that cannot be read leaves the status, which says enough.
        let _ = response.body_mut().as_reader().take(64 << 10).read_to_string(&mut text);
        let message = serde_json::from_str::<serde_json::Value>(&text).ok().and_then(|v| message_of(&v));
        Err(self.refused(match message {
            Some(message) => format!("{status}: {message}"),
            None => status.to_string(),
        }))
    }

    fn chat(
        &self,
        agent: &Agent,
        body: &serde_json::Value,
        events: &SyncSender<Event>,
    ) -> Result<(), ModelError> {
        let mut request =
            agent.post(format!("{}/chat/completions", self.base)).header("accept", "text/event-stream");
        if let Some(value) = self.authorization() {
            request = request.header("authorization", value);
        }
        let response = request.send_json(body).map_err(|e| self.unreachable(describe(&e)))?;
        let response = self.accepted(response)?;
        let streamed = response
            .headers()
            .get("content-type")
            .and_then(|v| v.to_str().ok())
            .is_none_or(|kind| kind.starts_with("text/event-stream"));
        let reader = response.into_body().into_reader();
        if !streamed {
            let chunk: Chunk = serde_json::from_reader(reader.take(LARGEST_ANSWER))
                .map_err(|e| self.refused(format!("its answer cannot be read: {e}")))?;
            let finish = self.pass_on(chunk, events)?.unwrap_or(Finish::Stop);
            let _ = events.send(Event::Finish(finish));
            return Ok(());
        }
        let mut finish = None;
        for line in BufReader::new(reader).lines() {
            let line = line.map_err(|e| self.unreachable(e.to_string()))?;
            let Some(data) = line.strip_prefix("data:").map(str::trim) else { continue };
            if data == "[DONE]" {
                let _ = events.send(Event::Finish(finish.unwrap_or(Finish::Stop)));
                return Ok(());
            }
            let chunk: Chunk = serde_json::from_str(data)
                .map_err(|e| self.refused(format!("its answer cannot be read: {e}")))?;
            finish = self.pass_on(chunk, events)?.or(finish);
        }
        match finish {
            // Some servers end the stream without the last mark.
            Some(finish) => {
                let _ = events.send(Event::Finish(finish));
                Ok(())
            }
            None => Err(self.unreachable("the connection was cut in the middle of the answer")),
        }
    }

    fn pass_on(&self, chunk: Chunk, events: &SyncSender<Event>) -> Result<Option<Finish>, ModelError> {
        if let Some(error) = chunk.error {
            return Err(self.refused(message_of(&error).unwrap_or_else(|| error.to_string())));
        }
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(None) };
        if let Some(text) = choice.delta.and_then(|d| d.content)
            && !text.is_empty()
            && events.send(Event::Text(text)).is_err()
        {
            return Err(ModelError::Cancelled);
        }
        Ok(choice.finish_reason.map(|r| if r == "length" { Finish::Length } else { Finish::Stop }))
    }
}

fn message_of(value: &serde_json::Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    let message = error.get("message").unwrap_or(error);
    message.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests;
