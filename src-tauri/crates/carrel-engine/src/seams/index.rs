//! The dense index. The lexical index is tantivy alone: its tests run it in memory.

use crate::domain::PassageId;

/// An index failed. It is rebuilt from the ledger; nothing is lost.
#[derive(Debug, thiserror::Error)]
#[error("the {index} index failed: {detail}")]
pub struct IndexError {
    /// `lexical` or `dense`.
    pub index: &'static str,
    /// What happened.
    pub detail: String,
}

impl IndexError {
    /// Whether the disk had no room: that says nothing against the files. Told by the system's words, which are all that
    /// libraries pass on.
    pub fn is_full_disk(&self) -> bool {
        ["os error 28", "No space left", "os error 112", "no storage space"]
            .iter()
            .any(|w| self.detail.contains(w))
    }
}

/// A passage found by meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DenseMatch {
    /// The passage.
    pub passage: PassageId,
    /// Similarity by the space's metric: higher is nearer.
    pub score: f32,
}

/// Vectors by passage. Implemented by usearch and, as its oracle in tests, by a plain scan.
pub trait DenseIndex: Send + Sync {
    /// Puts a vector; replaces one with the same key.
    fn put(&self, passage: PassageId, vector: &[f32]) -> Result<(), IndexError>;

    /// Removes a vector; absent keys are fine.
    fn remove(&self, passage: PassageId) -> Result<(), IndexError>;

    /// The `n` nearest for which `keep` holds, best first, ties by passage id. The filter applies inside the search.
    fn search(
        &self,
        query: &[f32],
        n: usize,
        exact: bool,
        keep: Option<&dyn Fn(PassageId) -> bool>,
    ) -> Result<Vec<DenseMatch>, IndexError>;

    /// Vectors in it.
    fn len(&self) -> usize;

    /// Whether it holds nothing.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
