//! The Llama decoder on the processor, over weights that stay quantised.
//!
//! candle's own forward offers no place to stop inside a prompt, copies its whole cache with each token, and is slow with
//! matrices whose sizes do not suit its kernels. Here the cache grows in place, and `cancel` is looked at several times in
//! every layer.
//! Source: Touvron et al. 2023, arXiv 2302.13971; a test compares it with candle's `quantized_llama`.

use super::gguf::Metadata;
use super::matrix::{Matrix, ROWS_FOR_GEMM, said};
use crate::kernels::{Shape, multiply, multiply_transposed, rms_norm, silu_times, softmax_row};
use candle_core::Device;
use candle_core::quantized::QTensor;
use candle_core::quantized::gguf_file::Content;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufReader, Seek};

/// Multiply-adds of one layer that a piece of a prompt may cost: some tens of milliseconds between looks at the flag.
const WORK_PER_LAYER: usize = 2_000_000_000;
const LARGEST_PIECE: usize = 512;

struct Layer {
    attention_norm: Vec<f32>,
    query: Matrix,
    key: Matrix,
    value: Matrix,
    output: Matrix,
    norm: Vec<f32>,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

/// The weights. Shared between conversations; each has a [`Cache`] of its own.
pub(super) struct Llama {
    /// Token embeddings, where they are not the rows of `head`.
    words: Option<Matrix>,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    head: Matrix,
    epsilon: f32,
    heads: usize,
    kv_heads: usize,
    head_width: usize,
    /// One rotation speed per pair of numbers of a head.
    speeds: Vec<f32>,
    width: usize,
    inner: usize,
}

/// Keys and values of what was read so far.
#[derive(Default)]
pub(super) struct Cache {
    layers: Vec<(Vec<f32>, Vec<f32>)>,
    tokens: usize,
}

impl Cache {
    /// Tokens read so far.
    #[cfg(test)]
    pub(super) fn tokens(&self) -> usize {
        self.tokens
    }
}

impl Llama {
    /// Reads the weights behind `content` from `file`.
    pub(super) fn read(
        content: &Content,
        meta: &Metadata<'_>,
        file: &mut BufReader<File>,
    ) -> Result<Self, ModelError> {
        let architecture = meta.text("general.architecture").unwrap_or("missing");
        if architecture != "llama" {
            return Err(meta
                .damaged(format!("its architecture ({architecture}) is not supported: use a llama model")));
        }
        if meta.number("llama.expert_count").is_some_and(|n| n > 0) {
            return Err(meta.damaged("models of several experts are not supported"));
        }
        let width = meta.size("llama.embedding_length")?;
        let heads = meta.size("llama.attention.head_count")?;
        let kv_heads = meta.number("llama.attention.head_count_kv").map_or(heads, |n| n as usize);
        if kv_heads == 0 || !heads.is_multiple_of(kv_heads) || !width.is_multiple_of(heads) {
            return Err(meta.damaged("its numbers of heads do not fit each other"));
        }
        let head_width = meta.number("llama.attention.key_length").map_or(width / heads, |n| n as usize);
        let rotated = meta.number("llama.rope.dimension_count").map_or(head_width, |n| n as usize);
        if rotated > head_width || !rotated.is_multiple_of(2) {
            return Err(meta.damaged("its rotary width does not fit its heads"));
        }
        if content.tensor_infos.contains_key("blk.0.attn_q.bias") {
            return Err(meta.damaged("models with biases in their attention are not supported"));
        }
        let stretch = match meta.text("llama.rope.scaling.type") {
            None | Some("none") => 1.0,
            Some("linear") => meta.float("llama.rope.scaling.factor").unwrap_or(1.0),
            Some(other) => {
                return Err(meta.damaged(format!("its way to stretch positions ({other}) is not supported")));
            }
        };
        let mut reader = Reader { content, meta, file };
        let base = meta.float("llama.rope.freq_base").unwrap_or(10_000.0);
        let mut speeds: Vec<f32> =
            (0..rotated / 2).map(|i| base.powf(-2.0 * i as f32 / rotated as f32) / stretch).collect();
        if content.tensor_infos.contains_key("rope_freqs.weight") {
            for (speed, factor) in speeds.iter_mut().zip(reader.vector("rope_freqs.weight", rotated / 2)?) {
                *speed /= factor;
            }
        }
        let inner = meta.size("llama.feed_forward_length")?;
        let (q, kv) = (heads * head_width, kv_heads * head_width);
        let mut layers = Vec::new();
        for i in 0..meta.size("llama.block_count")? {
            let name = |part: &str| format!("blk.{i}.{part}.weight");
            layers.push(Layer {
                attention_norm: reader.vector(&name("attn_norm"), width)?,
                query: reader.matrix(&name("attn_q"), q, width)?,
                key: reader.matrix(&name("attn_k"), kv, width)?,
                value: reader.matrix(&name("attn_v"), kv, width)?,
                output: reader.matrix(&name("attn_output"), width, q)?,
                norm: reader.vector(&name("ffn_norm"), width)?,
                gate: reader.matrix(&name("ffn_gate"), inner, width)?,
                up: reader.matrix(&name("ffn_up"), inner, width)?,
                down: reader.matrix(&name("ffn_down"), width, inner)?,
            });
        }
        let norm = reader.vector("output_norm.weight", width)?;
        let vocabulary = |reader: &mut Reader<'_>, name: &str| -> Result<Matrix, ModelError> {
            let matrix = Matrix::new(reader.tensor(name)?)?;
            if matrix.inputs == width {
                Ok(matrix)
            } else {
                Err(meta.damaged(format!("{name} has the wrong shape")))
            }
        };
        // Small models share one matrix between their first and last step.
        let (words, head) = if content.tensor_infos.contains_key("output.weight") {
            (Some(vocabulary(&mut reader, "token_embd.weight")?), vocabulary(&mut reader, "output.weight")?)
        } else {
            (None, vocabulary(&mut reader, "token_embd.weight")?)
        };
        let epsilon = meta.float("llama.attention.layer_norm_rms_epsilon").unwrap_or(1e-5);
        Ok(Self { words, layers, norm, head, epsilon, heads, kv_heads, head_width, speeds, width, inner })
    }

    /// How many tokens of a prompt to hand to [`Self::forward`] at a time.
    pub(super) fn piece(&self) -> usize {
        let (q, kv) = (self.heads * self.head_width, self.kv_heads * self.head_width);
        let layer = self.width * (2 * q + 2 * kv + 3 * self.inner);
        (WORK_PER_LAYER / layer.max(1)).clamp(ROWS_FOR_GEMM, LARGEST_PIECE)
    }

    /// Reads `tokens` after what is in `cache`; returns the logits of the next token.
    /// Cancelled in the middle, it leaves the cache unusable.
    pub(super) fn forward(
        &self,
        tokens: &[u32],
        cache: &mut Cache,
        cancel: &Cancel,
    ) -> Result<Vec<f32>, ModelError> {
        let rows = tokens.len();
        let (width, q, kv) = (self.width, self.heads * self.head_width, self.kv_heads * self.head_width);
        cache.layers.resize_with(self.layers.len(), Default::default);
        let mut hidden = self.embed(tokens)?;
        let mut x = vec![0f32; rows * width];
        let (mut queries, mut attended) = (vec![0f32; rows * q], vec![0f32; rows * q]);
        let (mut keys, mut values) = (vec![0f32; rows * kv], vec![0f32; rows * kv]);
        let (mut gate, mut up) = (vec![0f32; rows * self.inner], vec![0f32; rows * self.inner]);
        let rotation = self.rotation(cache.tokens, rows);
        for (layer, (seen_keys, seen_values)) in self.layers.iter().zip(&mut cache.layers) {
            check(cancel)?;
            rms_norm(&hidden, &layer.attention_norm, self.epsilon, &mut x);
            layer.query.apply(&x, rows, &mut queries)?;
            layer.key.apply(&x, rows, &mut keys)?;
            layer.value.apply(&x, rows, &mut values)?;
            self.rotate(&mut queries, &rotation, 1.0 / (self.head_width as f32).sqrt());
            self.rotate(&mut keys, &rotation, 1.0);
            seen_keys.extend_from_slice(&keys);
            seen_values.extend_from_slice(&values);
            check(cancel)?;
            if rows == 1 {
                self.attend_one(&queries, seen_keys, seen_values, &mut attended);
            } else {
                self.attend(&queries, seen_keys, seen_values, cache.tokens, &mut attended);
            }
            check(cancel)?;
            layer.output.apply(&attended, rows, &mut x)?;
            add(&mut hidden, &x);
            rms_norm(&hidden, &layer.norm, self.epsilon, &mut x);
            layer.gate.apply(&x, rows, &mut gate)?;
            layer.up.apply(&x, rows, &mut up)?;
            silu_times(&mut gate, &up);
            check(cancel)?;
            layer.down.apply(&gate, rows, &mut x)?;
            add(&mut hidden, &x);
        }
        cache.tokens += rows;
        let mut last = vec![0f32; width];
        rms_norm(&hidden[(rows - 1) * width..], &self.norm, self.epsilon, &mut last);
        let mut logits = vec![0f32; self.head.outputs];
        self.head.apply(&last, 1, &mut logits)?;
        Ok(logits)
    }

    fn embed(&self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        let words = self.words.as_ref().unwrap_or(&self.head);
        let rows = tokens.iter().map(|t| words.row(*t as usize)).collect::<Result<Vec<_>, _>>()?;
        Ok(rows.concat())
    }

    /// Cosine and sine of each pair, for the positions from `first` on.
    fn rotation(&self, first: usize, rows: usize) -> Vec<(f32, f32)> {
        let angles = (first..first + rows).flat_map(|p| self.speeds.iter().map(move |s| p as f32 * s));
        angles.map(|a| (a.cos(), a.sin())).collect()
    }

    /// Rotates neighbouring pairs of every head by their position, and scales.
    fn rotate(&self, x: &mut [f32], rotation: &[(f32, f32)], scale: f32) {
        let rows = rotation.len() / self.speeds.len().max(1);
        let width = x.len() / rows.max(1);
        for (row, turns) in x.chunks_exact_mut(width).zip(rotation.chunks_exact(self.speeds.len())) {
            for head in row.chunks_exact_mut(self.head_width) {
                let (pairs, _) = head.as_chunks_mut::<2>();
                for (pair, (cos, sin)) in pairs.iter_mut().zip(turns) {
                    let [a, b] = *pair;
                    *pair = [a * cos - b * sin, a * sin + b * cos];
                }
                for v in head.iter_mut() {
                    *v *= scale;
                }
            }
        }
    }

    /// One new row: the query heads that share a key head go through together.
    fn attend_one(&self, queries: &[f32], keys: &[f32], values: &[f32], out: &mut [f32]) {
        let (d, kv) = (self.head_width, self.kv_heads * self.head_width);
        let group = self.heads / self.kv_heads;
        let seen = keys.len() / kv;
        let cached = Shape::strided(seen, d, kv);
        let heads = Shape::dense(group, d);
        let mut scores = vec![0f32; group * seen];
        for g in 0..self.kv_heads {
            let q = &queries[g * group * d..][..group * d];
            multiply_transposed(q, heads, &keys[g * d..], cached, &mut scores, Shape::dense(group, seen));
            scores.chunks_exact_mut(seen).for_each(softmax_row);
            let out = &mut out[g * group * d..][..group * d];
            multiply(&scores, Shape::dense(group, seen), &values[g * d..], cached, out, heads, false);
        }
    }

    /// Many new rows, each of which sees what stands before it; `before` rows were there already.
    fn attend(&self, queries: &[f32], keys: &[f32], values: &[f32], before: usize, out: &mut [f32]) {
        let (d, q, kv) = (self.head_width, self.heads * self.head_width, self.kv_heads * self.head_width);
        let (rows, seen) = (queries.len() / q, keys.len() / kv);
        let group = self.heads / self.kv_heads;
        let cached = Shape::strided(seen, d, kv);
        let mut by_head = vec![0f32; queries.len()];
        by_head.par_chunks_exact_mut(rows * d).enumerate().for_each_init(
            || vec![0f32; rows * seen],
            |scores, (h, out)| {
                let g = h / group;
                let (mine, square) = (Shape::strided(rows, d, q), Shape::dense(rows, seen));
                multiply_transposed(&queries[h * d..], mine, &keys[g * d..], cached, scores, square);
                for (i, row) in scores.chunks_exact_mut(seen).enumerate() {
                    let (visible, later) = row.split_at_mut(before + i + 1);
                    softmax_row(visible);
                    later.fill(0.0);
                }
                multiply(scores, square, &values[g * d..], cached, out, Shape::dense(rows, d), false);
            },
        );
        for (h, head) in by_head.chunks_exact(rows * d).enumerate() {
            for (row, part) in out.chunks_exact_mut(q).zip(head.chunks_exact(d)) {
                row[h * d..][..d].copy_from_slice(part);
            }
        }
    }
}

fn add(to: &mut [f32], x: &[f32]) {
    for (t, v) in to.iter_mut().zip(x) {
        *t += v;
    }
}

fn check(cancel: &Cancel) -> Result<(), ModelError> {
    if cancel.is_cancelled() { Err(ModelError::Cancelled) } else { Ok(()) }
}

struct Reader<'a> {
    content: &'a Content,
    meta: &'a Metadata<'a>,
    file: &'a mut BufReader<File>,
}

impl Reader<'_> {
    fn tensor(&mut self, name: &str) -> Result<QTensor, ModelError> {
        self.file.rewind().map_err(|e| self.meta.damaged(e.to_string()))?;
        self.content
            .tensor(self.file, name, &Device::Cpu)
            .map_err(|e| self.meta.damaged(format!("{name}: {}", said(&e))))
    }

    fn matrix(&mut self, name: &str, outputs: usize, inputs: usize) -> Result<Matrix, ModelError> {
        let matrix = Matrix::new(self.tensor(name)?)?;
        if (matrix.outputs, matrix.inputs) != (outputs, inputs) {
            return Err(self.meta.damaged(format!("{name} has the wrong shape")));
        }
        Ok(matrix)
    }

    fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f32>, ModelError> {
        let values: Vec<f32> = self
            .tensor(name)?
            .dequantize(&Device::Cpu)
            .and_then(|t| t.flatten_all()?.to_vec1())
            .map_err(|e| self.meta.damaged(format!("{name}: {}", said(&e))))?;
        if values.len() != length {
            return Err(self.meta.damaged(format!("{name} has the wrong length")));
        }
        Ok(values)
    }
}
