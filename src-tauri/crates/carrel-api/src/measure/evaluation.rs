//! What every evaluation of a collection has: a library made for it, and what came of it.

use super::gate::Apart;
use super::process::{bytes_below, peak_rss_mb};
use super::workshop::Workshop;
use super::{Percentiles, rounded};
use crate::app::AppConfig;
use crate::dto::RetrievalOptions;
use crate::handlers::search_request;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::library::Library;
use carrel_engine::retrieve::RERANKED;
use carrel_engine::seams::ModelError;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// Name of the collection's folder.
    pub collection: String,
    /// Documents.
    pub documents: usize,
    /// Passages that they became.
    pub passages: usize,
    /// Questions that count.
    pub queries: usize,
    /// What it ran with.
    pub settings: Map<String, Value>,
    /// Means over the questions.
    pub metrics: Map<String, Value>,
    /// Time to take everything in.
    pub index_seconds: f64,
    /// Speed of that.
    pub passages_per_second: f64,
    /// Time of one search.
    pub query_ms: Percentiles,
    /// Most memory of this process.
    pub peak_rss_mb: u64,
    /// Ledger and indexes on disk.
    pub index_bytes: u64,
    /// How well questions that it answers are told from others, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Apart>,
}

/// What was counted and timed.
pub(super) struct Counted<const N: usize> {
    pub(super) documents: usize,
    pub(super) queries: usize,
    pub(super) metrics: [(&'static str, f64); N],
    pub(super) index_seconds: f64,
    pub(super) query_ms: Vec<f64>,
}

/// An empty library cut in this way. Refuses options that no search could run with.
pub(super) fn workshop(
    config: &AppConfig,
    chunking: Option<&String>,
    enriched: bool,
    cache: Option<PathBuf>,
    retrieval: &RetrievalOptions,
) -> Result<Workshop, Problem> {
    search_request("check", 1, retrieval)?;
    let chunking = chunking.map(|c| ("chunking".to_owned(), c.clone()));
    let enriched = enriched.then(|| ("enrichment".to_owned(), "on".to_owned()));
    let settings = chunking.into_iter().chain(enriched).collect();
    let workshop = Workshop::new(config, None, cache, &settings)?;
    if retrieval.legs.iter().any(|leg| leg == "dense") && workshop.models.default_embedder().is_none() {
        // Zeros that look like a measurement would mislead.
        return Err(no_embedder().into());
    }
    Ok(workshop)
}

/// Returns when everything that was taken in is found by words, by meaning, and where lines of context are written with these.
pub(super) fn settled(
    library: &Library,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<(), Problem> {
    library.wait_idle(cancel)?;
    let done = library.wait_enriched(cancel, &mut |state| {
        progress(&format!("{} of {} passages wait for their line", state.waiting, state.passages));
    })?;
    if done {
        Ok(())
    } else {
        Err(Problem::bad_request("the language model wrote no line of context for two minutes"))
    }
}

/// There is no embedder to measure: the default one is named.
pub(super) fn no_embedder() -> ModelError {
    ModelError::NotInstalled { id: "all-minilm-l6-v2".to_owned() }
}

impl Evaluation {
    /// Of a collection that `workshop` holds.
    pub(super) fn of<const N: usize>(
        folder: &Path,
        workshop: &Workshop,
        retrieval: &RetrievalOptions,
        counted: Counted<N>,
    ) -> Result<Self, Problem> {
        let library = &workshop.library;
        let passages = library.status()?.passages;
        let mut settings: Map<String, Value> =
            library.settings()?.into_iter().map(|(key, value)| (key, Value::from(value))).collect();
        let both = || vec!["lexical".to_owned(), "dense".to_owned()];
        let legs = if retrieval.legs.is_empty() { both() } else { retrieval.legs.clone() };
        settings.insert("legs".to_owned(), json!(legs));
        settings.insert("fusion".to_owned(), json!(retrieval.fusion.as_deref().unwrap_or("auto")));
        settings.insert("exact".to_owned(), json!(retrieval.exact));
        settings.remove("rerank");
        if let Some(reranker) = retrieval.rerank.clone().or_else(|| workshop.models.default_reranker()) {
            let depth = retrieval.rerank_depth.map_or(RERANKED, |depth| depth as usize);
            settings.insert("rerank".to_owned(), json!(reranker));
            settings.insert("rerank_depth".to_owned(), json!(depth));
        }
        let preset = retrieval.preset.as_deref().unwrap_or("balanced");
        settings.insert("preset".to_owned(), json!(preset));
        settings.insert("multi_hop".to_owned(), json!(retrieval.multi_hop || preset == "thorough"));
        for (name, given) in
            [("mqe", &retrieval.mqe), ("sub_queries", &retrieval.sub_queries), ("hyde", &retrieval.hyde)]
        {
            settings.extend(given.as_ref().map(|word| (name.to_owned(), json!(word))));
        }
        // As many decimals as mean something.
        let decimals = |value: f64| json!((value * 1e5).round() / 1e5);
        Ok(Self {
            collection: folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
            documents: counted.documents,
            passages,
            queries: counted.queries,
            settings,
            metrics: counted
                .metrics
                .map(|(name, value)| (name.to_owned(), decimals(value)))
                .into_iter()
                .collect(),
            index_seconds: rounded(counted.index_seconds),
            passages_per_second: rounded(passages as f64 / counted.index_seconds),
            query_ms: Percentiles::of(counted.query_ms),
            peak_rss_mb: peak_rss_mb(),
            index_bytes: bytes_below(library.folder()),
            gate: None,
        })
    }
}
