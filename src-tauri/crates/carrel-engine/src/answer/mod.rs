//! The road of a question from the hits to a cited answer: route, gate, assemble, generate, cite, verify.
//!
//! Refuses to answer from anything but the library: where it does not hold an answer, or retrieval failed, or there is no
//! model, that is the answer. Nothing is made up in place of a model's unsupported text; it is marked.

mod align;
mod assemble;
mod comparison;
mod conflicts;
mod exhaustive;
mod facts;
mod gate;
mod named;
mod opening;
mod prompt;
mod ranks;
mod refusal;
mod route;
mod small_talk;
mod stream;
mod summary;
mod top_k;
mod types;
mod verify;

#[cfg(test)]
mod tests;

pub use conflicts::{Conflict, Difference, Likely, Preferred, Side};
pub use types::{Answer, AskEvent, AskRequest, Citation, Claim, NoAnswer, Order, Verdict};
pub use verify::Verify;

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::library::Library;
use crate::retrieve::trace::Tracer;
use crate::retrieve::{Hit, SearchResponse, Trace};
use crate::seams::{ModelError, ModelProvider};
use route::Route;
use std::sync::Arc;
use top_k::{Asking, NEAREST};

/// Answers a question from libraries: route, search, gate, assemble, generate, cite, verify. Events stream while it works; the answer
/// is whole at the end, also when stopped (`mode` is `stopped`, the partial text stays). Blocks.
pub fn ask(
    libraries: &[Arc<Library>],
    request: &AskRequest,
    models: &dyn ModelProvider,
    cancel: &Cancel,
    on_event: &mut dyn FnMut(AskEvent),
) -> Result<Answer> {
    if request.documents.is_empty()
        && let Some(reply) = small_talk::reply(&request.search.query)
    {
        on_event(AskEvent::Token(reply.to_owned()));
        return Ok(Answer { text: reply.to_owned(), mode: "small-talk", ..nothing(Trace::default()) });
    }
    let request = &named::attached(libraries, request)?;
    let mut asking = Asking { libraries, request, models, cancel, tracer: Tracer::new() };
    let route = route::of(&request.search.query);
    let answered = match route {
        Route::Inventory(inventory) if request.documents.is_empty() => {
            asking.from_inventory(&inventory, on_event)
        }
        Route::Summary(subject) => asking.summary(&subject, on_event),
        Route::Comparison(sides) if request.documents.is_empty() => asking.comparison(&sides, on_event),
        _ => asking.from_passages(on_event),
    };
    match answered {
        Ok(mut answer) => {
            answer.trace = asking.tracer.finish();
            Ok(answer)
        }
        // Stopped before a word was written.
        Err(EngineError::Cancelled | EngineError::Model(ModelError::Cancelled)) => {
            Ok(Answer { mode: "stopped", ..nothing(asking.tracer.finish()) })
        }
        Err(error) => Err(error),
    }
}

/// Whether a question that found this would be answered, or refused as not in the libraries.
pub fn would_try(
    libraries: &[Arc<Library>],
    question: &str,
    response: &SearchResponse,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<bool> {
    Ok(gate::look(libraries, question, response, models, cancel)?.passes)
}

fn nothing(trace: Trace) -> Answer {
    Answer {
        text: String::new(),
        grounded: false,
        reason: None,
        mode: "top-k",
        citations: Vec::new(),
        claims: Vec::new(),
        faithfulness: None,
        conflicts: Vec::new(),
        nearest: Vec::new(),
        model: None,
        trace,
    }
}

/// An answer that is none, with the passages that come nearest.
fn without(reason: NoAnswer, hits: &[Hit]) -> Answer {
    let nearest = hits.iter().take(NEAREST).cloned().collect();
    Answer { reason: Some(reason), nearest, ..nothing(Trace::default()) }
}
