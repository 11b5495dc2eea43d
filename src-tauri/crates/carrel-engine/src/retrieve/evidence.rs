//! What speaks for the libraries holding an answer at all, taken from the hits of one search.
//!
//! Never a fused score: its best is always near one, whatever was asked.

use super::Hit;
use crate::text::{ContentTerm, share_in};

/// Hits that are looked at: where the first few hold nothing, the rest will not.
const LOOKED_AT: usize = 5;

/// How a question and the best of a library go together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The best score by meaning, where that leg took part.
    pub dense: Option<f32>,
    /// Share of the question's content that stands in one passage, its rare words counting more: the best of the first hits, 0 to 1.
    pub coverage: f32,
    /// The best score of a reranker, where one judged.
    pub rerank: Option<f32>,
}

impl Evidence {
    /// Of the hits of a question with this content. `in_text`: the terms of it that stand in the text of each.
    pub(super) fn of(
        content: &[ContentTerm],
        hits: &[Hit],
        in_text: &[Vec<String>],
        dense: Option<f32>,
    ) -> Self {
        let held = hits.iter().zip(in_text).take(LOOKED_AT).map(|(hit, in_text)| {
            let headings = hit.passage.heading_path.iter().map(String::as_str);
            share_in(content, in_text, headings.chain([hit.document.title.as_str()]))
        });
        Self { dense, coverage: held.fold(0.0, f32::max), rerank: None }
    }
}

/// Share of meaning in the score; the words have the rest. Measured (README): between 0.3 and 1 the two kinds of questions hardly mix.
const MEANING: f32 = 0.6;

impl Evidence {
    /// As one number: more speaks more for an answer. What a reranker gave, which read both; else meaning and words together. Compared
    /// with a threshold that was found for the same reranker, or embedder.
    pub fn score(&self) -> f32 {
        if let Some(rerank) = self.rerank {
            return rerank;
        }
        self.dense.map_or(self.coverage, |dense| MEANING * dense + (1.0 - MEANING) * self.coverage)
    }
}
