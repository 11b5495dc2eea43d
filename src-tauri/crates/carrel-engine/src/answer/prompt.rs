//! What the language model is told.
//!
//! Document text is data: it is fenced, said to be data, and can neither close its fence nor speak the model's own control
//! words. Nothing that a model answers has effects: it has no tools.

use super::assemble::Source;
use crate::domain::Location;
use crate::prompt::{FENCE, Language, Prompt, defused};
use crate::seams::Message;

const ANSWER: Prompt = Prompt::new(
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/answer.en.md")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/answer.zh.md")),
);

/// The conversation for a question: instructions, earlier turns, documents with the question.
pub(super) fn messages(
    language: Language,
    sources: &[Source],
    history: &[Message],
    question: &str,
) -> Vec<Message> {
    let documents: Vec<String> = sources.iter().enumerate().map(|(i, s)| document(i + 1, s)).collect();
    let values = [("documents", documents.join("\n\n")), ("question", defused(question))];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    ANSWER.messages(language, history, &values)
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
