//! Late interaction over the embedder's token vectors: each token of the question looks for the nearest token of the passage.
//!
//! It needs no model besides the embedder, and one forward per passage. The embedder was not trained for it.
//! Source: Khattab and Zaharia 2020, arXiv 2004.12832 (`MaxSim`).

use super::{best_of, pieces};
use crate::embed::LocalEmbedder;
use crate::encode::pool::Lane;
use crate::kernels::{Shape, multiply_transposed, normalise};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{EmbedKind, Embedder, ModelError, Reranker};
use std::ops::Range;
use std::sync::Arc;

/// Scores by the token vectors of an embedder.
pub(crate) struct LateInteraction {
    key: String,
    embedder: Arc<LocalEmbedder>,
}

impl LateInteraction {
    /// Over the vectors of `embedder`.
    pub(crate) fn new(embedder: Arc<LocalEmbedder>) -> Self {
        Self { key: format!("{}@{}", super::LATE_INTERACTION, embedder.space().key()), embedder }
    }

    /// How many tokens stand before and behind the text itself, in what the model reads.
    fn around(&self, kind: EmbedKind) -> Result<(usize, usize), ModelError> {
        let prefix = match kind {
            EmbedKind::Query => &self.embedder.space().query_prefix,
            EmbedKind::Passage => &self.embedder.space().passage_prefix,
        };
        let (bare, whole) = (self.embedder.plain_ids("a")?, self.embedder.ids("a")?);
        let before = whole.windows(bare.len().max(1)).position(|w| w == bare).unwrap_or(0);
        let behind = whole.len() - before - bare.len();
        Ok((before + self.embedder.plain_ids(prefix.trim_end())?.len(), behind))
    }
}

/// The rows of the text's own tokens, each of length 1.
fn own_rows(rows: &[f32], width: usize, (before, behind): (usize, usize)) -> Vec<f32> {
    let tokens = rows.len() / width;
    let own: Range<usize> = before.min(tokens)..tokens.saturating_sub(behind).max(before.min(tokens));
    let mut own = rows[own.start * width..own.end * width].to_vec();
    for row in own.chunks_exact_mut(width) {
        if !normalise(row) {
            row.fill(0.0);
        }
    }
    own
}

/// The mean, over the rows of the question, of the nearest row of the passage; brought between 0 and 1.
fn nearest(question: &[f32], passage: &[f32], width: usize) -> f32 {
    let (q, p) = (question.len() / width, passage.len() / width);
    if q == 0 || p == 0 {
        return 0.0;
    }
    let mut near = vec![0f32; q * p];
    let (a, b) = (Shape::dense(q, width), Shape::dense(p, width));
    multiply_transposed(question, a, passage, b, &mut near, Shape::dense(q, p));
    let best = near.chunks_exact(p).map(|row| row.iter().copied().fold(-1.0, f32::max));
    let mean = best.sum::<f32>() / q as f32;
    mean.midpoint(1.0).clamp(0.0, 1.0)
}

impl Reranker for LateInteraction {
    fn key(&self) -> &str {
        &self.key
    }

    fn score(&self, query: &str, passages: &[&str], cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        let embedder = &self.embedder;
        let width = embedder.width();
        let around = self.around(EmbedKind::Query)?;
        let ids = embedder.prefixed_ids(EmbedKind::Query, query)?;
        let question =
            embedder.each(Lane::Query, vec![ids], cancel, move |rows| own_rows(rows, width, around))?;
        let question = question.into_iter().next().unwrap_or_default();
        let window = embedder.space().window as usize;
        let room = window.saturating_sub(embedder.tokenizer().overhead()).max(1);
        let (mut sequences, mut owners) = (Vec::new(), Vec::new());
        for (owner, passage) in passages.iter().enumerate() {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            for piece in pieces(embedder.tokenizer(), passage, room)? {
                sequences.push(embedder.prefixed_ids(EmbedKind::Passage, piece)?);
                owners.push(owner);
            }
        }
        let around = self.around(EmbedKind::Passage)?;
        let judge = move |rows: &[f32]| nearest(&question, &own_rows(rows, width, around), width);
        let scores = embedder.each(Lane::Query, sequences, cancel, judge)?;
        Ok(best_of(passages.len(), &owners, &scores))
    }
}
