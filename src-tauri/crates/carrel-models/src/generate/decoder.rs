//! The decoder of all families on the processor, over weights that stay quantised.
//!
//! candle's own forwards offer no place to stop inside a prompt, copy their whole cache with each token, and are slow with
//! matrices whose sizes do not suit its kernels. Here the cache grows in place, and `cancel` is looked at several times in
//! every layer.
//! Tests compare it with candle's `quantized_llama`, and each family with the Python `transformers`.

use super::attention::{Heads, Rotation};
use super::cache::Cache;
use super::config::Config;
use super::matrix::{Matrix, ROWS_FOR_GEMM};
use super::weights::Weights;
use crate::kernels::{gelu_tanh_times, rms_norm, rms_norm_row, silu_times};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;

/// Multiply-adds of one layer that a piece of a prompt may cost: some tens of milliseconds between looks at the flag.
const WORK_PER_LAYER: usize = 2_000_000_000;
pub(super) const LARGEST_PIECE: usize = 512;

struct Layer {
    attention_norm: Vec<f32>,
    query: Matrix,
    key: Matrix,
    value: Matrix,
    query_bias: Option<Vec<f32>>,
    key_bias: Option<Vec<f32>>,
    value_bias: Option<Vec<f32>>,
    query_norm: Option<Vec<f32>>,
    key_norm: Option<Vec<f32>>,
    output: Matrix,
    attended_norm: Option<Vec<f32>>,
    norm: Vec<f32>,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
    result_norm: Option<Vec<f32>>,
}

impl Layer {
    fn read(weights: &mut Weights<'_>, config: &Config, i: usize) -> Result<Self, ModelError> {
        let name = |part: &str| format!("blk.{i}.{part}");
        let (width, inner, head) = (config.width, config.inner, config.head_width);
        let (q, kv) = (config.query_width(), config.kv_width());
        let (heads, results) = (config.family.norms_heads(), config.family.norms_results());
        if weights.has(&name("attn_output.bias")) {
            return Err(weights.meta.damaged("models with a bias behind their attention are not supported"));
        }
        Ok(Self {
            attention_norm: weights.vector(&name("attn_norm.weight"), width)?,
            query: weights.matrix(&name("attn_q.weight"), Some(q), width)?,
            key: weights.matrix(&name("attn_k.weight"), Some(kv), width)?,
            value: weights.matrix(&name("attn_v.weight"), Some(kv), width)?,
            query_bias: weights.vector_if(false, &name("attn_q.bias"), q)?,
            key_bias: weights.vector_if(false, &name("attn_k.bias"), kv)?,
            value_bias: weights.vector_if(false, &name("attn_v.bias"), kv)?,
            query_norm: weights.vector_if(heads, &name("attn_q_norm.weight"), head)?,
            key_norm: weights.vector_if(heads, &name("attn_k_norm.weight"), head)?,
            output: weights.matrix(&name("attn_output.weight"), Some(width), q)?,
            attended_norm: weights.vector_if(results, &name("post_attention_norm.weight"), width)?,
            norm: weights.vector(&name("ffn_norm.weight"), width)?,
            gate: weights.matrix(&name("ffn_gate.weight"), Some(inner), width)?,
            up: weights.matrix(&name("ffn_up.weight"), Some(inner), width)?,
            down: weights.matrix(&name("ffn_down.weight"), Some(width), inner)?,
            result_norm: weights.vector_if(results, &name("post_ffw_norm.weight"), width)?,
        })
    }
}

/// The weights. Shared between conversations; each has a [`Cache`] of its own.
pub(super) struct Decoder {
    config: Config,
    /// Token embeddings, where they are not the rows of `head`.
    words: Option<Matrix>,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    head: Matrix,
    rotation: Rotation,
    sliding_rotation: Option<Rotation>,
}

/// What one forward works on.
struct Room {
    x: Vec<f32>,
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    attended: Vec<f32>,
    gate: Vec<f32>,
    up: Vec<f32>,
}

impl Decoder {
    /// Reads the weights.
    pub(super) fn read(config: Config, weights: &mut Weights<'_>) -> Result<Self, ModelError> {
        let width = config.width;
        let factors = weights.vector_if(false, "rope_freqs.weight", config.rotated / 2)?;
        let rotation = Rotation::new(&config, config.rope, factors.as_deref());
        let sliding_rotation = config.sliding.map(|s| Rotation::new(&config, s.rope, None));
        let layers =
            (0..config.layers).map(|i| Layer::read(weights, &config, i)).collect::<Result<_, _>>()?;
        let norm = weights.vector("output_norm.weight", width)?;
        let words = weights.matrix("token_embd.weight", None, width)?;
        // Small models share one matrix between their first and last step.
        let (words, head) = if weights.has("output.weight") {
            (Some(words), weights.matrix("output.weight", None, width)?)
        } else {
            (None, words)
        };
        Ok(Self { config, words, layers, norm, head, rotation, sliding_rotation })
    }

    /// Sizes and constants.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// How many tokens of a prompt to hand to [`Self::forward`] at a time, after so many.
    pub(super) fn piece(&self, before: usize) -> usize {
        let c = &self.config;
        let weights = c.width * (2 * c.query_width() + 2 * c.kv_width() + 3 * c.inner);
        let attention = 2 * c.query_width() * (before + LARGEST_PIECE);
        (WORK_PER_LAYER / (weights + attention).max(1)).clamp(ROWS_FOR_GEMM, LARGEST_PIECE)
    }

    /// Reads `tokens` after what is in `cache`; returns the logits of the next token. Stopped in the middle, it leaves the cache as it
    /// was.
    pub(super) fn forward(
        &self,
        tokens: &[u32],
        cache: &mut Cache,
        cancel: &Cancel,
    ) -> Result<Vec<f32>, ModelError> {
        let logits = self.through(tokens, cache, cancel);
        if logits.is_err() {
            cache.truncate(cache.tokens, self.config.kv_width());
        }
        logits
    }

    fn through(&self, tokens: &[u32], cache: &mut Cache, cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        let c = &self.config;
        let rows = tokens.len();
        let zeros = |width: usize| vec![0f32; rows * width];
        let mut hidden = self.embed(tokens)?;
        let mut room = Room {
            x: zeros(c.width),
            queries: zeros(c.query_width()),
            keys: zeros(c.kv_width()),
            values: zeros(c.kv_width()),
            attended: zeros(c.query_width()),
            gate: zeros(c.inner),
            up: zeros(c.inner),
        };
        let turns = self.rotation.turns(cache.tokens, rows);
        let sliding_turns = self.sliding_rotation.as_ref().map(|r| (r, r.turns(cache.tokens, rows)));
        cache.layers.resize_with(c.layers, Default::default);
        let before = cache.tokens;
        for (i, (layer, seen)) in self.layers.iter().zip(&mut cache.layers).enumerate() {
            check(cancel)?;
            let sliding = c.sliding_at(i);
            let (rotation, turns) = match (&sliding, &sliding_turns) {
                (Some(_), Some((rotation, turns))) => (*rotation, turns),
                _ => (&self.rotation, &turns),
            };
            rms_norm(&hidden, &layer.attention_norm, c.epsilon, &mut room.x);
            self.project(layer, &mut room, rows)?;
            rotation.apply(&mut room.queries, turns, c.query_scale);
            rotation.apply(&mut room.keys, turns, 1.0);
            seen.push(&room.keys, &room.values);
            check(cancel)?;
            let heads = Heads { queries: c.heads, keys: c.kv_heads, width: c.head_width };
            let window = sliding.map_or(usize::MAX, |s| s.tokens);
            if rows == 1 {
                heads.attend_one(&room.queries, seen, window, &mut room.attended);
            } else {
                heads.attend(&room.queries, seen, (before, window), &mut room.attended);
            }
            check(cancel)?;
            layer.output.apply(&room.attended, rows, &mut room.x)?;
            add(&mut hidden, &mut room.x, layer.attended_norm.as_deref(), c.epsilon);
            rms_norm(&hidden, &layer.norm, c.epsilon, &mut room.x);
            layer.gate.apply(&room.x, rows, &mut room.gate)?;
            layer.up.apply(&room.x, rows, &mut room.up)?;
            if c.family.gelu() {
                gelu_tanh_times(&mut room.gate, &room.up);
            } else {
                silu_times(&mut room.gate, &room.up);
            }
            check(cancel)?;
            layer.down.apply(&room.gate, rows, &mut room.x)?;
            add(&mut hidden, &mut room.x, layer.result_norm.as_deref(), c.epsilon);
        }
        cache.tokens += rows;
        let mut last = vec![0f32; c.width];
        rms_norm(&hidden[(rows - 1) * c.width..], &self.norm, c.epsilon, &mut last);
        let mut logits = vec![0f32; self.head.outputs];
        self.head.apply(&last, 1, &mut logits)?;
        if let Some(cap) = c.logit_cap {
            for l in &mut logits {
                *l = cap * (*l / cap).tanh();
            }
        }
        Ok(logits)
    }

    /// Queries, keys and values of the normalised rows, before they turn.
    fn project(&self, layer: &Layer, room: &mut Room, rows: usize) -> Result<(), ModelError> {
        let parts = [
            (&layer.query, &layer.query_bias, &layer.query_norm, &mut room.queries),
            (&layer.key, &layer.key_bias, &layer.key_norm, &mut room.keys),
            (&layer.value, &layer.value_bias, &None, &mut room.values),
        ];
        for (matrix, bias, norm, out) in parts {
            matrix.apply(&room.x, rows, out)?;
            if let Some(bias) = bias {
                for row in out.chunks_exact_mut(bias.len()) {
                    row.iter_mut().zip(bias).for_each(|(v, b)| *v += b);
                }
            }
            if let Some(norm) = norm {
                for head in out.chunks_exact_mut(norm.len()) {
                    rms_norm_row(head, norm, self.config.epsilon);
                }
            }
        }
        Ok(())
    }

    fn embed(&self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        let words = self.words.as_ref().unwrap_or(&self.head);
        let rows = tokens.iter().map(|t| words.row(*t as usize)).collect::<Result<Vec<_>, _>>()?;
        let mut rows = rows.concat();
        if let Some(scale) = self.config.embedding_scale {
            for v in &mut rows {
                *v *= scale;
            }
        }
        Ok(rows)
    }
}

/// Adds the result of a block, normalised where the family does that.
fn add(hidden: &mut [f32], x: &mut [f32], norm: Option<&[f32]>, epsilon: f32) {
    if let Some(norm) = norm {
        for row in x.chunks_exact_mut(norm.len()) {
            rms_norm_row(row, norm, epsilon);
        }
    }
    hidden.iter_mut().zip(x).for_each(|(h, v)| *h += *v);
}

fn check(cancel: &Cancel) -> Result<(), ModelError> {
    if cancel.is_cancelled() { Err(ModelError::Cancelled) } else { Ok(()) }
}
