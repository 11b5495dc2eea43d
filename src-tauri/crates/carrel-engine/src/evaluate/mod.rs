//! Retrieval metrics, as `carrel eval` prints them. Pure: ranks and judgements in, numbers out.
//!
//! A collection judges documents; a ranking of passages is first turned into one of documents (the best passage counts).
//! Invariant: nothing here depends on scores, only on order.

mod metrics;

pub use metrics::{Judgements, Metrics, mean, of_query};
