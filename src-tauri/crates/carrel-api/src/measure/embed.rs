//! `bench embed`: passages a second, by wall clock and by CPU second.

use super::workshop::Folder;
use super::{Common, generate, peer, rounded};
use crate::app::AppConfig;
use crate::models;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelProvider as _;
use carrel_models::bench::{EmbedBenchOptions, embed as run};
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

/// Measures.
pub fn embed(
    config: &AppConfig,
    options: &EmbedOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Map<String, Value>, Problem> {
    let models = models::open(&config.models, options.common.threads.unwrap_or(0));
    let id = options.model.clone().or_else(|| models.default_embedder());
    let id = id.ok_or_else(super::evaluation::no_embedder)?;
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
        let r = run(&models, &id, &bench, cancel)?;
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
