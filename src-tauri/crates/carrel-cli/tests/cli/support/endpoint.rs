//! A language model that says what a test tells it to, behind the protocol of endpoints.

use super::Carrel;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Listens on this machine until the test ends.
pub(crate) struct Endpoint {
    url: String,
    asked: Arc<Mutex<Vec<Vec<Value>>>>,
}

impl Endpoint {
    /// `says` is handed the last message; `None` makes the call fail.
    pub(crate) fn start(says: impl Fn(&str) -> Option<String> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Vec<Value>>>> = Arc::default();
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let Some(body) = body(&stream) else { continue };
                let messages = body["messages"].as_array().cloned().unwrap_or_default();
                let last = messages.last().and_then(|m| m["content"].as_str()).unwrap_or_default();
                let said = says(last);
                seen.lock().unwrap().push(messages);
                let (status, answer) = match said {
                    Some(text) => (
                        "200 OK",
                        json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}),
                    ),
                    None => ("503 Service Unavailable", json!({"error": {"message": "the model is away"}})),
                };
                let answer = answer.to_string();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}",
                    answer.len()
                );
            }
        });
        Self { url, asked }
    }

    /// Makes it the language model of a data folder.
    pub(crate) fn choose(&self, carrel: &Carrel) {
        let add = ["models", "endpoint", "add", &self.url, "--role", "language_model", "--model", "scripted"];
        carrel.json(&add).ended_with(0);
    }

    /// The messages of each call so far.
    pub(crate) fn asked(&self) -> Vec<Vec<Value>> {
        self.asked.lock().unwrap().clone()
    }
}

/// The JSON of a request.
fn body(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    let mut chunked = false;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("content-length:").map_or(length, |n| n.trim().parse().unwrap_or(0));
        chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).ok()?;
    while chunked {
        let mut size = String::new();
        reader.read_line(&mut size).ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk).ok()?;
        chunked = size > 0;
        bytes.extend_from_slice(&chunk[..size]);
    }
    serde_json::from_slice(&bytes).ok()
}
