//! How many tokens a text costs a model whose tokenizer is elsewhere: never fewer than any usual one makes.

use carrel_engine::domain::Span;
use carrel_engine::seams::{ModelError, Tokenizer};

/// Letters of a word that are one token at least.
const LETTERS: usize = 3;

/// Tokens that `text` costs at most, for any usual tokenizer: three letters a token, two tokens a character outside ASCII.
pub(super) fn estimate(text: &str) -> usize {
    let (mut letters, mut tokens) = (0usize, 0usize);
    for c in text.chars() {
        if c.is_ascii_alphabetic() || c == ' ' {
            letters += 1;
        } else if c.is_ascii() {
            tokens += 1;
        } else {
            tokens += 2;
        }
    }
    tokens + letters.div_ceil(LETTERS)
}

/// A tokenizer that makes as many tokens as [`estimate`] counts, or more.
pub(super) struct Estimate {
    /// Names it in a generation.
    pub(super) id: String,
    /// What a model adds to each passage.
    pub(super) overhead: usize,
}

impl Tokenizer for Estimate {
    fn id(&self) -> &str {
        &self.id
    }

    fn token_spans(&self, text: &str) -> Result<Vec<Span>, ModelError> {
        let mut spans: Vec<Span> = Vec::new();
        let mut letters = 0;
        for (start, c) in text.char_indices() {
            let span = Span::new(start, start + c.len_utf8());
            if c.is_ascii_alphabetic() || c == ' ' {
                match spans.last_mut() {
                    Some(last) if letters % LETTERS != 0 => last.end = span.end,
                    _ => spans.push(span),
                }
                letters += 1;
                continue;
            }
            letters = 0;
            spans.push(span);
            if !c.is_ascii() {
                spans.push(span);
            }
        }
        Ok(spans)
    }

    fn overhead(&self) -> usize {
        self.overhead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_estimated_upward() {
        // Counts by real tokenizers: 10 for the first, 7 to 12 for the second, 9 for the third.
        let texts =
            ["The quick brown fox jumps over the lazy dog.", "渡船中午离开港口。", "fn main() { x += 1; }"];
        let tokenizer = Estimate { id: "estimate".into(), overhead: 4 };
        for (text, real) in texts.iter().zip([10, 12, 9]) {
            assert!(estimate(text) >= real);
            assert!(tokenizer.count(text).unwrap() >= estimate(text), "{text}");
        }
    }

    #[test]
    fn spans_ascend_and_cover_the_text() {
        let text = "a bcd e1.渡é  z";
        let spans = Estimate { id: String::new(), overhead: 0 }.token_spans(text).unwrap();
        let mut last = Span::default();
        for span in &spans {
            assert!(span.of(text).is_some() && span.start >= last.start && span.end >= last.end);
            assert!(span.start <= last.end, "nothing is left out");
            last = *span;
        }
        assert_eq!(last.end, text.len());
    }
}
