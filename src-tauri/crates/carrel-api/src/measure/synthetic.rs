//! Vectors made from the text itself instead of by the model, so that a library of a million passages is built in minutes: what a search
//! costs does not depend on what the vectors mean. Questions are embedded by the model, which is what is measured.

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::EmbeddingSpace;
use carrel_engine::seams::{
    EmbedKind, Embedder, LanguageModel, ModelError, ModelProvider, Tokenizer, Transcriber,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Topics around which vectors lie: without any, no graph over them could be walked.
const TOPICS: u64 = 2_000;
/// How far a vector lies from its topic.
const SPREAD: f32 = 0.7;

/// Models whose embedder makes up the vectors of passages.
pub(super) struct SyntheticModels {
    inner: Arc<dyn ModelProvider>,
    /// While set, passages are embedded by the model as well.
    pub(super) embeds: Arc<AtomicBool>,
}

impl SyntheticModels {
    pub(super) fn new(inner: Arc<dyn ModelProvider>) -> Self {
        Self { inner, embeds: Arc::default() }
    }
}

impl ModelProvider for SyntheticModels {
    fn default_embedder(&self) -> Option<String> {
        self.inner.default_embedder()
    }

    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        let inner = self.inner.embedder(id)?;
        let space = EmbeddingSpace { precision: "synthetic".to_owned(), ..inner.space().clone() };
        Ok(Arc::new(SyntheticEmbedder { inner, space, embeds: Arc::clone(&self.embeds) }))
    }

    fn language_model(&self, id: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError> {
        self.inner.language_model(id)
    }

    fn default_transcriber(&self) -> Option<String> {
        self.inner.default_transcriber()
    }

    fn transcriber(&self) -> Result<Arc<dyn Transcriber>, ModelError> {
        self.inner.transcriber()
    }
}

struct SyntheticEmbedder {
    inner: Arc<dyn Embedder>,
    space: EmbeddingSpace,
    embeds: Arc<AtomicBool>,
}

impl Embedder for SyntheticEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        self.inner.tokenizer()
    }

    fn embed(&self, kind: EmbedKind, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        if kind == EmbedKind::Query || self.embeds.load(Ordering::Relaxed) {
            return self.inner.embed(kind, texts, cancel);
        }
        Ok(texts.iter().map(|text| vector(text, self.space.dimensions as usize)).collect())
    }
}

/// A vector of length 1 that depends on the text alone.
fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut own = blake3::Hasher::new().update(text.as_bytes()).finalize_xof();
    let mut seed = [0; 8];
    own.fill(&mut seed);
    let topic = u64::from_le_bytes(seed) % TOPICS;
    let mut of_topic = blake3::Hasher::new().update(&topic.to_le_bytes()).finalize_xof();
    let number = |from: &mut blake3::OutputReader| {
        let mut bytes = [0; 2];
        from.fill(&mut bytes);
        f32::from(i16::from_le_bytes(bytes)) / 32_768.0
    };
    let raw: Vec<f32> = (0..dimensions).map(|_| number(&mut of_topic) + SPREAD * number(&mut own)).collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    raw.into_iter().map(|x| x / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_has_the_same_vector_and_another_has_another() {
        let (one, two) = (vector("one", 384), vector("two", 384));
        assert_eq!(one, vector("one", 384));
        assert_ne!(one, two);
        assert!((one.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}
