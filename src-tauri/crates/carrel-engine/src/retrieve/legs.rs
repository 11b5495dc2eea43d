//! The two legs over one or several libraries, and their fusion.
//!
//! A leg that cannot run is left out with a note: the other one answers. Only when no leg that was asked for ran is that an
//! error.

use super::balance::LegContrast;
use super::cache::fingerprint;
use super::filter::Narrowed;
use super::fuse::{Scored, convex, rrf};
use super::trace::{Tracer, stage};
use super::{Expanded, Fusion, Leg, LegRank, Means, ScoreKind, SearchRequest, Stage};
use crate::domain::{EmbeddingSpace, PassageId};
use crate::error::{EngineError, Result};
use crate::index::lexical::{LexicalQuery, LexicalSnapshot, Statistics};
use crate::library::{IndexState, Library};
use crate::seams::{DenseIndex, EmbedKind, IndexError, ModelError};
use crate::text::{AnalyzedQuery, ContentTerm, WordLanguage, covered_share};
use crate::writer::IndexSet;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// Fewest candidates of a leg.
pub(crate) const POOL: usize = 50;

/// Candidates of a leg that say how much it counts.
const LOOKED_AT: usize = 50;

/// How far below an embedder's floor what has nothing to do with a question lies, in parts of the way from the floor to 1.
const UNRELATED: f32 = 0.27;

/// One library as one search sees it, from beginning to end.
pub(super) struct View<'a> {
    pub(super) library: &'a Library,
    set: Arc<IndexSet>,
    snapshot: Arc<LexicalSnapshot>,
    narrowed: Narrowed,
}

/// A passage of one of the libraries searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) library: usize,
    pub(super) passage: PassageId,
}

/// A list of candidates, best first.
type Ranked = Vec<(Key, f32)>;

/// Candidates of one embedding space.
struct DenseList {
    floor: f32,
    /// The question is in a language that the embedder was not trained for.
    is_foreign: bool,
    found: Ranked,
}

/// What is searched: the question, or another wording of it.
pub(super) struct Asked<'a> {
    pub(super) text: &'a str,
    /// What the text is for the embedder.
    pub(super) kind: EmbedKind,
    pub(super) legs: &'a [Leg],
    /// Candidates of each leg.
    pub(super) pool: usize,
}

impl<'a> Asked<'a> {
    /// The question itself.
    pub(super) fn question(request: &'a SearchRequest) -> Self {
        let pool = (4 * request.n).max(20).max(POOL);
        Self { text: &request.query, kind: EmbedKind::Query, legs: &request.legs, pool }
    }
}

/// What the legs found.
#[derive(Default)]
pub(super) struct Legs {
    lexical: Option<Ranked>,
    dense: Vec<DenseList>,
    /// Content of the question: rare terms weigh more, those that are nowhere most.
    pub(super) content: Vec<ContentTerm>,
    /// Terms that an unfinished word was completed to.
    pub(super) completions: Vec<String>,
    /// Whether a word of the content stands nowhere; never one with a digit, which has no other wording.
    pub(super) lacks_words: bool,
    /// Passages that were searched.
    passages: usize,
    /// The question holds a code or identifier.
    has_code: bool,
}

/// A fused candidate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) key: Key,
    pub(super) score: f32,
    pub(super) lexical: Option<LegRank>,
    pub(super) dense: Option<LegRank>,
    pub(super) fused: Option<f32>,
    /// Its place before it was reranked, from 1.
    pub(super) fused_rank: Option<usize>,
    /// What the reranker gave it.
    pub(super) rerank: Option<f32>,
    /// Its places in the legs of other wordings.
    pub(super) expanded: Vec<Expanded>,
    /// Whether its dense score reaches the floor of its embedding space.
    pub(super) is_near: bool,
    /// The name in a better hit that it was found by.
    pub(super) named: Option<String>,
}

impl Candidate {
    /// With a score, and in no leg so far.
    pub(super) fn found(key: Key, score: f32) -> Self {
        Self {
            key,
            score,
            lexical: None,
            dense: None,
            fused: None,
            fused_rank: None,
            rerank: None,
            expanded: Vec::new(),
            is_near: false,
            named: None,
        }
    }

    /// Found by a name alone.
    pub(super) fn named(key: Key, score: f32, name: String) -> Self {
        Self { is_near: true, named: Some(name), ..Self::found(key, score) }
    }
}

/// Candidates in their final order.
pub(super) struct Ranking {
    pub(super) candidates: Vec<Candidate>,
    pub(super) kind: ScoreKind,
    /// Whether anything was searched by meaning.
    pub(super) by_meaning: bool,
}

impl Ranking {
    /// Drops what the reranker, or else the dense leg, gave less. Returns why that could not be done.
    pub(super) fn keep_above(&mut self, least: f32) -> Option<String> {
        match (self.kind, self.by_meaning) {
            (ScoreKind::Rerank, _) => {
                self.candidates.retain(|c| c.rerank.is_some_and(|score| score >= least));
            }
            (_, true) => self.candidates.retain(|c| c.dense.is_some_and(|d| d.score >= least)),
            (_, false) => {
                return Some("the lowest score was not applied: nothing was searched by meaning".to_owned());
            }
        }
        None
    }

    pub(super) fn len(&self) -> usize {
        self.candidates.len()
    }
}

impl DenseList {
    /// The score of what has nothing to do with the question.
    fn zero(&self) -> f32 {
        self.floor - UNRELATED * (1.0 - self.floor)
    }
}

impl Legs {
    /// Whether something was searched by meaning, and nothing found is near.
    pub(super) fn is_far(&self) -> bool {
        let is_near = |list: &DenseList| list.found.first().is_some_and(|(_, score)| *score >= list.floor);
        !self.dense.is_empty() && !self.dense.iter().any(is_near)
    }

    /// The share of meaning in the fusion; of several embedding spaces the surest counts.
    fn meaning(&self) -> f32 {
        let scores =
            |list: &Ranked| -> Vec<f32> { list.iter().take(LOOKED_AT).map(|(_, score)| *score).collect() };
        let words = self.lexical.as_ref().map(scores).unwrap_or_default();
        let contrasts = self.dense.iter().map(|d| LegContrast {
            terms: self.content.len(),
            has_code: self.has_code,
            is_foreign: d.is_foreign,
            ..LegContrast::of(&words, &scores(&d.found), d.floor, self.passages)
        });
        contrasts.map(|contrast| contrast.meaning()).fold(0.0, f32::max)
    }

    pub(super) fn best_dense(&self) -> Option<f32> {
        self.dense.iter().filter_map(|d| d.found.first()).map(|(_, score)| *score).max_by(f32::total_cmp)
    }
}

/// Takes the snapshots that one search uses, and reads what the filter lets through.
pub(super) fn views<'a>(libraries: &'a [Arc<Library>], request: &SearchRequest) -> Result<Vec<View<'a>>> {
    libraries
        .iter()
        .map(|library| {
            let set = library.shared.index_set();
            let snapshot = set.lexical().snapshot();
            let narrowed = library
                .shared
                .reads
                .with(|conn| Narrowed::new(conn, set.generation.id, &snapshot, request))?;
            Ok(View { library, set, snapshot, narrowed })
        })
        .collect()
}

/// The languages of the passages of all libraries, besides English.
pub(super) fn languages(views: &[View<'_>]) -> Vec<WordLanguage> {
    let mut all: Vec<WordLanguage> =
        views.iter().flat_map(|view| view.snapshot.languages()).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Why a search by words may miss documents that are listed as searchable.
fn unfinished(set: &IndexSet) -> Option<String> {
    match set.lexical_state() {
        (IndexState::Rebuilding, _) => {
            Some("the index of words is being made anew: not everything is found by words yet".to_owned())
        }
        (IndexState::Behind, Some(reason)) => {
            Some(format!("the newest documents are not found by words yet: {reason}"))
        }
        _ => None,
    }
}

/// Runs the legs that were asked for, side by side.
pub(super) fn run(
    views: &[View<'_>],
    request: &SearchRequest,
    asked: &Asked<'_>,
    query: &AnalyzedQuery,
    means: Means<'_>,
    tracer: &mut Tracer,
) -> Result<Legs> {
    let pool = asked.pool;
    let wants = |leg| asked.legs.contains(&leg) && request.legs.contains(&leg);
    let (lexical, dense) = std::thread::scope(|scope| {
        let dense = wants(Leg::Dense).then(|| {
            let work = || dense(views, request, asked, means);
            std::thread::Builder::new().name("dense-leg".into()).spawn_scoped(scope, work)
        });
        let lexical = wants(Leg::Lexical).then(|| {
            let started = Instant::now();
            let found = lexical(views, query, pool);
            let candidates = found.as_ref().ok().map(|words| words.found.len());
            // Timed here: the other leg may take longer.
            let note = match &found {
                Ok(_) => views.iter().find_map(|view| unfinished(&view.set)),
                Err(error) => Some(format!("by meaning alone: {error}")),
            };
            (found, stage("lexical", started, candidates, note))
        });
        let dense = dense.map(|spawned| match spawned.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(EngineError::Internal("the search by meaning broke off".into())),
            Err(error) => Err(EngineError::Internal(format!("no thread for the search by meaning: {error}"))),
        });
        (lexical, dense)
    });
    let mut legs = Legs {
        passages: views.iter().map(|view| view.snapshot.len()).sum(),
        has_code: query.terms.iter().any(|term| term.exact.is_some()),
        ..Legs::default()
    };
    let mut failure: Option<EngineError> = None;
    if let Some((found, stage)) = lexical {
        tracer.extend([stage]);
        match found {
            Ok(Words { found, completions, content, lacking }) => {
                legs.lacks_words = lacking;
                legs.lexical = Some(found);
                legs.completions = completions;
                legs.content = content;
            }
            Err(error) => failure = Some(error.into()),
        }
    }
    match dense {
        None => {}
        Some(Ok((lists, stages))) => {
            tracer.extend(stages);
            legs.dense = lists;
        }
        Some(Err(EngineError::Cancelled)) => return Err(EngineError::Cancelled),
        Some(Err(error)) => {
            tracer.end("dense", Instant::now(), None, Some(format!("words alone: {error}")));
            failure.get_or_insert(error);
        }
    }
    if legs.content.is_empty() {
        legs.content.clone_from(&query.content);
    }
    if legs.lexical.is_none() && legs.dense.is_empty() {
        return match failure {
            Some(error) => Err(error),
            None if wants(Leg::Lexical) => Err(EngineError::Internal("no leg ran".into())),
            // By meaning alone was asked for and is not possible: nothing found, and the trace says why.
            None => Ok(legs),
        };
    }
    Ok(legs)
}

/// Passages of all libraries by words, best first, at most `n`.
pub(super) fn by_words(views: &[View<'_>], query: &AnalyzedQuery, n: usize) -> Result<Vec<(Key, f32)>> {
    Ok(lexical(views, query, n)?.found)
}

/// What the lexical leg gives.
struct Words {
    found: Ranked,
    completions: Vec<String>,
    content: Vec<ContentTerm>,
    lacking: bool,
}

fn lexical(views: &[View<'_>], query: &AnalyzedQuery, pool: usize) -> std::result::Result<Words, IndexError> {
    let snapshots: Vec<&LexicalSnapshot> = views.iter().map(|v| &*v.snapshot).collect();
    let prepared = LexicalQuery::new(query, &snapshots)?;
    let statistics = Statistics::of(&prepared, &snapshots)?;
    let mut found: Ranked = Vec::new();
    for (library, view) in views.iter().enumerate() {
        let keep = |passage, document| view.narrowed.keeps_of(passage, document);
        let keep: Option<&dyn Fn(PassageId, i64) -> bool> = (!view.narrowed.is_whole()).then_some(&keep);
        let matches = view.snapshot.search(&prepared, &statistics, pool, keep)?;
        found.extend(matches.into_iter().map(|m| (Key { library, passage: m.passage }, m.score)));
    }
    sort(&mut found, pool);
    let completions = match &query.completion {
        Some(_) => prepared.terms().map(str::to_owned).collect(),
        None => Vec::new(),
    };
    let weighed = |term: &ContentTerm| ContentTerm { weight: statistics.rarity(&term.forms), ..term.clone() };
    let content = query.content.iter().map(weighed).collect();
    let has_digit =
        |term: &ContentTerm| term.forms.iter().any(|form| form.contains(|c: char| c.is_ascii_digit()));
    let lacking = query.content.iter().any(|term| statistics.is_nowhere(&term.forms) && !has_digit(term));
    Ok(Words { found, completions, content, lacking })
}

fn sort(found: &mut Ranked, pool: usize) {
    found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(pool);
}

fn dense(
    views: &[View<'_>],
    request: &SearchRequest,
    asked: &Asked<'_>,
    means: Means<'_>,
) -> Result<(Vec<DenseList>, Vec<Stage>)> {
    let mut spaces: Vec<(&EmbeddingSpace, Vec<usize>)> = Vec::new();
    let mut stages = Vec::new();
    let started = Instant::now();
    for (at, view) in views.iter().enumerate() {
        match &view.set.generation.space {
            None => stages.push(stage(
                "dense",
                started,
                None,
                Some("words alone: the library has no embedder".into()),
            )),
            Some(space) => match spaces.iter_mut().find(|(s, _)| s.key() == space.key()) {
                Some((_, members)) => members.push(at),
                None => spaces.push((space, vec![at])),
            },
        }
    }
    let language = WordLanguage::of_question(asked.text, &languages(views));
    let mut lists = Vec::new();
    for (space, members) in spaces {
        let started = Instant::now();
        if covered_share(asked.text, &space.scripts) <= 0.5 {
            let note = "words alone: the question is in a script that the embedder was not trained for";
            stages.push(stage("dense", started, None, Some(note.into())));
            continue;
        }
        let vector = match embed(space, asked, means) {
            Ok(vector) => vector,
            Err(ModelError::Cancelled) => return Err(EngineError::Cancelled),
            Err(error) => {
                stages.push(stage("embed", started, None, Some(format!("words alone: {error}"))));
                continue;
            }
        };
        stages.push(stage("embed", started, None, None));
        let started = Instant::now();
        let mut found: Ranked = Vec::new();
        let mut note = None;
        let mut answered = false;
        for library in members {
            let view = &views[library];
            let Some(index) = view.set.dense() else { continue };
            let keep = |passage| view.narrowed.keeps(passage);
            let keep: Option<&dyn Fn(PassageId) -> bool> = (!view.narrowed.is_whole()).then_some(&keep);
            match index.search(&vector, asked.pool, request.exact, keep) {
                Ok(matches) => {
                    answered = true;
                    found.extend(matches.into_iter().map(|m| (Key { library, passage: m.passage }, m.score)));
                }
                Err(error) => note = Some(format!("words alone: {error}")),
            }
        }
        sort(&mut found, asked.pool);
        stages.push(stage("dense", started, Some(found.len()), note));
        if answered {
            lists.push(DenseList { floor: space.floor, is_foreign: !space.knows(language.code()), found });
        }
    }
    Ok((lists, stages))
}

/// The vector of what is asked, or why there is none. A query is never embedded in another space than the index.
pub(super) fn embed(
    space: &EmbeddingSpace,
    asked: &Asked<'_>,
    means: Means<'_>,
) -> std::result::Result<Arc<[f32]>, ModelError> {
    let embedder = means.models.embedder(&space.model)?;
    if embedder.space().key() != space.key() {
        return Err(ModelError::Failed(format!(
            "the model {} installed here is another revision than the one that the library was embedded with",
            space.model
        )));
    }
    let kind = match asked.kind {
        EmbedKind::Query => "query",
        EmbedKind::Passage => "passage",
    };
    let key = fingerprint(&[&space.key(), kind, asked.text]);
    if let Some(vector) = means.kept().and_then(|caches| caches.vectors().get(key)) {
        return Ok(vector);
    }
    let made = embedder.embed(asked.kind, &[asked.text], means.cancel)?;
    let first = made.into_iter().next();
    let vector: Arc<[f32]> =
        first.ok_or_else(|| ModelError::Failed("the embedder gave no vector".into()))?.into();
    if let Some(caches) = means.kept() {
        caches.vectors().put(key, Arc::clone(&vector));
    }
    Ok(vector)
}

/// Joins the legs to one order.
pub(super) fn fuse(legs: &Legs, request: &SearchRequest) -> Ranking {
    let ranks = |list: &Ranked| -> HashMap<Key, LegRank> {
        list.iter()
            .enumerate()
            .map(|(i, (key, score))| (*key, LegRank { rank: i + 1, score: *score }))
            .collect()
    };
    let lexical = legs.lexical.as_ref().map(ranks).unwrap_or_default();
    let dense: HashMap<Key, (LegRank, bool)> = legs
        .dense
        .iter()
        .flat_map(|d| ranks(&d.found).into_iter().map(|(key, leg)| (key, (leg, leg.score >= d.floor))))
        .collect();
    let lists: Vec<&Ranked> = legs.lexical.iter().chain(legs.dense.iter().map(|d| &d.found)).collect();
    let several = lists.len() > 1;
    let by_scores = match request.fusion {
        Fusion::Auto => legs.dense.len() == 1,
        Fusion::Rrf => false,
        Fusion::Convex => true,
    };
    let order: Vec<(Key, f32)> = match (several, by_scores) {
        (false, _) => lists.into_iter().flatten().copied().collect(),
        (true, false) => {
            let keys = |list: &Ranked| -> Vec<Key> { list.iter().map(|(key, _)| *key).collect() };
            // Both together weigh as much as two lists do in plain fusion.
            let share = 2.0 * legs.meaning();
            let words = legs.lexical.iter().map(|list| (2.0 - share, keys(list)));
            let all: Vec<_> = words.chain(legs.dense.iter().map(|d| (share, keys(&d.found)))).collect();
            rrf(&all.iter().map(|(weight, keys)| (*weight, keys.as_slice())).collect::<Vec<_>>())
        }
        (true, true) => {
            let share = legs.meaning();
            let words = legs.lexical.iter().map(|list| Scored { weight: 1.0 - share, zero: 0.0, list });
            let meaning = legs.dense.iter().map(|d| Scored { weight: share, zero: d.zero(), list: &d.found });
            convex(&words.chain(meaning).collect::<Vec<_>>())
        }
    };
    let kind = match (several, legs.lexical.is_some()) {
        (true, _) => ScoreKind::Fused,
        (false, true) => ScoreKind::Lexical,
        (false, false) => ScoreKind::Dense,
    };
    let candidates: Vec<Candidate> = order
        .into_iter()
        .map(|(key, score)| Candidate {
            lexical: lexical.get(&key).copied(),
            dense: dense.get(&key).map(|(leg, _)| *leg),
            is_near: dense.get(&key).is_some_and(|(_, is_near)| *is_near),
            fused: several.then_some(score),
            ..Candidate::found(key, score)
        })
        .collect();
    Ranking { candidates, kind, by_meaning: !legs.dense.is_empty() }
}
