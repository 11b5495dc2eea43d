//! Comparing things: passages about each are looked up by themselves, so that one does not crowd out the other.

use super::top_k::Asking;
use super::{Answer, AskEvent, NoAnswer, gate, without};
use crate::error::{EngineError, Result};
use crate::retrieve::{self, Hit, SearchRequest};
use std::collections::HashSet;
use std::time::Instant;

impl Asking<'_> {
    /// From passages about each of the sides, as many of each. Where the library does not speak of one of them, there is nothing to compare.
    pub(super) fn comparison(
        &mut self,
        sides: &[String],
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer> {
        on_event(AskEvent::stage("search"));
        let each = (self.request.search.n / sides.len().max(1)).max(2);
        let mut found: Vec<Vec<Hit>> = Vec::new();
        for (at, side) in sides.iter().enumerate() {
            on_event(AskEvent::Hop { number: at + 1, question: side.clone() });
            let search = SearchRequest {
                query: side.clone(),
                n: each * 2,
                language_model: self.request.model.clone(),
                ..self.request.search.clone()
            };
            let response = match retrieve::search(self.libraries, &search, self.models, self.cancel) {
                Ok(response) => response,
                Err(error @ (EngineError::Index(_) | EngineError::Ledger(_) | EngineError::Internal(_))) => {
                    self.tracer.end("search", Instant::now(), None, Some(error.to_string()));
                    return Ok(without(NoAnswer::RetrievalFailed, &[]));
                }
                Err(error) => return Err(error),
            };
            self.tracer.extend(response.trace.stages.iter().cloned());
            let started = Instant::now();
            let gate = gate::look(self.libraries, side, &response, self.models, self.cancel)?;
            self.tracer.end("gate", started, None, Some(format!("“{side}”: {}", gate.note)));
            if !gate.passes {
                return Ok(without(NoAnswer::NotInLibrary, &response.hits));
            }
            found.push(response.hits);
        }
        // In turns, so that the order of reading favours none.
        let mut hits = Vec::new();
        let mut seen = HashSet::new();
        for rank in 0..each {
            for side in &found {
                if let Some(hit) = side.get(rank).filter(|hit| seen.insert((hit.library, hit.passage.id))) {
                    hits.push(Hit { rank: hits.len() + 1, ..hit.clone() });
                }
            }
        }
        let conflicts = self.conflicts(&hits, on_event)?;
        let answer = self.from_chosen(hits, on_event)?;
        Ok(Answer { conflicts, ..answer })
    }
}
