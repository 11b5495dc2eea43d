//! Terms on their way to tantivy: one string per field, read by a tokenizer that only splits.
//!
//! The analyzer has made the terms already, with their positions; tantivy's own pre-tokenized values would go through JSON.

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

/// Name under which the tokenizer is registered.
pub(super) const NAME: &str = "packed";

/// Ends a term. No term holds it: it is neither letter nor digit.
const END: char = '\0';
/// A character that stands for a step of no position; the characters after it for more.
const STEP: u32 = 0x100;
const LONGEST_STEP: usize = 0xFF;

pub(super) fn tokenizer() -> TextAnalyzer {
    TextAnalyzer::builder(Packed).build()
}

/// Terms with ascending positions, as one string.
#[derive(Default)]
pub(super) struct Packer {
    text: String,
    position: usize,
}

impl Packer {
    /// Appends a term. A step of more than 255 positions is 255.
    pub(super) fn push(&mut self, term: &str, position: usize) {
        let step = position.saturating_sub(self.position).min(LONGEST_STEP);
        self.position = position.max(self.position);
        self.text.push(char::from_u32(STEP + step as u32).unwrap_or(END));
        self.text.push_str(term);
        self.text.push(END);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

#[derive(Clone, Copy)]
struct Packed;

impl Tokenizer for Packed {
    type TokenStream<'a> = Unpacked<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Unpacked<'a> {
        // The first step is from position 0.
        Unpacked { rest: text, token: Token { position: 0, ..Token::default() } }
    }
}

struct Unpacked<'a> {
    rest: &'a str,
    token: Token,
}

impl TokenStream for Unpacked<'_> {
    fn advance(&mut self) -> bool {
        let mut chars = self.rest.chars();
        let Some(step) = chars.next() else { return false };
        let Some((term, rest)) = chars.as_str().split_once(END) else { return false };
        self.token.position += u32::from(step).saturating_sub(STEP) as usize;
        self.token.text.clear();
        self.token.text.push_str(term);
        self.rest = rest;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_and_positions_come_out_as_they_went_in() {
        let terms =
            [("state-of-the-art", 0), ("state", 0), ("of", 1), ("频道", 17), ("c++", 17), ("far", 400)];
        let mut packer = Packer::default();
        for (term, position) in terms {
            packer.push(term, position);
        }
        let text = packer.finish();
        let mut packed = Packed;
        let mut stream = packed.token_stream(&text);
        let mut found = Vec::new();
        while stream.advance() {
            found.push((stream.token().text.clone(), stream.token().position));
        }
        let mut expected: Vec<(String, usize)> = terms.iter().map(|(t, p)| ((*t).to_owned(), *p)).collect();
        expected[5].1 = 17 + 255;
        assert_eq!(found, expected);
    }
}
