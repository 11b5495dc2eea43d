//! `eval beir`: the quality of search on a judged collection.

use super::collection::Collection;
use super::process::{bytes_below, peak_rss_mb};
use super::workshop::Workshop;
use super::{Percentiles, rounded};
use crate::app::AppConfig;
use crate::dto::RetrievalOptions;
use crate::handlers::search_request;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::evaluate;
use carrel_engine::library::DocumentQuery;
use carrel_engine::retrieve::{self, SearchRequest};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Documents ranked for each query.
const DEPTH: usize = 100;
/// Passages asked for at most to fill them.
const MOST_PASSAGES: usize = 1_600;
/// Queries that are timed once more as a person would ask them.
const TIMED: usize = 200;

/// What to evaluate.
#[derive(Clone, Debug, Default)]
pub struct BeirOptions {
    /// The collection.
    pub folder: PathBuf,
    /// The library's chunking; its default when not given.
    pub chunking: Option<String>,
    /// Keep vectors here.
    pub cache: Option<PathBuf>,
    /// How to retrieve.
    pub retrieval: RetrievalOptions,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct BeirReport {
    /// Name of its folder.
    pub collection: String,
    /// Documents.
    pub documents: usize,
    /// Passages that they became.
    pub passages: usize,
    /// Queries with judgements.
    pub queries: usize,
    /// What it ran with.
    pub settings: Map<String, Value>,
    /// Means over the queries.
    pub metrics: Map<String, Value>,
    /// Time to take everything in.
    pub index_seconds: f64,
    /// Speed of that.
    pub passages_per_second: f64,
    /// Time of one search for ten hits.
    pub query_ms: Percentiles,
    /// Most memory of this process.
    pub peak_rss_mb: u64,
    /// Ledger and indexes on disk.
    pub index_bytes: u64,
}

/// Evaluates a collection. `progress` is told what happens, at most a few times a second.
pub fn beir(
    config: &AppConfig,
    options: &BeirOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<BeirReport, Problem> {
    // Refused before anything is indexed.
    search_request("check", 1, &options.retrieval)?;
    let collection = Collection::read(&options.folder)?;
    let chunking = options.chunking.iter().map(|c| ("chunking".to_owned(), c.clone()));
    let workshop = Workshop::new(config, None, options.cache.clone(), &chunking.collect())?;
    let library = &workshop.library;
    if options.retrieval.legs.iter().any(|leg| leg == "dense") && workshop.models.default_embedder().is_none()
    {
        // Zeros that look like a measurement would mislead.
        return Err(super::no_embedder().into());
    }
    let all = collection.documents.len();

    let began = Instant::now();
    let mut documents = collection.documents.iter().map(super::collection::Entry::document);
    library.add_direct(
        &mut documents,
        &mut |done| progress(&format!("taking in {done} of {all} documents")),
        cancel,
    )?;
    library.wait_idle(cancel)?;
    let index_seconds = began.elapsed().as_secs_f64();

    let status = library.status()?;
    let mut metrics = Vec::new();
    for (n, (query, judgements)) in collection.queries.iter().enumerate() {
        if n % 20 == 0 {
            progress(&format!("asking {n} of {} questions", collection.queries.len()));
        }
        let ranking = ranking(&workshop, search_request(&query.text, 10, &options.retrieval)?, cancel)?;
        metrics.extend(evaluate::of_query(ranking.iter().map(String::as_str), judgements));
    }
    let libraries = [library.clone()];
    let mut times = Vec::new();
    for (query, _) in collection.queries.iter().take(TIMED) {
        let request = search_request(&query.text, 10, &options.retrieval)?;
        let began = Instant::now();
        retrieve::search(&libraries, &request, &*workshop.models, cancel)?;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    let mean = evaluate::mean(&metrics);
    Ok(BeirReport {
        collection: options.folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        documents: all,
        passages: status.passages,
        queries: metrics.len(),
        settings: settings(&workshop, options)?,
        metrics: super::named(mean.named()),
        index_seconds: rounded(index_seconds),
        passages_per_second: rounded(status.passages as f64 / index_seconds),
        query_ms: Percentiles::of(times),
        peak_rss_mb: peak_rss_mb(),
        index_bytes: bytes_below(library.folder()),
    })
}

/// Documents by their best passage. Asks for more passages until a hundred documents are there.
fn ranking(workshop: &Workshop, mut request: SearchRequest, cancel: &Cancel) -> Result<Vec<String>, Problem> {
    let libraries = [Arc::clone(&workshop.library)];
    request.n = DEPTH * 2;
    loop {
        let response = retrieve::search(&libraries, &request, &*workshop.models, cancel)?;
        let mut documents: Vec<String> = Vec::new();
        for hit in &response.hits {
            let id = String::from_utf8_lossy(&hit.document.path).into_owned();
            if !documents.contains(&id) {
                documents.push(id);
            }
        }
        let exhausted = response.hits.len() < request.n || request.n >= MOST_PASSAGES;
        if documents.len() >= DEPTH || exhausted {
            documents.truncate(DEPTH);
            return Ok(documents);
        }
        request.n *= 2;
    }
}

fn settings(workshop: &Workshop, options: &BeirOptions) -> Result<Map<String, Value>, Problem> {
    let kept: BTreeMap<String, String> = workshop.library.settings()?;
    let mut settings: Map<String, Value> =
        kept.into_iter().map(|(key, value)| (key, Value::from(value))).collect();
    let retrieval = &options.retrieval;
    settings.insert("legs".to_owned(), super::legs(retrieval));
    settings.insert("fusion".to_owned(), json!(retrieval.fusion.as_deref().unwrap_or("auto")));
    settings.insert("exact".to_owned(), json!(retrieval.exact));
    if options.chunking.as_deref() == Some("none") {
        let query = DocumentQuery { limit: u32::MAX as usize, ..DocumentQuery::default() };
        let (documents, _) = workshop.library.documents(&query)?;
        settings
            .insert("cut_at_window".to_owned(), json!(documents.iter().filter(|d| d.passages > 1).count()));
    }
    Ok(settings)
}
