//! Answering from the best passages: search, gate, assemble, generate, cite, verify.

use super::assemble::{self, Source};
use super::conflicts::Conflict;
use super::stream::{Draft, Finished};
use super::verify::{self, Verify};
use super::{Answer, AskEvent, AskRequest, Citation, Claim, NoAnswer, Verdict};
use super::{conflicts, gate, nothing, prompt, refusal, without};
use crate::cancel::Cancel;
use crate::domain::Span;
use crate::error::{EngineError, Result};
use crate::library::{Library, Pause};
use crate::prompt::Language;
use crate::retrieve::trace::{Tracer, stage};
use crate::retrieve::{self, Cost, Hit, SearchRequest, Texts};
use crate::seams::{Finish, GenerateRequest, LanguageModel, Message, ModelError, ModelProvider};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

/// Tokens up to which documents that the user named are given whole, even to a model that reads less well.
const WHOLE: usize = 1_200;
/// Tokens of earlier turns.
const HISTORY: usize = 400;
/// Hits from which the passages of an answer are picked, for each that is picked.
const PICKED_FROM: usize = 4;
/// Passages shown where the library does not hold an answer.
pub(super) const NEAREST: usize = 3;

/// A question on its way.
pub(super) struct Asking<'a> {
    pub(super) libraries: &'a [Arc<Library>],
    pub(super) request: &'a AskRequest,
    pub(super) models: &'a dyn ModelProvider,
    pub(super) cancel: &'a Cancel,
    pub(super) tracer: Tracer,
}

impl Asking<'_> {
    /// From the best passages.
    pub(super) fn from_passages(&mut self, on_event: &mut dyn FnMut(AskEvent)) -> Result<Answer> {
        on_event(AskEvent::stage("search"));
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
        self.tracer.extend(response.trace.stages.iter().cloned());
        for hop in &response.hops {
            on_event(AskEvent::Hop { number: hop.number, question: hop.question.clone() });
        }

        let started = Instant::now();
        let gate = if attached {
            gate::Verdict { passes: true, note: "the documents were named by the user".to_owned() }
        } else {
            gate::look(self.libraries, &search.query, &response, self.models, self.cancel)?
        };
        self.tracer.end("gate", started, None, Some(gate.note));
        let (hits, judged) = (response.hits, response.judged);
        if !gate.passes {
            return Ok(without(NoAnswer::NotInLibrary, &hits));
        }
        let conflicts = self.conflicts(&hits, on_event)?;
        let answer = self.from_hits(hits, judged.is_some(), on_event)?;
        Ok(Answer { conflicts, ..answer })
    }

    /// Sources among the hits that contradict each other.
    pub(super) fn conflicts(
        &mut self,
        hits: &[Hit],
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Vec<Conflict>> {
        let started = Instant::now();
        let ranks = super::ranks::Ranks::of(self.libraries)?;
        let libraries = self.libraries;
        let known = conflicts::Known {
            rank: &|hit| ranks.of_hit(hit),
            beginning: &|hit| {
                let library = libraries.iter().find(|library| library.id() == hit.library);
                let text = library.and_then(|library| {
                    library.version_text(hit.document.id, Some(hit.passage.version)).ok()
                });
                text.map(|text| text.markdown.to_string()).unwrap_or_default()
            },
        };
        let found = conflicts::find(&self.request.search.query, hits, &known);
        for conflict in &found {
            on_event(AskEvent::Conflict(Box::new(conflict.clone())));
        }
        self.tracer.end("conflicts", started, Some(found.len()), None);
        Ok(found)
    }

    /// The language model, or the answer where there is none that can be asked.
    pub(super) fn model(
        &mut self,
        hits: &[Hit],
    ) -> Result<std::result::Result<Arc<dyn LanguageModel>, Answer>> {
        let model = match self.models.language_model(self.request.model.as_deref()) {
            Ok(model) => model,
            Err(error @ (ModelError::NotInstalled { .. } | ModelError::LeftOut { .. })) => {
                self.tracer.end("model", Instant::now(), None, Some(error.to_string()));
                return Ok(Err(without(NoAnswer::NoModel, hits)));
            }
            Err(error) => return Err(error.into()),
        };
        let language = Language::of(&self.request.search.query);
        if !language.is_among(&model.spec().languages) {
            self.tracer.end("language", Instant::now(), None, Some("the model does not speak it".into()));
            let model = Some(model.spec().id.clone());
            return Ok(Err(Answer { model, ..without(NoAnswer::NoModel, hits) }));
        }
        Ok(Ok(model))
    }

    /// From hits, best first: those that say most are picked, where no reranker has ordered them.
    fn from_hits(
        &mut self,
        hits: Vec<Hit>,
        judged: bool,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer> {
        let started = Instant::now();
        let n = self.request.search.n;
        let mut hits = hits;
        if judged {
            hits.truncate(n);
        } else {
            hits = retrieve::pick(self.libraries, hits, n)?;
        }
        self.tracer.end("pick", started, Some(hits.len()), None);
        self.from_chosen(hits, on_event)
    }

    /// From hits that are all given to the model as far as they fit.
    pub(super) fn from_chosen(
        &mut self,
        mut hits: Vec<Hit>,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer> {
        let model = match self.model(&hits)? {
            Ok(model) => model,
            Err(answer) => return Ok(answer),
        };
        let languages = &model.spec().languages;
        let started = Instant::now();
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
        let question = &self.request.search.query;
        let messages = prompt::messages(Language::of(question), &sources, &history, question);
        self.generate(&*model, messages, &sources, &hits, on_event)
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
        Ok((assemble::assemble(&mut texts, &readable, budget, self.request.order, &count)?, history))
    }

    /// Lets the model answer from sources, ties its sentences to them, and verifies these.
    pub(super) fn generate(
        &mut self,
        model: &dyn LanguageModel,
        messages: Vec<Message>,
        sources: &[Source],
        hits: &[Hit],
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer> {
        on_event(AskEvent::stage("generate"));
        let started = Instant::now();
        let question = &self.request.search.query;
        let local = model.spec().local;
        let request = GenerateRequest { messages, max_tokens: answer_tokens(local), temperature: 0.0 };
        let libraries = self.libraries;
        let mut cite = |number: u32, source: &Source, span: Span| citation(libraries, number, source, span);
        // What may be written anew is not shown before.
        let thorough = self.request.verify == Verify::Thorough;
        let mut unheard = |_: AskEvent| {};
        let mut draft = Draft::new(sources, question, local);
        let generated = {
            // A local model needs the processor that ingest would take from it.
            let _pause = local.then(|| Pause::new(libraries));
            let halt = self.cancel.child();
            model.generate(&request, &halt, &mut |piece| {
                if thorough {
                    draft.push(piece, &mut cite, &mut unheard);
                } else {
                    draft.push(piece, &mut cite, on_event);
                }
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
        let listener: &mut dyn FnMut(AskEvent) = if thorough { &mut unheard } else { on_event };
        let mut finished = draft.finish(unfinished, &mut cite, listener);
        self.tracer.end("cite", started, Some(finished.citations.len()), None);
        if !stopped {
            finished = self.verified(model, sources, finished, on_event)?;
        } else if thorough {
            tell(&finished, on_event);
        }

        let grounded = !finished.citations.is_empty();
        let refused = !grounded && !stopped && refusal::is_refusal(&finished.text);
        let withdrawn = thorough && !stopped && !grounded;
        let nearest =
            if grounded || stopped { Vec::new() } else { hits.iter().take(NEAREST).cloned().collect() };
        let claims = if refused { Vec::new() } else { finished.claims };
        Ok(Answer {
            text: finished.text,
            grounded,
            reason: (refused || withdrawn).then_some(NoAnswer::NotInLibrary),
            mode: if stopped { "stopped" } else { "top-k" },
            citations: finished.citations,
            faithfulness: verify::faithfulness(&claims),
            claims,
            nearest,
            model: Some(model.spec().id.clone()),
            ..nothing(retrieve::Trace::default())
        })
    }

    /// The answer with the verdicts of the models that verify it; written anew where that was asked for.
    fn verified(
        &mut self,
        model: &dyn LanguageModel,
        sources: &[Source],
        mut finished: Finished,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Finished> {
        let Asking { libraries, request, models, cancel, .. } = *self;
        let tracer = &mut self.tracer;
        on_event(AskEvent::stage("verify"));
        let before: Vec<Verdict> = finished.claims.iter().map(|claim| claim.verdict).collect();
        verify::judge(
            &mut finished.claims,
            &finished.citations,
            request.verify,
            models,
            model,
            tracer,
            cancel,
        )?;
        if request.verify != Verify::Thorough {
            // Who watches is told where a model found otherwise than code.
            for (claim, before) in
                finished.claims.iter().zip(before).filter(|(claim, before)| claim.verdict != *before)
            {
                debug_assert_ne!(claim.verdict, before);
                on_event(AskEvent::Claim(claim.clone()));
            }
            return Ok(finished);
        }
        let started = Instant::now();
        let question = &request.search.query;
        if let Some((text, anew, out)) =
            verify::mended(&finished.text, &finished.claims, sources, question, model, cancel)?
        {
            let note = format!("{anew} written anew, {out} taken out");
            let judged: Vec<Claim> = std::mem::take(&mut finished.claims);
            let mut cite =
                |number: u32, source: &Source, span: Span| citation(libraries, number, source, span);
            let mut draft = Draft::new(sources, question, false);
            draft.push(&text, &mut cite, &mut |_| {});
            finished = draft.finish(false, &mut cite, &mut |_| {});
            for claim in &mut finished.claims {
                if let Some(known) = judged.iter().find(|known| known.text == claim.text) {
                    claim.verdict = known.verdict;
                }
            }
            self.tracer.end("mend", started, Some(anew), Some(note));
        }
        tell(&finished, on_event);
        Ok(finished)
    }
}

/// Tells all of an answer at once.
fn tell(finished: &Finished, on_event: &mut dyn FnMut(AskEvent)) {
    on_event(AskEvent::Token(finished.text.clone()));
    finished.citations.iter().for_each(|citation| on_event(AskEvent::Citation(Box::new(citation.clone()))));
    finished.claims.iter().for_each(|claim| on_event(AskEvent::Claim(claim.clone())));
}

/// Tokens that an answer may have.
pub(super) fn answer_tokens(local: bool) -> usize {
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
pub(super) fn citation(
    libraries: &[Arc<Library>],
    number: u32,
    source: &Source,
    span: Span,
) -> Option<Citation> {
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
