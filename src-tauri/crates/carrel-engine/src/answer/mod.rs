//! The road of a question from the hits to a cited answer: route, gate, assemble, generate, cite.
//!
//! Refuses to answer from anything but the library: where it does not hold an answer, or retrieval failed, or there is no
//! model, that is the answer. Nothing is made up in place of a model's unsupported text; it is marked.

mod align;
mod assemble;
mod calibrate;
mod gate;
mod opening;
mod prompt;
mod refusal;
mod small_talk;
mod stream;
mod types;

#[cfg(test)]
mod tests;

pub use types::{Answer, AskEvent, AskRequest, Citation, Claim, NoAnswer, Verdict};

use crate::cancel::Cancel;
use crate::domain::Span;
use crate::error::{EngineError, Result};
use crate::library::{Library, Pause};
use crate::prompt::Language;
use crate::retrieve::trace::{Tracer, stage};
use crate::retrieve::{self, Cost, Hit, SearchRequest, SearchResponse, Texts, Trace};
use crate::seams::{Finish, GenerateRequest, LanguageModel, Message, ModelError, ModelProvider};
use assemble::Source;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;
use stream::Draft;

/// Tokens up to which documents that the user named are given whole, even to a model that reads less well.
const WHOLE: usize = 1_200;
/// Tokens of earlier turns.
const HISTORY: usize = 400;
/// Hits from which the passages of an answer are picked, for each that is picked.
const PICKED_FROM: usize = 4;
/// Passages shown where the library does not hold an answer.
const NEAREST: usize = 3;

/// Answers a question from libraries: route, search, gate, assemble, generate, cite. Events stream while it works; the answer
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
    let mut asking = Asking { libraries, request, models, cancel, tracer: Tracer::new() };
    match asking.answer(on_event) {
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
    response: &SearchResponse,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<bool> {
    let (evidence, judged) = (response.evidence, response.judged.as_ref());
    Ok(gate::look(libraries, evidence, judged, models, cancel)?.passes)
}

fn nothing(trace: Trace) -> Answer {
    Answer {
        text: String::new(),
        grounded: false,
        reason: None,
        mode: "top-k",
        citations: Vec::new(),
        claims: Vec::new(),
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

struct Asking<'a> {
    libraries: &'a [Arc<Library>],
    request: &'a AskRequest,
    models: &'a dyn ModelProvider,
    cancel: &'a Cancel,
    tracer: Tracer,
}

impl Asking<'_> {
    fn answer(&mut self, on_event: &mut dyn FnMut(AskEvent)) -> Result<Answer> {
        on_event(AskEvent::Stage { name: "search", passages: 0, documents: 0 });
        let attached = !self.request.documents.is_empty();
        let mut search: SearchRequest = self.request.search.clone();
        search.filter.documents.extend(&self.request.documents);
        search.n = search.n.saturating_mul(PICKED_FROM);
        search.history.clone_from(&self.request.history);
        search.language_model.clone_from(&self.request.model);
        let response = match retrieve::search(self.libraries, &search, self.models, self.cancel) {
            Ok(response) => response,
            Err(error @ (EngineError::Index(_) | EngineError::Ledger(_) | EngineError::Internal(_))) => {
                self.tracer.end("search", Instant::now(), None, Some(error.to_string()));
                return Ok(without(NoAnswer::RetrievalFailed, &[]));
            }
            Err(error) => return Err(error),
        };
        self.tracer.extend(response.trace.stages);
        let (mut hits, judged) = (response.hits, response.judged);

        let started = Instant::now();
        let gate = if attached {
            gate::Verdict { passes: true, note: "the documents were named by the user".to_owned() }
        } else if hits.is_empty() {
            gate::Verdict { passes: false, note: "nothing was found".to_owned() }
        } else {
            gate::look(self.libraries, response.evidence, judged.as_ref(), self.models, self.cancel)?
        };
        self.tracer.end("gate", started, None, Some(gate.note));
        if !gate.passes {
            return Ok(without(NoAnswer::NotInLibrary, &hits));
        }

        let model = match self.models.language_model(self.request.model.as_deref()) {
            Ok(model) => model,
            Err(error @ (ModelError::NotInstalled { .. } | ModelError::LeftOut { .. })) => {
                self.tracer.end("model", Instant::now(), None, Some(error.to_string()));
                return Ok(without(NoAnswer::NoModel, &hits));
            }
            Err(error) => return Err(error.into()),
        };
        let languages = &model.spec().languages;
        let language = Language::of(&self.request.search.query);
        if !language.is_among(languages) {
            self.tracer.end("language", Instant::now(), None, Some("the model does not speak it".into()));
            let model = Some(model.spec().id.clone());
            return Ok(Answer { model, ..without(NoAnswer::NoModel, &hits) });
        }
        let started = Instant::now();
        if judged.is_some() {
            hits.truncate(self.request.search.n);
        } else {
            hits = retrieve::pick(self.libraries, hits, self.request.search.n)?;
        }
        let (sources, history) = self.read(&*model, &mut hits)?;
        self.tracer.end("assemble", started, Some(sources.len()), None);
        if sources.is_empty() {
            let foreign = hits.iter().any(|h| !Language::of(&h.passage.text).is_among(languages));
            if foreign {
                let model = Some(model.spec().id.clone());
                return Ok(Answer { model, ..without(NoAnswer::NoModel, &hits) });
            }
            return Ok(without(NoAnswer::NotInLibrary, &hits));
        }
        let documents: HashSet<_> = sources.iter().map(|s| (s.hit.library, s.hit.document.id)).collect();
        on_event(AskEvent::Stage { name: "read", passages: sources.len(), documents: documents.len() });
        self.cancel.check()?;
        self.generate(&*model, &sources, &history, &hits, on_event)
    }

    /// What the model reads: the documents that the user named whole where they fit, sections around the hits otherwise.
    fn read(&self, model: &dyn LanguageModel, hits: &mut Vec<Hit>) -> Result<(Vec<Source>, Vec<Message>)> {
        let count = |text: &str| -> Result<usize> { Ok(model.count_tokens(text)?) };
        let history = recent(&self.request.history, &count)?;
        let used: usize = history.iter().map(|m| count(&m.content)).sum::<Result<usize>>()?;
        let spec = model.spec();
        let question = count(&self.request.search.query)?;
        let room = spec.context_tokens.saturating_sub(answer_tokens(spec.local) + used + question + 300);
        let budget = room.min(spec.reads_tokens);
        let mut texts = Texts::new(self.libraries);
        let named = !self.request.documents.is_empty();
        if named && hits.is_empty() {
            *hits = assemble::first_passages(&texts, &self.request.documents, self.request.search.n.max(1))?;
        }
        let readable: Vec<Hit> = hits
            .iter()
            .filter(|h| Language::of(&h.passage.text).is_among(&spec.languages))
            .cloned()
            .collect();
        if named
            && let Some(sources) =
                assemble::whole(&mut texts, &readable, room.min(budget.max(WHOLE)), &count)?
        {
            return Ok((sources, history));
        }
        Ok((assemble::assemble(&mut texts, &readable, budget, &count)?, history))
    }

    fn generate(
        &mut self,
        model: &dyn LanguageModel,
        sources: &[Source],
        history: &[Message],
        hits: &[Hit],
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer> {
        on_event(AskEvent::Stage { name: "generate", passages: 0, documents: 0 });
        let started = Instant::now();
        let question = &self.request.search.query;
        let local = model.spec().local;
        let messages = prompt::messages(Language::of(question), sources, history, question);
        let request = GenerateRequest::new(messages, answer_tokens(local));
        let libraries = self.libraries;
        let mut cite = |number: u32, source: &Source, span: Span| citation(libraries, number, source, span);
        let mut draft = Draft::new(sources, question, local);
        let generated = {
            // A local model needs the processor that ingest would take from it.
            let _pause = local.then(|| Pause::new(libraries));
            let halt = self.cancel.child();
            model.generate(&request, &halt, &mut |piece| {
                draft.push(piece, &mut cite, on_event);
                if draft.is_over() {
                    halt.cancel();
                }
            })?
        };
        let spent = generated.prompt_tokens + generated.tokens;
        let done = stage("generate", started, Some(generated.tokens), None);
        self.tracer.extend([done.by(&model.spec().id).spent(spent)]);
        let started = Instant::now();
        let stopped = generated.finish == Finish::Cancelled && !draft.is_over();
        let unfinished = generated.finish != Finish::Stop && !draft.is_over();
        let finished = draft.finish(unfinished, &mut cite, on_event);
        self.tracer.end("cite", started, Some(finished.citations.len()), None);

        let grounded = !finished.citations.is_empty();
        let refused = !grounded && !stopped && refusal::is_refusal(&finished.text);
        let nearest =
            if grounded || stopped { Vec::new() } else { hits.iter().take(NEAREST).cloned().collect() };
        Ok(Answer {
            text: finished.text,
            grounded,
            reason: refused.then_some(NoAnswer::NotInLibrary),
            mode: if stopped { "stopped" } else { "top-k" },
            citations: finished.citations,
            claims: if refused { Vec::new() } else { finished.claims },
            nearest,
            model: Some(model.spec().id.clone()),
            ..nothing(Trace::default())
        })
    }
}

/// Tokens that an answer may have.
fn answer_tokens(local: bool) -> usize {
    if local { 256 } else { 800 }
}

/// The last turns that fit.
fn recent(history: &[Message], count: &Cost<'_>) -> Result<Vec<Message>> {
    let mut left = HISTORY;
    let mut kept = Vec::new();
    for message in history.iter().rev() {
        let cost = count(&message.content)?;
        if cost > left {
            break;
        }
        left -= cost;
        kept.push(message.clone());
    }
    kept.reverse();
    Ok(kept)
}

/// A citation of a span, with the passage that the span lies in. `None` where the library was closed or the text is gone.
fn citation(libraries: &[Arc<Library>], number: u32, source: &Source, span: Span) -> Option<Citation> {
    let quote = Span::new(span.start - source.span.start, span.end - source.span.start).of(&source.text)?;
    let mut hit = source.hit.clone();
    if !(hit.passage.span.start <= span.start && span.start < hit.passage.span.end) {
        let library = libraries.iter().find(|l| l.id() == hit.library)?;
        let passages = library.passages(hit.document.id, Some(hit.passage.version)).ok()?;
        if let Some(around) =
            passages.into_iter().find(|p| p.span.start <= span.start && span.start < p.span.end)
        {
            hit.passage = around;
        }
    }
    Some(Citation { number, hit, quote: quote.to_owned(), quote_start: span.start, quote_end: span.end })
}
