//! Reading something whole: a summary of documents or of a folder.
//!
//! What fits is given whole. Of more, each part is summarised by itself, in the order of the text, and the summary written from these notes
//! (map and reduce); how many of how many parts are read is told while it goes on. What the summary says is tied to the parts themselves, not
//! to the notes. Without a language model there is no summary.

use super::assemble::{Source, bare_hit};
use super::route::Subject;
use super::top_k::{Asking, answer_tokens};
use super::{Answer, AskEvent, named, prompt};
use crate::domain::{DocumentId, Span};
use crate::error::{EngineError, Result};
use crate::library::Pause;
use crate::prompt::{Language, Prompt, defused};
use crate::retrieve::trace::stage;
use crate::retrieve::{Cost, Filter, Hit, Sought, inventory};
use crate::seams::{Finish, GenerateRequest, LanguageModel, Message, ModelError};
use std::collections::HashSet;
use std::time::Instant;

/// Documents that the words of a question may name together.
const NAMED: usize = 8;
/// Tokens of the notes on a part.
const NOTES: usize = 120;
/// Parts that are read; of more it is said how many were not.
const PARTS: usize = 200;
/// Tokens that instructions and fences cost.
const FRAME: usize = 200;

const PART: Prompt = Prompt::new(
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/part.en.md")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/part.zh.md")),
);
const SUMMARY: Prompt = Prompt::new(
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/summary.en.md")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/summary.zh.md")),
);

impl Asking<'_> {
    /// A summary of what the question names; an answer from passages where it names nothing that is there.
    pub(super) fn summary(
        &mut self,
        subject: &Subject,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer> {
        let documents = self.subject(subject)?;
        if documents.is_empty() {
            return self.from_passages(on_event);
        }
        let model = match self.model(&[])? {
            Ok(model) => model,
            Err(answer) => return Ok(Answer { mode: "summary", ..answer }),
        };
        let question = &self.request.search.query;
        let language = Language::of(question);
        let started = Instant::now();
        let budget = self.room(&*model, question)?;
        let count = |text: &str| -> Result<usize> { Ok(model.count_tokens(text)?) };
        let mut parts = self.parts(&documents, budget, &count)?;
        let all = parts.len();
        parts.truncate(PARTS);
        self.tracer.end("assemble", started, Some(parts.len()), None);
        let hits: Vec<Hit> = parts.iter().map(|part| part.hit.clone()).collect();
        let read: HashSet<_> = parts.iter().map(|part| part.hit.document.id).collect();
        on_event(AskEvent::Stage { name: "read", passages: parts.len(), documents: read.len() });
        let whole: usize = parts.iter().map(|part| count(&part.text)).sum::<Result<usize>>()?;
        let messages = if whole <= budget {
            prompt::messages(language, &parts, &[], question)
        } else {
            let notes = self.notes(&*model, &parts, budget, on_event)?;
            let notes = notes.join("\n");
            SUMMARY.messages(
                language,
                &[],
                &[("documents", notes.as_str()), ("question", &defused(question))],
            )
        };
        let mut answer = self.generate(&*model, messages, &parts, &hits, on_event)?;
        if all > parts.len() {
            let said = match language {
                Language::English => format!("\n\nOnly {} of {all} parts were read.", parts.len()),
                Language::Chinese => format!("\n\n只读了 {all} 个部分中的 {} 个。", parts.len()),
            };
            on_event(AskEvent::Token(said.clone()));
            answer.text.push_str(&said);
        }
        if answer.mode != "stopped" {
            answer.mode = "summary";
        }
        Ok(answer)
    }

    /// The documents that are to be summarised.
    fn subject(&self, subject: &Subject) -> Result<Vec<DocumentId>> {
        if !self.request.documents.is_empty() {
            return Ok(self.request.documents.clone());
        }
        match subject {
            Subject::Attached => Ok(Vec::new()),
            Subject::Document(words) => named::by_words(self.libraries, words, NAMED),
            Subject::Folder(name) => {
                let mut filter = Filter::default();
                filter.add("path", &format!("{}/**", name.trim_matches('/')), false)?;
                let scope = &self.request.search.filter;
                let found = inventory(self.libraries, scope, &filter, Sought::Any, self.cancel)?;
                Ok(found.held.into_iter().map(|held| held.document.id).collect())
            }
        }
    }

    /// Tokens of documents that the model reads at once.
    fn room(&self, model: &dyn LanguageModel, question: &str) -> Result<usize> {
        let spec = model.spec();
        let taken = answer_tokens(spec.local) + model.count_tokens(question)? + FRAME;
        Ok(spec.context_tokens.saturating_sub(taken).min(spec.reads_tokens).max(NOTES))
    }

    /// The documents cut into parts of at most `budget` tokens, along their passages.
    fn parts(&self, documents: &[DocumentId], budget: usize, count: &Cost<'_>) -> Result<Vec<Source>> {
        let mut parts: Vec<Source> = Vec::new();
        for id in documents {
            for library in self.libraries {
                self.cancel.check()?;
                let document = match library.document(*id) {
                    Ok(document) if document.version.is_some() => document,
                    Ok(_) | Err(EngineError::NotFound { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let version = library.version_text(*id, None)?;
                let mut open: Option<(Span, usize)> = None;
                let passages = library.passages(*id, None)?;
                let mut close = |span: Span| {
                    let first = passages.iter().find(|passage| passage.span.end > span.start);
                    if let (Some(passage), Some(text)) = (first, span.of(&version.markdown)) {
                        let hit = bare_hit(library.id(), document.clone(), passage.clone(), parts.len() + 1);
                        parts.push(Source { hit, span, text: text.to_owned() });
                    }
                };
                for passage in &passages {
                    let cost = count(&passage.text)?;
                    open = match open {
                        Some((span, spent)) if spent + cost <= budget => {
                            Some((Span::new(span.start, passage.span.end), spent + cost))
                        }
                        before => {
                            if let Some((span, _)) = before {
                                close(span);
                            }
                            Some((passage.span, cost))
                        }
                    };
                }
                if let Some((span, _)) = open {
                    close(span);
                }
            }
        }
        Ok(parts)
    }

    /// Notes on each part, and on groups of notes until they fit together.
    fn notes(
        &mut self,
        model: &dyn LanguageModel,
        parts: &[Source],
        budget: usize,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Vec<String>> {
        on_event(AskEvent::stage("summarise"));
        let started = Instant::now();
        let _pause = model.spec().local.then(|| Pause::new(self.libraries));
        let mut spent = 0;
        let mut notes = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            on_event(AskEvent::Progress { done: at, total: parts.len() });
            let text = prompt::document(at + 1, part);
            notes.push(self.noted(model, &text, &mut spent)?);
        }
        on_event(AskEvent::Progress { done: parts.len(), total: parts.len() });
        let tokens = |notes: &[String]| -> Result<usize> { Ok(model.count_tokens(&notes.join("\n"))?) };
        while notes.len() > 1 && tokens(&notes)? > budget {
            let before = notes.len();
            let mut groups: Vec<String> = Vec::new();
            let mut open = String::new();
            for note in notes {
                if !open.is_empty() && model.count_tokens(&format!("{open}\n{note}"))? > budget {
                    groups.push(std::mem::take(&mut open));
                }
                open.push_str(&note);
                open.push('\n');
            }
            groups.push(open);
            notes = groups.iter().map(|group| self.noted(model, group, &mut spent)).collect::<Result<_>>()?;
            if notes.len() >= before {
                break;
            }
        }
        let note = format!("{} parts read", parts.len());
        let done = stage("summarise", started, Some(parts.len()), Some(note));
        self.tracer.extend([done.by(&model.spec().id).spent(spent)]);
        Ok(notes)
    }

    fn noted(&self, model: &dyn LanguageModel, text: &str, spent: &mut usize) -> Result<String> {
        self.cancel.check()?;
        let messages: Vec<Message> = PART.messages(Language::of(text), &[], &[("documents", text)]);
        let request = GenerateRequest { messages, max_tokens: NOTES, temperature: 0.0 };
        let mut said = String::new();
        let generated = model.generate(&request, self.cancel, &mut |piece| said.push_str(piece))?;
        if generated.finish == Finish::Cancelled {
            return Err(ModelError::Cancelled.into());
        }
        *spent += generated.prompt_tokens + generated.tokens;
        Ok(defused(said.trim()))
    }
}
