//! `eval spans`: how much of the right spans of whole documents a search returns within a budget of characters.
//!
//! The documents take the whole road: converted by the worker, cut, embedded, indexed. What is returned are the excerpts of the hits;
//! headings and repeated headers are not counted, for they are no part of the span.

use super::evaluation::{self, Counted, Evaluation};
use super::rounded;
use super::whole::{self, Aligned, Question};
use super::workshop::Workshop;
use crate::app::AppConfig;
use crate::dto::RetrievalOptions;
use crate::handlers::search_request;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::chunk::Chunking;
use carrel_engine::evaluate::{self, Ranges};
use carrel_engine::library::{AddItem, AddOptions, DocumentQuery, FileReport, file_uri};
use carrel_engine::retrieve::{self, Excerpt, Texts};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Passages asked for.
const DEPTH: u32 = 40;

/// Every strategy in its usual size.
pub const STRATEGIES: [&str; 9] = Chunking::ALL;

/// What to evaluate.
#[derive(Clone, Debug, Default)]
pub struct SpansOptions {
    /// The collection.
    pub folder: PathBuf,
    /// Most characters returned for a question.
    pub budget: usize,
    /// Ways to cut, each measured for itself; the library's default when empty.
    pub chunkings: Vec<String>,
    /// Whether lines of context are written.
    pub enriched: bool,
    /// Keep vectors here.
    pub cache: Option<PathBuf>,
    /// How to retrieve.
    pub retrieval: RetrievalOptions,
}

/// What came of one way to cut.
#[derive(Clone, Debug, Serialize)]
pub struct SpansReport {
    /// What every evaluation has.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// Characters returned for a question, on average.
    pub returned_characters: f64,
}

/// Evaluates a collection, once for each way to cut. `progress` is told what happens, at most a few times a second.
pub fn spans(
    config: &AppConfig,
    options: &SpansOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Vec<SpansReport>, Problem> {
    if options.budget == 0 {
        return Err(Problem::bad_request("the budget must be at least one character"));
    }
    let questions = whole::questions(&options.folder)?;
    let files = whole::files(&options.folder)?;
    if options.chunkings.is_empty() {
        return Ok(vec![one(config, options, None, &questions, &files, progress, cancel)?]);
    }
    let of = |chunking: &String| one(config, options, Some(chunking), &questions, &files, progress, cancel);
    options.chunkings.iter().map(of).collect()
}

fn one(
    config: &AppConfig,
    options: &SpansOptions,
    chunking: Option<&String>,
    questions: &[Question],
    files: &BTreeMap<String, String>,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<SpansReport, Problem> {
    let (retrieval, cache) = (&options.retrieval, options.cache.clone());
    let workshop = evaluation::workshop(config, chunking, options.enriched, cache, retrieval)?;
    let library = &workshop.library;
    progress(&format!("taking in {} documents", files.len()));
    let began = Instant::now();
    let items = [AddItem::Path { path: whole::documents(&options.folder), watch: false }];
    let report = library.add(&items, &AddOptions::default(), true, cancel)?;
    if let Some(failed) = report.failed.first() {
        return Err(Problem::bad_request(format!("{} could not be taken in: {}", failed.uri, failed.reason)));
    }
    evaluation::settled(library, progress, cancel)?;
    let index_seconds = began.elapsed().as_secs_f64();

    let aligned = align(&workshop, files)?;
    let libraries = [library.clone()];
    let (mut metrics, mut times, mut returned) = (Vec::new(), Vec::new(), 0);
    for (n, question) in questions.iter().enumerate() {
        if n % 20 == 0 {
            progress(&format!("asking {n} of {} questions", questions.len()));
        }
        let mut right = Ranges::new();
        for answer in &question.spans {
            let (doc, start, end) = (&answer.doc, answer.start, answer.end);
            let document = aligned.get(doc).ok_or_else(|| not_there(doc, files, &report.skipped))?;
            let range = document.right(answer).ok_or_else(|| {
                Problem::bad_request(format!("the span {start} to {end} does not lie in {doc}"))
            })?;
            right.entry(answer.doc.as_str()).or_default().push(range);
        }
        let request = search_request(&question.text, DEPTH, retrieval)?;
        let began = Instant::now();
        let response = retrieve::search(&libraries, &request, &*workshop.models, cancel)?;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
        let mut texts = Texts::new(&libraries);
        let characters = |text: &str| Ok(text.chars().count());
        let excerpts = retrieve::excerpts(&mut texts, &response.hits, options.budget, &characters)?;
        let found = ranges(&excerpts, &aligned);
        returned += found.values().flatten().map(ExactSizeIterator::len).sum::<usize>();
        metrics.extend(evaluate::of_spans(found, right));
    }
    let counted = Counted {
        documents: aligned.len(),
        queries: metrics.len(),
        metrics: evaluate::mean_of_spans(&metrics).named(),
        index_seconds,
        query_ms: times,
    };
    let mut evaluation = Evaluation::of(&options.folder, &workshop, retrieval, counted)?;
    evaluation.settings.insert("budget".to_owned(), json!(options.budget));
    let returned_characters = rounded(returned as f64 / questions.len().max(1) as f64);
    Ok(SpansReport { evaluation, returned_characters })
}

/// Why a document that a question names is not in the library.
fn not_there(doc: &str, files: &BTreeMap<String, String>, skipped: &[FileReport]) -> Problem {
    if !files.contains_key(doc) {
        return Problem::bad_request(format!("a question names {doc}, and docs holds no file of that name"));
    }
    let uri = file_uri(&Path::new("/").join(doc));
    let as_told = uri.trim_start_matches("file:///");
    let why = skipped.iter().find(|file| name(file.uri.as_bytes()) == as_told);
    let why = why.map_or("it has no text", |file| file.reason.as_str());
    Problem::bad_request(format!("{doc} could not be taken in: {why}"))
}

/// The documents of the library by name, each with what became of its characters.
fn align(
    workshop: &Workshop,
    files: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Aligned>, Problem> {
    let query = DocumentQuery { limit: u32::MAX as usize, ..DocumentQuery::default() };
    let (documents, _) = workshop.library.documents(&query)?;
    let mut aligned = BTreeMap::new();
    for document in documents {
        let name = name(&document.path);
        if document.version.is_some()
            && let Some(file) = files.get(&name)
        {
            let text = workshop.library.version_text(document.id, None)?;
            aligned.insert(name, Aligned::new(file, &text.markdown));
        }
    }
    Ok(aligned)
}

/// The name of a document: its file's, without ending.
fn name(path: &[u8]) -> String {
    let path = String::from_utf8_lossy(path);
    let file = path.rsplit('/').next().unwrap_or_default();
    file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned()
}

/// The ranges of characters that excerpts cover.
fn ranges<'a>(excerpts: &[Excerpt<'_>], aligned: &'a BTreeMap<String, Aligned>) -> Ranges<'a> {
    let mut ranges = Ranges::new();
    for excerpt in excerpts {
        let Some((name, aligned)) = aligned.get_key_value(&name(&excerpt.hit.document.path)) else {
            continue;
        };
        let range = aligned.characters(excerpt.span.start..excerpt.span.end);
        ranges.entry(name.as_str()).or_default().push(range);
    }
    ranges
}
