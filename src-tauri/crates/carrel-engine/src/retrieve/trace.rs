//! Timing of stages.

use super::{Stage, Trace};
use std::time::Instant;

/// Collects the stages of one search or answer.
pub(crate) struct Tracer {
    started: Instant,
    stages: Vec<Stage>,
}

impl Tracer {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), stages: Vec::new() }
    }

    /// Ends a stage that began at `since`.
    pub(crate) fn end(
        &mut self,
        name: &'static str,
        since: Instant,
        candidates: Option<usize>,
        note: Option<String>,
    ) {
        self.stages.push(stage(name, since, candidates, note));
    }

    /// Takes over stages that were timed elsewhere.
    pub(crate) fn extend(&mut self, stages: impl IntoIterator<Item = Stage>) {
        self.stages.extend(stages);
    }

    /// Takes over the stages of another wording of the question, which has this number.
    pub(super) fn take(&mut self, wording: Self, number: usize) {
        let numbered = |mut stage: Stage| {
            stage.name = format!("{}:{number}", stage.name).into();
            stage
        };
        self.stages.extend(wording.stages.into_iter().map(numbered));
    }

    pub(crate) fn finish(self) -> Trace {
        Trace { stages: self.stages, total_ms: ms(self.started) }
    }
}

pub(crate) fn stage(
    name: &'static str,
    since: Instant,
    candidates: Option<usize>,
    note: Option<String>,
) -> Stage {
    Stage { name: name.into(), ms: ms(since), candidates, model: None, tokens: None, note }
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
