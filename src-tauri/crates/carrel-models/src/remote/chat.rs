//! Language models behind endpoints that speak the `OpenAI` chat protocol (Ollama, LM Studio, llama.cpp, a cloud).

use super::connection::{Caller, Connection, message_of};
use super::{Endpoint, estimate};
use crate::catalogue::READS_TOKENS;
use crate::http::{Exchange, Redirects, agent, describe};
use crate::stops::Stops;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{
    Finish, GenerateRequest, Generated, LanguageModel, LanguageModelSpec, ModelError, Role, Schema,
};
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::SyncSender;
use ureq::Agent;

/// What endpoints offer at least; they do not say it themselves.
const CONTEXT_TOKENS: usize = 4096;
/// The protocol has no more; the others are looked for here.
const MOST_STOPS: usize = 4;
const LARGEST_ANSWER: u64 = 4 << 20;

/// The language model of an endpoint.
pub(crate) struct RemoteLanguageModel {
    connection: Connection,
    spec: LanguageModelSpec,
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
            context_tokens: endpoint.window.map_or(CONTEXT_TOKENS, |window| window as usize),
            local: false,
            reads_tokens: READS_TOKENS,
            rewords: true,
            languages: Vec::new(),
        };
        Self { connection: Connection::new(endpoint), spec }
    }

    /// The endpoint as it was given.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.connection.endpoint()
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
        let mut result = Generated { finish: Finish::Cancelled, prompt_tokens, reused_tokens: 0, tokens: 0 };
        let caller = self.connection.caller()?;
        let model = match self.connection.model_name(&caller, cancel) {
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
        let mut body = json!({
            "model": model,
            "messages": messages,
            "stream": true,
            "max_tokens": request.max_tokens,
            "temperature": request.sampling.temperature,
        });
        sample(&mut body, request);
        match &request.schema {
            Some(schema) => self.answer_in_shape(&caller, &mut body, schema, &mut result, cancel, on_text)?,
            None => {
                let mut stops = Stops::new(&request.stop);
                // Not every endpoint knows stops, and some hand out their beginning.
                let mut stopped = false;
                self.stream(&caller, &body, &mut result, cancel, &mut |text| {
                    stopped = stops.push(text, on_text);
                    stopped
                })?;
                if !stopped {
                    stops.finish(on_text);
                }
            }
        }
        Ok(result)
    }
}

impl RemoteLanguageModel {
    /// Asks, and hands out what comes, until that is enough: leaving closes the connection.
    fn stream(
        &self,
        caller: &Caller,
        body: &serde_json::Value,
        result: &mut Generated,
        cancel: &Cancel,
        is_enough: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(), ModelError> {
        let (theirs, body) = (caller.clone(), body.clone());
        let exchange = Exchange::start(
            agent(self.connection.patience(), None, Redirects::Refuse),
            move |agent, events| {
                if let Err(error) = theirs.chat(agent, &body, events) {
                    let _ = events.send(Event::Failed(error));
                }
            },
        )
        .map_err(|e| ModelError::Failed(e.to_string()))?;
        loop {
            match exchange.next(cancel) {
                Err(_) => return Ok(()),
                Ok(Some(Event::Text(text))) => {
                    result.tokens += 1;
                    if is_enough(&text) {
                        result.finish = Finish::Stop;
                        return Ok(());
                    }
                }
                Ok(Some(Event::Finish(finish))) => {
                    result.finish = finish;
                    return Ok(());
                }
                Ok(Some(Event::Failed(error))) => return Err(error),
                Ok(None) => {
                    return Err(caller.unreachable("the connection was cut in the middle of the answer"));
                }
            }
        }
    }

    /// The same for JSON, which is handed out when it is whole and of the shape. An endpoint that knows no shapes is told in words.
    fn answer_in_shape(
        &self,
        caller: &Caller,
        body: &mut serde_json::Value,
        schema: &Schema,
        result: &mut Generated,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), ModelError> {
        shaped::ask_for(body, schema);
        let mut text = String::new();
        let mut all = |piece: &str| {
            text.push_str(piece);
            false
        };
        match self.stream(caller, body, result, cancel, &mut all) {
            Err(ModelError::Refused { detail, .. }) if shaped::is_about_shape(&detail) => {
                shaped::ask_in_words(body, schema);
                self.stream(caller, body, result, cancel, &mut all)?;
            }
            other => other?,
        }
        if result.finish != Finish::Cancelled {
            let value = shaped::read(&text, schema, result.finish);
            on_text(&value.map_err(|departure| {
                caller.refused(format!("it did not answer in the form that was asked for: {departure}"))
            })?);
        }
        Ok(())
    }
}

/// Adds what the protocol has besides the temperature. What it does not have is left out: some endpoints refuse what they do not know.
fn sample(body: &mut serde_json::Value, request: &GenerateRequest) {
    let sampling = &request.sampling;
    if sampling.temperature > 0.0 && sampling.top_p < 1.0 {
        body["top_p"] = json!(sampling.top_p);
    }
    if let Some(seed) = sampling.seed {
        // It is a signed number there.
        body["seed"] = json!(seed & (u64::MAX >> 1));
    }
    if !request.stop.is_empty() {
        body["stop"] = json!(request.stop.iter().take(MOST_STOPS).collect::<Vec<_>>());
    }
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

mod shaped;

#[cfg(test)]
mod tests;
