//! The lexical index: tantivy keeps the postings, BM25 is computed here.
//!
//! Scoring is our own because the ranking must not depend on history: deleted passages, the number of segments and the
//! number of libraries asked change nothing (statistics count live passages only, lengths are exact, sums are made in one
//! order, ties go by passage). Refuses to return text: a match is a passage id, which the caller re-reads from the ledger.
//! Invariant: the change sequence in the commit says exactly what is in the index.

mod guard;
mod index;
mod packed;
mod plan;
mod schema;
mod score;
mod snapshot;

pub(crate) use index::{LexicalIndex, PassageForIndex};
pub(crate) use plan::{LexicalQuery, Statistics};
pub(crate) use snapshot::LexicalSnapshot;

#[cfg(test)]
mod quality;
#[cfg(test)]
mod tests;
