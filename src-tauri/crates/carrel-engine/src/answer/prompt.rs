//! What the language model is told.
//!
//! Document text is data: it is fenced, said to be data, and can neither close its fence nor speak the model's own control
//! words. Nothing that a model answers has effects: it has no tools.

use super::assemble::Source;
use super::language::Language;
use crate::domain::Location;
use crate::seams::{Message, Role};

const ENGLISH: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/answer.en.md"));
const CHINESE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/answer.zh.md"));

/// Opens and closes the text of a document.
const FENCE: &str = "\"\"\"";

/// The conversation for a question: instructions, earlier turns, documents with the question.
pub(super) fn messages(
    language: Language,
    sources: &[Source],
    history: &[Message],
    question: &str,
) -> Vec<Message> {
    let template = match language {
        Language::English => ENGLISH,
        Language::Chinese => CHINESE,
    };
    let (system, user) = template.split_once("\n---\n").unwrap_or((template, "{documents}\n\n{question}"));
    let documents: Vec<String> = sources.iter().enumerate().map(|(i, s)| document(i + 1, s)).collect();
    // The question goes in first: what a document says must not be taken for a place to fill in.
    let (before, after) = user.trim().split_once("{documents}").unwrap_or(("", user));
    let user = format!(
        "{}{}{}",
        before.replace("{question}", &defused(question)),
        documents.join("\n\n"),
        after.replace("{question}", &defused(question))
    );
    let mut messages = vec![Message { role: Role::System, content: system.trim().to_owned() }];
    messages.extend(history.iter().map(|m| Message { role: m.role, content: defused(&m.content) }));
    messages.push(Message { role: Role::User, content: user });
    messages
}

/// One document as it stands in the prompt.
pub(super) fn document(number: usize, source: &Source) -> String {
    let mut head = format!("[{number}] {}", defused(&source.hit.document.title).replace('\n', " "));
    let place = place(&source.hit.passage.location);
    let date = source.hit.document.modified.map(|t| t.to_string().chars().take(10).collect::<String>());
    let details: Vec<String> = place.into_iter().chain(date).collect();
    if !details.is_empty() {
        head.push_str(&format!(" ({})", details.join(", ")));
    }
    format!("{head}\n{FENCE}\n{}\n{FENCE}", defused(source.text.trim()))
}

fn place(location: &Location) -> Option<String> {
    if let Some(page) = location.page {
        return Some(match location.page_end {
            Some(last) => format!("p. {page}-{last}"),
            None => format!("p. {page}"),
        });
    }
    location
        .sheet
        .clone()
        .or_else(|| location.slide.map(|n| format!("slide {n}")))
        .or_else(|| location.chapter.clone())
}

/// Text that cannot close its fence, and in which the control words of chat templates are plain text.
pub(crate) fn defused(text: &str) -> String {
    text.replace(FENCE, "'''")
        .replace("<|", "< |")
        .replace("|>", "| >")
        .replace("[INST]", "[ INST]")
        .replace("[/INST]", "[ /INST]")
}
