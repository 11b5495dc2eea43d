//! `eval beir`: the quality of search on a judged collection.

use super::collection::Collection;
use super::evaluation::{self, Counted, Evaluation};
use super::gate;
use super::workshop::Workshop;
use crate::app::AppConfig;
use crate::dto::RetrievalOptions;
use crate::handlers::search_request;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::evaluate;
use carrel_engine::library::DocumentQuery;
use carrel_engine::retrieve::{self, SearchRequest};
use serde_json::json;
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
    /// A collection whose questions this one cannot answer: how well the gate tells them apart.
    pub unrelated: Option<PathBuf>,
    /// Whether lines of context are written.
    pub enriched: bool,
    /// Keep vectors here.
    pub cache: Option<PathBuf>,
    /// How to retrieve.
    pub retrieval: RetrievalOptions,
}

/// Evaluates a collection. `progress` is told what happens, at most a few times a second.
pub fn beir(
    config: &AppConfig,
    options: &BeirOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Evaluation, Problem> {
    let collection = Collection::read(&options.folder)?;
    let (retrieval, cache) = (&options.retrieval, options.cache.clone());
    let workshop =
        evaluation::workshop(config, options.chunking.as_ref(), options.enriched, cache, retrieval)?;
    let library = &workshop.library;
    let all = collection.documents.len();

    let began = Instant::now();
    let mut documents = collection.documents.iter().map(super::collection::Entry::document);
    library.add_direct(
        &mut documents,
        &mut |done| progress(&format!("taking in {done} of {all} documents")),
        cancel,
    )?;
    evaluation::settled(library, progress, cancel)?;
    let index_seconds = began.elapsed().as_secs_f64();

    let mut metrics = Vec::new();
    for (n, (query, judgements)) in collection.queries.iter().enumerate() {
        if n % 20 == 0 {
            progress(&format!("asking {n} of {} questions", collection.queries.len()));
        }
        let ranking = ranking(&workshop, search_request(&query.text, 10, retrieval)?, cancel)?;
        metrics.extend(evaluate::of_query(ranking.iter().map(String::as_str), judgements));
    }
    let libraries = [library.clone()];
    let mut times = Vec::new();
    for (query, _) in collection.queries.iter().take(TIMED) {
        let request = search_request(&query.text, 10, retrieval)?;
        let began = Instant::now();
        retrieve::search(&libraries, &request, &*workshop.models, cancel)?;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    let counted = Counted {
        documents: all,
        queries: metrics.len(),
        metrics: evaluate::mean(&metrics).named(),
        index_seconds,
        query_ms: times,
    };
    let apart = options.unrelated.as_ref().map(|other| {
        let unrelated = Collection::read(other)?;
        progress("asking what cannot be answered");
        let own = questions(&collection);
        gate::tell_apart(&workshop, retrieval, &own, &questions(&unrelated), cancel)
    });
    let apart = apart.transpose()?;
    let mut report = Evaluation::of(&options.folder, &workshop, retrieval, counted)?;
    if let Some(apart) = apart {
        report.metrics.insert("gate_auc".to_owned(), json!(apart.auc));
        report.gate = Some(apart);
    }
    if options.chunking.as_deref() == Some("none") {
        let query = DocumentQuery { limit: u32::MAX as usize, ..DocumentQuery::default() };
        let (documents, _) = library.documents(&query)?;
        let cut = documents.iter().filter(|document| document.passages > 1).count();
        report.settings.insert("cut_at_window".to_owned(), json!(cut));
    }
    Ok(report)
}

fn questions(collection: &Collection) -> Vec<&str> {
    collection.queries.iter().map(|(query, _)| query.text.as_str()).collect()
}

/// Documents by their best passage. Asks for more passages until a hundred documents are there.
fn ranking(workshop: &Workshop, mut request: SearchRequest, cancel: &Cancel) -> Result<Vec<String>, Problem> {
    let libraries = [Arc::clone(&workshop.library)];
    request.n = DEPTH * 2;
    // What is asked for again with more passages need not be judged and worded again. What is timed is.
    request.reuse = true;
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
