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
    Stage { name, ms: ms(since), candidates, model: None, note }
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
