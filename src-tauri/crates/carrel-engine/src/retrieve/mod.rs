//! The road of a question up to the hits: legs, fusion, re-reading, trace.
//!
//! Refuses to show anything that the ledger does not hold now.

mod cache;
mod evidence;
mod excerpts;
mod filter;
mod fuse;
mod hops;
mod legs;
mod mmr;
mod read;
mod rerank;
mod snippet;
mod texts;
pub(crate) mod trace;
mod transform;
mod types;

pub(crate) use cache::Caches;
pub use evidence::Evidence;
pub use excerpts::{Cost, Excerpt, excerpts};
pub(crate) use excerpts::{choose, surroundings};
pub(crate) use mmr::pick;
pub use rerank::{Judged, MOST as MOST_RERANKED};
pub(crate) use snippet::Marker;
pub use texts::Texts;
pub use transform::{MOST_WORDINGS, WORDINGS};
pub use types::{
    Except, Expanded, Filter, Fusion, Hit, Leg, LegRank, Preset, RERANKED, Rerank, Run, RunKind, ScoreKind,
    SearchRequest, SearchResponse, Stage, Switch, Trace, Transforms,
};

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::library::Library;
use crate::seams::ModelProvider;
use crate::text::analyze_query;
use legs::{Asked, View};
use std::sync::Arc;
use std::time::Instant;
use trace::Tracer;
use transform::Signs;

/// Fewest candidates of a leg of another wording.
const FEWEST: usize = 10;

/// What every stage of one search works with.
#[derive(Clone, Copy)]
struct Means<'a> {
    libraries: &'a [Arc<Library>],
    models: &'a dyn ModelProvider,
    caches: &'a Caches,
    cancel: &'a Cancel,
}

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
    // Of what several libraries are asked together, the first keeps what it cost.
    let caches = libraries.first().map_or_else(Arc::default, |library| library.shared.caches.clone());
    let means = Means { libraries, models, caches: &caches, cancel };
    let rerankers = rerank::named(request, models)?;
    let standalone = transform::standalone(request, means, &mut tracer)?;
    let request = &SearchRequest { query: standalone, ..request.clone() };

    let started = Instant::now();
    let query = analyze_query(&request.query, request.prefix);
    tracer.end("analyze", started, None, None);
    cancel.check()?;

    let started = Instant::now();
    let views = legs::views(libraries, request)?;
    if let Some(note) = narrowed(request) {
        tracer.end("filter", started, None, Some(note));
    }
    let legs = legs::run(&views, request, &Asked::question(request), &query, means, &mut tracer)?;
    cancel.check()?;

    let started = Instant::now();
    let ranking = legs::fuse(&legs, request);
    tracer.end("fuse", started, Some(ranking.len()), None);
    let mut ranking = expanded(&views, request, &legs, ranking, means, &mut tracer)?;

    if request.multi_hop {
        let started = Instant::now();
        let note = hops::follow(&views, &request.query, &query, &mut ranking, cancel)?;
        tracer.end("hops", started, Some(ranking.len()), note);
    }

    let judged = rerank::judge(&views, request, &rerankers, &mut ranking, means, &mut tracer)?;
    if let Some(least) = request.min_score {
        let started = Instant::now();
        let note = ranking.keep_above(least);
        tracer.end("threshold", started, Some(ranking.len()), note);
    }

    let started = Instant::now();
    let marker = Marker::new(&query, legs.completions.iter().map(String::as_str));
    let (hits, far) = read::hits(&views, &ranking, request, &marker, cancel)?;
    let note = (far > 0).then(|| format!("{far} left out: no word of the question, and not near in meaning"));
    tracer.end("read", started, Some(hits.len()), note);

    let mut evidence = Evidence::of(&legs.content, &hits, legs.best_dense());
    evidence.rerank = judged.as_ref().map(|judged| judged.best);
    Ok(SearchResponse { hits, evidence, judged, trace: tracer.finish() })
}

/// The ranking with what other wordings of the question find.
fn expanded(
    views: &[View<'_>],
    request: &SearchRequest,
    legs: &legs::Legs,
    ranking: legs::Ranking,
    means: Means<'_>,
    tracer: &mut Tracer,
) -> Result<legs::Ranking> {
    let signs = Signs { missing: legs.lacks_words, far: legs.is_far(), ..Signs::of(&request.query) };
    let variants = transform::variants(request, signs, means, tracer)?;
    if variants.is_empty() {
        return Ok(ranking);
    }
    let pool = (Asked::question(request).pool / variants.len()).max(FEWEST);
    let mut rankings = Vec::new();
    for (at, variant) in variants.iter().enumerate() {
        means.cancel.check()?;
        let mut own = Tracer::new();
        let asked = Asked { text: &variant.text, kind: variant.kind, legs: variant.legs, pool };
        let query = analyze_query(&variant.text, false);
        match legs::run(views, request, &asked, &query, means, &mut own) {
            Ok(found) => rankings.push((variant.weight, legs::fuse(&found, request))),
            Err(EngineError::Cancelled) => return Err(EngineError::Cancelled),
            // The question itself was searched: what fails here costs no more than what it would have added.
            Err(error) => own.end("search", Instant::now(), None, Some(error.to_string())),
        }
        tracer.take(own, at + 2);
    }
    let started = Instant::now();
    let joined = transform::joined(ranking, rankings);
    tracer.end("join", started, Some(joined.len()), None);
    Ok(joined)
}

/// What narrows a search, for people.
fn narrowed(request: &SearchRequest) -> Option<String> {
    let with = request.required.iter().map(|words| format!("with “{words}”"));
    let without = request.excluded.iter().map(|words| format!("without “{words}”"));
    let filter = (!request.filter.is_empty()).then(|| "only some documents".to_owned());
    let parts: Vec<String> = with.chain(without).chain(filter).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
