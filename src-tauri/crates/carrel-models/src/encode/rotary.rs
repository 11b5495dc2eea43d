//! Encoders that rotate their queries and keys (RoPE): one forward for `ModernBERT`, `NomicBERT`, Qwen3 and Gemma 3, which differ in where
//! they normalise, how they gate, and who sees whom. [`super::families`] says how each is built.
//!
//! Linear layers see all rows of a batch, a block after the other; attention sees one sequence at a time.
//! Source: Su et al. 2021, arXiv 2104.09864.

use super::attention::Attention;
use super::tensors::{Block, Blocks};
use super::weights::Table;
use super::{Encoder, Linear, Scratch, Tokens, fits, go_on, grown};
use crate::kernels::{Norm, gelu_tanh_times, gelu_times, rms_norm_row, silu_times};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;

/// Rows of a linear layer between two looks at the flag.
const ROWS: usize = 256;

/// How rows are normalised.
pub(super) enum Normal {
    /// By mean and variance.
    Layer(Norm),
    /// By their root mean square.
    Rms {
        /// Scale.
        weight: Vec<f32>,
        /// Added to the mean square.
        epsilon: f32,
    },
}

impl Normal {
    fn apply(&self, x: &mut [f32]) {
        match self {
            Self::Layer(norm) => x.chunks_exact_mut(norm.weight.len()).for_each(|row| norm.apply(row)),
            Self::Rms { weight, epsilon } => {
                x.chunks_exact_mut(weight.len()).for_each(|row| rms_norm_row(row, weight, *epsilon));
            }
        }
    }
}

fn apply(normal: Option<&Normal>, x: &mut [f32]) {
    if let Some(normal) = normal {
        normal.apply(x);
    }
}

/// Where a half of a layer (attention, or what follows it) normalises. A family uses one or two of the three places.
#[derive(Default)]
pub(super) struct Norms {
    /// What goes into the half.
    pub(super) before: Option<Normal>,
    /// What comes out of it, before it is added.
    pub(super) branch: Option<Normal>,
    /// The sum.
    pub(super) after: Option<Normal>,
}

/// What the gate goes through.
#[derive(Clone, Copy)]
pub(super) enum Gate {
    /// x · sigmoid(x).
    Silu,
    /// With the error function.
    Gelu,
    /// With the hyperbolic tangent.
    GeluTanh,
}

/// One layer.
pub(super) struct Layer {
    pub(super) attention_norms: Norms,
    /// Queries, keys and values side by side.
    pub(super) qkv: Linear,
    /// Per head, for queries and keys; the scale of the queries is in it, where there is one, else in `qkv`.
    pub(super) head_norms: Option<(Normal, Normal)>,
    /// One rotation speed per pair of numbers of a head.
    pub(super) speeds: Vec<f32>,
    pub(super) attention: Attention,
    pub(super) out: Linear,
    pub(super) inner_norms: Norms,
    pub(super) gate: Linear,
    pub(super) up: Linear,
    pub(super) down: Linear,
}

/// The weights.
pub(super) struct Rotary {
    pub(super) words: Table,
    /// Added to each word: token type 0, where there are types.
    pub(super) kind: Vec<f32>,
    /// Words are multiplied by it.
    pub(super) scale: f32,
    pub(super) embedding_norm: Option<Normal>,
    pub(super) layers: Vec<Layer>,
    pub(super) norm: Option<Normal>,
    pub(super) activation: Gate,
    pub(super) width: usize,
    pub(super) positions: usize,
}

impl Rotary {
    /// `hidden = after(hidden + branch(half(before(hidden))))` for the rows in `scratch.projected`, which `half` has filled.
    fn add(norms: &Norms, hidden: &mut [f32], branch: &mut [f32]) {
        apply(norms.branch.as_ref(), branch);
        for (h, b) in hidden.iter_mut().zip(branch.iter()) {
            *h += b;
        }
        apply(norms.after.as_ref(), hidden);
    }
}

/// A block of rows, normalised where `norms` says so.
fn normed<'a>(norms: &Norms, hidden: &'a [f32], buffer: &'a mut Vec<f32>) -> &'a [f32] {
    let Some(before) = &norms.before else { return hidden };
    let block = grown(buffer, hidden.len());
    block.copy_from_slice(hidden);
    before.apply(block);
    block
}

impl Layer {
    /// Normalises and rotates queries and keys, in place. `turns` holds cosines, then sines, of each position.
    fn turn(&self, sequence: &mut [f32], turns: &[f32]) {
        let Attention { heads, kv_heads, head, .. } = self.attention;
        let half = self.speeds.len();
        let places = turns.chunks_exact(2 * half);
        for (row, turn) in sequence.chunks_exact_mut(self.attention.row()).zip(places) {
            let (cosines, sines) = turn.split_at(half);
            for (h, part) in row.chunks_exact_mut(head).take(heads + kv_heads).enumerate() {
                if let Some((queries, keys)) = &self.head_norms {
                    if h < heads { queries } else { keys }.apply(part);
                }
                let (low, high) = part.split_at_mut(half);
                for (((a, b), c), s) in low.iter_mut().zip(high).zip(cosines).zip(sines) {
                    (*a, *b) = (*a * c - *b * s, *b * c + *a * s);
                }
            }
        }
    }

    /// Cosines and sines of the first `n` positions.
    fn turns<'a>(&self, n: usize, buffer: &'a mut Vec<f32>) -> &'a [f32] {
        let half = self.speeds.len();
        let turns = grown(buffer, n * 2 * half);
        for (position, turn) in turns.chunks_exact_mut(2 * half).enumerate() {
            let (cosines, sines) = turn.split_at_mut(half);
            for ((c, s), speed) in cosines.iter_mut().zip(sines).zip(&self.speeds) {
                (*s, *c) = (position as f32 * speed).sin_cos();
            }
        }
        turns
    }
}

impl Blocks for Rotary {
    fn first_rows(&self, batch: &[Tokens], hidden: &mut [f32]) -> Result<(), ModelError> {
        let mut rows = hidden.chunks_exact_mut(self.width);
        for sequence in batch {
            fits(sequence, self.positions)?;
            for (&token, row) in sequence.ids.iter().zip(&mut rows) {
                self.words.row(token, row)?;
                for v in row.iter_mut() {
                    *v *= self.scale;
                }
                for (v, k) in row.iter_mut().zip(&self.kind) {
                    *v += k;
                }
            }
        }
        apply(self.embedding_norm.as_ref(), hidden);
        Ok(())
    }

    fn take_blocks(&mut self) -> (Vec<Block>, Option<Normal>) {
        let activation = self.activation;
        let block = |layer: Layer| Block {
            attention_norms: layer.attention_norms,
            qkv: layer.qkv,
            head_norms: layer.head_norms,
            speeds: layer.speeds,
            attention: layer.attention,
            out: layer.out,
            inner_norms: layer.inner_norms,
            gate: Some((layer.gate, activation)),
            up: layer.up,
            down: layer.down,
        };
        (std::mem::take(&mut self.layers).into_iter().map(block).collect(), self.norm.take())
    }
}

impl Encoder for Rotary {
    fn width(&self) -> usize {
        self.width
    }

    fn positions(&self) -> usize {
        self.positions
    }

    fn forward<'s>(
        &self,
        batch: &[Tokens],
        scratch: &'s mut Scratch,
        cancel: &Cancel,
    ) -> Result<&'s [f32], ModelError> {
        let width = self.width;
        let rows: usize = batch.iter().map(|s| s.ids.len()).sum();
        let longest = batch.iter().map(|s| s.ids.len()).max().unwrap_or(0);
        self.first_rows(batch, grown(&mut scratch.hidden, rows * width))?;
        let mut speeds: &[f32] = &[];
        for layer in &self.layers {
            let stride = layer.attention.row();
            grown(&mut scratch.qkv, rows * stride);
            for from in (0..rows).step_by(ROWS) {
                go_on(cancel)?;
                let n = ROWS.min(rows - from);
                let hidden = &scratch.hidden[from * width..][..n * width];
                let x = normed(&layer.attention_norms, hidden, &mut scratch.normed);
                layer.qkv.apply_with_bias(x, n, &mut scratch.qkv[from * stride..][..n * stride]);
            }
            if speeds != layer.speeds {
                layer.turns(longest, &mut scratch.turns);
                speeds = &layer.speeds;
            }
            let mut rest = &mut scratch.qkv[..rows * stride];
            for sequence in batch {
                let (own, others) = rest.split_at_mut(sequence.ids.len() * stride);
                layer.turn(own, &scratch.turns);
                rest = others;
            }
            layer.attention.apply(batch, scratch, cancel)?;
            let gathered = layer.attention.heads * layer.attention.head;
            let inner = layer.gate.outputs();
            for from in (0..rows).step_by(ROWS) {
                go_on(cancel)?;
                let n = ROWS.min(rows - from);
                let context = &scratch.context[from * gathered..][..n * gathered];
                let hidden = &mut scratch.hidden[from * width..][..n * width];
                let projected = grown(&mut scratch.projected, n * width);
                layer.out.apply_with_bias(context, n, projected);
                Self::add(&layer.attention_norms, hidden, projected);
                go_on(cancel)?;
                let x = normed(&layer.inner_norms, hidden, &mut scratch.normed);
                let (gate, up) = (grown(&mut scratch.gated, n * inner), grown(&mut scratch.inner, n * inner));
                layer.gate.apply_with_bias(x, n, gate);
                layer.up.apply_with_bias(x, n, up);
                match self.activation {
                    Gate::Silu => silu_times(gate, up),
                    Gate::Gelu => gelu_times(gate, up),
                    Gate::GeluTanh => gelu_tanh_times(gate, up),
                }
                layer.down.apply_with_bias(gate, n, projected);
                Self::add(&layer.inner_norms, hidden, projected);
            }
        }
        let hidden = &mut scratch.hidden[..rows * width];
        apply(self.norm.as_ref(), hidden);
        Ok(hidden)
    }
}
