//! `library enrichment`: what lines of context cost, and how far they are.

use crate::output::Output;
use crate::progress;
use crate::session::Session;
use crate::style::Look;
use crate::table::{count, plain};
use carrel_api::Problem;
use carrel_api::dto::{EnrichmentDto, EnrichmentEstimateDto, EnrichmentRequest};
use std::time::{Duration, Instant};

/// How often the count is looked at.
const PACE: Duration = Duration::from_millis(500);
/// Without a new line for so long, nobody writes any.
const PATIENCE: Duration = Duration::from_secs(180);

pub(super) fn run(
    name: &str,
    estimate: bool,
    wait: bool,
    session: &Session,
    output: &Output,
) -> Result<(), Problem> {
    let ask = |estimate| {
        let request = EnrichmentRequest { name: name.to_owned(), estimate };
        session.call::<EnrichmentDto>("library.enrichment", &request)
    };
    let mut state = ask(estimate)?;
    if wait {
        let kept = state.estimate.take();
        state = until_written(state, &|| session.check().and_then(|()| ask(false)))?;
        state.estimate = kept;
    }
    if output.json {
        output.document(&state);
        return Ok(());
    }
    output.line(sentence(&state));
    if let Some(estimate) = &state.estimate {
        say(estimate, output);
    }
    Ok(())
}

fn until_written(
    mut state: EnrichmentDto,
    ask: &dyn Fn() -> Result<EnrichmentDto, Problem>,
) -> Result<EnrichmentDto, Problem> {
    let mut moved = Instant::now();
    while state.on && state.waiting > 0 {
        progress::show(&format!("{} of {} passages wait for their line", state.waiting, state.passages));
        std::thread::sleep(PACE);
        let now = ask()?;
        if now != state {
            moved = Instant::now();
        }
        state = now;
        if moved.elapsed() > PATIENCE {
            progress::show("");
            return Err(Problem::bad_request(format!(
                "{} still wait for their line, and none was written for three minutes",
                count(state.waiting as usize, "passage", "passages")
            ))
            .hint("`carrel models list` shows whether a language model is there, `carrel status` whether work is paused"));
        }
    }
    progress::show("");
    Ok(state)
}

fn sentence(state: &EnrichmentDto) -> String {
    if !state.on {
        return format!(
            "off: {} without a line of context",
            count(state.passages as usize, "passage", "passages")
        );
    }
    let all = count(state.passages as usize, "passage", "passages");
    let without = state.passages.saturating_sub(state.lines + state.waiting);
    let mut text = format!("on: {} of {all} with a line of context", state.lines);
    if state.waiting > 0 {
        text.push_str(&format!(", {} waiting", state.waiting));
    }
    if without > 0 {
        text.push_str(&format!(", {without} for which nothing of use was written"));
    }
    text
}

fn say(estimate: &EnrichmentEstimateDto, output: &Output) {
    output.line(format!(
        "{} by {}: about {}, {} tokens read and {} written",
        count(estimate.passages as usize, "line", "lines"),
        plain(&estimate.model),
        duration(estimate.seconds),
        estimate.tokens_read,
        estimate.tokens_written
    ));
    if !estimate.local {
        output.message("note: each passage with the beginning of its document is sent to this endpoint");
    }
    for sample in &estimate.samples {
        output.line("");
        let line = sample.line.as_deref().unwrap_or("(nothing of use)");
        output.line(format!("    {}", output.paint.paint(Look::Strong, plain(line))));
        output.line(format!("    {}", output.paint.paint(Look::Quiet, plain(&sample.passage))));
    }
}

/// `3 h 20 min`, `12 min`, `40 s`.
fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
