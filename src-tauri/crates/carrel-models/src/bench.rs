//! Measures embedding and reranking: passages of exactly so many tokens, cut from a BEIR corpus, by wall clock and by CPU second. And
//! language models: tokens that are read and written in a second.
//!
//! The figures mean little by themselves on a shared machine; they are for ratios to a peer that is run in turn.

use crate::Models;
use crate::embed::LocalEmbedder;
use crate::encode::Tokens;
use crate::encode::pool::Lane;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{LanguageModel as _, ModelError};
use serde::Deserialize;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Clone, Debug)]
pub struct EmbedBenchOptions {
    /// A BEIR `corpus.jsonl`.
    pub corpus: PathBuf,
    /// Passages handed over at a time.
    pub batch: usize,
    /// Passages in all.
    pub count: usize,
    /// Tokens of each, special ones included.
    pub tokens: usize,
    /// Runs after one to warm up; the median counts.
    pub runs: usize,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbedBench {
    /// Program, model and precision.
    pub engine: String,
    /// Inference workers.
    pub threads: usize,
    /// As asked for.
    pub batch: usize,
    /// As asked for.
    pub tokens: usize,
    /// Passages of a run.
    pub passages: usize,
    /// By wall clock.
    pub passages_per_s: f64,
    /// By CPU second of the process.
    pub passages_per_cpu_s: f64,
    /// Most memory that the process ever had, in mebibytes.
    pub peak_rss_mb: u64,
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
}

/// Runs the benchmark with the embedder `id`. Blocks.
pub fn embed(
    models: &Models,
    id: &str,
    options: &EmbedBenchOptions,
    cancel: &Cancel,
) -> Result<EmbedBench, ModelError> {
    let embedder = models.local_embedder(id)?;
    let passages = passages(&embedder, options)?;
    let run = || -> Result<(), ModelError> {
        for batch in passages.chunks(options.batch.max(1)) {
            embedder.embed_ids(Lane::Passage, batch.to_vec(), cancel)?;
        }
        Ok(())
    };
    measured(models, id, options, passages.len(), run)
}

/// Runs the benchmark of a reranker over one batch of pairs: of the cross-encoder `id`, or, where none is named, of one of the shape of
/// the embedder `shape`, whose weights it takes: what a pair costs does not depend on what they say. Blocks.
pub fn rerank(
    models: &Models,
    id: Option<&str>,
    shape: &str,
    options: &EmbedBenchOptions,
    cancel: &Cancel,
) -> Result<EmbedBench, ModelError> {
    let embedder = models.local_embedder(shape)?;
    let passages = passages(&embedder, options)?;
    let Some(id) = id else {
        let run = || {
            let judge = |rows: &[f32]| rows.first().copied().unwrap_or_default();
            embedder.each(Lane::Query, passages.clone(), cancel, judge).map(|_| ())
        };
        return measured(models, &format!("cross-encoder shaped as {shape}"), options, passages.len(), run);
    };
    let reranker = models.cross_encoder(id)?;
    let run = || reranker.judge(passages.iter().cloned().map(Tokens::from).collect(), cancel).map(|_| ());
    measured(models, id, options, passages.len(), run)
}

/// Passages of exactly so many tokens.
fn passages(embedder: &LocalEmbedder, options: &EmbedBenchOptions) -> Result<Vec<Vec<u32>>, ModelError> {
    // The tokens of an empty text are the special ones around every text.
    let special = embedder.ids("")?;
    let (Some(first), Some(last)) = (special.first(), special.last()) else {
        return Err(ModelError::Failed("the model has no special tokens to put around a passage".into()));
    };
    let body = options.tokens.saturating_sub(2).max(1);
    let failed = |e: &dyn std::fmt::Display| ModelError::Failed(format!("{}: {e}", options.corpus.display()));
    let corpus = std::fs::File::open(&options.corpus).map_err(|e| failed(&e))?;
    let mut passages: Vec<Vec<u32>> = Vec::new();
    for line in BufReader::new(corpus).lines() {
        if passages.len() >= options.count {
            break;
        }
        let document: Document =
            serde_json::from_str(&line.map_err(|e| failed(&e))?).map_err(|e| failed(&e))?;
        let ids = embedder.plain_ids(&format!("{} {}", document.title, document.text))?;
        let pieces = ids.chunks_exact(body).take(options.count - passages.len());
        passages.extend(pieces.map(|piece| [&[*first], piece, &[*last]].concat()));
    }
    if passages.is_empty() {
        return Err(failed(&format!("it holds no text of {} tokens", options.tokens)));
    }
    Ok(passages)
}

/// Times `run` over so many passages, after one to warm up.
fn measured(
    models: &Models,
    what: &str,
    options: &EmbedBenchOptions,
    passages: usize,
    run: impl Fn() -> Result<(), ModelError>,
) -> Result<EmbedBench, ModelError> {
    run()?;
    let (mut wall, mut used) = (Vec::new(), Vec::new());
    for _ in 0..options.runs.max(1) {
        let (started, cpu) = (Instant::now(), usage().0);
        run()?;
        wall.push(started.elapsed().as_secs_f64());
        used.push(usage().0 - cpu);
    }
    let n = passages as f64;
    Ok(EmbedBench {
        engine: format!("carrel {} {what} f32", env!("CARGO_PKG_VERSION")),
        threads: models.threads(),
        batch: options.batch,
        tokens: options.tokens,
        passages,
        passages_per_s: n / median(&mut wall),
        passages_per_cpu_s: n / median(&mut used),
        peak_rss_mb: usage().1 >> 20,
    })
}

/// What a language model does in a second.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerBench {
    /// Program, model.
    pub engine: String,
    /// Threads.
    pub threads: usize,
    /// Tokens that were read.
    pub prompt: usize,
    /// Tokens that were written after them.
    pub tokens: usize,
    /// Tokens of the prompt that are read in a second.
    pub prefill_tokens_per_s: f64,
    /// Tokens that are written in a second.
    pub decode_tokens_per_s: f64,
    /// Until the first token could be shown.
    pub first_token_ms: f64,
    /// Most memory that the process ever had, in mebibytes.
    pub peak_rss_mb: u64,
    /// What was told before the model was loaded, in mebibytes.
    pub estimated_mb: u64,
}

/// Reads a prompt of so many tokens and writes so many, with the local language model `id` or the chosen one. Blocks.
pub fn answer(
    models: &Models,
    id: Option<&str>,
    (prompt, tokens): (usize, usize),
    cancel: &Cancel,
) -> Result<AnswerBench, ModelError> {
    let model = models.local_language_model(id)?;
    let times = model.measure(prompt, tokens, cancel)?;
    let seconds = |time: Duration| time.as_secs_f64().max(f64::MIN_POSITIVE);
    Ok(AnswerBench {
        engine: format!("carrel {} {}", env!("CARGO_PKG_VERSION"), model.spec().id),
        threads: models.threads(),
        prompt,
        tokens,
        prefill_tokens_per_s: prompt as f64 / seconds(times.0),
        decode_tokens_per_s: tokens as f64 / seconds(times.1),
        first_token_ms: times.0.as_secs_f64() * 1_000.0,
        peak_rss_mb: usage().1 >> 20,
        estimated_mb: model.footprint().working() >> 20,
    })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// CPU seconds used so far and the peak of resident bytes, of this process; not a number where the system does not say.
#[cfg(unix)]
pub fn usage() -> (f64, u64) {
    // SAFETY: `getrusage` fills the struct that it is given, which plain zeros are valid for.
    #[expect(unsafe_code, reason = "the standard library does not tell the CPU time of a process")]
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    // Kibibytes everywhere but on Apple's systems.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as u64 * unit)
}

/// Not known on this system: ratios by CPU second come out as not a number.
#[cfg(not(unix))]
pub fn usage() -> (f64, u64) {
    (f64::NAN, 0)
}
