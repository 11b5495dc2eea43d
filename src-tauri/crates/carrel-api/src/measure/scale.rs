//! `bench scale`: what a search costs in a large library, stage by stage, idle and while documents come in.

use super::collection::{Entry, lines};
use super::process::{bytes_below, cpu_seconds, peak_rss_mb};
use super::synthetic::SyntheticModels;
use super::workshop::Workshop;
use super::{Common, Percentiles, generate, peer, rounded};
use crate::app::AppConfig;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::library::Library;
use carrel_engine::retrieve::{self, Leg, SearchRequest, SearchResponse};
use carrel_engine::seams::EmbedKind;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct ScaleOptions {
    /// A collection whose sentences make the passages and whose questions are asked; generated ones when not given.
    pub collection: Option<PathBuf>,
    /// Passages of the library.
    pub passages: usize,
    /// How many questions.
    pub queries: usize,
    /// Runs, threads, peer.
    pub common: Common,
}

/// Words of a document, of which the cutter makes one passage.
const WORDS: usize = 75;
/// Letters of a question that are typed when an answer as one types is timed.
const TYPED: usize = 8;
/// Documents that come in while the second round is measured.
const INCOMING: usize = 2_000;

/// Measures over a library that is built once. Its vectors are synthetic; those of the questions, and of what comes in meanwhile, are not.
pub fn scale(
    config: &AppConfig,
    options: &ScaleOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Map<String, Value>, Problem> {
    let mut synthetic = None;
    let workshop = Workshop::with_models(config, options.common.threads, &BTreeMap::new(), |inner| {
        let models = SyntheticModels::new(inner);
        synthetic = Some(Arc::clone(&models.embeds));
        Arc::new(models)
    })?;
    let id = workshop.models.default_embedder().ok_or_else(super::evaluation::no_embedder)?;
    let embedder = workshop.models.embedder(&id)?;
    let material = Material::read(options)?;
    let began = Instant::now();
    let mut documents = (0..options.passages).map(|n| material.passage(n));
    workshop.library.add_direct(
        &mut documents,
        &mut |done| progress(&format!("taking in {done} of {} passages", options.passages)),
        cancel,
    )?;
    let built = began.elapsed().as_secs_f64();
    let passages = workshop.library.status()?.passages;
    let round = Round { workshop: &workshop, questions: &material.questions, cancel };
    // Everything is loaded and in the caches once.
    round.run(|question| round.search(question, &[Leg::Lexical, Leg::Dense], false))?;

    peer::in_turn(options.common.runs, options.common.peer.as_deref(), progress, || {
        let embed = round.run(|question| {
            embedder.embed(EmbedKind::Query, &[question], cancel)?;
            Ok(())
        })?;
        let stages = Stages::default();
        let whole = round.run(|question| {
            stages.take(round.searched(question, &[Leg::Lexical, Leg::Dense], false)?);
            Ok(())
        })?;
        let lexical = round.run(|question| round.search(question, &[Leg::Lexical], false))?;
        let typed = round.run(|question| {
            let typed: String = question.chars().take(TYPED).collect();
            round.search(&typed, &[Leg::Lexical], true)
        })?;
        let busy = if let Some(embeds) = &synthetic {
            embeds.store(true, Ordering::Relaxed);
            let busy = round.while_adding(&material, options.passages);
            embeds.store(false, Ordering::Relaxed);
            busy?
        } else {
            Timed::default()
        };
        let result = json!({
            "engine": concat!("carrel ", env!("CARGO_PKG_VERSION")),
            "passages": passages,
            "queries": material.questions.len(),
            "build_seconds": rounded(built),
            "embed_ms_p50": embed.ms.p50,
            "query_ms_p50": whole.ms.p50,
            "query_ms_p95": whole.ms.p95,
            "busy_query_ms_p50": busy.ms.p50,
            "busy_query_ms_p95": busy.ms.p95,
            "query_cpu_ms": rounded(whole.cpu_ms),
            "stages_ms_p50": stages.p50(),
            "without_embedding_cpu_ms": rounded((whole.cpu_ms - embed.cpu_ms).max(0.0)),
            "lexical_ms_p50": lexical.ms.p50,
            "lexical_cpu_ms": rounded(lexical.cpu_ms),
            "typed_cpu_ms": rounded(typed.cpu_ms),
            "lexical_queries_per_cpu_s": rounded(1_000.0 / lexical.cpu_ms),
            "queries_per_cpu_s": rounded(1_000.0 / whole.cpu_ms),
            "peak_rss_mb": peak_rss_mb(),
            "index_bytes": bytes_below(workshop.library.folder()),
        });
        Ok(result.as_object().cloned().unwrap_or_default())
    })
}

/// Times of one way to ask.
#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    ms: Percentiles,
    /// Of all threads, per question.
    cpu_ms: f64,
}

/// How long each stage of the searches took, by its name.
#[derive(Default)]
struct Stages(RefCell<BTreeMap<String, Vec<f64>>>);

impl Stages {
    fn take(&self, response: SearchResponse) {
        let mut stages = self.0.borrow_mut();
        for stage in response.trace.stages {
            stages.entry(stage.name.into_owned()).or_default().push(stage.ms);
        }
    }

    fn p50(self) -> Value {
        let p50 = |(name, ms)| (name, Value::from(Percentiles::of(ms).p50));
        Value::Object(self.0.into_inner().into_iter().map(p50).collect())
    }
}

struct Round<'a> {
    workshop: &'a Workshop,
    questions: &'a [String],
    cancel: &'a Cancel,
}

impl Round<'_> {
    fn search(&self, question: &str, legs: &[Leg], prefix: bool) -> Result<(), Problem> {
        std::hint::black_box(self.searched(question, legs, prefix)?);
        Ok(())
    }

    fn searched(&self, question: &str, legs: &[Leg], prefix: bool) -> Result<SearchResponse, Problem> {
        let mut request = SearchRequest::new(question);
        request.legs = legs.to_vec();
        request.prefix = prefix;
        let libraries = [Arc::clone(&self.workshop.library)];
        Ok(retrieve::search(&libraries, &request, &*self.workshop.models, self.cancel)?)
    }

    fn run(&self, ask: impl Fn(&str) -> Result<(), Problem>) -> Result<Timed, Problem> {
        let mut times = Vec::with_capacity(self.questions.len());
        let cpu = cpu_seconds();
        for question in self.questions {
            let began = Instant::now();
            ask(question)?;
            times.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
        let cpu_ms = (cpu_seconds() - cpu) * 1_000.0 / self.questions.len().max(1) as f64;
        Ok(Timed { ms: Percentiles::of(times), cpu_ms })
    }

    /// Asks while documents come in and are embedded.
    fn while_adding(&self, material: &Material, from: usize) -> Result<Timed, Problem> {
        let library: &Library = &self.workshop.library;
        let ended = self.cancel.child();
        std::thread::scope(|scope| {
            let adding = scope.spawn(|| {
                let mut documents = (from..from + INCOMING).map(|n| material.passage(n));
                library.add_direct(&mut documents, &mut |_| (), &ended)
            });
            let timed = self.run(|question| self.search(question, &[Leg::Lexical, Leg::Dense], false));
            ended.cancel();
            // Cancelled on purpose: what came in so far is enough.
            let _ = adding.join();
            timed
        })
    }
}

/// What passages and questions are made of.
struct Material {
    sentences: Vec<String>,
    questions: Vec<String>,
}

impl Material {
    fn read(options: &ScaleOptions) -> Result<Self, Problem> {
        let count = options.queries.max(1);
        let Some(folder) = &options.collection else {
            let mut prose = generate::Words::new(4);
            return Ok(Self {
                sentences: (0..50_000).map(|_| prose.sentence()).collect(),
                questions: (0..count).map(|_| prose.question()).collect(),
            });
        };
        let documents: Vec<Entry> = lines(&folder.join("corpus.jsonl"))?;
        let questions: Vec<Entry> = lines(&folder.join("queries.jsonl"))?;
        let sentences = documents
            .iter()
            .flat_map(|document| document.text.split_inclusive(". "))
            .map(|sentence| sentence.trim().to_owned())
            .filter(|sentence| !sentence.is_empty())
            .collect();
        Ok(Self { sentences, questions: questions.into_iter().take(count).map(|q| q.text).collect() })
    }

    /// The same passage for the same number, and each another.
    fn passage(&self, number: usize) -> carrel_engine::library::DirectDocument {
        let mut prose = generate::Words::new(number as u64 + 5);
        let mut text = String::new();
        let mut words = 0;
        while words < WORDS {
            let Some(sentence) = self.sentences.get(prose.below(self.sentences.len())) else { break };
            words += sentence.split(' ').count();
            text.push_str(sentence);
            text.push(' ');
        }
        Entry { id: number.to_string(), title: String::new(), text }.document()
    }
}
