//! A reranker without a model: the share of the question's words that stand in a passage.

use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{ModelError, Reranker};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Deterministic; prefers what holds a word that it was told to favour, then what holds many words of the question. Counts the pairs that
/// it judged, and fails when told to.
pub struct WordReranker {
    key: String,
    favoured: Mutex<Option<String>>,
    failures: AtomicUsize,
    judged: AtomicUsize,
}

impl WordReranker {
    /// A reranker with this model and revision.
    pub fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            favoured: Mutex::default(),
            failures: AtomicUsize::new(0),
            judged: AtomicUsize::new(0),
        }
    }

    /// The same, which takes passages with this word for the best.
    #[must_use]
    pub fn favouring(self, word: &str) -> Self {
        *self.favoured.lock().unwrap_or_else(PoisonError::into_inner) = Some(word.to_lowercase());
        self
    }

    /// The next `n` calls fail.
    pub fn fail(&self, n: usize) {
        self.failures.store(n, Ordering::SeqCst);
    }

    /// Pairs that it judged so far.
    pub fn judged(&self) -> usize {
        self.judged.load(Ordering::SeqCst)
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

impl Reranker for WordReranker {
    fn key(&self) -> &str {
        &self.key
    }

    fn score(&self, query: &str, passages: &[&str], cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let failing = |left: usize| left.checked_sub(1);
        if self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, failing).is_ok() {
            return Err(ModelError::Failed("told to fail".to_owned()));
        }
        self.judged.fetch_add(passages.len(), Ordering::SeqCst);
        let asked = words(query);
        let favoured = self.favoured.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let score = |passage: &&str| {
            let there = words(passage);
            let share =
                asked.iter().filter(|word| there.contains(word)).count() as f32 / asked.len().max(1) as f32;
            let is_favoured = favoured.as_ref().is_some_and(|word| there.contains(word));
            if is_favoured { 0.5 + 0.5 * share } else { 0.5 * share }
        };
        Ok(passages.iter().map(score).collect())
    }
}
