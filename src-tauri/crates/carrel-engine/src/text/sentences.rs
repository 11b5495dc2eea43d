//! Splitting text into sentences, for citations.

use crate::domain::Span;
use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations after which a full stop does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "cf", "fig", "figs", "eq", "no", "vol",
    "pp", "al", "approx", "inc", "ltd", "co", "jr", "sr", "dept", "est",
];

/// Byte spans of the sentences of `text`, ascending, without the space around them. A line break after a blank line, a list
/// item or a table row ends a sentence as well. Text without sentences (spaces only) gives none.
pub fn sentences(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        // A line inside a paragraph goes on in the next one; anything else ends here.
        split_line(text, start, start + line.len(), &mut spans);
        start += line.len();
    }
    join_wrapped(text, spans)
}

fn split_line(text: &str, from: usize, to: usize, spans: &mut Vec<Span>) {
    let line = &text[from..to];
    let mut begin = 0;
    let mut graphemes = line.grapheme_indices(true).peekable();
    while let Some((at, g)) = graphemes.next() {
        let mut end = at + g.len();
        let ends = match g {
            "。" | "！" | "？" | "；" | "…" => true,
            "!" | "?" => graphemes.peek().is_none_or(|(_, next)| next.trim().is_empty() || is_closer(next)),
            "." => {
                graphemes
                    .peek()
                    .is_none_or(|(_, next)| next.trim().is_empty() || is_closer(next) || *next == "[")
                    && !is_abbreviation(&line[begin..at])
            }
            _ => false,
        };
        if !ends {
            continue;
        }
        while let Some((at, next)) = graphemes.peek() {
            if is_closer(next) || matches!(*next, "。" | "！" | "？" | "!" | "?" | "." | "…") {
                end = at + next.len();
                graphemes.next();
            } else {
                break;
            }
        }
        push(text, from + begin, from + end, spans);
        begin = end;
    }
    push(text, from + begin, to, spans);
}

fn is_closer(g: &str) -> bool {
    matches!(g, "\"" | "'" | "”" | "’" | "」" | "』" | "）" | ")" | "》" | "]" | "】" | "*" | "_")
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    let enumerator = !word.is_empty() && before.trim() == word && word.chars().all(|c| c.is_ascii_digit());
    initial || enumerator || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn push(text: &str, start: usize, end: usize, spans: &mut Vec<Span>) {
    let slice = &text[start..end];
    let trimmed = slice.trim();
    if trimmed.chars().any(char::is_alphanumeric) {
        let offset = start + (slice.len() - slice.trim_start().len());
        spans.push(Span::new(offset, offset + trimmed.len()));
    }
}

/// Joins a sentence that a line break cut in two: no end mark before it, and an ordinary word after it.
fn join_wrapped(text: &str, spans: Vec<Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        if let Some(last) = joined.last_mut() {
            let gap = &text[last.end..span.start];
            let one_break = gap.contains('\n') && gap.matches('\n').count() == 1 && gap.trim().is_empty();
            let before = text[last.start..last.end].chars().next_back().unwrap_or(' ');
            let first = text[last.start..last.end].chars().next().unwrap_or(' ');
            let next = text[span.start..span.end].chars().next().unwrap_or(' ');
            let open = before.is_alphanumeric() || matches!(before, ',' | ';' | '，' | '、' | '-');
            if one_break && open && next.is_alphabetic() && !matches!(first, '#' | '|') {
                last.end = span.end;
                continue;
            }
        }
        joined.push(span);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).iter().map(|s| &text[s.start..s.end]).collect()
    }

    #[test]
    fn sentences_of_both_languages() {
        assert_eq!(
            split("The tower is 324 m tall. It was built in 1889! Is it old? Yes."),
            ["The tower is 324 m tall.", "It was built in 1889!", "Is it old?", "Yes."]
        );
        assert_eq!(
            split("巴黎是首都。它在法国！真的吗？“是的。”他说。"),
            ["巴黎是首都。", "它在法国！", "真的吗？", "“是的。”", "他说。"]
        );
    }

    #[test]
    fn dots_inside_numbers_codes_and_abbreviations_do_not_end_one() {
        assert_eq!(
            split("Version 1.0.21 of Dr. Smith, e.g. this one, costs 3.5 euro."),
            ["Version 1.0.21 of Dr. Smith, e.g. this one, costs 3.5 euro."]
        );
        assert_eq!(split("1. First point"), ["1. First point"]);
    }

    #[test]
    fn lines_end_sentences_only_where_they_are_no_wrapping() {
        assert_eq!(
            split("# Title\n\nA line that\nis wrapped.\n- item one\n- item two"),
            ["# Title", "A line that\nis wrapped.", "- item one", "- item two"]
        );
        assert!(split(" \n ").is_empty());
    }
}
