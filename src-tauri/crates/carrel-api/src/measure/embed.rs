//! `bench embed` and `bench rerank`: passages a second, by wall clock and by CPU second.

use super::workshop::Folder;
use super::{Common, generate, peer, rounded};
use crate::app::AppConfig;
use crate::models;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelProvider as _;
use carrel_models::Models;
use carrel_models::bench::{self, EmbedBench, EmbedBenchOptions};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct EmbedOptions {
    /// The embedder; the default one when not given.
    pub model: Option<String>,
    /// A `corpus.jsonl` to cut passages from; generated when not given.
    pub corpus: Option<PathBuf>,
    /// Passages handed over at a time.
    pub batch: usize,
    /// Passages of a run.
    pub passages: usize,
    /// Tokens of a passage.
    pub tokens: usize,
    /// Runs, threads, peer.
    pub common: Common,
}

/// Pairs of a question and a passage that are read for one search.
const PAIRS: usize = carrel_engine::retrieve::RERANKED;

/// Measures a reranker: the cross-encoder that is named, or one of the shape of the default embedder. All pairs are one batch.
pub fn rerank(
    config: &AppConfig,
    options: &EmbedOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Map<String, Value>, Problem> {
    let options = EmbedOptions { batch: PAIRS, passages: PAIRS, ..options.clone() };
    let mut result = with_corpus(config, &options, progress, |models, shape, bench| {
        Ok(bench::rerank(models, options.model.as_deref(), shape, bench, cancel)?)
    })?;
    let per_second = result.get("passages_per_s").and_then(Value::as_f64).filter(|speed| *speed > 0.0);
    let ms = per_second.map(|speed| Value::from(rounded(1_000.0 * PAIRS as f64 / speed)));
    result.insert("ms".to_owned(), ms.unwrap_or(Value::Null));
    Ok(result)
}

/// Measures an embedder.
pub fn embed(
    config: &AppConfig,
    options: &EmbedOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Map<String, Value>, Problem> {
    with_corpus(config, options, progress, |models, default, bench| {
        Ok(bench::embed(models, options.model.as_deref().unwrap_or(default), bench, cancel)?)
    })
}

/// Runs `run` in turn with the peer, given the default embedder and what to read.
fn with_corpus(
    config: &AppConfig,
    options: &EmbedOptions,
    progress: &mut dyn FnMut(&str),
    run: impl Fn(&Models, &str, &EmbedBenchOptions) -> Result<EmbedBench, Problem>,
) -> Result<Map<String, Value>, Problem> {
    let models = models::open(&config.models, options.common.threads.unwrap_or(0));
    let default = models.default_embedder().ok_or_else(super::evaluation::no_embedder)?;
    let folder = Folder::new()?;
    let corpus = match &options.corpus {
        Some(path) => path.clone(),
        None => {
            let path = folder.0.join("corpus.jsonl");
            // A document gives at least three passages of 256 tokens.
            generate::corpus(&path, (options.passages * options.tokens).div_ceil(512).max(8))?;
            path
        }
    };
    let bench = EmbedBenchOptions {
        corpus,
        batch: options.batch,
        count: options.passages,
        tokens: options.tokens,
        // Each run is one of several, in turn with the peer's.
        runs: 1,
    };
    peer::in_turn(options.common.runs, options.common.peer.as_deref(), progress, || {
        let r = run(&models, &default, &bench)?;
        let report = json!({
            "engine": r.engine,
            "threads": r.threads,
            "batch": r.batch,
            "tokens": r.tokens,
            "passages": r.passages,
            "passages_per_s": rounded(r.passages_per_s),
            "passages_per_cpu_s": rounded(r.passages_per_cpu_s),
            "peak_rss_mb": r.peak_rss_mb,
        });
        Ok(report.as_object().cloned().unwrap_or_default())
    })
}
