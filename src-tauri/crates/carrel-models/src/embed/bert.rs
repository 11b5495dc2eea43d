//! The BERT encoder on the CPU: one forward over a ragged batch, on one thread, without padding.
//!
//! The sequences of a batch lie one after the other as rows; linear layers see all rows at once, attention sees one
//! sequence at a time, so a text's vector does not depend on what shares its batch (up to the order of float sums).
//! Source: Devlin et al. 2019, arXiv 1810.04805; `tests/embedder.rs` compares it with candle's `BertModel`.

use super::weights::Weights;
use crate::catalogue::Pooling;
use crate::kernels::{Norm, Shape, bias_gelu, multiply, multiply_transposed, softmax};
use carrel_engine::seams::ModelError;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Config {
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    hidden_act: String,
    layer_norm_eps: f64,
    max_position_embeddings: usize,
    vocab_size: usize,
    type_vocab_size: usize,
}

/// A linear layer: `outputs` rows of `inputs`, and a bias. The kernels pack it panel by panel; the other way round its
/// columns lie a page apart, and the product runs at half the speed.
struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear {
    fn read(weights: &mut Weights, name: &str, inputs: usize, outputs: usize) -> Result<Self, ModelError> {
        Ok(Self {
            weight: weights.read(&format!("{name}.weight"), &[outputs, inputs])?,
            bias: weights.read(&format!("{name}.bias"), &[outputs])?,
            inputs,
        })
    }

    /// `out = x · weightᵀ` without the bias.
    fn apply(&self, x: &[f32], rows: usize, out: &mut [f32]) {
        let (i, o) = (self.inputs, self.bias.len());
        multiply_transposed(
            x,
            Shape::dense(rows, i),
            &self.weight,
            Shape::dense(o, i),
            out,
            Shape::dense(rows, o),
        );
    }

    /// `out = x · weightᵀ + bias`.
    fn apply_with_bias(&self, x: &[f32], rows: usize, out: &mut [f32]) {
        self.apply(x, rows, out);
        for row in out.chunks_exact_mut(self.bias.len()) {
            for (o, b) in row.iter_mut().zip(&self.bias) {
                *o += b;
            }
        }
    }
}

struct Layer {
    /// Query, key and value side by side; the query is scaled by 1/√d already.
    qkv: Linear,
    attention: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

/// The weights of an encoder. Shared between threads; each forward has a [`Scratch`] of its own.
pub(crate) struct Bert {
    words: Vec<f32>,
    /// Position plus token type 0.
    positions: Vec<f32>,
    embedding_norm: Norm,
    layers: Vec<Layer>,
    hidden: usize,
    heads: usize,
    inner: usize,
    pooling: Pooling,
}

/// Buffers of one thread, grown to the largest batch that it has seen.
#[derive(Default)]
pub(crate) struct Scratch {
    hidden: Vec<f32>,
    qkv: Vec<f32>,
    context: Vec<f32>,
    projected: Vec<f32>,
    inner: Vec<f32>,
    scores: Vec<f32>,
}

fn grown(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}

impl Bert {
    /// Reads `config.json` and `model.safetensors` of `folder`. `id` names the model in errors.
    pub(crate) fn open(folder: &Path, id: &str, pooling: Pooling) -> Result<Self, ModelError> {
        let damaged = |detail: String| ModelError::Damaged { id: id.to_owned(), detail };
        let config =
            std::fs::read(folder.join("config.json")).map_err(|e| damaged(format!("config.json: {e}")))?;
        let config: Config =
            serde_json::from_slice(&config).map_err(|e| damaged(format!("config.json: {e}")))?;
        if config.hidden_act != "gelu" {
            return Err(damaged(format!("the activation {} is not supported", config.hidden_act)));
        }
        if config.num_attention_heads == 0 || !config.hidden_size.is_multiple_of(config.num_attention_heads) {
            return Err(damaged("its heads do not divide its width".into()));
        }
        let mut w = Weights::open(&folder.join("model.safetensors"), id)?;
        let hidden = config.hidden_size;
        let epsilon = config.layer_norm_eps as f32;
        let words = w.read("embeddings.word_embeddings.weight", &[config.vocab_size, hidden])?;
        let mut positions =
            w.read("embeddings.position_embeddings.weight", &[config.max_position_embeddings, hidden])?;
        let types = w.read("embeddings.token_type_embeddings.weight", &[config.type_vocab_size, hidden])?;
        for row in positions.chunks_exact_mut(hidden) {
            for (p, t) in row.iter_mut().zip(&types) {
                *p += t;
            }
        }
        let norm = |w: &mut Weights, name: &str| -> Result<Norm, ModelError> {
            Ok(Norm {
                weight: w.read(&format!("{name}.weight"), &[hidden])?,
                bias: w.read(&format!("{name}.bias"), &[hidden])?,
                epsilon,
            })
        };
        let embedding_norm = norm(&mut w, "embeddings.LayerNorm")?;
        let mut layers = Vec::with_capacity(config.num_hidden_layers);
        for i in 0..config.num_hidden_layers {
            let name = format!("encoder.layer.{i}");
            layers.push(Layer {
                qkv: fused_qkv(
                    &mut w,
                    &format!("{name}.attention.self"),
                    hidden,
                    config.num_attention_heads,
                )?,
                attention: Linear::read(&mut w, &format!("{name}.attention.output.dense"), hidden, hidden)?,
                attention_norm: norm(&mut w, &format!("{name}.attention.output.LayerNorm"))?,
                up: Linear::read(
                    &mut w,
                    &format!("{name}.intermediate.dense"),
                    hidden,
                    config.intermediate_size,
                )?,
                down: Linear::read(
                    &mut w,
                    &format!("{name}.output.dense"),
                    config.intermediate_size,
                    hidden,
                )?,
                norm: norm(&mut w, &format!("{name}.output.LayerNorm"))?,
            });
        }
        Ok(Self {
            words,
            positions,
            embedding_norm,
            layers,
            hidden,
            heads: config.num_attention_heads,
            inner: config.intermediate_size,
            pooling,
        })
    }

    /// Length of its vectors.
    pub(crate) fn dimensions(&self) -> usize {
        self.hidden
    }

    /// Most tokens of one sequence.
    pub(crate) fn positions(&self) -> usize {
        self.positions.len() / self.hidden
    }

    /// One pooled vector per sequence, not normalised. Every sequence has between 1 and [`Self::positions`] tokens.
    pub(crate) fn forward(
        &self,
        batch: &[Vec<u32>],
        scratch: &mut Scratch,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let rows: usize = batch.iter().map(Vec::len).sum();
        let longest = batch.iter().map(Vec::len).max().unwrap_or(0);
        let width = self.hidden;
        let hidden = grown(&mut scratch.hidden, rows * width);
        self.embed(batch, hidden)?;
        for layer in &self.layers {
            let qkv = grown(&mut scratch.qkv, rows * 3 * width);
            layer.qkv.apply_with_bias(hidden, rows, qkv);
            let context = grown(&mut scratch.context, rows * width);
            let scores = grown(&mut scratch.scores, longest * longest);
            self.attend(batch, qkv, scores, context);
            let projected = grown(&mut scratch.projected, rows * width);
            layer.attention.apply(context, rows, projected);
            layer.attention_norm.apply_residual(hidden, projected, &layer.attention.bias);
            let inner = grown(&mut scratch.inner, rows * self.inner);
            layer.up.apply(hidden, rows, inner);
            bias_gelu(inner, &layer.up.bias);
            layer.down.apply(inner, rows, projected);
            layer.norm.apply_residual(hidden, projected, &layer.down.bias);
        }
        Ok(self.pool(batch, hidden))
    }

    fn embed(&self, batch: &[Vec<u32>], hidden: &mut [f32]) -> Result<(), ModelError> {
        let width = self.hidden;
        let mut rows = hidden.chunks_exact_mut(width);
        for sequence in batch {
            if sequence.is_empty() || sequence.len() > self.positions() {
                return Err(ModelError::TooLong { tokens: sequence.len(), window: self.positions() });
            }
            for (position, (&token, row)) in sequence.iter().zip(&mut rows).enumerate() {
                let word = self.words.get(token as usize * width..).and_then(|w| w.get(..width));
                let Some(word) = word else {
                    return Err(ModelError::Failed(format!("the tokenizer made the unknown token {token}")));
                };
                let place = &self.positions[position * width..][..width];
                for ((h, w), p) in row.iter_mut().zip(word).zip(place) {
                    *h = w + p;
                }
                self.embedding_norm.apply(row);
            }
        }
        Ok(())
    }

    fn attend(&self, batch: &[Vec<u32>], qkv: &[f32], scores: &mut [f32], context: &mut [f32]) {
        let (width, head) = (self.hidden, self.hidden / self.heads);
        let mut first = 0;
        for sequence in batch {
            let n = sequence.len();
            let qkv = &qkv[first * 3 * width..][..n * 3 * width];
            let context = &mut context[first * width..][..n * width];
            let scores = &mut scores[..n * n];
            let rows = Shape::strided(n, head, 3 * width);
            for h in 0..self.heads {
                let (q, k, v) = (h * head, width + h * head, 2 * width + h * head);
                multiply_transposed(&qkv[q..], rows, &qkv[k..], rows, scores, Shape::dense(n, n));
                softmax(scores, n);
                let out = Shape::strided(n, head, width);
                multiply(scores, Shape::dense(n, n), &qkv[v..], rows, &mut context[h * head..], out, false);
            }
            first += n;
        }
    }

    fn pool(&self, batch: &[Vec<u32>], hidden: &[f32]) -> Vec<Vec<f32>> {
        let mut rows = hidden.chunks_exact(self.hidden);
        let mut vectors = Vec::with_capacity(batch.len());
        for sequence in batch {
            let mut vector = vec![0f32; self.hidden];
            for (i, row) in rows.by_ref().take(sequence.len()).enumerate() {
                let weight = match self.pooling {
                    Pooling::Mean => 1.0 / sequence.len() as f32,
                    Pooling::Cls => f32::from(u8::from(i == 0)),
                };
                for (v, r) in vector.iter_mut().zip(row) {
                    *v = r.mul_add(weight, *v);
                }
            }
            vectors.push(vector);
        }
        vectors
    }
}

fn fused_qkv(w: &mut Weights, name: &str, hidden: usize, heads: usize) -> Result<Linear, ModelError> {
    let scale = 1.0 / ((hidden / heads) as f32).sqrt();
    let mut fused = Linear { weight: Vec::new(), bias: Vec::new(), inputs: hidden };
    for part in ["query", "key", "value"] {
        let linear = Linear::read(w, &format!("{name}.{part}"), hidden, hidden)?;
        let scale = if part == "query" { scale } else { 1.0 };
        fused.weight.extend(linear.weight.iter().map(|v| v * scale));
        fused.bias.extend(linear.bias.iter().map(|v| v * scale));
    }
    Ok(fused)
}
