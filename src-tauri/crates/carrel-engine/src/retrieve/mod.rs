//! The road of a question up to the hits: legs, fusion, re-reading, trace.
//!
//! Refuses to show anything that the ledger does not hold now.

mod balance;
mod evidence;
mod excerpts;
mod filter;
mod fuse;
mod hops;
mod legs;
mod read;
mod snippet;
mod texts;
pub(crate) mod trace;
mod types;

pub use evidence::Evidence;
pub use excerpts::{Cost, Excerpt, excerpts};
pub(crate) use excerpts::{choose, surroundings};
pub(crate) use snippet::Marker;
pub use texts::Texts;
pub use types::{
    Except, Filter, Fusion, Hit, Leg, LegRank, Run, RunKind, ScoreKind, SearchRequest, SearchResponse, Stage,
    Trace,
};

use crate::cancel::Cancel;
use crate::error::Result;
use crate::library::Library;
use crate::seams::ModelProvider;
use crate::text::analyze_query;
use std::sync::Arc;
use std::time::Instant;
use trace::Tracer;

/// Searches libraries as one: one lexical ranking with common statistics, dense by score within one embedding space, RRF
/// between spaces. Both legs run in parallel. Hits are re-read from the ledger. A question in a script that a library's embedder
/// was not trained for is answered by words alone there, and the trace says so; so is one whose embedder cannot be reached.
pub fn search(
    libraries: &[Arc<Library>],
    request: &SearchRequest,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<SearchResponse> {
    let mut tracer = Tracer::new();
    let started = Instant::now();
    let views = legs::views(libraries, request)?;
    if let Some(note) = narrowed(request) {
        tracer.end("filter", started, None, Some(note));
    }
    cancel.check()?;

    let started = Instant::now();
    let query = analyze_query(&request.query, request.prefix, &legs::languages(&views));
    tracer.end("analyze", started, None, None);
    let legs = legs::run(&views, request, &query, models, cancel, &mut tracer)?;
    cancel.check()?;

    let started = Instant::now();
    let mut ranking = legs::fuse(&legs, request);
    tracer.end("fuse", started, Some(ranking.len()), ranking.note.clone());

    if request.multi_hop {
        let started = Instant::now();
        let note = hops::follow(&views, &request.query, &query, &mut ranking, cancel)?;
        tracer.end("hops", started, Some(ranking.len()), note);
    }

    let started = Instant::now();
    let marker = Marker::new(&query, legs.completions.iter().map(String::as_str));
    let (hits, far) = read::hits(&views, &ranking, request, &marker, cancel)?;
    let note = (far > 0).then(|| format!("{far} left out: no word of the question, and not near in meaning"));
    tracer.end("read", started, Some(hits.len()), note);

    let evidence = Evidence::of(&legs.content, &hits, legs.best_dense());
    Ok(SearchResponse { hits, evidence, trace: tracer.finish() })
}

/// What narrows a search, for people.
fn narrowed(request: &SearchRequest) -> Option<String> {
    let with = request.required.iter().map(|words| format!("with “{words}”"));
    let without = request.excluded.iter().map(|words| format!("without “{words}”"));
    let filter = (!request.filter.is_empty()).then(|| "only some documents".to_owned());
    let parts: Vec<String> = with.chain(without).chain(filter).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
