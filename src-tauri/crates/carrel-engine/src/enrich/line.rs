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
    let repeats = letters(passage).contains(&letters(line));
    (fits && !repeats && stands_in(line, material)).then(|| line.to_owned())
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
            Some("本段说明水表的读数日期。")
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
