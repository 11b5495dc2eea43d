//! What is read out of a model's answer: one sentence that says nothing the document does not say.

use crate::prompt::Language;
use crate::text::{fold_key, name_key, names, sentences};
use std::collections::HashSet;

/// Characters of a line.
const LENGTH: std::ops::RangeInclusive<usize> = 12..=400;
/// The same in Chinese.
const LENGTH_ZH: std::ops::RangeInclusive<usize> = 6..=160;
/// Labels that models put in front.
const LABELS: [&str; 8] = ["context", "sentence", "answer", "line", "summary", "说明", "一句话", "概括"];
/// With which models begin, and which say nothing.
const BEGINNINGS: [&str; 3] = ["this passage ", "the passage ", "this text "];
const VERBS: [&str; 9] = [
    "is about ",
    "discusses ",
    "describes ",
    "explains ",
    "talks about ",
    "deals with ",
    "states that ",
    "says that ",
    "outlines ",
];
const BEGINNINGS_ZH: [&str; 6] = ["这个段落", "该段落", "这一段", "本段", "这段文字", "这段话"];
const VERBS_ZH: [&str; 9] =
    ["讲的是", "讲述了", "讲述", "介绍了", "介绍", "说明了", "说明", "描述了", "描述"];
/// Ends of a sentence.
const ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];

/// Whether a sentence is there already: what follows is not wanted.
pub(super) fn is_whole(said: &str) -> bool {
    let text = said.trim_start();
    // A first sentence is known to end when another begins.
    text.contains('\n') || sentences(text).len() > 1 || text.ends_with(['。', '！', '？'])
}

/// The first sentence; `None` where it is none, repeats the passage, or names and numbers what `material` does not.
pub(super) fn read(said: &str, material: &str, passage: &str) -> Option<String> {
    let text = said.lines().map(bare).find(|line| !line.is_empty())?;
    let first = sentences(text).first()?.of(text)?.trim();
    // Cut off by the limit of tokens: what is there says something, but not where it would have ended.
    let line = if first.ends_with(ENDS) { first } else { text };
    let language = Language::of(passage);
    let length = match language {
        Language::English => LENGTH,
        Language::Chinese => LENGTH_ZH,
    };
    let fits = length.contains(&line.chars().count()) && Language::of(line) == language;
    let line = &without_beginning(line);
    let repeats = letters(passage).contains(&letters(line));
    (fits && !repeats && stands_in(line, material)).then(|| line.clone())
}

/// Without "This passage is about".
fn without_beginning(line: &str) -> String {
    fn after<'l>(line: &'l str, beginnings: &[&str], verbs: &[&str]) -> Option<&'l str> {
        let cut = |text: &'l str, start: &str| {
            let (head, rest) = text.split_at_checked(start.len())?;
            head.eq_ignore_ascii_case(start).then_some(rest)
        };
        let rest = beginnings.iter().find_map(|beginning| cut(line, beginning))?;
        verbs.iter().find_map(|verb| cut(rest, verb))
    }
    let rest = after(line, &BEGINNINGS, &VERBS).or_else(|| after(line, &BEGINNINGS_ZH, &VERBS_ZH));
    let rest = rest.unwrap_or(line);
    let mut letters = rest.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether each name and number of a line stands in the material.
fn stands_in(line: &str, material: &str) -> bool {
    let folded = fold_key(material);
    let words: HashSet<&str> = folded.split(|c: char| !c.is_alphanumeric()).collect();
    let known = |word: &str| words.contains(word);
    let numbers = line.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let digits: HashSet<&str> = material.split(|c: char| !c.is_ascii_digit()).collect();
    // The first word has a capital whatever it is.
    let inner = line.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    numbers.into_iter().all(|number| digits.contains(number))
        && names(inner).iter().all(|name| {
            let key = name_key(name);
            folded.contains(&key) || key.split(' ').all(known)
        })
}

/// Without marks and a label.
fn bare(line: &str) -> &str {
    let marks = |c: char| c.is_whitespace() || "*_`\"“”「」#>•-".contains(c);
    let text = line.trim_matches(marks);
    match text.split_once([':', '：']) {
        Some((label, rest))
            if label.chars().count() <= 24 && LABELS.iter().any(|l| fold_key(label).contains(l)) =>
        {
            rest.trim_matches(marks)
        }
        _ => text,
    }
}

fn letters(text: &str) -> String {
    fold_key(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGE: &str =
        "It was extended to three months in 2021, and the owner must confirm it in writing.";
    const MATERIAL: &str = "Lease of the flat in Elm Street\nNotice\nIt was extended to three months in 2021, and the owner must confirm it in writing.";

    #[test]
    fn one_sentence_is_read_out_of_every_form() {
        let wanted = "The notice period of the flat in Elm Street was extended in 2021.";
        for said in [
            wanted.to_owned(),
            format!("Context: {wanted}"),
            format!("\n\n**Sentence:** \"{wanted}\"\nMore that nobody asked for."),
            format!("{wanted} Another sentence follows."),
        ] {
            assert_eq!(read(&said, MATERIAL, PASSAGE).as_deref(), Some(wanted), "{said}");
        }
        assert_eq!(
            read("说明：本段说明水表的读数日期。", "供水合同 水表 读数 日期", "每年十二月读数一次。")
                .as_deref(),
            Some("水表的读数日期。")
        );
        assert_eq!(
            read("This passage is about the notice period of the flat.", MATERIAL, PASSAGE).as_deref(),
            Some("The notice period of the flat.")
        );
    }

    #[test]
    fn what_the_document_does_not_say_is_refused() {
        for said in [
            "",
            "Yes.",
            "The notice period of the flat in Oak Avenue was extended.",
            "The notice period of the flat was extended in 2019.",
            "It was extended to three months in 2021, and the owner must confirm it in writing.",
            "本段说明通知期。",
        ] {
            assert_eq!(read(said, MATERIAL, PASSAGE), None, "{said}");
        }
    }
}
