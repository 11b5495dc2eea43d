//! An embedder without a model: words hashed to directions, so that texts with the same words are near.

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{EmbeddingSpace, Metric, Span};
use carrel_engine::seams::{EmbedKind, Embedder, ModelError, Tokenizer};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Splits at white space; a token is a run of at most [`WordTokenizer::LONGEST`] characters.
pub struct WordTokenizer {
    id: String,
}

impl WordTokenizer {
    /// Characters of the longest token, so that an endless word is many.
    pub const LONGEST: usize = 12;
}

impl Tokenizer for WordTokenizer {
    fn id(&self) -> &str {
        &self.id
    }

    fn token_spans(&self, text: &str) -> Result<Vec<Span>, ModelError> {
        let mut spans = Vec::new();
        let mut open: Option<(usize, usize)> = None;
        for (at, c) in text.char_indices() {
            let full = open.is_some_and(|(_, n)| n == Self::LONGEST);
            if (c.is_whitespace() || full)
                && let Some((start, _)) = open.take()
            {
                spans.push(Span::new(start, at));
            }
            if !c.is_whitespace() {
                let (start, n) = open.unwrap_or((at, 0));
                open = Some((start, n + 1));
            }
        }
        if let Some((start, _)) = open {
            spans.push(Span::new(start, text.len()));
        }
        Ok(spans)
    }

    fn overhead(&self) -> usize {
        2
    }
}

/// Deterministic: the same text gives the same vector, texts that share words are near, a synonym is not. Counts what it
/// embedded, and fails when told to.
pub struct HashEmbedder {
    space: EmbeddingSpace,
    tokenizer: WordTokenizer,
    failures: AtomicUsize,
    embedded: Mutex<BTreeMap<String, usize>>,
}

impl HashEmbedder {
    /// An embedder with this model id and vectors of this length.
    pub fn new(model: &str, dimensions: u32) -> Self {
        Self {
            space: EmbeddingSpace {
                model: model.to_owned(),
                revision: "test".to_owned(),
                file_hash: "0".repeat(64),
                precision: "f32".to_owned(),
                pooling: "mean".to_owned(),
                query_prefix: String::new(),
                passage_prefix: String::new(),
                window: 256,
                dimensions,
                metric: Metric::Cosine,
                scripts: vec!["Latn".to_owned()],
                languages: Vec::new(),
                floor: 0.2,
            },
            tokenizer: WordTokenizer { id: format!("{model}-words") },
            failures: AtomicUsize::new(0),
            embedded: Mutex::default(),
        }
    }

    /// The next `n` calls fail.
    pub fn fail(&self, n: usize) {
        self.failures.store(n, Ordering::SeqCst);
    }

    /// How many passages it embedded.
    pub fn passages_embedded(&self) -> usize {
        self.lock().values().sum()
    }

    /// The passages that it embedded.
    pub fn texts(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Passages that it embedded more than once.
    pub fn embedded_again(&self) -> Vec<String> {
        self.lock().iter().filter(|(_, n)| **n > 1).map(|(text, _)| text.clone()).collect()
    }

    /// Forgets what it counted.
    pub fn reset(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, usize>> {
        self.embedded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The vector of a text.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let dimensions = self.space.dimensions as usize;
        let mut vector = vec![0.0_f32; dimensions];
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let hash = blake3::hash(word.to_lowercase().as_bytes());
            // Eight directions a word: enough that different words hardly meet.
            for pair in hash.as_bytes()[..24].chunks_exact(3) {
                let at = (usize::from(pair[0]) << 8 | usize::from(pair[1])) % dimensions;
                vector[at] += if pair[2] & 1 == 0 { 1.0 } else { -1.0 };
            }
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length == 0.0 {
            vector[0] = 1.0;
        } else {
            for number in &mut vector {
                *number /= length;
            }
        }
        vector
    }
}

impl Embedder for HashEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        &self.tokenizer
    }

    fn embed(&self, kind: EmbedKind, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let failing = |left: usize| left.checked_sub(1);
        if self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, failing).is_ok() {
            return Err(ModelError::Failed("told to fail".to_owned()));
        }
        for text in texts {
            let tokens = self.tokenizer.count(text)? + self.tokenizer.overhead();
            if tokens > self.space.window as usize {
                return Err(ModelError::TooLong { tokens, window: self.space.window as usize });
            }
        }
        if kind == EmbedKind::Passage {
            let mut embedded = self.lock();
            for text in texts {
                *embedded.entry((*text).to_owned()).or_default() += 1;
            }
        }
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}
