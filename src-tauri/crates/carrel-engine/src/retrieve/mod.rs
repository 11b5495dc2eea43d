//! The road of a question up to the hits: legs, fusion, re-reading, trace.
//!
//! Refuses to show anything that the ledger does not hold now.

mod types;

pub use types::{
    Filter, Fusion, Hit, Leg, LegRank, Run, RunKind, ScoreKind, SearchRequest, SearchResponse, Stage, Trace,
};

/// Searches libraries as one: one lexical ranking with common statistics, dense by score within one embedding space, RRF
/// between spaces. Both legs run in parallel. Hits are re-read from the ledger. A question in a script that a library's embedder
/// was not trained for is answered by words alone there, and the trace says so; so is one whose embedder cannot be reached.
pub fn search(
    _libraries: &[std::sync::Arc<crate::library::Library>],
    _request: &SearchRequest,
    _models: &dyn crate::seams::ModelProvider,
    _cancel: &crate::cancel::Cancel,
) -> crate::error::Result<SearchResponse> {
    unimplemented!()
}
