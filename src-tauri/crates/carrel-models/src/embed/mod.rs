//! The local embedder: tokenizer, encoder and inference workers behind the engine's seam.
//!
//! It never truncates, pads, or invents a vector: a text above the window, a non-finite number or a wrong dimension is
//! an error.
//! Invariant: the same text gives the same vector alone and in any batch (cosine ≥ 0.9999).

mod pooling;

#[cfg(test)]
mod tests;

use crate::catalogue::{CatalogueModel, Embedding};
use crate::encode::pool::{Lane, Pool};
use crate::encode::tokenizer::TextTokenizer;
use crate::encode::{Encoder, Tokens, encode, files, open};
use crate::kernels;
use candle_core::Device;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::EmbeddingSpace;
use carrel_engine::seams::{EmbedKind, Embedder, ModelError, Tokenizer};
use pooling::Head;
use std::path::Path;
use std::sync::Arc;

/// An encoder on this machine's processor.
pub(crate) struct LocalEmbedder {
    space: EmbeddingSpace,
    normalise: bool,
    tokenizer: TextTokenizer,
    encoder: Arc<dyn Encoder>,
    head: Arc<Head>,
    pool: Arc<Pool>,
}

impl LocalEmbedder {
    /// Loads the model from its snapshot folder onto `device`. Refuses files that do not match what the catalogue says of it.
    pub(crate) fn open(
        model: &CatalogueModel,
        embedding: &Embedding,
        folder: &Path,
        file_hash: &str,
        pool: Arc<Pool>,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let damaged = |detail: String| ModelError::Damaged { id: model.id.clone(), detail };
        let (config, mut weights) = files(folder, &model.id)?;
        let encoder = open(&config, &mut weights, device)?;
        let head = Head::open(folder, &model.id, embedding, encoder.width())?;
        if head.dimensions() != embedding.dimensions as usize {
            return Err(damaged(format!(
                "its vectors have {} dimensions, the catalogue says {}",
                head.dimensions(),
                embedding.dimensions
            )));
        }
        if encoder.positions() < embedding.window as usize {
            return Err(damaged(format!(
                "it reads {} tokens, the catalogue says {}",
                encoder.positions(),
                embedding.window
            )));
        }
        let tokenizer_id = format!("{}@{}", model.id, model.revision.get(..8).unwrap_or(&model.revision));
        let tokenizer = TextTokenizer::open(folder, &model.id, tokenizer_id, &embedding.passage_prefix)?;
        let space = EmbeddingSpace {
            model: model.id.clone(),
            revision: model.revision.clone(),
            file_hash: file_hash.to_owned(),
            precision: "f32".into(),
            pooling: embedding.pooling.as_str().into(),
            query_prefix: embedding.query_prefix.clone(),
            passage_prefix: embedding.passage_prefix.clone(),
            window: embedding.window,
            dimensions: embedding.dimensions,
            metric: embedding.metric,
            scripts: embedding.scripts.clone(),
            languages: model.languages.clone(),
            floor: embedding.floor,
        };
        let head = Arc::new(head);
        Ok(Self { space, normalise: embedding.normalise, tokenizer, encoder, head, pool })
    }

    /// The tokens of `text` without special ones and without any prefix.
    pub(crate) fn plain_ids(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        self.tokenizer.plain_ids(text)
    }

    /// The tokens of `text` with special ones.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        self.tokenizer.ids(text)
    }

    /// The tokens of `text` as the model reads a text of this kind.
    pub(crate) fn prefixed_ids(&self, kind: EmbedKind, text: &str) -> Result<Vec<u32>, ModelError> {
        let prefix = match kind {
            EmbedKind::Passage => &self.space.passage_prefix,
            EmbedKind::Query => &self.space.query_prefix,
        };
        if prefix.is_empty() { self.ids(text) } else { self.ids(&format!("{prefix}{text}")) }
    }

    /// Numbers of a token's row.
    pub(crate) fn width(&self) -> usize {
        self.encoder.width()
    }

    /// What `finish` makes of the token rows of each sequence, in order. Refuses a sequence above the window.
    pub(crate) fn each<T: Send + 'static>(
        &self,
        lane: Lane,
        sequences: Vec<Vec<u32>>,
        cancel: &Cancel,
        finish: impl Fn(&[f32]) -> T + Send + Sync + 'static,
    ) -> Result<Vec<T>, ModelError> {
        let window = self.space.window as usize;
        if let Some(long) = sequences.iter().find(|s| s.len() > window) {
            return Err(ModelError::TooLong { tokens: long.len(), window });
        }
        let sequences = sequences.into_iter().map(Tokens::from).collect();
        encode(&self.encoder, &self.pool, lane, sequences, cancel, finish)
    }

    /// One vector per token sequence, in order.
    pub(crate) fn embed_ids(
        &self,
        lane: Lane,
        sequences: Vec<Vec<u32>>,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let head = Arc::clone(&self.head);
        let vectors = self.each(lane, sequences, cancel, move |rows| head.vector(rows))?;
        vectors.into_iter().map(|vector| self.checked(vector)).collect()
    }

    fn checked(&self, mut vector: Vec<f32>) -> Result<Vec<f32>, ModelError> {
        let usable = if self.normalise {
            kernels::normalise(&mut vector)
        } else {
            vector.iter().all(|v| v.is_finite()) && vector.iter().any(|v| *v != 0.0)
        };
        if !usable || vector.len() != self.space.dimensions as usize {
            return Err(ModelError::Failed(format!("{} made a vector that is not usable", self.space.model)));
        }
        Ok(vector)
    }
}

impl Embedder for LocalEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        &self.tokenizer
    }

    fn embed(&self, kind: EmbedKind, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        let lane = match kind {
            EmbedKind::Passage => Lane::Passage,
            EmbedKind::Query => Lane::Query,
        };
        let mut sequences = Vec::with_capacity(texts.len());
        for text in texts {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            sequences.push(self.prefixed_ids(kind, text)?);
        }
        self.embed_ids(lane, sequences, cancel)
    }
}
