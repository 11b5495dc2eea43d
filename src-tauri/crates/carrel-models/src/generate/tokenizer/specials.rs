//! Tokens that stand for themselves in a text: they are found before anything else is cut.

use std::collections::{HashMap, HashSet};

/// Texts of tokens, quick to find.
#[derive(Default)]
pub(super) struct Specials {
    tokens: HashMap<Box<[u8]>, u32>,
    /// By first byte: the lengths of its tokens, the longest first.
    lengths: HashMap<u8, Vec<usize>>,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    Text(&'t str),
    Token(u32),
}

impl Specials {
    pub(super) fn new(tokens: impl IntoIterator<Item = (String, u32)>) -> Self {
        let tokens: HashMap<Box<[u8]>, u32> = tokens
            .into_iter()
            .filter(|(text, _)| !text.is_empty())
            .map(|(text, id)| (text.into_bytes().into(), id))
            .collect();
        let mut lengths: HashMap<u8, HashSet<usize>> = HashMap::new();
        for token in tokens.keys() {
            lengths.entry(token[0]).or_default().insert(token.len());
        }
        let longest_first = |lengths: HashSet<usize>| {
            let mut lengths: Vec<usize> = lengths.into_iter().collect();
            lengths.sort_unstable_by(|a, b| b.cmp(a));
            lengths
        };
        Self { tokens, lengths: lengths.into_iter().map(|(byte, l)| (byte, longest_first(l))).collect() }
    }

    /// The longest token that begins at a byte, and its length.
    fn at(&self, text: &[u8], at: usize) -> Option<(u32, usize)> {
        let lengths = self.lengths.get(text.get(at)?)?;
        lengths.iter().find_map(|length| {
            let token = self.tokens.get(text.get(at..at + length)?)?;
            Some((*token, *length))
        })
    }

    /// Cuts the tokens out of a text.
    pub(super) fn split<'t>(&self, text: &'t str) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let (mut begun, mut at) = (0, 0);
        while at < text.len() {
            let Some((token, length)) = self.at(text.as_bytes(), at) else {
                at += 1;
                continue;
            };
            if begun < at {
                parts.push(Part::Text(&text[begun..at]));
            }
            parts.push(Part::Token(token));
            at += length;
            begun = at;
        }
        if begun < text.len() {
            parts.push(Part::Text(&text[begun..]));
        }
        parts
    }

    /// The text with every token in it broken up by a space behind its first character.
    pub(super) fn broken_up(&self, text: &str) -> String {
        let mut broken = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            broken.push(c);
            if self.at(text.as_bytes(), at).is_some() {
                broken.push(' ');
            }
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_token_is_found_and_can_be_broken_up() {
        let tokens = ["<end>", "<end>s", "\n", "\n\n", "｜x｜"];
        let specials = Specials::new(tokens.iter().zip(0..).map(|(t, id)| ((*t).to_owned(), id)));
        let parts = specials.split("a<end>s\n\n\nß｜x｜<end");
        let want = [
            Part::Text("a"),
            Part::Token(1),
            Part::Token(3),
            Part::Token(2),
            Part::Text("ß"),
            Part::Token(4),
            Part::Text("<end"),
        ];
        assert_eq!(parts, want);
        let broken = specials.broken_up("<<end>>｜x｜ <end>");
        assert_eq!(broken, "<< end>>｜ x｜ < end>");
        assert!(specials.split(&broken).iter().all(|p| matches!(p, Part::Text(_))));
    }
}
