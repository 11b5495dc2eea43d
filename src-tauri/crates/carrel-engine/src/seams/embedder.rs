//! Embedding texts.

use super::ModelError;
use crate::cancel::Cancel;
use crate::domain::{EmbeddingSpace, Span};

/// What a text is, for models with prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EmbedKind {
    /// A passage; embedded in the bulk lane.
    Passage,
    /// A question; it takes the next free worker, ahead of passages.
    Query,
}

/// The embedder's own tokenizer, for chunking.
pub trait Tokenizer: Send + Sync {
    /// Name and revision, kept in the generation.
    fn id(&self) -> &str;

    /// Byte spans of the tokens of `text`, ascending, without special tokens. Nothing is truncated.
    fn token_spans(&self, text: &str) -> Result<Vec<Span>, ModelError>;

    /// Tokens of `text` without special tokens.
    fn count(&self, text: &str) -> Result<usize, ModelError> {
        Ok(self.token_spans(text)?.len())
    }

    /// Special tokens and passage prefix that every passage costs besides its text.
    fn overhead(&self) -> usize;
}

/// Turns texts into vectors of one space.
pub trait Embedder: Send + Sync {
    /// The space of its vectors.
    fn space(&self) -> &EmbeddingSpace;

    /// Its tokenizer.
    fn tokenizer(&self) -> &dyn Tokenizer;

    /// One vector per text, in order, each of `space().dimensions` finite numbers, normalised where the space says so.
    /// The model's prefix is added here. The same text gives the same vector alone and in any batch (cosine ≥ 0.9999).
    /// A text above the window is [`ModelError::TooLong`], never truncated. Blocks; checks `cancel` at most 100 ms apart.
    fn embed(&self, kind: EmbedKind, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError>;
}
