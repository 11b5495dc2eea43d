//! Judging passages by reading them together with the question.

use super::ModelError;
use crate::cancel::Cancel;

/// Reads a question and a passage together and says how well the one answers the other.
pub trait Reranker: Send + Sync {
    /// Model and revision: scores are kept under it, and never compared with those of another.
    fn key(&self) -> &str;

    /// One score per passage, in order, between 0 and 1. The same pair gives the same score alone and in any batch. A passage that is longer
    /// than the model's window is read in pieces, and its best piece counts. Blocks; checks `cancel` at most 100 ms apart.
    fn score(&self, query: &str, passages: &[&str], cancel: &Cancel) -> Result<Vec<f32>, ModelError>;
}
