//! Answering from all documents: which ones fit, and how many of how many. No passage is left out for being one of many, and no model asked.

use super::assemble::bare_hit;
use super::route::Inventory as Asked;
use super::top_k::Asking;
use super::{Answer, AskEvent, Citation, Claim, NoAnswer, Verdict, nothing, without};
use crate::domain::{Passage, Span};
use crate::error::{EngineError, Result};
use crate::prompt::Language;
use crate::retrieve::{self, Filter, Held, Inventory, Sought, Trace};
use std::time::Instant;

/// Documents that are listed; of more, how many more there are.
const LISTED: usize = 500;

impl Asking<'_> {
    /// Which documents fit, with each as a source.
    pub(super) fn from_inventory(
        &mut self,
        asked: &Asked,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer> {
        on_event(AskEvent::stage("inventory"));
        let started = Instant::now();
        let mut filter = Filter::default();
        for kind in asked.thing.types() {
            filter.add("type", kind, false)?;
        }
        for (key, value) in &asked.filters {
            filter.add(key, value, false)?;
        }
        let about = asked.about.as_deref().map(without_article);
        let sought = match &about {
            None => Sought::Any,
            Some(about) if asked.mention => Sought::Together(about),
            Some(about) => Sought::Each(about),
        };
        let scope = &self.request.search.filter;
        let found = match retrieve::inventory(self.libraries, scope, &filter, sought, self.cancel) {
            Ok(found) => found,
            Err(error @ (EngineError::Index(_) | EngineError::Ledger(_) | EngineError::Internal(_))) => {
                self.tracer.end("inventory", started, None, Some(error.to_string()));
                return Ok(without(NoAnswer::RetrievalFailed, &[]));
            }
            Err(error) => return Err(error),
        };
        let note = format!("{} of {} documents", found.held.len(), found.of);
        self.tracer.end("inventory", started, Some(found.held.len()), Some(note));

        let started = Instant::now();
        let mut citations = Vec::new();
        for held in found.held.iter().take(LISTED) {
            self.cancel.check()?;
            citations.push(self.cited(held, sought, citations.len() as u32 + 1)?);
        }
        self.tracer.end("cite", started, Some(citations.iter().flatten().count()), None);
        let written = Written::of(asked, &found, &citations, &self.request.search.query);
        on_event(AskEvent::Token(written.text.clone()));
        for citation in citations.iter().flatten() {
            on_event(AskEvent::Citation(Box::new(citation.clone())));
        }
        for claim in &written.claims {
            on_event(AskEvent::Claim(claim.clone()));
        }
        let is_empty = found.held.is_empty();
        Ok(Answer {
            text: written.text,
            grounded: !is_empty,
            reason: is_empty.then_some(NoAnswer::NotInLibrary),
            mode: "exhaustive",
            citations: citations.into_iter().flatten().collect(),
            faithfulness: (!written.claims.is_empty()).then_some(1.0),
            claims: written.claims,
            ..nothing(Trace::default())
        })
    }

    /// A document as a source: the sentence of it that tells why it fits. `None` where it went meanwhile.
    fn cited(&self, held: &Held, sought: Sought<'_>, number: u32) -> Result<Option<Citation>> {
        let Some(library) = self.libraries.iter().find(|library| library.id() == held.library) else {
            return Ok(None);
        };
        let passage: Option<Passage> = match held.passage {
            Some(id) => library.live_passages(&[id])?.into_iter().next(),
            None => match library.passages(held.document.id, None) {
                Ok(passages) => passages.into_iter().next(),
                Err(EngineError::NotFound { .. }) => None,
                Err(error) => return Err(error),
            },
        };
        let Some(passage) = passage else { return Ok(None) };
        let span = retrieve::telling(&passage.text, sought).unwrap_or(Span::new(0, passage.text.len()));
        let Some(quote) = passage.text.get(span.start..span.end) else { return Ok(None) };
        let (quote, start) = (quote.to_owned(), passage.span.start + span.start);
        let hit = bare_hit(library.id(), held.document.clone(), passage, number as usize);
        Ok(Some(Citation { number, quote_start: start, quote_end: start + quote.len(), quote, hit }))
    }
}

/// What is spoken of, without an article in front.
fn without_article(about: &str) -> String {
    let lower = about.to_lowercase();
    let article = ["the ", "a ", "an ", "my ", "our "].iter().find(|article| lower.starts_with(**article));
    article.and_then(|article| about.get(article.len()..)).unwrap_or(about).trim().to_owned()
}

/// The text of such an answer, with a claim for the count and one for each document.
struct Written {
    text: String,
    claims: Vec<Claim>,
}

impl Written {
    fn of(asked: &Asked, found: &Inventory, citations: &[Option<Citation>], question: &str) -> Self {
        let language = Language::of(question);
        let mut written = Self { text: String::new(), claims: Vec::new() };
        let numbers: Vec<u32> = citations.iter().flatten().map(|citation| citation.number).collect();
        written.claim(&headline(asked, found, language), numbers);
        for (held, citation) in found.held.iter().zip(citations) {
            written.text.push_str("\n- ");
            let same_title =
                found.held.iter().filter(|other| other.document.title == held.document.title).count() > 1;
            let path = String::from_utf8_lossy(&held.document.path);
            let name = if same_title {
                format!("{} ({path})", held.document.title)
            } else {
                held.document.title.clone()
            };
            let name = name.replace('\n', " ");
            match citation {
                Some(citation) => {
                    written.claim(&name, vec![citation.number]);
                    written.text.push_str(&format!(" [{}]", citation.number));
                }
                None => written.text.push_str(&name),
            }
        }
        let left = found.held.len().saturating_sub(LISTED);
        for note in notes(found, left, language) {
            written.text.push_str("\n\n");
            written.text.push_str(&note);
        }
        written
    }

    fn claim(&mut self, text: &str, citations: Vec<u32>) {
        let start = self.text.len();
        self.text.push_str(text);
        let verdict = if citations.is_empty() { Verdict::Unsupported } else { Verdict::Supported };
        if !citations.is_empty() {
            self.claims.push(Claim {
                text: text.to_owned(),
                start,
                end: self.text.len(),
                citations,
                verdict,
            });
        }
    }
}

/// "3 of 30 documents mention “Li Wei”:"
fn headline(asked: &Asked, found: &Inventory, language: Language) -> String {
    let (count, of) = (found.held.len(), found.of);
    let end = |cjk: bool| match (count, cjk) {
        (0, true) => "。",
        (0, false) => ".",
        (_, true) => "：",
        (_, false) => ":",
    };
    let about = asked.about.as_deref().map(without_article);
    let filters: Vec<String> = asked.filters.iter().map(|(key, value)| format!("{key}:{value}")).collect();
    match language {
        Language::English => {
            let mut said = Vec::new();
            let one = count == 1;
            if !asked.thing.types().is_empty() {
                let (be, article) = if one { ("is one of the", "") } else { ("are", "") };
                said.push(format!(
                    "{be} {article}{}",
                    if asked.thing.name() == "pdf" { "PDF files" } else { asked.thing.name() }
                ));
            }
            if let Some(about) = &about {
                let verb = match (asked.mention, one) {
                    (true, true) => "mentions",
                    (true, false) => "mention",
                    (false, true) => "speaks of",
                    (false, false) => "speak of",
                };
                said.push(format!("{verb} “{about}”"));
            }
            if !filters.is_empty() {
                said.push(format!("{} {}", if one { "fits" } else { "fit" }, filters.join(" ")));
            }
            if said.is_empty() {
                said.push(if one { "is searchable" } else { "are searchable" }.to_owned());
            }
            let documents = if of == 1 { "document" } else { "documents" };
            format!("{count} of {of} {documents} {}{}", said.join(" and "), end(false))
        }
        Language::Chinese => {
            let mut said = Vec::new();
            if !asked.thing.types().is_empty() {
                said.push(format!("是{}", in_chinese(asked.thing.name())));
            }
            if let Some(about) = &about {
                said.push(format!("{}“{about}”", if asked.mention { "提到" } else { "涉及" }));
            }
            if !filters.is_empty() {
                said.push(format!("符合 {}", filters.join(" ")));
            }
            if said.is_empty() {
                said.push("可供检索".to_owned());
            }
            format!("{of} 个文档中有 {count} 个{}{}", said.join("，并且"), end(true))
        }
    }
}

fn in_chinese(thing: &str) -> &'static str {
    match thing {
        "pdf" => " PDF 文件",
        "notes" => "笔记",
        "mails" => "邮件",
        "spreadsheets" => "表格",
        "presentations" => "演示文稿",
        "web pages" => "网页",
        "pictures" => "图片",
        "recordings" => "录音",
        "books" => "电子书",
        "source files" => "代码文件",
        "word documents" => " Word 文档",
        _ => "文档",
    }
}

/// What keeps the count from being the whole truth.
fn notes(found: &Inventory, left: usize, language: Language) -> Vec<String> {
    let english = language == Language::English;
    let mut notes = Vec::new();
    if left > 0 {
        notes.push(if english {
            format!("{left} more are not listed here.")
        } else {
            format!("另有 {left} 个没有列出。")
        });
    }
    if found.unread > 0 {
        notes.push(if english {
            format!("{} more could not be read so far and were not looked at.", found.unread)
        } else {
            format!("还有 {} 个文档尚未能读取，没有计入。", found.unread)
        });
    }
    if found.is_behind {
        notes.push(if english {
            "The index of words is being brought up to date: documents may be missing here.".to_owned()
        } else {
            "词语索引正在更新：这里可能缺少文档。".to_owned()
        });
    }
    notes
}
