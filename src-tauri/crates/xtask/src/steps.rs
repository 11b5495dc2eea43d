//! Steps: one line each, with seconds, whatever happens inside.

use std::io::Write;
use std::time::Instant;

/// What went wrong, as a person reads it.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Runs a step. Its value is what the line says after the name; an empty one says nothing.
pub(crate) fn step(name: &str, work: impl FnOnce() -> Result<String>) -> Result<()> {
    let started = Instant::now();
    let outcome = work();
    let seconds = started.elapsed().as_secs_f64();
    let (mark, note) = match &outcome {
        Ok(note) => ("ok", note.as_str()),
        Err(_) => ("FAILED", ""),
    };
    let colon = if note.is_empty() { "" } else { ": " };
    println!("{seconds:8.1} s  {mark:<6}  {name}{colon}{note}");
    drop(std::io::stdout().flush());
    outcome.map(drop).map_err(|error| format!("\n{name} failed.\n{error}"))
}
