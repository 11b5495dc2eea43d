//! Lines between an owner and its clients: JSON, one object a line.
//!
//! The owner greets with [`Greeting`]; a client sends [`Request`]s; each is answered by any number of `event` lines and then one
//! of `ok`, `problem`, `handover`. The end of a connection stops its calls.

use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufRead, Read as _, Write};

/// Raised when an old program would misunderstand a new one.
pub(super) const PROTOCOL: u32 = 1;

/// No line is longer: a text of the largest size that is taken in, in JSON.
const LONGEST_LINE: usize = 1 << 30;

/// Streams that only end when they are stopped: an ending owner hands them over, and nothing is lost by beginning again.
pub(super) const ENDLESS: [&str; 2] = ["events.subscribe", "watch"];

/// The first line of a connection, from the owner.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// [`PROTOCOL`] of the owner.
    pub(super) carrel: u32,
    /// Version of the owner's program.
    pub(super) version: String,
}

/// A call.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// Given by the client, unique among running calls.
    pub(super) id: String,
    /// Of the command table.
    pub(super) name: String,
    /// Its request.
    #[serde(default)]
    pub(super) params: Value,
}

/// A line about a call.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reply {
    /// Of the call.
    pub(super) id: String,
    /// What it says.
    #[serde(flatten)]
    pub(super) body: Body,
}

/// What a line says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Body {
    /// A line of a stream.
    Event(Value),
    /// The answer.
    Ok(Value),
    /// Why there is none.
    Problem(Problem),
    /// The owner ends: the client does it itself.
    Handover(bool),
}

/// Writes one line at once, so that lines of several calls never mix.
pub(super) fn write(mut stream: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    stream.flush()
}

/// Reads one line; `None` at the end of the connection. Goes on after a timeout until `stopped`.
pub(super) fn read<T: for<'a> Deserialize<'a>>(
    reader: &mut impl BufRead,
    stopped: &dyn Fn() -> bool,
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    loop {
        let room = (LONGEST_LINE - line.len()) as u64;
        match (&mut *reader).take(room).read_until(b'\n', &mut line) {
            Ok(_) if line.len() >= LONGEST_LINE => return Err(io::Error::other("a line is too long")),
            Ok(0) if line.is_empty() => return Ok(None),
            Ok(_) if line.ends_with(b"\n") => return Ok(Some(serde_json::from_slice(&line)?)),
            Ok(_) => return Ok(None),
            Err(error) if is_timeout(&error) => {
                if stopped() {
                    return Ok(None);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_documented() {
        let event = Reply { id: "1".into(), body: Body::Event(serde_json::json!({"event": "token"})) };
        assert_eq!(serde_json::to_string(&event).unwrap(), r#"{"id":"1","event":{"event":"token"}}"#);
        let ok: Reply = serde_json::from_str(r#"{"id":"1","ok":{"n":1}}"#).unwrap();
        assert!(matches!(ok.body, Body::Ok(_)));
        let bare: Request = serde_json::from_str(r#"{"id":"1","name":"library.list"}"#).unwrap();
        assert!(bare.params.is_null());
    }

    #[test]
    fn a_cut_line_is_the_end() {
        let mut reader: &[u8] = br#"{"id":"1","na"#;
        assert!(read::<Request>(&mut reader, &|| false).unwrap().is_none());
    }
}
