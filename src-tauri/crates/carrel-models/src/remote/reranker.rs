//! Rerankers behind endpoints: the form that Cohere, Jina and others share, Voyage's, and that of Text Embeddings Inference.
//!
//! The first form is tried first; an endpoint that does not know it says what it misses, and is asked in its own from then on. Scores are
//! those of the endpoint where it keeps to 0 to 1; one that answers with raw numbers has all of them put through the logistic function.

use super::Endpoint;
use super::connection::{Caller, Connection, FOR_SCORES, Refusal};
use super::estimate::{Estimate, estimate};
use crate::download::hash_text;
use crate::rerank::{best_of, logistic, pieces};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{ModelError, Reranker};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Every usual reranker reads that many tokens of question and passage.
const WINDOW: u32 = 512;
/// What a model puts around a pair.
const OVERHEAD: usize = 8;
/// Passages of a request.
const BATCH: usize = 100;

/// Forms of the question.
const FORMS: [Form; 3] = [Form::Documents, Form::TopK, Form::Texts];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `documents` and `top_n`.
    Documents,
    /// `documents` and `top_k`.
    TopK,
    /// `texts`.
    Texts,
}

/// The reranker of an endpoint.
pub(crate) struct RemoteReranker {
    connection: Connection,
    key: String,
    tokenizer: Estimate,
    /// The form that it knows, as a place in [`FORMS`].
    form: AtomicU8,
    /// Whether its scores were seen outside 0 to 1.
    raw: AtomicBool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Results { results: Vec<Scored> },
    Data { data: Vec<Scored> },
    Bare(Vec<Scored>),
}

#[derive(Deserialize)]
struct Scored {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f32,
}

impl RemoteReranker {
    /// Contacts nothing yet.
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        let named = format!("{}\n{}", endpoint.url, endpoint.model.as_deref().unwrap_or_default());
        let key = format!("{}@{}", endpoint.id, hash_text(&named).get(..16).unwrap_or_default());
        let tokenizer = Estimate { id: format!("{}@estimate", endpoint.id), overhead: OVERHEAD };
        let connection = Connection::new(endpoint).hurried(FOR_SCORES);
        Self { connection, key, tokenizer, form: AtomicU8::new(0), raw: AtomicBool::new(false) }
    }

    /// The endpoint as it was given.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.connection.endpoint()
    }

    fn body(&self, form: Form, query: &str, texts: &[&str]) -> Value {
        let mut body = match form {
            Form::Documents => json!({ "query": query, "documents": texts, "top_n": texts.len() }),
            Form::TopK => json!({ "query": query, "documents": texts, "top_k": texts.len() }),
            Form::Texts => json!({ "query": query, "texts": texts }),
        };
        if let (Some(model), Some(fields)) = (&self.endpoint().model, body.as_object_mut()) {
            fields.insert("model".into(), model.as_str().into());
        }
        body
    }

    fn ask(
        &self,
        caller: &Caller,
        query: &str,
        texts: &[&str],
        cancel: &Cancel,
    ) -> Result<Vec<f32>, ModelError> {
        loop {
            let at = self.form.load(Ordering::Relaxed);
            let form = FORMS.get(usize::from(at)).copied().unwrap_or(Form::Documents);
            let answer = self.connection.ask(caller, "/rerank", &self.body(form, query, texts), cancel)?;
            match answer {
                Ok(answer) => return scores(caller, answer, texts.len()),
                Err(refusal) => match other_form(form, &refusal) {
                    Some(next) => self.form.store(next, Ordering::Relaxed),
                    None => return Err(caller.said_no(&refusal)),
                },
            }
        }
    }
}

/// The place of the form that the endpoint asks for by refusing `form`.
fn other_form(form: Form, refusal: &Refusal) -> Option<u8> {
    if form != Form::Documents || !matches!(refusal.status, 400 | 422) {
        return None;
    }
    if refusal.message.contains("texts") {
        return Some(2);
    }
    (refusal.message.contains("top_n") || refusal.message.contains("top_k")).then_some(1)
}

fn scores(caller: &Caller, answer: Value, count: usize) -> Result<Vec<f32>, ModelError> {
    let answer: Answer = serde_json::from_value(answer)
        .map_err(|_| caller.refused("its answer holds no scores of passages"))?;
    let (Answer::Results { results: list } | Answer::Data { data: list } | Answer::Bare(list)) = answer;
    let mut scores = vec![f32::NAN; count];
    for Scored { index, relevance_score } in list {
        if let Some(place) = scores.get_mut(index)
            && !std::mem::replace(place, relevance_score).is_nan()
        {
            return Err(caller.refused("it judged one passage twice"));
        }
    }
    if scores.iter().any(|score| !score.is_finite()) {
        return Err(caller.refused("it left passages out"));
    }
    Ok(scores)
}

impl Reranker for RemoteReranker {
    fn key(&self) -> &str {
        &self.key
    }

    fn score(&self, query: &str, passages: &[&str], cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let window = self.endpoint().window.unwrap_or(WINDOW) as usize;
        let taken = estimate(query) + OVERHEAD;
        let room = window.checked_sub(taken).filter(|room| *room >= window / 4);
        let room = room.ok_or(ModelError::TooLong { tokens: taken, window })?;
        let mut texts = Vec::new();
        let mut owners = Vec::new();
        for (owner, passage) in passages.iter().enumerate() {
            let parts = pieces(&self.tokenizer, passage, room)?;
            owners.extend(parts.iter().map(|_| owner));
            texts.extend(parts);
        }
        let caller = self.connection.caller()?;
        let mut scores = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            scores.extend(self.ask(&caller, query, batch, cancel)?);
        }
        if scores.iter().any(|score| !(0.0..=1.0).contains(score)) {
            self.raw.store(true, Ordering::Relaxed);
        }
        if self.raw.load(Ordering::Relaxed) {
            for score in &mut scores {
                *score = logistic(*score);
            }
        }
        Ok(best_of(passages.len(), &owners, &scores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ModelRole;
    use crate::testing_server::{Request, Server, respond};

    const JSON: &str = "content-type: application/json\r\n";

    fn reranker(server: &Server, window: Option<u32>) -> RemoteReranker {
        RemoteReranker::new(Endpoint {
            id: "judge".into(),
            url: server.url(),
            role: ModelRole::Reranker,
            model: Some("m".into()),
            key_env: None,
            window,
        })
    }

    fn field(request: &Request, name: &str) -> Value {
        serde_json::from_str::<Value>(&request.body).unwrap()[name].take()
    }

    /// Longer passages are better.
    fn judged(list: &Value, name: &str, by: f32) -> Vec<Value> {
        let texts = list.as_array().unwrap().iter().map(|t| t.as_str().unwrap().len() as f32 / 1000.0);
        texts.enumerate().map(|(i, s)| json!({ "index": i, name: s * by })).rev().collect()
    }

    #[test]
    fn scores_come_in_the_order_of_the_passages() {
        let server = Server::start(|_, request, stream| {
            let results = judged(&field(request, "documents"), "relevance_score", 1.0);
            respond(stream, "200 OK", JSON, json!({ "results": results }).to_string().as_bytes());
        });
        let reranker = reranker(&server, None);
        let scores = reranker.score("q", &["a", "bbb", "cc"], &Cancel::new()).unwrap();
        assert!(scores[0] < scores[2] && scores[2] < scores[1]);
        assert!(reranker.score("q", &[], &Cancel::new()).unwrap().is_empty());
        let seen = server.requests();
        assert_eq!(seen.len(), 1);
        assert!(seen[0].line.starts_with("POST /rerank "));
        assert_eq!((field(&seen[0], "model"), field(&seen[0], "top_n")), (json!("m"), json!(3)));
    }

    #[test]
    fn an_endpoint_of_another_form_is_asked_in_its_own() {
        let server = Server::start(|_, request, stream| {
            let texts = field(request, "texts");
            if texts.is_null() {
                let body = b"Failed to deserialize the JSON body: missing field `texts`";
                return respond(stream, "422 Unprocessable Entity", "", body);
            }
            let list = judged(&texts, "score", 1.0);
            respond(stream, "200 OK", JSON, json!(list).to_string().as_bytes());
        });
        let judge = reranker(&server, None);
        judge.score("q", &["a"], &Cancel::new()).unwrap();
        judge.score("q", &["a"], &Cancel::new()).unwrap();
        assert_eq!(server.requests().len(), 3, "it is remembered");

        let server = Server::start(|_, request, stream| {
            if !field(request, "top_n").is_null() {
                let body = br#"{"detail": "Argument 'top_n' is not supported by our API"}"#;
                return respond(stream, "400 Bad Request", JSON, body);
            }
            let data = judged(&field(request, "documents"), "relevance_score", 1.0);
            respond(stream, "200 OK", JSON, json!({ "data": data }).to_string().as_bytes());
        });
        reranker(&server, None).score("q", &["a"], &Cancel::new()).unwrap();
    }

    #[test]
    fn raw_scores_are_brought_between_0_and_1_and_keep_their_order() {
        let server = Server::start(|_, request, stream| {
            let results = judged(&field(request, "documents"), "relevance_score", -900.0);
            respond(stream, "200 OK", JSON, json!({ "results": results }).to_string().as_bytes());
        });
        let scores = reranker(&server, None).score("q", &["a", "bbb"], &Cancel::new()).unwrap();
        assert!(scores.iter().all(|s| (0.0..=1.0).contains(s)) && scores[0] > scores[1], "{scores:?}");
    }

    #[test]
    fn a_long_passage_is_read_in_pieces_and_the_best_counts() {
        let server = Server::start(|_, request, stream| {
            let texts = field(request, "documents");
            let results: Vec<Value> = texts
                .as_array()
                .unwrap()
                .iter()
                .enumerate()
                .map(|(i, t)| {
                    let found = t.as_str().unwrap().contains("needle");
                    json!({ "index": i, "relevance_score": if found { 0.9 } else { 0.1 } })
                })
                .collect();
            respond(stream, "200 OK", JSON, json!({ "results": results }).to_string().as_bytes());
        });
        let long = format!("{} needle {}", "hay ".repeat(300), "hay ".repeat(20));
        let scores = reranker(&server, Some(128)).score("where", &["hay", &long], &Cancel::new()).unwrap();
        assert_eq!(scores, [0.1, 0.9]);
        let sent = field(&server.requests()[0], "documents");
        let sent: Vec<&str> = sent.as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
        assert!(sent.len() > 4 && sent[1..].concat() == long, "nothing is left out");
        let error = reranker(&server, Some(128)).score(&"where ".repeat(100), &["x"], &Cancel::new());
        assert!(matches!(error, Err(ModelError::TooLong { .. })));
    }

    #[test]
    fn an_answer_that_leaves_passages_out_is_refused() {
        let server = Server::start(|_, _, stream| {
            respond(stream, "200 OK", JSON, br#"{"results":[{"index":0,"relevance_score":0.5}]}"#);
        });
        let error = reranker(&server, None).score("q", &["a", "b"], &Cancel::new()).unwrap_err();
        assert!(error.to_string().contains("left passages out"), "{error}");
    }
}
