//! The road of a question up to the hits: legs, fusion, re-reading, trace.
//!
//! Refuses to show anything that the ledger does not hold now.

mod balance;
mod cache;
mod evidence;
mod excerpts;
mod filter;
mod fuse;
mod hops;
mod inventory;
mod legs;
mod mmr;
mod read;
mod rerank;
mod results;
mod snippet;
mod texts;
pub(crate) mod trace;
mod transform;
mod types;

pub(crate) use cache::Caches;
pub use cache::HitRate;
pub use evidence::Evidence;
pub use excerpts::{Cost, Excerpt, excerpts};
pub(crate) use excerpts::{choose, surroundings};
pub(crate) use filter::PathRanks;
pub(crate) use inventory::{Held, Inventory, Sought, inventory, telling};
pub(crate) use mmr::pick;
pub(crate) use rerank::named as rerankers;
pub use rerank::{Judged, MOST as MOST_RERANKED};
pub(crate) use snippet::Marker;
pub use texts::Texts;
pub use transform::{MOST_WORDINGS, WORDINGS};
pub use types::{
    Except, Expanded, Filter, Fusion, Hit, Hop, Leg, LegRank, Preset, RERANKED, Rerank, Run, RunKind,
    ScoreKind, SearchRequest, SearchResponse, Stage, Switch, Trace, Transforms,
};

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::library::{IndexState, Library};
use crate::seams::{ModelError, ModelProvider};
use crate::text::analyze_query;
pub(crate) use legs::POOL;
use legs::{Asked, View};
use read::Shown;
use results::Circumstances;
use std::sync::Arc;
use std::time::Instant;
use trace::Tracer;
use transform::QuestionNeeds;

/// Fewest candidates of a leg of another wording.
const FEWEST: usize = 10;

/// What every stage of one search works with.
#[derive(Clone, Copy)]
struct Means<'a> {
    libraries: &'a [Arc<Library>],
    models: &'a dyn ModelProvider,
    caches: &'a Caches,
    /// Whether anything is taken from there and put there.
    reuse: bool,
    cancel: &'a Cancel,
}

impl<'a> Means<'a> {
    fn kept(&self) -> Option<&'a Caches> {
        self.reuse.then_some(self.caches)
    }
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
    let means = Means { libraries, models, caches: &caches, reuse: request.reuse, cancel };
    let rerankers = rerank::named(request, libraries, models)?;
    let Some(circumstances) = circumstances(request, &rerankers, means) else {
        return searched(request, &rerankers, means, tracer);
    };
    let started = Instant::now();
    let question = request.query.as_str();
    if let Some(response) = caches.results().same(&circumstances, question)
        && are_current(&response, libraries)
    {
        tracer.end("cache", started, Some(response.hits.len()), None);
        return Ok(SearchResponse { trace: tracer.finish(), ..response });
    }
    // To compare questions costs an embedding, which is most of a search: it pays where a reranker would read.
    let vector = if rerankers.is_empty() { None } else { vector(request, means)? };
    if let Some(vector) = &vector
        && let Some((response, before)) = caches.results().alike(&circumstances, question, vector)
        && are_current(&response, libraries)
    {
        let note = format!("found for “{before}” before, which means the same");
        tracer.end("cache", started, Some(response.hits.len()), Some(note));
        return Ok(SearchResponse { trace: tracer.finish(), ..response });
    }
    let response = searched(request, &rerankers, means, tracer)?;
    if is_whole(&response) {
        caches.results().put(circumstances, question, vector.as_deref(), &response);
    }
    Ok(response)
}

/// What the result of a search depends on; `None` where it is not to be kept. A question that a language model may word again is not:
/// what the model says is kept by itself. Nor one that is being typed: the next letter asks for something else.
fn circumstances(request: &SearchRequest, rerankers: &[String], means: Means<'_>) -> Option<Circumstances> {
    let Transforms { rewrite: _, mqe, wordings: _, sub_queries, hyde } = request.transforms;
    let is_worded = [mqe, sub_queries, hyde].iter().any(|switch| *switch != Switch::Off);
    if !request.reuse || request.prefix || is_worded || !request.history.is_empty() {
        return None;
    }
    let moment = |library: &Arc<Library>| {
        let moment = library.shared.indexes.moment();
        let set = library.shared.index_set();
        let is_current = set.lexical_state().0 == IndexState::Current
            && matches!(set.dense_state().0, IndexState::Current | IndexState::Absent);
        is_current.then(|| (library.id(), moment))
    };
    let moments = means.libraries.iter().map(moment).collect::<Option<_>>()?;
    Some(Circumstances::new(request, moments, rerankers))
}

/// The question's vector in the space of the first library.
fn vector(request: &SearchRequest, means: Means<'_>) -> Result<Option<Arc<[f32]>>> {
    let Some(space) = means.libraries.first().and_then(|library| library.shared.space()) else {
        return Ok(None);
    };
    match legs::embed(&space, &Asked::question(request), means) {
        Ok(vector) => Ok(Some(vector)),
        Err(ModelError::Cancelled) => Err(EngineError::Cancelled),
        // The search says so.
        Err(_) => Ok(None),
    }
}

/// Whether the files behind the hits are still there.
fn are_current(response: &SearchResponse, libraries: &[Arc<Library>]) -> bool {
    response.hits.iter().all(|hit| {
        libraries.iter().any(|library| library.id() == hit.library && library.hit_is_current(&hit.document))
    })
}

/// Whether every stage did what was asked of it: what a model that is missing today leaves out, it may find tomorrow.
fn is_whole(response: &SearchResponse) -> bool {
    let failed = |stage: &Stage| {
        stage.note.is_some() && ["lexical", "dense", "embed", "rerank"].contains(&stage.name.as_ref())
    };
    !response.trace.stages.iter().any(failed)
}

fn searched(
    request: &SearchRequest,
    rerankers: &[String],
    means: Means<'_>,
    mut tracer: Tracer,
) -> Result<SearchResponse> {
    let Means { libraries, cancel, .. } = means;
    let standalone = transform::standalone(request, means, &mut tracer)?;
    let request = &SearchRequest { query: standalone, ..request.clone() };

    let started = Instant::now();
    let views = legs::views(libraries, request)?;
    if let Some(note) = narrowed(request) {
        tracer.end("filter", started, None, Some(note));
    }
    cancel.check()?;

    let started = Instant::now();
    let languages = legs::languages(&views);
    let query = analyze_query(&request.query, request.prefix, &languages);
    tracer.end("analyze", started, None, None);
    let legs = legs::run(&views, request, &Asked::question(request), &query, means, &mut tracer)?;
    cancel.check()?;

    let started = Instant::now();
    let ranking = legs::fuse(&legs, request);
    tracer.end("fuse", started, Some(ranking.len()), None);
    let mut ranking = expanded(&views, request, &legs, ranking, means, &mut tracer)?;

    let mut steps_taken = Vec::new();
    if request.multi_hop {
        let started = Instant::now();
        let followed = hops::follow(&views, &request.query, &query, &mut ranking, cancel)?;
        let steps = followed.hops.iter().map(|hop| format!("; {}. {}", hop.number, hop.question));
        let note = format!("{}{}", followed.note, steps.collect::<String>());
        tracer.end("hops", started, Some(ranking.len()), Some(note));
        steps_taken = followed.hops;
    }

    let judged = rerank::judge(&views, request, rerankers, &mut ranking, means, &mut tracer)?;
    if let Some(least) = request.min_score {
        let started = Instant::now();
        let note = ranking.keep_above(least);
        tracer.end("threshold", started, Some(ranking.len()), note);
    }

    let started = Instant::now();
    let marker = Marker::new(&query, legs.completions.iter().map(String::as_str), &languages);
    let Shown { hits, content, far } = read::hits(&views, &ranking, request, &marker, cancel)?;
    let mut evidence = Evidence::of(&legs.content, &hits, &content, legs.best_dense());
    let note = (far > 0).then(|| format!("{far} left out: no word of the question, and not near in meaning"));
    tracer.end("read", started, Some(hits.len()), note);

    evidence.rerank = judged.as_ref().map(|judged| judged.best);
    Ok(SearchResponse { hits, evidence, judged, hops: steps_taken, trace: tracer.finish() })
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
    let needs =
        QuestionNeeds { missing: legs.lacks_words, far: legs.is_far(), ..QuestionNeeds::of(&request.query) };
    let variants = transform::variants(request, needs, means, tracer)?;
    if variants.is_empty() {
        return Ok(ranking);
    }
    let pool = (Asked::question(request).pool / variants.len()).max(FEWEST);
    let mut rankings = Vec::new();
    for (at, variant) in variants.iter().enumerate() {
        means.cancel.check()?;
        let mut own = Tracer::new();
        let asked = Asked { text: &variant.text, kind: variant.kind, legs: variant.legs, pool };
        let query = analyze_query(&variant.text, false, &legs::languages(views));
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
