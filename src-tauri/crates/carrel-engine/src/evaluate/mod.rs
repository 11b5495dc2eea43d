//! Retrieval metrics, as `carrel eval` prints them. Pure: ranks, spans and judgements in, numbers out.
//!
//! A collection judges documents; a ranking of passages is first turned into one of documents (the best passage counts). One with
//! spans judges characters. Invariant: but for [`auc`], nothing here depends on scores.

mod bootstrap;
mod metrics;
mod spans;

pub use bootstrap::{Difference, FEWEST, RESAMPLES, Verdict, paired_bootstrap};
pub use metrics::{Judgements, Metrics, auc, mean, of_query};
pub use spans::{Ranges, SpanMetrics, mean_of_spans, of_spans};
