//! A plain scan over all vectors: the oracle for usearch.

use super::{best, error};
use crate::domain::{Metric, PassageId};
use crate::seams::{DenseIndex, DenseMatch, IndexError};
use half::f16;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// Keeps f16 vectors in a map and compares the query with each.
pub(super) struct ExactScan {
    dimensions: usize,
    metric: Metric,
    vectors: RwLock<BTreeMap<PassageId, Vec<f32>>>,
}

impl ExactScan {
    pub(super) fn new(dimensions: usize, metric: Metric) -> Self {
        Self { dimensions, metric, vectors: RwLock::default() }
    }
}

fn rounded(vector: &[f32]) -> Vec<f32> {
    vector.iter().map(|&x| f16::from_f32(x).to_f32()).collect()
}

impl DenseIndex for ExactScan {
    fn put(&self, passage: PassageId, vector: &[f32]) -> Result<(), IndexError> {
        if vector.len() != self.dimensions {
            return Err(error("wrong length"));
        }
        self.vectors.write().unwrap_or_else(PoisonError::into_inner).insert(passage, rounded(vector));
        Ok(())
    }

    fn remove(&self, passage: PassageId) -> Result<(), IndexError> {
        self.vectors.write().unwrap_or_else(PoisonError::into_inner).remove(&passage);
        Ok(())
    }

    fn search(
        &self,
        query: &[f32],
        n: usize,
        _exact: bool,
        keep: Option<&dyn Fn(PassageId) -> bool>,
    ) -> Result<Vec<DenseMatch>, IndexError> {
        if query.len() != self.dimensions {
            return Err(error("wrong length"));
        }
        let query = rounded(query);
        let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
        let vectors = self.vectors.read().unwrap_or_else(PoisonError::into_inner);
        let matches =
            vectors.iter().filter(|(id, _)| keep.is_none_or(|keep| keep(**id))).map(|(id, vector)| {
                let dot: f32 = query.iter().zip(vector).map(|(a, b)| a * b).sum();
                let score = match self.metric {
                    Metric::InnerProduct => dot,
                    Metric::Cosine => dot / (length(&query) * length(vector)),
                };
                DenseMatch { passage: *id, score }
            });
        Ok(best(matches.collect(), n))
    }

    fn len(&self) -> usize {
        self.vectors.read().unwrap_or_else(PoisonError::into_inner).len()
    }
}
