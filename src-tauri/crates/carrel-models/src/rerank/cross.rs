//! Cross-encoders on this machine's processor: models that read the question and a passage together.
//!
//! Sources: Nogueira and Cho 2019, arXiv 1901.04085; Zhang et al. 2025, arXiv 2506.05176.

use super::head::Head;
use super::prompt::Prompt;
use super::{best_of, pieces};
use crate::catalogue::{CatalogueModel, Reranking};
use crate::encode::pool::{Lane, Pool};
use crate::encode::tokenizer::{Frame, TextTokenizer};
use crate::encode::{Encoder, Tokens, encode, files, open};
use candle_core::Device;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{ModelError, Reranker};
use std::path::Path;
use std::sync::Arc;

/// How question and passage are put together.
enum Reading {
    /// With special tokens between them.
    Pair(Frame),
    /// In a prompt that asks for yes or no.
    Prompt(Box<Prompt>),
}

/// A cross-encoder.
pub(crate) struct CrossEncoder {
    key: String,
    window: usize,
    tokenizer: TextTokenizer,
    reading: Reading,
    encoder: Arc<dyn Encoder>,
    head: Arc<Head>,
    pool: Arc<Pool>,
}

impl CrossEncoder {
    /// Loads the model from its snapshot folder onto `device`.
    pub(crate) fn open(
        model: &CatalogueModel,
        reranking: &Reranking,
        folder: &Path,
        file_hash: &str,
        pool: Arc<Pool>,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let (config, mut weights) = files(folder, &model.id)?;
        let encoder = open(&config, &mut weights, device)?;
        let window = reranking.window as usize;
        if encoder.positions() < window {
            return Err(config
                .damaged(format!("it reads {} tokens, the catalogue says {window}", encoder.positions())));
        }
        let tokenizer = TextTokenizer::open(folder, &model.id, model.id.clone(), "")?;
        let (head, reading) = match config.family() {
            "qwen3" => {
                let prompt = Prompt::new(&tokenizer).map_err(|e| config.damaged(e.to_string()))?;
                let (yes, no) = prompt.answers();
                let head = Head::yes_or_no(&config, &mut weights, yes, no)?;
                (head, Reading::Prompt(Box::new(prompt)))
            }
            _ => (Head::read(&config, &mut weights)?, Reading::Pair(tokenizer.frame()?)),
        };
        // The part of the hash that tells two files apart.
        let key = format!("{}@{}", model.id, file_hash.get(..16).unwrap_or(file_hash));
        Ok(Self { key, window, tokenizer, reading, encoder, head: Arc::new(head), pool })
    }

    /// The score of each sequence, in order.
    pub(crate) fn judge(&self, sequences: Vec<Tokens>, cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        let head = Arc::clone(&self.head);
        encode(&self.encoder, &self.pool, Lane::Query, sequences, cancel, move |rows| head.score(rows))
    }

    /// The sequences that `passage` is read as, with the question.
    fn sequences(&self, query: &[u32], question: &str, passage: &str) -> Result<Vec<Tokens>, ModelError> {
        let taken = match &self.reading {
            Reading::Pair(frame) => frame.cost() + query.len(),
            Reading::Prompt(prompt) => prompt.cost(question)?,
        };
        let room = self.window.checked_sub(taken).filter(|room| *room >= self.window / 4);
        let room = room.ok_or(ModelError::TooLong { tokens: taken, window: self.window })?;
        let parts = pieces(&self.tokenizer, passage, room)?;
        let read = |part: &&str| match &self.reading {
            Reading::Pair(frame) => Ok(frame.pair(query, &self.tokenizer.plain_ids(part)?)),
            Reading::Prompt(prompt) => prompt.ids(question, part).map(Tokens::from),
        };
        parts.iter().map(read).collect()
    }
}

impl Reranker for CrossEncoder {
    fn key(&self) -> &str {
        &self.key
    }

    fn score(&self, query: &str, passages: &[&str], cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        let ids = self.tokenizer.plain_ids(query)?;
        let (mut sequences, mut owners) = (Vec::new(), Vec::new());
        for (owner, passage) in passages.iter().enumerate() {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            let own = self.sequences(&ids, query, passage)?;
            owners.extend(own.iter().map(|_| owner));
            sequences.extend(own);
        }
        let scores = self.judge(sequences, cancel)?;
        if scores.iter().any(|score| !score.is_finite()) {
            return Err(ModelError::Failed(format!("{} made a score that is not usable", self.key)));
        }
        Ok(best_of(passages.len(), &owners, &scores))
    }
}
