//! The local embedder: tokenizer, encoder and inference workers behind the engine's seam.
//!
//! It never truncates, pads, or invents a vector: a text above the window, a non-finite number or a wrong dimension is
//! an error.
//! Invariant: the same text gives the same vector alone and in any batch (cosine ≥ 0.9999).

mod bert;
pub(crate) mod pool;
mod tokenizer;
mod weights;

#[cfg(test)]
mod tests;

use crate::catalogue::{CatalogueModel, Embedding};
use crate::kernels;
use bert::Bert;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::EmbeddingSpace;
use carrel_engine::seams::{EmbedKind, Embedder, ModelError, Tokenizer};
use pool::{Lane, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;
use tokenizer::EmbedTokenizer;

/// About 50 ms of one core for a model of MiniLM's size: what a question may have to wait for.
const BATCH_TOKENS: usize = 256;
/// How often a waiting caller looks at its cancel flag.
const LOOK: Duration = Duration::from_millis(20);

/// An encoder on this machine's processor.
pub(crate) struct LocalEmbedder {
    space: EmbeddingSpace,
    normalise: bool,
    tokenizer: EmbedTokenizer,
    bert: Arc<Bert>,
    pool: Arc<Pool>,
}

impl LocalEmbedder {
    /// Loads the model from its snapshot folder. Refuses files that do not match what the catalogue says of it.
    pub(crate) fn open(
        model: &CatalogueModel,
        embedding: &Embedding,
        folder: &Path,
        file_hash: &str,
        pool: Arc<Pool>,
    ) -> Result<Self, ModelError> {
        let damaged = |detail: String| ModelError::Damaged { id: model.id.clone(), detail };
        let bert = Bert::open(folder, &model.id, embedding.pooling)?;
        if bert.dimensions() != embedding.dimensions as usize {
            return Err(damaged(format!(
                "its vectors have {} dimensions, the catalogue says {}",
                bert.dimensions(),
                embedding.dimensions
            )));
        }
        if bert.positions() < embedding.window as usize {
            return Err(damaged(format!(
                "it reads {} tokens, the catalogue says {}",
                bert.positions(),
                embedding.window
            )));
        }
        let tokenizer_id = format!("{}@{}", model.id, model.revision.get(..8).unwrap_or(&model.revision));
        let tokenizer = EmbedTokenizer::open(folder, &model.id, tokenizer_id, &embedding.passage_prefix)?;
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
            floor: embedding.floor,
        };
        Ok(Self { space, normalise: embedding.normalise, tokenizer, bert: Arc::new(bert), pool })
    }

    /// The tokens of `text` without special ones and without any prefix.
    pub(crate) fn plain_ids(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        self.tokenizer.plain_ids(text)
    }

    /// The tokens of `text` with special ones.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        self.tokenizer.ids(text)
    }

    /// One vector per token sequence, in order.
    pub(crate) fn embed_ids(
        &self,
        lane: Lane,
        sequences: Vec<Vec<u32>>,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let window = self.space.window as usize;
        if let Some(long) = sequences.iter().find(|s| s.len() > window) {
            return Err(ModelError::TooLong { tokens: long.len(), window });
        }
        let mut vectors = vec![Vec::new(); sequences.len()];
        let mut batches = batches(sequences).into_iter();
        let in_flight = 2 * self.pool.threads();
        let (done, results) = sync_channel(in_flight);
        let mut running = 0;
        loop {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            while running < in_flight
                && let Some(batch) = batches.next()
            {
                let (bert, cancel, done) = (Arc::clone(&self.bert), cancel.clone(), done.clone());
                let job = move |scratch: &mut bert::Scratch| {
                    let vectors = if cancel.is_cancelled() {
                        Err(ModelError::Cancelled)
                    } else {
                        // A panic must reach the caller, who would wait for it for ever.
                        catch_unwind(AssertUnwindSafe(|| bert.forward(&batch.sequences, scratch)))
                            .unwrap_or_else(|_| Err(stopped()))
                    };
                    // The caller may have left.
                    let _ = done.send((batch.places, vectors));
                };
                self.pool.submit(lane, Box::new(job));
                running += 1;
            }
            if running == 0 {
                return Ok(vectors);
            }
            match results.recv_timeout(LOOK) {
                Ok((places, batch)) => {
                    running -= 1;
                    for (place, vector) in places.into_iter().zip(batch?) {
                        vectors[place] = self.checked(vector)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(stopped()),
            }
        }
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

fn stopped() -> ModelError {
    ModelError::Failed("an inference worker stopped".into())
}

struct Batch {
    /// Where the vectors go.
    places: Vec<usize>,
    sequences: Vec<Vec<u32>>,
}

/// Longest first, so that no long batch is left alone at the end, and each within the token budget.
fn batches(sequences: Vec<Vec<u32>>) -> Vec<Batch> {
    let mut sorted: Vec<(usize, Vec<u32>)> = sequences.into_iter().enumerate().collect();
    sorted.sort_by_key(|(_, s)| std::cmp::Reverse(s.len()));
    let mut batches: Vec<Batch> = Vec::new();
    let mut tokens = usize::MAX;
    for (place, sequence) in sorted {
        if tokens.saturating_add(sequence.len()) > BATCH_TOKENS {
            batches.push(Batch { places: Vec::new(), sequences: Vec::new() });
            tokens = 0;
        }
        tokens += sequence.len();
        if let Some(batch) = batches.last_mut() {
            batch.places.push(place);
            batch.sequences.push(sequence);
        }
    }
    batches
}

impl Embedder for LocalEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        &self.tokenizer
    }

    fn embed(&self, kind: EmbedKind, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        let (prefix, lane) = match kind {
            EmbedKind::Passage => (&self.space.passage_prefix, Lane::Passage),
            EmbedKind::Query => (&self.space.query_prefix, Lane::Query),
        };
        let mut sequences = Vec::with_capacity(texts.len());
        for text in texts {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            sequences.push(if prefix.is_empty() {
                self.ids(text)?
            } else {
                self.ids(&format!("{prefix}{text}"))?
            });
        }
        self.embed_ids(lane, sequences, cancel)
    }
}
