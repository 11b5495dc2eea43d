//! Tries ways to cut and to fuse, and rerankers, on a copy of a library, by the library's own questions.
//!
//! A reranker reads some passages for each question, so each is tried once: with the present way to cut and to fuse. The copy keeps
//! texts and vectors, so that nothing is converted again and nothing is embedded twice. Lines of context are left out, because each
//! way to cut would have to wait for its own. Refuses to change the library: whoever asked applies what won, as a setting. Invariant:
//! the present settings are measured in the same copy, so that only what is compared differs.

use super::workshop::Workshop;
use crate::app::App;
use crate::dto::{CHIEF, DifferenceDto, RetrievalOptions, TuneCandidate, TuneDto, TuneEstimate, TuneRequest};
use crate::events::EventHub;
use crate::handlers::{rerank, search_request, settings};
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::chunk::Chunking;
use carrel_engine::library::{Library, Parts};
use carrel_engine::quality::{self, Case, How, Run};
use carrel_engine::retrieve::{RERANKED, Rerank};
use carrel_engine::seams::{EmbedKind, ModelProvider as _};
use carrel_models::{LATE_INTERACTION, ModelInfo, ModelRole, ModelState, Models};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Ways to cut that are tried where nobody says.
const CHUNKINGS: [&str; 6] =
    ["auto", "256/25", "sliding:256/32", "parent-child:150/1500", "semantic:512", "pages"];
/// Fusions.
const FUSIONS: [&str; 2] = ["auto", "rrf"];
/// What the user chose.
const AUTO: &str = "auto";
/// No reranker.
const NONE: &str = "none";
/// Every reranker that is here.
const ALL: &str = "all";
/// Fewer questions tell nothing.
const FEWEST: usize = carrel_engine::evaluate::FEWEST;
/// How often it is looked how far the copy is, and whether to stop.
const LOOK: Duration = Duration::from_millis(90);
/// Passages by which the speed of a model is told.
const PROBED: usize = 8;

/// Takes how far it is, and what is being done.
type Told<'a> = &'a mut dyn FnMut(usize, usize, &str);

/// What is tried, the present settings first.
struct Plan {
    chunkings: Vec<String>,
    fusions: Vec<String>,
    /// Beside the present one only with the first of the others.
    rerankers: Vec<String>,
}

/// One setting of each kind.
struct Way<'a> {
    chunking: &'a str,
    fusion: &'a str,
    reranker: &'a str,
}

impl Plan {
    fn new(app: &App, library: &Library, request: &TuneRequest) -> Result<Self, Problem> {
        let present = library.settings()?;
        let of = |key: &str| present.get(key).cloned().unwrap_or_default();
        let with = |first: String, asked: &[String], usual: &[&str]| {
            let mut all = vec![first];
            let rest: Vec<String> = if asked.is_empty() {
                usual.iter().map(|s| (*s).to_owned()).collect()
            } else {
                asked.to_vec()
            };
            for one in rest {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            all
        };
        let chunkings = with(of("chunking"), &request.chunkings, &CHUNKINGS);
        if let Some(bad) = chunkings.iter().find(|c| Chunking::parse(c).is_none()) {
            return Err(Problem::bad_request(format!("{bad} is not a chunking: use {}", Chunking::SETTINGS)));
        }
        let mut fusions = with(of("fusion"), &request.fusions, &FUSIONS);
        if of("embedder") == "none" {
            // One leg alone is not fused.
            fusions.truncate(1);
        }
        let mut rerankers = vec![of("rerank")];
        let does = meant(app, &rerankers[0]);
        let all = request.rerankers.iter().any(|word| word == ALL);
        let asked = if all { here(&app.models, &of("embedder")) } else { request.rerankers.clone() };
        for one in asked {
            // What is in use already is tried anyway.
            if !rerankers.contains(&one) && meant(app, &one) != does {
                rerankers.push(one);
            }
        }
        let chunking = of("chunking");
        let plan = Self { chunkings, fusions, rerankers };
        for way in plan.with(&chunking) {
            search_request("check", 1, &way.options())?;
            if let Rerank::By(ids) = rerank(way.reranker)? {
                ids.iter().try_for_each(|id| app.models.reranker(id).map(drop))?;
            }
        }
        Ok(plan)
    }

    fn len(&self) -> usize {
        self.chunkings.len() * self.fusions.len() + self.rerankers.len() - 1
    }

    /// What is tried with a way to cut, the present fusion and reranker first.
    fn with<'a>(&'a self, chunking: &'a str) -> impl Iterator<Item = Way<'a>> {
        let present = self.rerankers.first().map_or(AUTO, String::as_str);
        let fusions = self.fusions.iter().map(move |fusion| Way { chunking, fusion, reranker: present });
        let is_present = self.chunkings.first().is_some_and(|first| first == chunking);
        let fusion = self.fusions.first().map_or(AUTO, String::as_str);
        let others = self.rerankers.iter().skip(1).filter(move |_| is_present);
        fusions.chain(others.map(move |reranker| Way { chunking, fusion, reranker }))
    }
}

impl Way<'_> {
    fn options(&self) -> RetrievalOptions {
        RetrievalOptions {
            fusion: Some(self.fusion.to_owned()),
            rerank: Some(self.reranker.to_owned()),
            ..RetrievalOptions::default()
        }
    }

    /// As a library takes them.
    fn settings(&self) -> BTreeMap<String, String> {
        let all = [("chunking", self.chunking), ("fusion", self.fusion), ("rerank", self.reranker)];
        all.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
    }
}

/// What a setting of reranking does now.
fn meant(app: &App, word: &str) -> String {
    let now = || app.models.default_reranker().unwrap_or_else(|| NONE.to_owned());
    if word == AUTO { now() } else { word.to_owned() }
}

/// The rerankers that can be tried without sending a passage to where none was sent before: none, the installed ones, the chosen
/// one, and late interaction where the library's embedder is on this machine.
fn here(models: &Models, embedder: &str) -> Vec<String> {
    let listed = models.list();
    let is_installed = |model: &&ModelInfo| model.state == ModelState::Installed;
    let installed = listed.iter().filter(is_installed);
    let rerankers = installed.clone().filter(|model| model.role == ModelRole::Reranker);
    let is_local = installed.clone().any(|model| model.id == embedder);
    let mut all = vec![NONE.to_owned()];
    all.extend(rerankers.map(|model| model.id.clone()));
    all.extend(models.default_reranker());
    all.extend(is_local.then(|| LATE_INTERACTION.to_owned()));
    all
}

/// Seconds in which a reranker judges as many passages as it is given for a question.
fn judging(app: &App, word: &str, sample: &[&str], cancel: &Cancel) -> Result<f64, Problem> {
    let word = meant(app, word);
    let Rerank::By(ids) = rerank(&word)? else { return Ok(0.0) };
    let began = Instant::now();
    for id in ids {
        app.models.reranker(&id)?.score("How long does this take?", sample, cancel)?;
    }
    Ok(began.elapsed().as_secs_f64() * RERANKED as f64 / sample.len().max(1) as f64)
}

/// What it will cost. Embeds a few passages, to know how fast this machine is.
pub(crate) fn estimate(
    app: &App,
    library: &Arc<Library>,
    request: &TuneRequest,
    cancel: &Cancel,
) -> Result<TuneEstimate, Problem> {
    let plan = Plan::new(app, library, request)?;
    let status = library.status()?;
    let (tokens, sample) = library.weight(PROBED)?;
    // Without its lines of context the present cut is embedded anew, too.
    let present = u64::from(!library.enrichment()?.on);
    let to_embed = if status.space.is_some() { tokens * (plan.chunkings.len() as u64 - present) } else { 0 };
    let questions = library.questions()?.len();
    let texts: Vec<&str> = sample.iter().map(|(text, _)| text.as_str()).collect();
    let mut seconds = questions as f64 * plan.len() as f64 * 0.02;
    for (at, reranker) in plan.rerankers.iter().enumerate().filter(|_| !texts.is_empty()) {
        let runs = if at == 0 { plan.chunkings.len() * plan.fusions.len() } else { 1 };
        let each = match judging(app, reranker, &texts, cancel) {
            // A search goes on without the present one too.
            Err(problem) if at == 0 && !problem.is_cancelled() => 0.0,
            seconds => seconds?,
        };
        seconds += each * (questions * runs) as f64;
    }
    // Cutting and indexing, a copy of everything for each way.
    seconds += status.text_bytes as f64 / 4e6 * plan.chunkings.len() as f64;
    if let Some(space) = status.space.as_ref().filter(|_| !sample.is_empty() && to_embed > 0) {
        let embedder = app.models.embedder(&space.model)?;
        let began = Instant::now();
        embedder.embed(EmbedKind::Passage, &texts, cancel)?;
        let embedded: u64 = sample.iter().map(|(_, tokens)| u64::from(*tokens)).sum();
        seconds += began.elapsed().as_secs_f64() * to_embed as f64 / embedded.max(1) as f64;
    }
    Ok(TuneEstimate {
        questions: questions as u32,
        candidates: plan.len() as u32,
        documents: status.searchable() as u32,
        tokens: to_embed,
        seconds,
        bytes: status.bytes * 2,
    })
}

/// Tries them. `told` hears how far it is, in questions and in passages that are embedded.
pub(crate) fn tune(
    app: &App,
    library: &Arc<Library>,
    request: &TuneRequest,
    told: Told<'_>,
    cancel: &Cancel,
) -> Result<TuneDto, Problem> {
    let plan = Plan::new(app, library, request)?;
    let cases: Vec<Case> = library.questions()?.iter().map(|q| Case::from(&q.question)).collect();
    if cases.len() < FEWEST {
        return Err(Problem::bad_request(format!(
            "settings are compared by at least {FEWEST} questions, and the library has {}",
            cases.len()
        ))
        .hint("make some with `carrel eval generate`, or write them"));
    }
    told(0, plan.len(), "copying the library");
    let parts = Parts {
        clock: Arc::new(crate::app::SystemClock),
        converter: app.converter.clone(),
        models: app.models.clone(),
        events: Arc::new(EventHub::default()),
    };
    let workshop = Workshop::copy_of(library, parts, cancel)?;
    let mut tried: Vec<(BTreeMap<String, String>, Run)> = Vec::new();
    for chunking in &plan.chunkings {
        let way = [("chunking", chunking.as_str()), ("enrichment", "off")];
        workshop
            .library
            .change_settings(&way.map(|(key, value)| (key.to_owned(), value.to_owned())).into())?;
        settle(
            &workshop.library,
            &mut |left| {
                told(tried.len(), plan.len(), &format!("{chunking}: {left} passages to embed"));
            },
            cancel,
        )?;
        for way in plan.with(chunking) {
            let what = way.settings();
            told(tried.len(), plan.len(), &format!("{}: asking", in_words(&what)));
            let options = way.options();
            let search = search_request("check", 10, &options)?;
            let how = How { request: &search, settings: settings(&options), gate: false };
            let run =
                quality::run(&workshop.library, &cases, &how, &*workshop.models, &mut |_, _| (), cancel)?;
            tried.push((what, run));
        }
    }
    told(plan.len(), plan.len(), "comparing");
    Ok(compared(&tried, library.now().to_string(), cases.len()))
}

/// `256/25, auto`, and the reranker where one is named.
fn in_words(settings: &BTreeMap<String, String>) -> String {
    let told = settings.iter().filter(|(key, value)| *key != "rerank" || *value != AUTO);
    let word = |(key, value): (&String, &String)| match (key.as_str(), value.as_str()) {
        ("rerank", NONE) => "no reranker".to_owned(),
        _ => value.clone(),
    };
    told.map(word).collect::<Vec<_>>().join(", ")
}

/// Waits until the copy answers by its new settings. `left`: passages that are still to be embedded.
fn settle(library: &Library, left: &mut dyn FnMut(usize), cancel: &Cancel) -> Result<(), Problem> {
    loop {
        if cancel.is_cancelled() {
            return Err(Problem::cancelled());
        }
        library.catch_up(LOOK);
        let progress = library.progress();
        if progress.converting == 0 && progress.embedding == 0 && library.is_settled()? {
            return Ok(library.wait_idle(cancel)?);
        }
        left(progress.embedding);
    }
}

/// The table: the present settings, then the others, the best first. A winner must be better beyond chance although so many were
/// tried: its p is multiplied by their number (Bonferroni).
fn compared(tried: &[(BTreeMap<String, String>, Run)], created: String, questions: usize) -> TuneDto {
    let Some((present, rest)) = tried.split_first() else { return TuneDto::default() };
    let candidate = |(settings, run): &(BTreeMap<String, String>, Run), difference| TuneCandidate {
        settings: settings.clone(),
        passages: run.passages as u32,
        metrics: run.metrics.clone(),
        query_ms: run.query_ms(),
        difference,
    };
    let mut others: Vec<TuneCandidate> = rest
        .iter()
        .map(|one| {
            let side = quality::compare(&present.1, &one.1).into_iter().find(|side| side.metric == CHIEF);
            let difference = side.map(|mut side| {
                side.difference.p = (side.difference.p * rest.len() as f64).min(1.0);
                DifferenceDto::of(&side)
            });
            candidate(one, difference)
        })
        .collect();
    let chief = |c: &TuneCandidate| c.metrics.get(CHIEF).copied().unwrap_or_default();
    others.sort_by(|a, b| chief(b).total_cmp(&chief(a)));
    let better = |c: &&TuneCandidate| c.difference.as_ref().is_some_and(|d| d.verdict == "better");
    let winner = others.iter().position(|c| better(&c)).map(|at| at as u32 + 1);
    let verdict = match winner.and_then(|at| others.get(at as usize - 1)) {
        Some(best) => format!("{} is really better than the present settings.", in_words(&best.settings)),
        None => "No other setting is better beyond chance: the present ones stay.".to_owned(),
    };
    let mut candidates = vec![candidate(present, None)];
    candidates.append(&mut others);
    TuneDto { created, questions: questions as u32, candidates, winner, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reranker_is_tried_once_and_not_with_every_way_to_cut() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let plan = Plan {
            chunkings: words(&["auto", "256/25"]),
            fusions: words(&["rrf", "auto"]),
            rerankers: words(&["auto", "none", "late-interaction"]),
        };
        let ways = plan.chunkings.iter().flat_map(|chunking| plan.with(chunking));
        let tried: Vec<String> = ways.map(|way| in_words(&way.settings())).collect();
        assert_eq!(
            tried,
            [
                "auto, rrf",
                "auto, auto",
                "auto, rrf, no reranker",
                "auto, rrf, late-interaction",
                "256/25, rrf",
                "256/25, auto"
            ],
            "the present ones first"
        );
        assert_eq!(tried.len(), plan.len());
    }
}
