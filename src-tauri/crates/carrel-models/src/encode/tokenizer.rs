//! A model's own tokenizer, read from `tokenizer.json`, with truncation and padding switched off.
//!
//! Invariant: what it counts is what the model reads; nothing is cut or filled up.

use super::Tokens;

use carrel_engine::domain::Span;
use carrel_engine::seams::{ModelError, Tokenizer};
use std::path::Path;

/// A tokenizer with the prefixes of its model.
pub(crate) struct TextTokenizer {
    inner: tokenizers::Tokenizer,
    id: String,
    overhead: usize,
}

impl TextTokenizer {
    /// Reads `tokenizer.json` of `folder`. `id` names tokenizer and revision.
    pub(crate) fn open(
        folder: &Path,
        model: &str,
        id: String,
        passage_prefix: &str,
    ) -> Result<Self, ModelError> {
        let damaged = |detail: String| ModelError::Damaged {
            id: model.to_owned(),
            detail: format!("tokenizer.json: {detail}"),
        };
        let file = std::fs::read(folder.join("tokenizer.json")).map_err(|e| damaged(e.to_string()))?;
        let mut inner = tokenizers::Tokenizer::from_bytes(file).map_err(|e| damaged(e.to_string()))?;
        // Files as published cut at, and fill up to, 128 tokens.
        inner.with_truncation(None).map_err(|e| damaged(e.to_string()))?;
        inner.with_padding(None);
        let mut tokenizer = Self { inner, id, overhead: 0 };
        tokenizer.overhead = tokenizer.ids(passage_prefix)?.len();
        Ok(tokenizer)
    }

    /// The tokens of `text` with special ones, as the model reads them.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = self.inner.encode_fast(text, true).map_err(failed)?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The same tokenizer, to which nothing in a text is a control token.
    pub(crate) fn literal(&self) -> Self {
        let mut inner = self.inner.clone();
        inner.set_encode_special_tokens(true);
        Self { inner, id: self.id.clone(), overhead: self.overhead }
    }

    /// The id of a token.
    pub(crate) fn id_of(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    /// How the model reads two texts at once. Refuses a tokenizer that knows no pairs.
    pub(crate) fn frame(&self) -> Result<Frame, ModelError> {
        let pair = self.inner.encode_fast(("a", "b"), true).map_err(failed)?;
        let sides = pair.get_sequence_ids();
        let last = |side: usize| sides.iter().rposition(|s| *s == Some(side));
        let first = |side: usize| sides.iter().position(|s| *s == Some(side));
        let (Some(a), Some(a_end), Some(b), Some(b_end)) = (first(0), last(0), first(1), last(1)) else {
            return Err(ModelError::Failed("its tokenizer does not say how two texts are read".into()));
        };
        let ids = pair.get_ids();
        let part = |from: usize, to: usize| ids.get(from..to).unwrap_or_default().to_vec();
        let (open, middle, close) = (part(0, a), part(a_end + 1, b), part(b_end + 1, ids.len()));
        let kinds = pair.get_type_ids();
        let told = kinds.get(b) == Some(&1);
        Ok(Frame { open, middle, close, told })
    }

    /// The tokens of `text` without special ones.
    pub(crate) fn plain_ids(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = self.inner.encode_fast(text, false).map_err(failed)?;
        Ok(encoding.get_ids().to_vec())
    }
}

/// The special tokens around a pair of texts.
pub(crate) struct Frame {
    open: Vec<u32>,
    middle: Vec<u32>,
    close: Vec<u32>,
    /// Whether the second text is marked as such.
    told: bool,
}

impl Frame {
    /// Special tokens that a pair costs.
    pub(crate) fn cost(&self) -> usize {
        self.open.len() + self.middle.len() + self.close.len()
    }

    /// The pair as the model reads it.
    pub(crate) fn pair(&self, first: &[u32], second: &[u32]) -> Tokens {
        let ids = [&self.open, first, &self.middle, second, &self.close].concat();
        let second = if self.told { self.open.len() + first.len() + self.middle.len() } else { ids.len() };
        Tokens { ids, second }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where an error is mapped")]
fn failed(error: tokenizers::Error) -> ModelError {
    ModelError::Failed(format!("the tokenizer failed: {error}"))
}

impl Tokenizer for TextTokenizer {
    fn id(&self) -> &str {
        &self.id
    }

    fn token_spans(&self, text: &str) -> Result<Vec<Span>, ModelError> {
        let encoding = self.inner.encode(text, false).map_err(failed)?;
        // Offsets refer to the text as given. A character that normalisation splits up gives several tokens the same
        // span, and one that it drops can leave them out of step; spans must ascend and lie on characters.
        let mut last = (0, 0);
        let spans = encoding.get_offsets().iter().map(|&(start, end)| {
            let start = floor(text, start.max(last.0));
            let end = ceil(text, end.max(start).max(last.1));
            last = (start, end);
            Span::new(start, end)
        });
        Ok(spans.collect())
    }

    fn count(&self, text: &str) -> Result<usize, ModelError> {
        Ok(self.inner.encode_fast(text, false).map_err(failed)?.len())
    }

    fn overhead(&self) -> usize {
        self.overhead
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
