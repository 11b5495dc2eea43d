//! Against a local server that streams, stalls, cuts and refuses.

use super::*;
use crate::catalogue::ModelRole;
use crate::http::Patience;
use crate::testing_server::{Server, respond};
use carrel_engine::seams::Message;
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
    GenerateRequest { messages, max_tokens: 50, temperature: 0.0 }
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
