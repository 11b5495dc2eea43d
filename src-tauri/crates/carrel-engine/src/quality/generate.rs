//! Makes questions of a library's own passages, by the language model where it speaks their language, by code otherwise.
//!
//! Each is kept as soon as it passes the check, and a passage that was tried is noted, so that a work that was stopped goes on
//! where it was. Invariant: nothing is kept that its passage does not answer.

use super::check::{Asked, Check, Content, Fault, is_number};
use super::made::{self, Made, POINTING};
use super::prompt;
use super::run::Progress;
use super::sample::{self, Sampled};
use super::types::{Question, QuestionKind, Right};
use crate::cancel::Cancel;
use crate::domain::{QuestionId, Span};
use crate::error::{EngineError, Result};
use crate::index::lexical::{LexicalQuery, Statistics};
use crate::library::Library;
use crate::prompt::Language;
use crate::retrieve::{self, Hit, SearchRequest};
use crate::seams::{Finish, GenerateRequest, LanguageModel, ModelError, ModelProvider};
use crate::text::{WordLanguage, analyze_query, names, plain_text, sentences};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Passages that are tried for each question that is wanted.
const TRIES: usize = 4;
/// Tokens of a question.
const TOKENS: usize = 60;
/// Characters of a sentence that a question is made of.
const SENTENCE: std::ops::RangeInclusive<usize> = 35..=320;
/// The same in Chinese.
const SENTENCE_ZH: std::ops::RangeInclusive<usize> = 12..=120;
/// Other passages that may answer a question too: copies, and what is said twice.
const ELSEWHERE: usize = 1;
/// Rare is what stands in this share of the passages, or in so few.
const RARE: (f64, u64) = (0.05, 4);
/// Key of the ledger: passages that were tried.
const TRIED: &str = "quality.tried";

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generated {
    /// New questions, which are kept.
    pub questions: Vec<Question>,
    /// Passages that were tried.
    pub tried: usize,
    /// Drafts that were thrown away, by what was wrong with them.
    pub refused: BTreeMap<Fault, usize>,
    /// The language model that was asked; `None` where there was none.
    pub model: Option<String>,
}

/// Makes questions until there are `wanted` more that were not written by a person, or nothing is left to try.
pub fn generate(
    library: &Arc<Library>,
    wanted: usize,
    models: &dyn ModelProvider,
    progress: Progress<'_>,
    cancel: &Cancel,
) -> Result<Generated> {
    let model = match models.language_model(None) {
        Ok(model) => Some(model),
        Err(ModelError::NotInstalled { .. } | ModelError::LeftOut { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let tried: Vec<i64> = library.note(TRIED)?.unwrap_or_default();
    let mut making = Making {
        library,
        models,
        model,
        cancel,
        texts: library.questions()?.into_iter().map(|q| q.question.text).collect(),
        tried: tried.into_iter().collect(),
        done: Generated::default(),
    };
    making.done.model = making.model.as_ref().map(|model| model.spec().id.clone());
    making.all(wanted, progress)?;
    Ok(making.done)
}

struct Making<'a> {
    library: &'a Arc<Library>,
    models: &'a dyn ModelProvider,
    model: Option<Arc<dyn LanguageModel>>,
    cancel: &'a Cancel,
    texts: HashSet<String>,
    tried: HashSet<i64>,
    done: Generated,
}

/// A question that passed, before it is written down.
struct Accepted {
    text: String,
    kind: QuestionKind,
    answer: Option<String>,
    /// In the version's Markdown.
    span: Span,
}

impl Making<'_> {
    fn all(&mut self, wanted: usize, progress: Progress<'_>) -> Result<()> {
        let sample = sample::passages(self.library, (wanted + self.tried.len()) * TRIES, self.cancel)?;
        let mut left_over = Vec::new();
        for sampled in sample {
            if self.done.questions.len() >= wanted || self.done.tried >= wanted * TRIES {
                break;
            }
            self.cancel.check()?;
            progress(self.done.questions.len(), wanted);
            if !self.tried.insert(sampled.passage.id.0) {
                continue;
            }
            self.done.tried += 1;
            let speaks =
                self.model.as_ref().filter(|m| sampled.language.is_among(&m.spec().languages)).cloned();
            // What a function does is no sentence.
            let speaks = speaks.filter(|_| !sampled.document.is_code());
            let accepted = match speaks {
                Some(model) => self.asked(&*model, &sampled)?,
                None => self.made(&sampled)?,
            };
            match accepted {
                Some(accepted) => self.keep(&sampled, accepted)?,
                None if self.model.is_some() => left_over.push(sampled),
                None => {}
            }
        }
        // What the model could not make a question of, code may.
        for sampled in left_over {
            if self.done.questions.len() >= wanted {
                break;
            }
            self.cancel.check()?;
            progress(self.done.questions.len(), wanted);
            if let Some(accepted) = self.made(&sampled)? {
                self.keep(&sampled, accepted)?;
            }
        }
        self.library.set_note(TRIED, &self.tried)?;
        progress(self.done.questions.len(), wanted);
        Ok(())
    }

    /// A question for the most telling sentence of a passage.
    fn asked(&mut self, model: &dyn LanguageModel, sampled: &Sampled) -> Result<Option<Accepted>> {
        let text = &sampled.passage.text;
        let Some(span) = telling(text, sampled.language) else { return Ok(None) };
        let sentence = plain_text(span.of(text).unwrap_or_default(), sampled.document.is_code());
        let messages = prompt::messages(sampled.language, &place(sampled), &sentence);
        let request = GenerateRequest::new(messages, TOKENS);
        let mut said = String::new();
        let generated = {
            let _pause = model.spec().local.then(|| Paused::new(self.library));
            let halt = self.cancel.child();
            model.generate(&request, &halt, &mut |piece| {
                said.push_str(piece);
                // One question was asked for.
                if prompt::is_whole(&said) {
                    halt.cancel();
                }
            })?
        };
        self.cancel.check()?;
        if generated.finish == Finish::Cancelled && !prompt::is_whole(&said) {
            return Err(EngineError::Cancelled);
        }
        let question = prompt::read(&said);
        let mut checked = self.check(sampled, &question, Some(&sentence))?;
        let (asked, answering) = (Asked::of(&question, &self.languages()), Content::of(&sentence));
        if !asked.terms.iter().any(|forms| answering.holds(forms)) {
            // It is about the title alone.
            checked = checked.and(Err(Fault::NotAnswered));
        }
        if let Err(fault) = checked {
            tracing::debug!(fault = fault.as_str(), question, sentence, "a draft of a question is refused");
            *self.done.refused.entry(fault).or_default() += 1;
            return Ok(None);
        }
        let start = sampled.passage.span.start;
        let span = Span::new(start + span.start, start + span.end);
        Ok(Some(Accepted { text: question, kind: QuestionKind::Generated, answer: Some(sentence), span }))
    }

    fn made(&mut self, sampled: &Sampled) -> Result<Option<Accepted>> {
        let source = made::Source {
            language: sampled.language,
            title: &sampled.document.title,
            headings: &sampled.passage.heading_path,
            text: &sampled.passage.text,
        };
        let mut last = None;
        for Made { question, span } in made::questions(&source) {
            match self.check(sampled, &question, None)? {
                Ok(()) => {
                    let start = sampled.passage.span.start;
                    let span = Span::new(start + span.start, start + span.end);
                    return Ok(Some(Accepted {
                        text: question,
                        kind: QuestionKind::Made,
                        answer: None,
                        span,
                    }));
                }
                Err(fault) => last = Some(fault),
            }
        }
        if let Some(fault) = last {
            *self.done.refused.entry(fault).or_default() += 1;
        }
        Ok(None)
    }

    /// `answer`: none where the question is made by code, of which only what it asks about is checked.
    fn check(&self, sampled: &Sampled, question: &str, answer: Option<&str>) -> Result<Result<(), Fault>> {
        if self.texts.contains(question) {
            return Ok(Err(Fault::Twice));
        }
        let set = self.library.shared.index_set();
        let snapshot = set.lexical().snapshot();
        let query = LexicalQuery::new(&analyze_query(question, false, snapshot.languages()), &[&*snapshot])?;
        let statistics = Statistics::of(&query, &[&*snapshot])?;
        let weight = |forms: &[String]| statistics.rarity(forms);
        let most = RARE.1.max((snapshot.len() as f64 * RARE.0) as u64);
        let is_rare = |forms: &[String]| (1..=most).contains(&statistics.passages_with(forms));
        let passage = Content::of(&sampled.plain);
        // A question must be about the sentence that answers it, not only about its neighbours.
        let said = answer.unwrap_or(&sampled.plain);
        let about = subject(said, &sampled.document.title, &sampled.passage.heading_path);
        let check = Check {
            question,
            answer: said,
            languages: snapshot.languages(),
            passage: &passage,
            about: &about,
            weight: &weight,
            is_rare: &is_rare,
        };
        match (check.fault(), answer) {
            // Such a question repeats the passage's words, and some of its own ("say") stand nowhere.
            (None, _) | (Some(Fault::Copied | Fault::SaysItsAnswer | Fault::NotOfThePassage), None) => {}
            (Some(fault), _) => return Ok(Err(fault)),
        }
        let elsewhere = self.elsewhere(sampled, question, &weight)?;
        Ok(if elsewhere > ELSEWHERE { Err(Fault::AnsweredElsewhere) } else { Ok(()) })
    }

    /// Other passages that speak of the question as much as its own does: whether they answer it alike or otherwise, nobody who
    /// asked could tell them from the right one.
    fn elsewhere(
        &self,
        sampled: &Sampled,
        question: &str,
        weight: &dyn Fn(&[String]) -> f32,
    ) -> Result<usize> {
        let libraries = std::slice::from_ref(self.library);
        let found = retrieve::search(libraries, &SearchRequest::new(question), self.models, self.cancel)?;
        let asked = Asked::of(question, &self.languages());
        let own = subject(&sampled.plain, &sampled.document.title, &sampled.passage.heading_path);
        let least = own.share(&asked, weight) - 0.05;
        let same = |hit: &&Hit| {
            hit.document.id == sampled.document.id
                && (hit.passage.span.overlaps(&sampled.passage.span)
                    || hit.passage.heading_path == sampled.passage.heading_path)
        };
        let speaks = |hit: &&Hit| {
            let about = subject(&hit.passage.text, &hit.document.title, &hit.passage.heading_path);
            about.share(&asked, weight) >= least
        };
        Ok(found.hits.iter().filter(|hit| !same(hit)).filter(speaks).count())
    }

    /// Of the library, besides English.
    fn languages(&self) -> Vec<WordLanguage> {
        self.library.shared.index_set().lexical().snapshot().languages().to_vec()
    }

    fn keep(&mut self, sampled: &Sampled, accepted: Accepted) -> Result<()> {
        let version = sampled.passage.version;
        let text = self.library.version_text(sampled.document.id, Some(version))?;
        let quote = accepted.span.of(&text.markdown).unwrap_or_default().to_owned();
        let question = Question {
            id: QuestionId::random(),
            text: accepted.text,
            kind: accepted.kind,
            answer: accepted.answer,
            right: vec![Right {
                document: sampled.document.id,
                title: sampled.document.title.clone(),
                version,
                span: Some(accepted.span),
                quote,
            }],
            created: self.library.now(),
        };
        self.library.add_question(&question)?;
        self.library.set_note(TRIED, &self.tried)?;
        self.texts.insert(question.text.clone());
        self.done.questions.push(question);
        Ok(())
    }
}

/// A passage with its title and headings.
fn subject(text: &str, title: &str, headings: &[String]) -> Content {
    Content::of(&format!("{title}\n{}\n{text}", headings.join("\n")))
}

/// Where a passage stands, for a reader: its document and the heading above it.
fn place(sampled: &Sampled) -> String {
    let title = sampled.document.title.trim();
    match sampled.passage.heading_path.last().map(|heading| heading.trim()) {
        Some(heading) if heading != title && !heading.is_empty() => format!("{title}, {heading}"),
        _ => title.to_owned(),
    }
}

/// The sentence of a passage that says the most: numbers and names first, then content. `None` where each is too short, too
/// long, or goes on from what stands before it.
fn telling(text: &str, language: Language) -> Option<Span> {
    let fit = |span: &Span| {
        let sentence = span.of(text).unwrap_or_default();
        let characters = match language {
            Language::English => SENTENCE,
            Language::Chinese => SENTENCE_ZH,
        };
        let first = sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
        characters.contains(&sentence.chars().count())
            && !sentence.starts_with(['#', '|', '`'])
            && !sentence.ends_with([':', '：', '?', '？'])
            && first.is_some_and(|word| !POINTING.contains(&word.to_lowercase().as_str()))
    };
    let worth = |span: &Span| {
        let sentence = span.of(text).unwrap_or_default();
        let content = Asked::of(sentence, &[WordLanguage::of(sentence)]);
        let numbers = content.terms.iter().filter(|forms| is_number(forms)).count();
        (3 * numbers + 2 * names(sentence).len()).min(6) + content.terms.len().min(8)
    };
    // Of equals the first.
    sentences(text).into_iter().filter(fit).rev().max_by_key(worth)
}

/// Ingest of a library pauses while this lives: the model needs the processor.
struct Paused<'a>(&'a Library);

impl<'a> Paused<'a> {
    fn new(library: &'a Library) -> Self {
        library.pause_ingest(true);
        Self(library)
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.pause_ingest(false);
    }
}
