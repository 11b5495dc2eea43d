//! Words across the ends of lines.

use super::lines::is_cjk;
use super::page::{Page, lines_of};
use std::collections::HashSet;

/// Words that the document writes with a hyphen inside a line.
#[derive(Debug, Default)]
pub(super) struct Compounds(HashSet<String>);

impl Compounds {
    /// Gathers them from all lines.
    pub(super) fn of(pages: &[Page]) -> Self {
        let words = lines_of(pages).flat_map(|l| l.text.split(' ')).filter_map(|w| {
            let word = w.trim_matches(|c: char| !c.is_alphanumeric());
            word.contains('-').then(|| word.to_lowercase())
        });
        Self(words.collect())
    }

    /// Whether the parts on both sides of a line's end are one word with a hyphen.
    pub(super) fn keep(&self, text: &str, next: &str) -> bool {
        let before = text.rsplit(' ').next().unwrap_or_default();
        let after = next.split(' ').next().unwrap_or_default();
        let word = format!("{before}{after}").to_lowercase();
        self.0.contains(word.trim_matches(|c: char| !c.is_alphanumeric()))
    }
}

/// Appends a line: a hyphen of the line's end goes where a small letter follows, unless the document writes the word so;
/// scripts without spaces get none.
pub(super) fn join(text: &mut String, line: &str, compounds: &Compounds) {
    let line = line.trim();
    if line.is_empty() {
        return;
    }
    end_line(text, line, compounds);
    text.push_str(line);
}

/// Readies a text for the line that follows: without the hyphen of a word that goes on, with a blank where one is due.
pub(super) fn end_line(text: &mut String, next_line: &str, compounds: &Compounds) {
    match (text.chars().next_back(), next_line.chars().next()) {
        (None, _) => {}
        (Some('-'), Some(next)) => {
            let word = text.trim_end_matches('-').chars().next_back().is_some_and(char::is_alphabetic);
            if word && next.is_lowercase() && !compounds.keep(text, next_line) {
                text.pop();
            }
        }
        (Some(last), Some(next)) if is_cjk(last) && is_cjk(next) => {}
        _ => text.push(' '),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_join_as_words_do() {
        let known = Compounds(HashSet::from(["chat-optimized".to_owned()]));
        let mut text = String::new();
        for line in [
            "multi-agent conver-",
            "sation is",
            "state-of-the-",
            "Art, 知识库",
            "应当",
            "10-",
            "20 pages, (chat-",
            "optimized) x",
        ] {
            join(&mut text, line, &known);
        }
        assert_eq!(
            text,
            "multi-agent conversation is state-of-the-Art, 知识库应当 10-20 pages, (chat-optimized) x"
        );
    }
}
