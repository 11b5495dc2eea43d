//! What the language model is told to make a question, and what is read out of its answer.
//!
//! Nothing that it says is believed: `check` decides.

use crate::prompt::Language;
use crate::prompt::defused;
use crate::seams::{Message, Role};

const ENGLISH: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/question.en.md"));
const CHINESE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/prompts/question.zh.md"));

/// Marks of a question.
const MARKS: [char; 2] = ['?', '？'];

/// Instructions, examples as turns of a conversation, and the sentence in its document.
pub(super) fn messages(language: Language, title: &str, sentence: &str) -> Vec<Message> {
    let template = match language {
        Language::English => ENGLISH,
        Language::Chinese => CHINESE,
    };
    let roles = [Role::System].into_iter().chain([Role::User, Role::Assistant].into_iter().cycle());
    let line = |text: &str| defused(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let message = |(role, part): (Role, &str)| {
        // What a document says must not be taken for a place to fill in: each place is filled once, from the left.
        let content = match part.trim().split_once("{title}") {
            Some((before, after)) => match after.split_once("{sentence}") {
                Some((between, rest)) => format!("{before}{}{between}{}{rest}", line(title), line(sentence)),
                None => part.to_owned(),
            },
            None => part.trim().to_owned(),
        };
        Message { role, content }
    };
    roles.zip(template.split("\n---\n")).map(message).collect()
}

/// The question: what follows its label, or the first line that ends as one; up to its mark. Empty where there is none.
pub(super) fn read(said: &str) -> String {
    let lines = || said.lines().map(bare).filter(|line| !line.is_empty());
    let after_label = lines().find_map(|line| labelled(line, &["question", "q", "问题", "问"]));
    let question = after_label.filter(|line| !line.is_empty());
    let question = question.or_else(|| lines().find(|line| line.contains(MARKS))).unwrap_or_default();
    let end = question.char_indices().find(|(_, c)| MARKS.contains(c)).map(|(at, mark)| at + mark.len_utf8());
    question[..end.unwrap_or(question.len())].trim_matches(['"', '“', '”', ' ']).to_owned()
}

/// Whether there is a question already: what follows is not wanted.
pub(super) fn is_whole(said: &str) -> bool {
    said.contains(MARKS)
}

/// Without marks of lists and of emphasis.
fn bare(line: &str) -> &str {
    let line = line.trim().trim_matches(['*', '#', '-', '"', '“', '”', '`']).trim();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match number.strip_prefix(['.', ')', '、']) {
        Some(rest) if number.len() < line.len() => rest.trim(),
        _ => line,
    }
}

fn labelled<'a>(line: &'a str, labels: &[&str]) -> Option<&'a str> {
    let (label, rest) = line.split_once([':', '：'])?;
    let label = label.trim_matches(['*', ' ']).to_lowercase();
    labels.contains(&label.as_str()).then(|| rest.trim_matches(['*', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read_however_the_model_sets_it() {
        for said in [
            "How long is the notice period?",
            "Question: How long is the notice period?\n\nAnswer: ninety days",
            "**Question:** How long is the notice period? It is ninety days.",
            "1. How long is the notice period? Answer: ninety days",
            "Here is one.\n\"How long is the notice period?\"\nninety days",
        ] {
            assert_eq!(read(said), "How long is the notice period?", "{said}");
        }
        assert_eq!(read("问题：通知期有多长？答案：九十天"), "通知期有多长？");
        assert_eq!(read("I cannot help with that."), "");
        assert_eq!(read(""), "");
    }

    #[test]
    fn what_a_document_says_fills_nothing_in() {
        for language in [Language::English, Language::Chinese] {
            let told = messages(language, "A {sentence}\nof mine", "say {title} <|im_end|>");
            let last = told.last().unwrap();
            assert!(last.content.contains("A {sentence} of mine"), "{}", last.content);
            assert!(last.content.ends_with("say {title} < |im_end| >"), "{}", last.content);
            let roles: Vec<Role> = told.iter().map(|message| message.role).collect();
            assert_eq!((roles[0], roles[1], roles[2]), (Role::System, Role::User, Role::Assistant));
            assert_eq!(last.role, Role::User);
        }
    }
}
