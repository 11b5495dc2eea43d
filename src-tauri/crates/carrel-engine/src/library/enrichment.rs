//! Lines of context of a library: how far they are, and what writing them would cost.

use super::Library;
use crate::cancel::Cancel;
use crate::chunk::WordsTokenizer;
use crate::domain::PassageId;
use crate::enrich::Task;
use crate::error::{EngineError, Result};
use crate::ledger::{contexts, generations, passages};
use crate::quality::sampled;
use crate::seams::{Embedder, ModelError, Tokenizer};
use std::time::{Duration, Instant};

/// How far the lines of a library are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enrichment {
    /// Lines are written for this library.
    pub on: bool,
    /// Passages of active versions.
    pub passages: usize,
    /// Those of them with a line.
    pub lines: usize,
    /// Those that wait for one; for the others nothing of use could be written.
    pub waiting: usize,
}

/// What writing the lines that are missing would cost, measured on a few passages just now.
#[derive(Clone, Debug, PartialEq)]
pub struct EnrichmentEstimate {
    /// The language model that would write.
    pub model: String,
    /// Whether it runs on this machine: otherwise every passage is sent to it.
    pub local: bool,
    /// Passages without a line.
    pub passages: usize,
    /// Time that it takes with nothing else to do.
    pub time: Duration,
    /// Tokens that the model would read.
    pub tokens_read: u64,
    /// Tokens that it would write.
    pub tokens_written: u64,
    /// The passages that were tried, each with the line that it would get, if any.
    pub samples: Vec<(String, Option<String>)>,
}

impl Library {
    /// How far the lines of context are.
    pub fn enrichment(&self) -> Result<Enrichment> {
        let generation = self.shared.generation();
        self.shared.reads.with(|conn| {
            let counts = generations::counts(conn, generation.id)?;
            let (passages, lines) = (counts.passages.max(0) as usize, counts.lines.max(0) as usize);
            // One that is being built is what the user asked for.
            let on = generations::building(conn)?.map_or(generation.enriched, |building| building.enriched);
            if !on || !generation.enriched {
                return Ok(Enrichment { on, passages, lines: 0, waiting: if on { passages } else { 0 } });
            }
            let waiting = contexts::count_bare(conn, generation.id)?;
            Ok(Enrichment { on, passages, lines, waiting })
        })
    }

    /// Writes lines for at most `samples` passages, which are not kept, and reckons what all that have none would cost.
    pub fn estimate_enrichment(&self, samples: usize, cancel: &Cancel) -> Result<EnrichmentEstimate> {
        let model = self.shared.parts.models.language_model(None)?;
        let state = self.enrichment()?;
        let mut ids = sampled(self, samples, cancel)?;
        let generation = self.shared.generation().id;
        let tried = self.shared.reads.with(|conn| {
            if ids.is_empty() {
                // No prose: what there is.
                ids = passages::next_live(conn, generation, PassageId(0), samples)?;
            }
            contexts::these(conn, &self.shared.contents, &ids)
        })?;
        let space = self.shared.space();
        let embedder = space.and_then(|space| self.shared.embedder(&space).ok());
        let words = WordsTokenizer;
        let tokenizer = embedder.as_deref().map_or(&words as &dyn Tokenizer, Embedder::tokenizer);
        let mut estimate = EnrichmentEstimate {
            model: model.spec().id.clone(),
            local: model.spec().local,
            passages: if state.on { state.waiting } else { state.passages },
            time: Duration::ZERO,
            tokens_read: 0,
            tokens_written: 0,
            samples: Vec::new(),
        };
        let (mut time, mut read, mut written) = (Duration::ZERO, 0, 0);
        for bare in &tried {
            cancel.check()?;
            let task = Task::new(bare);
            let begun = Instant::now();
            let line = if task.is_for(&*model) {
                let (line, generated) =
                    task.write(&*model, tokenizer, cancel, &|| false).map_err(|e| match e {
                        ModelError::Cancelled => EngineError::Cancelled,
                        other => other.into(),
                    })?;
                read += generated.prompt_tokens as u64;
                written += generated.tokens as u64;
                line
            } else {
                None
            };
            time += begun.elapsed();
            let passage = bare.span.of(&bare.content.markdown).unwrap_or_default();
            estimate.samples.push((passage.to_owned(), line));
        }
        if !tried.is_empty() {
            let (all, tried) = (estimate.passages as u64, tried.len() as u64);
            estimate.time = time.mul_f64(all as f64 / tried as f64);
            estimate.tokens_read = read * all / tried;
            estimate.tokens_written = written * all / tried;
        }
        Ok(estimate)
    }

    /// Returns when no passage waits for its line, or when none could be written for a while; whether none waits.
    pub fn wait_enriched(&self, cancel: &Cancel, progress: &mut dyn FnMut(&Enrichment)) -> Result<bool> {
        /// A line of a slow model takes some seconds; an embedding that must come first, longer.
        const PATIENCE: Duration = Duration::from_secs(120);
        let mut before = Enrichment::default();
        let mut moved = Instant::now();
        let mut failure = None;
        let done = self.ingest.core.work.wait_until(cancel, || {
            match self.enrichment() {
                Ok(now) => {
                    let building = self.progress().embedding > 0 || self.progress().paused;
                    if now != before || building {
                        moved = Instant::now();
                    }
                    if now != before {
                        progress(&now);
                    }
                    before = now;
                }
                Err(error) => failure = Some(error),
            }
            failure.is_some() || before.waiting == 0 || moved.elapsed() > PATIENCE
        });
        match failure {
            Some(error) => Err(error),
            None if !done => Err(EngineError::Cancelled),
            None => {
                self.shared.writer.flush_unless(cancel)?;
                Ok(before.waiting == 0)
            }
        }
    }
}
