//! `bench answer`: tokens that a language model reads and writes in a second.

use super::{Common, peer, rounded};
use crate::app::AppConfig;
use crate::models;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_models::bench;
use serde_json::{Map, Value, json};

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct AnswerOptions {
    /// The language model; the chosen one when not given.
    pub model: Option<String>,
    /// Tokens of the prompt.
    pub prompt: usize,
    /// Tokens that are written.
    pub tokens: usize,
    /// Runs, threads, peer.
    pub common: Common,
}

/// Measures a language model of this machine. It stays loaded between the runs, as it does between questions.
pub fn answer(
    config: &AppConfig,
    options: &AnswerOptions,
    progress: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> Result<Map<String, Value>, Problem> {
    let models = models::open(&config.models, options.common.threads.unwrap_or(0));
    peer::in_turn(options.common.runs, options.common.peer.as_deref(), progress, || {
        let size = (options.prompt, options.tokens);
        let r = bench::answer(&models, options.model.as_deref(), size, cancel)?;
        let report = json!({
            "engine": r.engine,
            "threads": r.threads,
            "prompt": r.prompt,
            "tokens": r.tokens,
            "prefill_tokens_per_s": rounded(r.prefill_tokens_per_s),
            "decode_tokens_per_s": rounded(r.decode_tokens_per_s),
            "first_token_ms": rounded(r.first_token_ms),
            "peak_rss_mb": r.peak_rss_mb,
            "estimated_mb": r.estimated_mb,
        });
        Ok(report.as_object().cloned().unwrap_or_default())
    })
}
