//! Measurements: `carrel eval` and `carrel bench`.
//!
//! They run the product's own road (chunker, embedder, ledger, indexes, retrieval) in a temporary library that is removed at the
//! end; the user's data folder is not opened, but where settings are tried on a copy of a library of it. Times on a shared machine mean little: ratios to a peer in the same run count.

mod answer;
mod beir;
mod cache;
mod collection;
mod embed;
mod evaluation;
mod gate;
mod generate;
mod ingest;
mod peer;
mod process;
mod scale;
mod search;
mod spans;
mod synthetic;
mod tune;
mod whole;
mod workshop;

pub use answer::{AnswerOptions, answer};
pub use beir::{BeirOptions, beir};
pub use embed::{EmbedOptions, embed, rerank};
pub use evaluation::Evaluation;
pub use ingest::{IngestOptions, ingest};
pub use scale::{ScaleOptions, scale};
pub use search::{SearchOptions, search};
pub use spans::{STRATEGIES, SpansOptions, SpansReport, spans};
pub(crate) use tune::{estimate, tune};

use serde_json::Value;

/// How often, with how many threads and against whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// Inference workers; one per core when not given.
    pub threads: Option<usize>,
    /// A command that prints one JSON line with the same keys.
    pub peer: Option<String>,
    /// Runs of each; the median counts.
    pub runs: usize,
}

/// Milliseconds at two points of a distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Percentiles {
    /// Half are faster.
    pub p50: f64,
    /// Nineteen of twenty are faster.
    pub p95: f64,
}

impl Percentiles {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let last = values.len().saturating_sub(1);
            values.get((last as f64 * share).round() as usize).copied().unwrap_or(0.0)
        };
        Self { p50: rounded(at(0.5)), p95: rounded(at(0.95)) }
    }
}

/// Numbers of several runs of one thing by key, each as its median; what is no number is taken from the first.
fn medians(runs: &[serde_json::Map<String, Value>]) -> serde_json::Map<String, Value> {
    let Some(first) = runs.first() else { return serde_json::Map::new() };
    let median = |key: &String, value: &Value| {
        let mut numbers: Vec<f64> = runs.iter().filter_map(|r| r.get(key)?.as_f64()).collect();
        if value.is_f64() && !numbers.is_empty() {
            numbers.sort_by(f64::total_cmp);
            return Value::from(rounded(numbers[numbers.len() / 2]));
        }
        value.clone()
    };
    first.iter().map(|(key, value)| (key.clone(), median(key, value))).collect()
}

/// Three decimals say all that such a measurement knows.
fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn medians_are_taken_key_by_key() {
        let run = |speed: f64| json!({"engine": "e", "n": 3, "speed": speed}).as_object().cloned().unwrap();
        let joined = medians(&[run(1.0), run(9.0), run(2.0)]);
        assert_eq!(Value::Object(joined), json!({"engine": "e", "n": 3, "speed": 2.0}));
        assert!(medians(&[]).is_empty());
    }

    #[test]
    fn percentiles_of_few_and_many() {
        assert_eq!(Percentiles::of(vec![]), Percentiles::default());
        assert_eq!(Percentiles::of(vec![4.0]), Percentiles { p50: 4.0, p95: 4.0 });
        let many: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(Percentiles::of(many), Percentiles { p50: 50.0, p95: 95.0 });
    }
}
