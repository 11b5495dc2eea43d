//! Embedders behind endpoints that speak the `OpenAI` embeddings protocol.
//!
//! The vectors of an endpoint and a model are a space of their own. Their length is learnt by one call; an answer of another length, or that
//! leaves a text out, is refused. Tokens are counted upward and the window is small where none is given, so that the endpoint has no reason
//! to cut a text; when it says that one is too long, that is an error of that text.

use super::Endpoint;
use super::connection::{Caller, Connection, FOR_A_VECTOR, Refusal};
use super::estimate::{Estimate, estimate};
use crate::download::hash_text;
use crate::kernels;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{EmbeddingSpace, Metric};
use carrel_engine::seams::{EmbedKind, Embedder, ModelError, Tokenizer};
use serde::Deserialize;
use serde_json::json;

/// Every usual embedder reads that many tokens.
const WINDOW: u32 = 512;
/// What a model puts around a text.
const OVERHEAD: usize = 4;
/// Texts of a request, and tokens of all of them.
const BATCH: usize = 64;
const BATCH_TOKENS: usize = 16_384;
/// How servers say that a text is too long.
const TOO_LONG: [&str; 8] = [
    "too long",
    "too many tokens",
    "context length",
    "context size",
    "maximum context",
    "token limit",
    "less than",
    "exceed",
];

/// The embedder of an endpoint.
pub(crate) struct RemoteEmbedder {
    connection: Connection,
    /// A question that waits too long is answered by words.
    for_questions: Connection,
    space: EmbeddingSpace,
    tokenizer: Estimate,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    index: usize,
    embedding: Vec<f32>,
}

impl RemoteEmbedder {
    /// Asks the endpoint for one vector, to learn how long they are.
    pub(crate) fn learn(endpoint: Endpoint, cancel: &Cancel) -> Result<Self, ModelError> {
        let (id, window) = (endpoint.id.clone(), endpoint.window.unwrap_or(WINDOW));
        let url = endpoint.url.clone();
        let hurried = Connection::new(endpoint.clone()).hurried(FOR_A_VECTOR);
        let caller = hurried.caller()?;
        let model = hurried.model_name(&caller, cancel)?;
        let first = request(&hurried, &caller, &model, &["length"], window, cancel)?;
        let dimensions = first.first().map_or(0, Vec::len);
        let dimensions = u32::try_from(dimensions).ok().filter(|n| *n > 0);
        let dimensions = dimensions.ok_or_else(|| caller.refused("it answered with an empty vector"))?;
        let tokenizer = Estimate { id: format!("{id}@estimate"), overhead: OVERHEAD };
        let space = EmbeddingSpace {
            model: id,
            file_hash: hash_text(&format!("{url}\n{model}")),
            revision: model,
            precision: "remote".into(),
            pooling: "remote".into(),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            window,
            dimensions,
            metric: Metric::Cosine,
            scripts: Vec::new(),
            languages: Vec::new(),
            floor: 0.0,
        };
        let for_questions = Connection::new(endpoint.clone()).hurried(FOR_A_VECTOR);
        Ok(Self { connection: Connection::new(endpoint), for_questions, space, tokenizer })
    }

    /// Texts that one request may carry, in order.
    fn batches<'a, 'b>(texts: &'a [&'b str]) -> impl Iterator<Item = &'a [&'b str]> {
        let mut rest = texts;
        std::iter::from_fn(move || {
            let mut tokens = 0;
            let fitting = rest.iter().take(BATCH).take_while(|text| {
                tokens += estimate(text);
                tokens <= BATCH_TOKENS
            });
            let (batch, others) = rest.split_at(fitting.count().max(1).min(rest.len()));
            rest = others;
            (!batch.is_empty()).then_some(batch)
        })
    }
}

impl Embedder for RemoteEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        &self.tokenizer
    }

    fn embed(&self, kind: EmbedKind, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        let window = self.space.window as usize;
        let tokens = texts.iter().map(|text| estimate(text) + OVERHEAD).max().unwrap_or(0);
        if tokens > window {
            return Err(ModelError::TooLong { tokens, window });
        }
        let connection = match kind {
            EmbedKind::Passage => &self.connection,
            EmbedKind::Query => &self.for_questions,
        };
        let caller = connection.caller()?;
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in Self::batches(texts) {
            let made = request(connection, &caller, &self.space.revision, batch, self.space.window, cancel)?;
            for mut vector in made {
                if vector.len() != self.space.dimensions as usize {
                    return Err(caller.refused(format!(
                        "a vector of {} numbers came where {} are expected: it has another model now",
                        vector.len(),
                        self.space.dimensions
                    )));
                }
                if !kernels::normalise(&mut vector) {
                    return Err(caller.refused("a vector came that has no direction"));
                }
                vectors.push(vector);
            }
        }
        Ok(vectors)
    }
}

/// The vectors of `texts`, in order, as they come.
fn request(
    connection: &Connection,
    caller: &Caller,
    model: &str,
    texts: &[&str],
    window: u32,
    cancel: &Cancel,
) -> Result<Vec<Vec<f32>>, ModelError> {
    let body = json!({ "model": model, "input": texts, "encoding_format": "float" });
    let answer = match connection.ask(caller, "/embeddings", &body, cancel)? {
        Ok(answer) => answer,
        Err(refusal) if is_too_long(&refusal) => {
            let tokens = texts.iter().map(|text| estimate(text) + OVERHEAD).max().unwrap_or(0);
            return Err(ModelError::TooLong { tokens, window: window as usize });
        }
        Err(refusal) => return Err(caller.said_no(&refusal)),
    };
    let answer: Answer = serde_json::from_value(answer)
        .map_err(|e| caller.refused(format!("its answer holds no vectors: {e}")))?;
    let mut vectors: Vec<Option<Vec<f32>>> = texts.iter().map(|_| None).collect();
    for Vector { index, embedding } in answer.data {
        if let Some(place) = vectors.get_mut(index)
            && place.replace(embedding).is_some()
        {
            return Err(caller.refused("it answered twice for one text"));
        }
    }
    let all: Option<Vec<_>> = vectors.into_iter().collect();
    all.ok_or_else(|| caller.refused("it left texts out"))
}

fn is_too_long(refusal: &Refusal) -> bool {
    let message = refusal.message.to_lowercase();
    matches!(refusal.status, 400 | 413 | 422) && TOO_LONG.iter().any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ModelRole;
    use crate::testing_server::{Request, Server, respond};
    use serde_json::Value;
    use std::net::TcpStream;
    use std::time::Duration;

    const JSON: &str = "content-type: application/json\r\n";

    fn endpoint(server: &Server) -> Endpoint {
        Endpoint {
            id: "remote".into(),
            url: format!("{}/v1", server.url()),
            role: ModelRole::Embedder,
            model: Some("small".into()),
            key_env: Some("PATH".into()),
            window: None,
        }
    }

    fn texts(request: &Request) -> Vec<String> {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        body["input"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect()
    }

    /// Answers backwards, with a vector that tells the length of its text.
    fn answer(request: &Request, dimensions: usize, stream: &mut TcpStream) {
        let data: Vec<Value> = texts(request)
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let mut vector = vec![0.5; dimensions];
                vector[0] = text.len() as f32;
                json!({ "index": index, "embedding": vector })
            })
            .rev()
            .collect();
        respond(stream, "200 OK", JSON, json!({ "data": data }).to_string().as_bytes());
    }

    #[test]
    fn vectors_come_in_batches_and_in_order() {
        let server = Server::start(|_, request, stream| answer(request, 3, stream));
        let embedder = RemoteEmbedder::learn(endpoint(&server), &Cancel::new()).unwrap();
        assert_eq!((embedder.space().dimensions, embedder.space().window), (3, 512));
        let texts: Vec<String> = (0..100).map(|n| "x".repeat(n + 1)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder.embed(EmbedKind::Passage, &texts, &Cancel::new()).unwrap();
        let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>();
        assert!(vectors.iter().all(|v| (length(v) - 1.0).abs() < 1e-5));
        assert!(vectors.windows(2).all(|v| v[1][0] > v[0][0]), "each text has its own vector");
        let seen = server.requests();
        assert_eq!(seen.len(), 3, "one to learn, two batches");
        assert!(seen[1].line.starts_with("POST /v1/embeddings "));
        assert!(seen[1].header("authorization").unwrap().starts_with("Bearer "));
    }

    #[test]
    fn a_busy_endpoint_is_asked_again() {
        let server = Server::start(|n, request, stream| match n {
            1 => respond(stream, "429 Too Many Requests", "retry-after: 0\r\n", b"{}"),
            2 => respond(stream, "503 Service Unavailable", "", b""),
            _ => answer(request, 3, stream),
        });
        let embedder = RemoteEmbedder::learn(endpoint(&server), &Cancel::new()).unwrap();
        embedder.embed(EmbedKind::Query, &["q"], &Cancel::new()).unwrap();
        assert_eq!(server.requests().len(), 4);
    }

    #[test]
    fn another_length_and_a_missing_vector_are_refused() {
        let server = Server::start(|n, request, stream| match n {
            0 => answer(request, 3, stream),
            1 => answer(request, 4, stream),
            2 => respond(stream, "200 OK", JSON, br#"{"data":[{"index":1,"embedding":[1,2,3]}]}"#),
            3 => {
                let twice = br#"{"data":[{"index":0,"embedding":[1,2,3]},{"index":0,"embedding":[3,2,1]}]}"#;
                respond(stream, "200 OK", JSON, twice);
            }
            4 => respond(stream, "302 Found", "location: http://localhost:9/v1/embeddings\r\n", b""),
            _ => respond(stream, "200 OK", JSON, br#"{"data":[{"index":0,"embedding":[0,0,0]}]}"#),
        });
        let embedder = RemoteEmbedder::learn(endpoint(&server), &Cancel::new()).unwrap();
        let say = |text| embedder.embed(EmbedKind::Query, &[text], &Cancel::new()).unwrap_err().to_string();
        assert!(say("a").contains("4 numbers"));
        assert!(say("b").contains("left texts out"));
        assert!(say("c").contains("twice"));
        assert!(say("d").contains("302"), "it is not followed");
        assert!(say("e").contains("no direction"));
    }

    #[test]
    fn what_is_too_long_is_an_error_of_that_text() {
        let server = Server::start(|_, request, stream| {
            if texts(request).iter().any(|t| t.contains("long")) {
                let body = br#"{"error":{"message":"input exceeds the model's maximum context length"}}"#;
                respond(stream, "400 Bad Request", JSON, body);
            } else {
                answer(request, 3, stream);
            }
        });
        let embedder = RemoteEmbedder::learn(endpoint(&server), &Cancel::new()).unwrap();
        let embed = |texts: &[&str]| embedder.embed(EmbedKind::Passage, texts, &Cancel::new());
        assert!(matches!(embed(&["a long one"]), Err(ModelError::TooLong { .. })));
        embed(&["another"]).unwrap();
        let asked = server.requests().len();
        assert!(matches!(
            embed(&["word ".repeat(500).as_str()]),
            Err(ModelError::TooLong { window: 512, .. })
        ));
        assert_eq!(server.requests().len(), asked, "what surely does not fit is not sent");
    }

    #[test]
    fn a_call_that_waits_is_given_up_when_cancelled() {
        let server = Server::start(|n, request, stream| match n {
            0 => answer(request, 3, stream),
            _ => std::thread::sleep(Duration::from_secs(20)),
        });
        let embedder = RemoteEmbedder::learn(endpoint(&server), &Cancel::new()).unwrap();
        let cancel = Cancel::new();
        let theirs = cancel.clone();
        let begun = std::time::Instant::now();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            theirs.cancel();
        });
        let error = embedder.embed(EmbedKind::Passage, &["a"], &cancel).unwrap_err();
        assert_eq!(error, ModelError::Cancelled);
        assert!(begun.elapsed() < Duration::from_secs(10), "it does not wait for the answer");
    }
}
