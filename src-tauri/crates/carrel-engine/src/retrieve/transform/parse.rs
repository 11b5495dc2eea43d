//! From what a model said to questions that can be searched.
//!
//! Models number, quote, introduce, repeat and wander. Refuses what is empty, too long, in another language, or the question again:
//! a search that is not made costs nothing.

use crate::prompt::Language;
use crate::text::{fold_key, sentences};
use std::collections::HashSet;

/// Characters that a question may have beyond three times the original's.
const LONGER: usize = 80;
/// Characters of a passage.
const PASSAGE: std::ops::RangeInclusive<usize> = 20..=1_200;

/// What may stand before a question, and a colon.
const LABELS: &[&str] = &[
    "query",
    "search",
    "question",
    "synonym",
    "specific",
    "broader",
    "broad",
    "rewritten",
    "reworded",
    "answer",
    "passage",
    "last",
    "complete",
    "simple",
    "sub",
    "检索",
    "查询",
    "问题",
    "同义",
    "具体",
    "宽泛",
    "改写",
    "回答",
    "段落",
    "答案",
];

/// At most `most` questions, each once, none of them the question itself.
pub(super) fn questions(said: &str, question: &str, most: usize) -> Vec<String> {
    let mut known: HashSet<String> = HashSet::from([letters(question)]);
    let listed = listed(said);
    let lines = listed.iter().map(String::as_str).chain(if listed.is_empty() { said } else { "" }.lines());
    let mut found = Vec::new();
    for line in lines {
        let line = bare(line);
        if found.len() < most && is_question(line, question) && known.insert(letters(line)) {
            found.push(line.to_owned());
        }
    }
    found
}

/// The one question that was asked for: the first that can be searched.
pub(super) fn question(said: &str, question: &str) -> Option<String> {
    questions(said, question, 1).pop()
}

/// A passage; a repeated question before it and what does not end are left out.
pub(super) fn passage(said: &str, question: &str) -> Option<String> {
    let asked = letters(question);
    let lines = said.lines().map(bare).filter(|line| !line.is_empty() && letters(line) != asked);
    let text = lines.collect::<Vec<_>>().join(" ");
    let whole = sentences(&text);
    let last = whole.last().copied();
    // What was cut off by the limit of tokens is no sentence.
    let ends = |span: &crate::domain::Span| {
        span.of(&text).is_some_and(|s| s.ends_with(['.', '!', '?', '。', '！', '？', '”', '"', '」']))
    };
    let end = whole.iter().rev().find(|span| ends(span)).or(last.as_ref())?.end;
    let text = text[..end].trim();
    let fits = PASSAGE.contains(&text.chars().count()) && Language::of(text) == Language::of(question);
    fits.then(|| text.to_owned())
}

/// The strings of a JSON list, or of the values of an object; empty where there is none.
fn listed(said: &str) -> Vec<String> {
    fn strings(value: serde_json::Value, into: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => into.push(text),
            serde_json::Value::Array(values) => values.into_iter().for_each(|v| strings(v, into)),
            serde_json::Value::Object(fields) => fields.into_iter().for_each(|(_, v)| strings(v, into)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (opens, closes) in [('[', ']'), ('{', '}')] {
        if let (Some(from), Some(to)) = (said.find(opens), said.rfind(closes))
            && from < to
            && let Ok(value) = serde_json::from_str(&said[from..=to])
        {
            strings(value, &mut found);
            break;
        }
    }
    found
}

/// A line without its number, bullet, label, marks and quotes.
fn bare(line: &str) -> &str {
    let mut text = line.trim();
    loop {
        let before = text;
        text = text.trim_matches(|c: char| c.is_whitespace() || "*_`\"“”‘’「」『』#>•·".contains(c));
        text = text.trim_start_matches(['-', '–', '—', '+']).trim_start();
        text = text.trim_end_matches(',');
        text = unnumbered(text);
        text = unlabelled(text);
        if text == before {
            return text;
        }
    }
}

/// Without `1.`, `2)`, `(3)`, `4、` at the beginning. A number that belongs to the question stays.
fn unnumbered(text: &str) -> &str {
    let open = text.strip_prefix(['(', '（', '[']).unwrap_or(text);
    let rest = open.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == open.len() || open.len() - rest.len() > 2 {
        return text;
    }
    match rest.strip_prefix(['.', ')', '）', ']', '、', '．', ':', '：']) {
        // "3.5 litres" is no third line.
        Some(after) if !after.starts_with(|c: char| c.is_ascii_digit()) => after,
        _ => text,
    }
}

/// Without `Search query:`, `更具体：`, `Question 2:`.
fn unlabelled(text: &str) -> &str {
    let Some((label, rest)) = text.split_once([':', '：']) else { return text };
    let folded = fold_key(label);
    let is_label = label.chars().count() <= 24 && LABELS.iter().any(|word| folded.contains(word));
    if is_label { rest } else { text }
}

fn is_question(line: &str, question: &str) -> bool {
    let length = line.chars().count();
    length > 1
        && length <= 3 * question.chars().count() + LONGER
        && line.chars().any(char::is_alphabetic)
        // "Here are three searches:"
        && !line.ends_with([':', '：'])
        && Language::of(line) == Language::of(question)
}

fn letters(text: &str) -> String {
    fold_key(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &str = "How long is the notice period?";

    #[test]
    fn lists_of_every_form_become_questions() {
        let wanted = ["time to give notice", "notice period of a flat lease", "ending a contract"];
        for said in [
            "time to give notice\nnotice period of a flat lease\nending a contract",
            "Here are three searches:\n\n1. time to give notice\n2) \"notice period of a flat lease\"\n(3) ending a contract",
            "- **Synonyms:** time to give notice\n* More specific: notice period of a flat lease\n• Broader: ending a contract",
            "```json\n[\"time to give notice\", \"notice period of a flat lease\", \"ending a contract\"]\n```",
            "{\"queries\": [\"time to give notice\", \"notice period of a flat lease\", \"ending a contract\"]}",
            "Question: How long is the notice period?\ntime to give notice\nTime to give notice.\nnotice period of a flat lease\nending a contract\nand a fourth",
        ] {
            assert_eq!(questions(said, ASKED, 3), wanted, "{said}");
        }
        let chinese = questions(
            "1、退租要提前多久通知\n更宽泛：租赁合同的终止\nnotice period",
            "退租通知期是多久？",
            3,
        );
        assert_eq!(chinese, ["退租要提前多久通知", "租赁合同的终止"]);
    }

    #[test]
    fn what_cannot_be_searched_is_dropped() {
        for said in [
            "",
            "\n\n",
            "How long is the notice period",
            "“HOW LONG is the notice period?”",
            "1.\n2.\n-",
            "退租通知期",
            "[]",
            "Sure! Here they are:",
        ] {
            assert_eq!(questions(said, ASKED, 3), Vec::<String>::new(), "{said}");
        }
        assert!(questions(&"word ".repeat(200), ASKED, 3).is_empty());
        assert_eq!(questions("2024 notice periods\n3.5 months of notice", ASKED, 3).len(), 2);
        assert_eq!(
            question("Rewritten question: When was the Eiffel Tower finished?", "When was it finished?")
                .as_deref(),
            Some("When was the Eiffel Tower finished?")
        );
    }

    #[test]
    fn a_passage_ends_with_a_sentence_and_repeats_nothing() {
        let said = "How long is the notice period?\nPassage: The notice period is three months. It ends with a month. The land";
        assert_eq!(passage(said, ASKED).unwrap(), "The notice period is three months. It ends with a month.");
        for said in ["", "Yes.", "通知期为三个月，自月底起算，双方另有约定的除外。"] {
            assert_eq!(passage(said, ASKED), None, "{said}");
        }
    }
}
