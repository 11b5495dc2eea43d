//! Counting without an embedder: one token per Unicode word, Han and kana one each.

use crate::domain::Span;
use crate::seams::{ModelError, Tokenizer};
use unicode_segmentation::UnicodeSegmentation;

/// Counts Unicode words (UAX 29); each Han character is one. Used where no embedder is installed.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordsTokenizer;

impl WordsTokenizer {
    /// The name that stands in a generation.
    pub const ID: &str = "words";
}

impl Tokenizer for WordsTokenizer {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn token_spans(&self, text: &str) -> Result<Vec<Span>, ModelError> {
        Ok(text.unicode_word_indices().map(|(at, word)| Span::new(at, at + word.len())).collect())
    }

    fn count(&self, text: &str) -> Result<usize, ModelError> {
        Ok(text.unicode_words().count())
    }

    fn overhead(&self) -> usize {
        0
    }
}
