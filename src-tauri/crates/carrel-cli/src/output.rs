//! Where words go: results to stdout, everything else to stderr, one JSON document where JSON is wanted.

use crate::style::{Look, Painter};
use crate::table::plain_lines;
use carrel_api::Problem;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, IsTerminal as _, Write as _};

/// Version of the shape of all JSON documents.
const SCHEMA: u32 = 1;

/// Prints results and messages.
pub(crate) struct Output {
    /// Results as JSON.
    pub(crate) json: bool,
    /// Paints results.
    pub(crate) paint: Painter,
}

#[expect(clippy::unused_self, reason = "whoever may write holds one, and nobody else does")]
impl Output {
    /// For one run of the program.
    pub(crate) fn new(json: bool) -> Self {
        Self { json, paint: Painter::stdout() }
    }

    /// Width of the terminal; wide when there is none, so that nothing is cut in a file.
    pub(crate) fn width(&self) -> usize {
        if !io::stdout().is_terminal() {
            return usize::MAX / 2;
        }
        terminal_size::terminal_size().map_or(100, |(w, _)| usize::from(w.0)).max(40)
    }

    /// One line of text for people.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        self.raw(&format!("{}\n", text.as_ref()));
    }

    /// Text as it is, at once.
    pub(crate) fn raw(&self, text: &str) {
        let mut stdout = io::stdout().lock();
        finished(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
    }

    /// A result: one JSON document that begins with its schema.
    pub(crate) fn document(&self, value: &impl Serialize) {
        self.raw(&format!("{}\n", Value::Object(with_schema(value))));
    }

    /// A line of a stream.
    pub(crate) fn event(&self, value: &impl Serialize) {
        let line = serde_json::to_string(value).unwrap_or_default();
        self.raw(&format!("{line}\n"));
    }

    /// The last line of a stream.
    pub(crate) fn done(&self, value: &impl Serialize) {
        let mut line = Map::new();
        line.insert("event".into(), "done".into());
        line.append(&mut with_schema(value));
        self.raw(&format!("{}\n", Value::Object(line)));
    }

    /// A message for people on stderr.
    pub(crate) fn message(&self, text: impl AsRef<str>) {
        let mut stderr = io::stderr().lock();
        let _ = writeln!(stderr, "{}", text.as_ref());
    }

    /// A problem on both channels, and the exit status it stands for.
    pub(crate) fn problem(&self, problem: &Problem) -> u8 {
        if self.json {
            self.problem_on_stdout(problem);
        }
        let paint = Painter::stderr();
        if !problem.is_cancelled() {
            self.message(format!("{} {}", paint.paint(Look::Bad, "error:"), plain_lines(&problem.message)));
            if let Some(candidates) = problem.details.get("candidates").and_then(Value::as_array) {
                for candidate in candidates.iter().filter_map(Value::as_str) {
                    // `URI (id)`
                    let (uri, rest) = candidate.rsplit_once(" (").unwrap_or((candidate, ""));
                    let rest = if rest.is_empty() { String::new() } else { format!(" ({rest}") };
                    self.message(format!("  {}{rest}", crate::places::shown(uri)));
                }
            }
            if let Some(hint) = &problem.hint {
                self.message(format!("{} {}", paint.paint(Look::Quiet, "hint:"), plain_lines(hint)));
            }
        }
        status(problem)
    }

    /// A problem as the JSON document.
    pub(crate) fn problem_on_stdout(&self, problem: &Problem) {
        self.document(&serde_json::json!({ "problem": problem }));
    }
}

/// Exit status of a problem.
fn status(problem: &Problem) -> u8 {
    match problem.code.as_str() {
        "cancelled" => crate::signals::INTERRUPTED,
        "bad_request" | "ambiguous" | "not_available" | "unknown_command" | "invalid" => 2,
        "not_found" => match problem.details.get("kind").and_then(Value::as_str) {
            // A name that is not one is wrong usage; what is looked for and not there is not found.
            Some("library") => 2,
            _ => 3,
        },
        _ => 1,
    }
}

/// The fields of a value after its schema.
fn with_schema(value: &impl Serialize) -> Map<String, Value> {
    let mut document = Map::new();
    document.insert("schema".into(), SCHEMA.into());
    match serde_json::to_value(value) {
        Ok(Value::Object(mut fields)) => document.append(&mut fields),
        Ok(other) => {
            document.insert("value".into(), other);
        }
        Err(error) => tracing::error!(%error, "a result could not be written as JSON"),
    }
    document
}

/// A reader that went away (`carrel … | head`) is no failure of ours.
fn finished(written: io::Result<()>) {
    if let Err(error) = written {
        carrel_api::leaving();
        std::process::exit(i32::from(error.kind() != io::ErrorKind::BrokenPipe));
    }
}
