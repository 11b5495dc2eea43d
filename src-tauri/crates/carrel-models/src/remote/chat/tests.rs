//! Against a local server that streams, stalls, cuts and refuses.

use super::*;
use crate::catalogue::ModelRole;
use crate::http::Patience;
use crate::testing_server::{Server, respond};
use carrel_engine::seams::{Message, Sampling};
use std::io::Write;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const SSE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn model(server: &Server, name: Option<&str>, key_env: Option<&str>) -> RemoteLanguageModel {
    RemoteLanguageModel::new(Endpoint {
        id: "local".into(),
        url: format!("{}/v1/", server.url()),
        role: ModelRole::LanguageModel,
        model: name.map(str::to_owned),
        key_env: key_env.map(str::to_owned),
        window: None,
    })
}

fn request() -> GenerateRequest {
    let message = |role, content: &str| Message { role, content: content.into() };
    let messages = vec![message(Role::System, "Be brief."), message(Role::User, "Who keeps the light?")];
    GenerateRequest::new(messages, 50)
}

fn delta(stream: &mut TcpStream, text: &str) {
    let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
    let _ = write!(stream, "data: {chunk}\n\n");
}

#[test]
fn an_answer_streams_and_the_first_model_is_taken() {
    let server = Server::start(|_, request, stream| {
        if request.path() == "/v1/models" {
            respond(
                stream,
                "200 OK",
                "content-type: application/json\r\n",
                br#"{"data":[{"id":"tiny"},{"id":"big"}]}"#,
            );
            return;
        }
        stream.write_all(SSE).unwrap();
        for text in ["The ", "keeper", " 港."] {
            delta(stream, text);
        }
        let _ = stream.write_all(
            b": comment\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        );
    });
    let model = model(&server, None, None);
    let mut text = String::new();
    let result = model.generate(&request(), &Cancel::new(), &mut |t| text.push_str(t)).unwrap();
    assert_eq!(text, "The keeper 港.");
    assert_eq!((result.finish, result.tokens), (Finish::Stop, 3));
    model.generate(&request(), &Cancel::new(), &mut |_| {}).unwrap();
    let seen = server.requests();
    let paths: Vec<_> = seen.iter().map(|r| r.line.as_str()).collect();
    assert_eq!(paths[0], "GET /v1/models HTTP/1.1\r\n");
    assert!(paths[1..].iter().all(|p| *p == "POST /v1/chat/completions HTTP/1.1\r\n"), "{paths:?}");
    let body: serde_json::Value = serde_json::from_str(&seen[1].body).unwrap();
    assert_eq!(body["model"], "tiny");
    assert_eq!(body["messages"][1]["content"], "Who keeps the light?");
    assert_eq!(body["stream"], true);
    assert_eq!(body["max_tokens"], 50);
}

#[test]
fn the_endpoint_is_told_how_to_sample_and_stops_are_kept_to_here() {
    let server = Server::start(|_, _, stream| {
        stream.write_all(SSE).unwrap();
        for text in ["One.\n", "\nTwo.", " Three."] {
            delta(stream, text);
        }
        let _ = stream.write_all(b"data: [DONE]\n\n");
    });
    let model = model(&server, Some("m"), None);
    let sampling = Sampling { temperature: 0.5, top_p: 0.9, seed: Some(u64::MAX), ..Sampling::default() };
    let request = request().sampled(sampling).until(["\n\n"]);
    let mut text = String::new();
    let result = model.generate(&request, &Cancel::new(), &mut |t| text.push_str(t)).unwrap();
    assert_eq!((text.as_str(), result.finish), ("One.", Finish::Stop));
    let body: serde_json::Value = serde_json::from_str(&server.requests()[0].body).unwrap();
    assert_eq!(body["temperature"], 0.5);
    assert!((body["top_p"].as_f64().unwrap() - 0.9).abs() < 1e-6);
    assert_eq!(body["seed"], i64::MAX);
    assert_eq!(body["stop"], json!(["\n\n"]));
}

#[test]
fn a_whole_answer_is_taken_too() {
    let server = Server::start(|_, _, stream| {
        let body = br#"{"choices":[{"message":{"content":"All at once."},"finish_reason":"length"}]}"#;
        respond(stream, "200 OK", "content-type: application/json\r\n", body);
    });
    let mut text = String::new();
    let model = model(&server, Some("m"), None);
    let result = model.generate(&request(), &Cancel::new(), &mut |t| text.push_str(t)).unwrap();
    assert_eq!((text.as_str(), result.finish), ("All at once.", Finish::Length));
}

#[test]
fn stop_halts_a_stream_that_stalls_and_closes_its_connection() {
    let (closed, seen_closed) = channel();
    let closed = Mutex::new(closed);
    let server = Server::start(move |_, _, stream| {
        stream.write_all(SSE).unwrap();
        delta(stream, "Once");
        let mut rest = [0u8; 1];
        let end = stream.read(&mut rest);
        closed.lock().unwrap().send(matches!(end, Ok(0) | Err(_))).unwrap();
    });
    let cancel = Cancel::new();
    let mut text = String::new();
    let mut stopped = None;
    let model = model(&server, Some("m"), None);
    let result = model
        .generate(&request(), &cancel, &mut |t| {
            text.push_str(t);
            cancel.cancel();
            stopped = Some(Instant::now());
        })
        .unwrap();
    assert_eq!((text.as_str(), result.finish), ("Once", Finish::Cancelled));
    assert!(
        stopped.unwrap().elapsed() < model.connection.patience().silence / 60,
        "it does not wait for the silence to be too long"
    );
    assert!(seen_closed.recv_timeout(Duration::from_secs(10)).unwrap());
}

#[test]
fn a_cut_connection_is_an_error_and_the_text_stays() {
    let server = Server::start(|_, _, stream| {
        stream.write_all(SSE).unwrap();
        delta(stream, "Half an ans");
    });
    let mut text = String::new();
    let error = model(&server, Some("m"), None)
        .generate(&request(), &Cancel::new(), &mut |t| text.push_str(t))
        .unwrap_err();
    assert_eq!(text, "Half an ans");
    assert!(matches!(&error, ModelError::Unreachable { detail, .. } if detail.contains("cut")), "{error}");
}

#[test]
fn a_silent_endpoint_is_given_up() {
    let server = Server::start(|_, _, _| std::thread::sleep(Duration::from_secs(30)));
    let mut model = model(&server, Some("m"), None);
    let patience =
        Patience { connect: Duration::from_secs(5), silence: Duration::from_millis(200), whole: None };
    model.connection.set_patience(patience);
    let error = model.generate(&request(), &Cancel::new(), &mut |_| {}).unwrap_err();
    assert!(
        matches!(&error, ModelError::Unreachable { detail, .. } if detail == "it fell silent"),
        "{error}"
    );
}

#[test]
fn a_refusal_says_why_without_the_key() {
    // The variable exists in every environment, so the test need not change the process's own.
    let key = std::env::var("PATH").unwrap();
    let server = Server::start(move |_, request, stream| {
        let key = request.header("authorization").unwrap_or("").trim_start_matches("Bearer ").to_owned();
        let body = json!({ "error": { "message": format!("bad key {key}") } }).to_string();
        respond(stream, "401 Unauthorized", "content-type: application/json\r\n", body.as_bytes());
    });
    let error = model(&server, Some("m"), Some("PATH"))
        .generate(&request(), &Cancel::new(), &mut |_| {})
        .unwrap_err();
    let shown = error.to_string();
    assert!(matches!(error, ModelError::Refused { .. }));
    assert!(shown.contains("401") && shown.contains("bad key …") && !shown.contains(&key), "{shown}");
    let error = model(&server, Some("m"), Some("CARREL_TEST_NO_SUCH_KEY"))
        .generate(&request(), &Cancel::new(), &mut |_| {})
        .unwrap_err();
    assert!(error.to_string().contains("CARREL_TEST_NO_SUCH_KEY"), "{error}");
}

#[test]
fn an_endpoint_that_is_not_there_says_so() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://u:secret@{address}/v1");
    let role = ModelRole::LanguageModel;
    let endpoint = Endpoint { id: "x".into(), url, role, model: None, key_env: None, window: None };
    let error =
        RemoteLanguageModel::new(endpoint).generate(&request(), &Cancel::new(), &mut |_| {}).unwrap_err();
    assert!(
        matches!(error, ModelError::Unreachable { .. }) && !error.to_string().contains("secret"),
        "{error}"
    );
}

fn verdict() -> Schema {
    Schema::object([("verdict", Schema::choice(["yes", "no"])), ("why", Schema::text(20).or_null())])
}

/// What a model with this behaviour hands out for a request of that shape.
fn shaped(
    handler: impl Fn(&serde_json::Value) -> Result<String, String> + Send + Sync + 'static,
) -> (Result<String, ModelError>, Vec<serde_json::Value>) {
    let server = Server::start(move |_, request, stream| {
        match handler(&serde_json::from_str(&request.body).unwrap()) {
            Ok(answer) => {
                stream.write_all(SSE).unwrap();
                for piece in answer.split_inclusive(' ') {
                    delta(stream, piece);
                }
                let _ = stream.write_all(b"data: [DONE]\n\n");
            }
            Err(message) => {
                let body = json!({ "error": { "message": message } }).to_string();
                respond(stream, "400 Bad Request", "content-type: application/json\r\n", body.as_bytes());
            }
        }
    });
    let mut text = String::new();
    let request = request().shaped(verdict());
    let result =
        model(&server, Some("m"), None).generate(&request, &Cancel::new(), &mut |t| text.push_str(t));
    (result.map(|_| text), server.requests().iter().map(|r| serde_json::from_str(&r.body).unwrap()).collect())
}

#[test]
fn a_shape_is_asked_for_as_the_protocol_has_it() {
    let (text, asked) = shaped(|_| Ok(r#"{"verdict": "yes", "why": null}"#.into()));
    assert_eq!(text.unwrap(), r#"{"verdict":"yes","why":null}"#);
    let format = &asked[0]["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["schema"], verdict().to_json());
    assert_eq!(format["json_schema"]["strict"], true);
}

#[test]
fn an_endpoint_that_knows_no_shapes_is_asked_in_words() {
    let (text, asked) = shaped(|body| {
        if body.get("response_format").is_some() {
            return Err("response_format json_schema is not supported".into());
        }
        Ok("Here it is:\n```json\n{\"verdict\": \"no\", \"why\": \"dark\"}\n```\nBye.".into())
    });
    assert_eq!(text.unwrap(), r#"{"verdict":"no","why":"dark"}"#);
    assert_eq!(asked.len(), 2);
    let last = asked[1]["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    assert!(last.starts_with("Who keeps the light?") && last.contains("additionalProperties"), "{last}");
}

#[test]
fn an_answer_of_another_shape_is_an_error_that_says_so() {
    for (answer, departure) in [
        (r#"{"verdict": "maybe", "why": null}"#, "$.verdict is none of yes, no"),
        ("I would say yes.", "no JSON"),
        (r#"{"verdict": "yes", "#, "JSON"),
    ] {
        let (text, _) = shaped(move |_| Ok(answer.to_owned()));
        let error = text.unwrap_err();
        assert!(
            matches!(error, ModelError::Refused { .. }) && error.to_string().contains(departure),
            "{error}"
        );
    }
    let (text, asked) = shaped(|_| Err("no such model".into()));
    assert!(text.unwrap_err().to_string().contains("no such model"));
    assert_eq!(asked.len(), 1);
}
