//! Encoders: what turns tokens into one row of numbers per token. Embedders pool those rows, rerankers judge them.
//!
//! Two forwards serve six families. [`bert`] is BERT and XLM-RoBERTa; [`rotary`] is whatever rotates its queries and keys instead of
//! adding positions: `ModernBERT`, `NomicBERT`, Qwen3, Gemma. Both take a ragged batch without padding on one thread. For graphics cards
//! [`tensors`] computes what both describe. A family that is not known is refused: a wrong forward would silently make every vector worse.

mod attention;
mod bert;
pub(crate) mod config;
pub(crate) mod device;
mod families;
mod linear;
pub(crate) mod pool;
mod rotary;
mod run;
mod tensors;
pub(crate) mod tokenizer;
pub(crate) mod weights;

use candle_core::Device;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use config::Config;
use std::path::Path;
use std::sync::Arc;
use tensors::{Blocks, OnDevice};
use weights::Weights;

pub(crate) use linear::Linear;
pub(crate) use run::encode;

/// About 50 ms of one core for a model of MiniLM's size: what a question may have to wait for.
const BATCH_TOKENS: usize = 256;

/// The tokens of a text, or of a pair of texts, special ones included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// As the tokenizer made them.
    pub(crate) ids: Vec<u32>,
    /// Where the second text of a pair begins, for models that are told.
    pub(crate) second: usize,
}

impl From<Vec<u32>> for Tokens {
    fn from(ids: Vec<u32>) -> Self {
        Self { second: ids.len(), ids }
    }
}

/// The weights of an encoder. Shared between threads; each forward has a [`Scratch`] of its own.
pub(crate) trait Encoder: Send + Sync {
    /// Numbers in a row.
    fn width(&self) -> usize;

    /// Most tokens of one sequence.
    fn positions(&self) -> usize;

    /// Tokens that are worth a forward: more only make others wait. A single sequence may have more.
    fn batch_tokens(&self) -> usize {
        BATCH_TOKENS
    }

    /// The last hidden rows, one per token, sequence after sequence. What a sequence gives does not depend on what shares its batch (up to
    /// the order of float sums). Every sequence has between 1 and [`Self::positions`] tokens. Looks at `cancel` twice per layer.
    fn forward<'s>(
        &self,
        batch: &[Tokens],
        scratch: &'s mut Scratch,
        cancel: &Cancel,
    ) -> Result<&'s [f32], ModelError>;
}

/// Buffers of one thread, grown to the largest batch that it has seen.
#[derive(Default)]
pub(crate) struct Scratch {
    hidden: Vec<f32>,
    normed: Vec<f32>,
    qkv: Vec<f32>,
    context: Vec<f32>,
    projected: Vec<f32>,
    inner: Vec<f32>,
    gated: Vec<f32>,
    scores: Vec<f32>,
    turns: Vec<f32>,
}

fn grown(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}

/// Reads the encoder of the family that `config` names, and lays it on `device`.
pub(crate) fn open(
    config: &Config,
    weights: &mut Weights,
    device: &Device,
) -> Result<Arc<dyn Encoder>, ModelError> {
    let encoder = read(config, weights)?;
    if device.is_cpu() {
        let encoder: Box<dyn Encoder> = encoder;
        return Ok(Arc::from(encoder));
    }
    Ok(Arc::new(OnDevice::new(encoder, device)?))
}

fn read(config: &Config, weights: &mut Weights) -> Result<Box<dyn Blocks>, ModelError> {
    Ok(match config.family() {
        "bert" => Box::new(bert::Bert::read(config, weights, 0)?),
        // Their positions are counted from behind the padding token.
        "roberta" | "xlm-roberta" => {
            Box::new(bert::Bert::read(config, weights, config.number(&["pad_token_id"])? + 1)?)
        }
        "modernbert" => Box::new(families::modernbert(config, weights)?),
        "nomic_bert" => Box::new(families::nomic(config, weights)?),
        "qwen3" => Box::new(families::qwen3(config, weights)?),
        "gemma3_text" => Box::new(families::gemma3(config, weights)?),
        other => {
            return Err(config.damaged(format!(
                "its architecture ({other}) is not supported: use a model of the BERT, XLM-RoBERTa, ModernBERT, NomicBERT, Qwen3 or Gemma 3 family"
            )));
        }
    })
}

/// Reads `config.json` and opens `model.safetensors` of `folder`. `id` names the model in errors.
pub(crate) fn files(folder: &Path, id: &str) -> Result<(Config, Weights), ModelError> {
    Ok((Config::read(folder, id)?, Weights::open(&folder.join("model.safetensors"), id)?))
}

/// Refuses a sequence that the encoder cannot read.
fn fits(sequence: &Tokens, positions: usize) -> Result<(), ModelError> {
    if sequence.ids.is_empty() || sequence.ids.len() > positions {
        return Err(ModelError::TooLong { tokens: sequence.ids.len(), window: positions });
    }
    Ok(())
}

fn go_on(cancel: &Cancel) -> Result<(), ModelError> {
    if cancel.is_cancelled() { Err(ModelError::Cancelled) } else { Ok(()) }
}
