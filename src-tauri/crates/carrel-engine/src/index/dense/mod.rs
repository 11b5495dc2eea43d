//! The dense index: vectors by passage.
//!
//! [`UsearchIndex`] keeps them in usearch; [`ExactScan`] is the plain scan that it is checked against. Refuses vectors of
//! another length than its space's. Invariant: what a file holds is proved by a checksum before usearch sees it, because
//! usearch trusts its files.

mod file;
mod marker;
#[cfg(test)]
mod scan;
#[cfg(test)]
mod tests;
mod usearch;

pub(crate) use file::{DenseFile, remove_generation};
pub(crate) use marker::Marker;
pub(crate) use usearch::UsearchIndex;

use crate::seams::{DenseMatch, IndexError};

/// Up to this many vectors (in the index, or left by a filter) every one is compared; above, the graph is walked.
pub(crate) const EXACT_UP_TO: usize = 50_000;

fn error(detail: impl std::fmt::Display) -> IndexError {
    IndexError { index: "dense", detail: detail.to_string() }
}

/// Best first, ties by passage, at most `n`.
fn best(mut matches: Vec<DenseMatch>, n: usize) -> Vec<DenseMatch> {
    matches.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
    matches.truncate(n);
    matches
}
