//! Asks questions, measures what came, and says of each that failed where it was lost.
//!
//! A hit is right where it shares half of the shorter of the two with a right span. Refuses to count a question as failed by
//! the search where what answers it is not in the library. Invariant: questions are asked as a person's search asks them; only
//! those that failed are asked again, leg by leg and without the reranker.

use super::cases::{Case, CaseRight};
use super::places::{Place, Places};
use super::types::{Outcome, QuestionResult, Run, Shown, Side};
use crate::answer;
use crate::cancel::Cancel;
use crate::domain::{DocumentId, RunId, Span};
use crate::error::Result;
use crate::evaluate::{self, Judgements, Ranges, paired_bootstrap};
use crate::library::Library;
use crate::retrieve::{self, Hit, Leg, POOL, Rerank, SearchRequest};
use crate::seams::ModelProvider;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

/// Hits that are looked at: what a person sees of a search.
pub const FIRST: usize = 10;
/// How deep a leg is looked into for a question that failed.
const DEEP: usize = 200;
/// Metrics of [`evaluate::Metrics`] that ten hits can tell.
const TOLD: [&str; 7] =
    ["ndcg@10", "recall@5", "recall@10", "mrr@10", "hit@5", "precision@5", "context_precision"];

/// How far a long work is: done, and of how many.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// How a run asks.
#[derive(Clone, Debug)]
pub struct How<'a> {
    /// The search; its query and number of hits are not used.
    pub request: &'a SearchRequest,
    /// What the run is kept with, besides the settings of the library.
    pub settings: BTreeMap<String, String>,
    /// Whether the gate is looked at too, which calibrates it where that was never done.
    pub gate: bool,
}

/// Asks all cases of one library.
pub fn run(
    library: &Arc<Library>,
    cases: &[Case],
    how: &How<'_>,
    models: &dyn ModelProvider,
    progress: Progress<'_>,
    cancel: &Cancel,
) -> Result<Run> {
    let created = library.now();
    let status = library.status()?;
    let mut settings = library.settings()?;
    settings.extend(how.settings.clone());
    let libraries = std::slice::from_ref(library);
    let rerankers = retrieve::rerankers(how.request, libraries, models)?;
    let rerankers = if rerankers.is_empty() { "none".to_owned() } else { rerankers.join(",") };
    settings.insert("rerank".to_owned(), rerankers);
    let asking = Asking { library: libraries, request: how.request, models, gate: how.gate, cancel };
    let mut places = Places::new(library);
    let mut results = Vec::with_capacity(cases.len());
    for (done, case) in cases.iter().enumerate() {
        cancel.check()?;
        progress(done, cases.len());
        results.push(asking.one(case, &mut places)?);
    }
    progress(cases.len(), cases.len());
    Ok(Run {
        id: RunId::random(),
        created,
        settings,
        documents: status.searchable(),
        passages: status.passages,
        metrics: means(&results),
        results,
    })
}

/// The second run against the first, metric by metric, over the questions with the same text.
pub fn compare(first: &Run, second: &Run) -> Vec<Side> {
    let theirs: HashMap<&str, &QuestionResult> =
        second.results.iter().map(|result| (result.text.as_str(), result)).collect();
    let both: Vec<(&QuestionResult, &QuestionResult)> =
        first.results.iter().filter_map(|r| Some((r, *theirs.get(r.text.as_str())?))).collect();
    let side = |metric: &String| {
        let pairs: Vec<(f64, f64)> = both
            .iter()
            .filter_map(|(a, b)| Some((*a.metrics.get(metric)?, *b.metrics.get(metric)?)))
            .collect();
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len().max(1) as f64;
        let (first, second) = (mean(|p| p.0), mean(|p| p.1));
        Side { metric: metric.clone(), first, second, difference: paired_bootstrap(&pairs) }
    };
    first.metrics.keys().filter(|metric| second.metrics.contains_key(*metric)).map(side).collect()
}

fn means(results: &[QuestionResult]) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for (name, value) in results.iter().flat_map(|result| &result.metrics) {
        *sums.entry(name.clone()).or_default() += value;
    }
    for sum in sums.values_mut() {
        *sum /= results.len().max(1) as f64;
    }
    sums
}

/// What answers one question, as far as it is there.
struct Wanted {
    /// Those that are there, each with its number among all.
    here: Vec<(usize, DocumentId, Option<Span>)>,
    all: usize,
    not_converted: bool,
}

struct Asking<'a> {
    library: &'a [Arc<Library>],
    request: &'a SearchRequest,
    models: &'a dyn ModelProvider,
    gate: bool,
    cancel: &'a Cancel,
}

impl Asking<'_> {
    fn one(&self, case: &Case, places: &mut Places<'_>) -> Result<QuestionResult> {
        let mut wanted = Wanted { here: Vec::new(), all: case.right.len(), not_converted: false };
        let mut shown = Vec::new();
        for (number, right) in case.right.iter().enumerate() {
            let CaseRight::Known(right) = right else { continue };
            let place = places.of(right)?;
            let span = if let Place::Here(span) = place { span } else { None };
            shown.push(Shown { document: right.document, title: right.title.clone(), span });
            match place {
                Place::Here(span) => wanted.here.push((number, right.document, span)),
                Place::NotConverted => wanted.not_converted = true,
                Place::Gone => {}
            }
        }
        let request = SearchRequest { query: case.text.clone(), n: FIRST, ..self.request.clone() };
        let began = Instant::now();
        let response = retrieve::search(self.library, &request, self.models, self.cancel)?;
        let ms = began.elapsed().as_secs_f64() * 1_000.0;

        let rank = wanted.rank_in(&response.hits);
        let right_hit = rank.and_then(|rank| response.hits.get(rank - 1));
        let mut result = QuestionResult {
            question: case.id,
            text: case.text.clone(),
            outcome: Outcome::Found,
            rank,
            lexical: right_hit.and_then(|hit| hit.lexical).map(|leg| leg.rank),
            dense: right_hit.and_then(|hit| hit.dense).map(|leg| leg.rank),
            metrics: wanted.metrics(&response.hits),
            ms,
            right: shown,
        };
        if rank.is_some() {
            let refused = self.gate
                && !answer::would_try(self.library, &case.text, &response, self.models, self.cancel)?;
            if refused {
                result.outcome = Outcome::Gated;
            }
        } else if wanted.here.is_empty() {
            result.outcome = if wanted.not_converted { Outcome::NotConverted } else { Outcome::Gone };
        } else {
            self.blame(&request, &wanted, response.judged.is_some(), &mut result)?;
        }
        Ok(result)
    }

    /// Asks again for a question whose answer was not found: without the reranker where one ordered the hits, and each leg alone.
    fn blame(
        &self,
        request: &SearchRequest,
        wanted: &Wanted,
        is_judged: bool,
        result: &mut QuestionResult,
    ) -> Result<()> {
        // A threshold on the reranker's score is on another scale than one on the legs'.
        let fused = SearchRequest { rerank: Rerank::Off, min_score: None, ..request.clone() };
        let ask = |request: &SearchRequest| retrieve::search(self.library, request, self.models, self.cancel);
        let alone = |leg: Leg| -> Result<Option<usize>> {
            if !request.legs.contains(&leg) {
                return Ok(None);
            }
            let response =
                ask(&SearchRequest { legs: vec![leg], n: DEEP, multi_hop: false, ..fused.clone() })?;
            // A leg that cannot run is stood in for by the other one: that is no rank of its own.
            let own = |hit: &&Hit| match leg {
                Leg::Lexical => hit.lexical.is_some(),
                Leg::Dense => hit.dense.is_some(),
            };
            Ok(response.hits.iter().filter(own).position(|hit| wanted.is_right(hit)).map(|at| at + 1))
        };
        result.lexical = alone(Leg::Lexical)?;
        result.dense = alone(Leg::Dense)?;
        result.outcome = match result.lexical.into_iter().chain(result.dense).min() {
            _ if is_judged && wanted.rank_in(&ask(&fused)?.hits).is_some() => Outcome::LostInReranking,
            Some(rank) if rank <= FIRST => Outcome::LostInFusion,
            Some(rank) if rank <= POOL => Outcome::RankedLow,
            _ => Outcome::NotRetrieved,
        };
        Ok(())
    }
}

impl Wanted {
    /// Numbers of the right spans that a hit is right for.
    fn right_for(&self, hit: &Hit) -> impl Iterator<Item = usize> {
        self.here
            .iter()
            .filter(|(_, document, span)| *document == hit.document.id && covers(hit.passage.span, *span))
            .map(|(number, ..)| *number)
    }

    fn is_right(&self, hit: &Hit) -> bool {
        self.right_for(hit).next().is_some()
    }

    fn rank_in(&self, hits: &[Hit]) -> Option<usize> {
        hits.iter().position(|hit| self.is_right(hit)).map(|at| at + 1)
    }

    /// Spans that are not there count as not found.
    fn metrics(&self, hits: &[Hit]) -> BTreeMap<String, f64> {
        let judgements: Judgements = (0..self.all).map(|number| (number.to_string(), 1)).collect();
        let mut ranking = Vec::new();
        let mut seen = HashSet::new();
        for (at, hit) in hits.iter().enumerate() {
            let before = ranking.len();
            let right: Vec<usize> = self.right_for(hit).collect();
            ranking.extend(right.iter().filter(|n| seen.insert(**n)).map(usize::to_string));
            // A second passage for the same span is neither another answer nor a miss.
            if right.is_empty() && ranking.len() == before {
                ranking.push(format!("hit {at}"));
            }
        }
        let metrics = evaluate::of_query(ranking.iter().map(String::as_str), &judgements).unwrap_or_default();
        let mut named: BTreeMap<String, f64> = metrics
            .named()
            .into_iter()
            .filter(|(name, _)| TOLD.contains(name))
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        named.insert("context_recall".to_owned(), self.context_recall(hits));
        named
    }

    /// Share of the right text that the hits hold (RAGAS, Es et al. 2023, by characters instead of a model's verdict); a whole
    /// document counts as one.
    fn context_recall(&self, hits: &[Hit]) -> f64 {
        if self.all == 0 {
            return 0.0;
        }
        let held = |(_, document, span): &(usize, DocumentId, Option<Span>)| {
            let mut of_document = hits.iter().filter(|hit| hit.document.id == *document);
            let Some(span) = span else { return f64::from(u8::from(of_document.next().is_some())) };
            let range = |span: &Span| span.start..span.end;
            let returned = Ranges::from([("", of_document.map(|hit| range(&hit.passage.span)).collect())]);
            let right = Ranges::from([("", vec![range(span)])]);
            evaluate::of_spans(returned, right).map_or(0.0, |found| found.span_recall)
        };
        self.here.iter().map(held).sum::<f64>() / self.all as f64
    }
}

/// Whether a passage holds a right span, or the span the passage, by half at least.
fn covers(passage: Span, right: Option<Span>) -> bool {
    let Some(right) = right else { return true };
    let shared = passage.end.min(right.end).saturating_sub(passage.start.max(right.start));
    shared > 0 && shared * 2 >= passage.len().min(right.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_right_where_half_of_the_shorter_is_shared() {
        let passage = Span::new(100, 200);
        assert!(covers(passage, Some(Span::new(120, 130))), "the span lies in it");
        assert!(covers(passage, Some(Span::new(0, 1_000))), "it lies in the span");
        assert!(covers(passage, Some(Span::new(180, 220))));
        assert!(!covers(passage, Some(Span::new(190, 220))));
        assert!(!covers(passage, Some(Span::new(200, 220))));
        assert!(covers(passage, None));
    }
}
