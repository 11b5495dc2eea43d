//! `bench search`: the time of one question, by leg.

use super::process::peak_rss_mb;
use super::workshop::Workshop;
use super::{Common, Percentiles, generate, peer, rounded};
use crate::app::AppConfig;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::library::{AddItem, AddOptions};
use carrel_engine::retrieve::{self, Leg, SearchRequest};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// A folder to search; generated files when not given.
    pub folder: Option<PathBuf>,
    /// How many files to generate.
    pub files: usize,
    /// How many questions.
    pub queries: usize,
    /// Runs, threads, peer.
    pub common: Common,
}

/// Measures over a library that is built once.
pub fn search(
    config: &AppConfig,
    options: &SearchOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Map<String, Value>, Problem> {
    let workshop = Workshop::new(config, options.common.threads, None, &BTreeMap::new())?;
    let folder = match &options.folder {
        Some(folder) => std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
        None => {
            let folder = workshop.folder().join("files");
            generate::files(&folder, options.files)?;
            folder
        }
    };
    progress("building the library");
    let items = [AddItem::Path { path: folder, watch: false }];
    workshop.library.add(&items, &AddOptions::default(), true, cancel)?;
    let status = workshop.library.status()?;
    let libraries = [workshop.library.clone()];
    let mut words = generate::Words::new(3);
    let questions: Vec<String> = (0..options.queries.max(1)).map(|_| words.question()).collect();
    let measure = |legs: &[Leg]| -> Result<(Percentiles, f64), Problem> {
        let mut times = Vec::new();
        for question in &questions {
            let mut request = SearchRequest::new(question.as_str());
            request.legs = legs.to_vec();
            let began = Instant::now();
            retrieve::search(&libraries, &request, &*workshop.models, cancel)?;
            times.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
        let total: f64 = times.iter().sum();
        let speed = times.len() as f64 / (total / 1_000.0);
        Ok((Percentiles::of(times), speed))
    };
    peer::in_turn(options.common.runs, options.common.peer.as_deref(), progress, || {
        let (lexical, _) = measure(&[Leg::Lexical])?;
        let (dense, _) = measure(&[Leg::Dense])?;
        let (both, speed) = measure(&[Leg::Lexical, Leg::Dense])?;
        let result = json!({
            "engine": concat!("carrel ", env!("CARGO_PKG_VERSION")),
            "threads": options.common.threads,
            "documents": status.documents.values().sum::<usize>(),
            "passages": status.passages,
            "queries": questions.len(),
            "queries_per_s": rounded(speed),
            "query_ms_p50": both.p50,
            "query_ms_p95": both.p95,
            "lexical_ms_p50": lexical.p50,
            "lexical_ms_p95": lexical.p95,
            "dense_ms_p50": dense.p50,
            "dense_ms_p95": dense.p95,
            "peak_rss_mb": peak_rss_mb(),
        });
        Ok(result.as_object().cloned().unwrap_or_default())
    })
}
