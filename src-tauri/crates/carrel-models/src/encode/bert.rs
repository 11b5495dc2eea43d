//! The BERT encoder on the CPU, and XLM-RoBERTa, which differs in where its positions begin: one forward over a ragged batch, on one
//! thread, without padding.
//!
//! The sequences of a batch lie one after the other as rows; linear layers see all rows at once, attention sees one sequence at a time.
//! Sources: Devlin et al. 2019, arXiv 1810.04805; Conneau et al. 2020, arXiv 1911.02116. Tests compare it with candle's `BertModel` and
//! with what transformers computes.

use super::attention::Attention;
use super::config::Config;
use super::rotary::{Normal, Norms};
use super::tensors::{Block, Blocks};
use super::weights::{Table, Weights};
use super::{Encoder, Linear, Scratch, Tokens, fits, go_on, grown};
use crate::kernels::{Norm, bias_gelu};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;

struct Layer {
    /// Query, key and value side by side; the query is scaled by 1/√d already.
    qkv: Linear,
    attention: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

/// The weights.
pub(super) struct Bert {
    words: Table,
    /// Position plus token type 0.
    positions: Vec<f32>,
    /// Token type 1 minus type 0; empty where there is one type.
    second: Vec<f32>,
    embedding_norm: Norm,
    layers: Vec<Layer>,
    attention: Attention,
    hidden: usize,
    inner: usize,
}

impl Bert {
    /// Reads the weights. The first token stands at position `offset`.
    pub(super) fn read(config: &Config, w: &mut Weights, offset: usize) -> Result<Self, ModelError> {
        if config.text("hidden_act") != Some("gelu") {
            return Err(config.damaged(format!(
                "the activation {} is not supported",
                config.text("hidden_act").unwrap_or("that is missing")
            )));
        }
        if config.text("position_embedding_type").is_some_and(|kind| kind != "absolute") {
            return Err(config.damaged("its kind of positions is not supported"));
        }
        let (hidden, heads) = (config.size(&["hidden_size"])?, config.size(&["num_attention_heads"])?);
        if !hidden.is_multiple_of(heads) {
            return Err(config.damaged("its heads do not divide its width"));
        }
        let epsilon = config.float(&["layer_norm_eps"], 1e-12);
        let inner = config.size(&["intermediate_size"])?;
        let words = w.table("embeddings.word_embeddings.weight", config.size(&["vocab_size"])?, hidden)?;
        let places = config.size(&["max_position_embeddings"])?;
        let mut positions = w.read("embeddings.position_embeddings.weight", &[places, hidden])?;
        if places <= offset {
            return Err(config.damaged("it has no positions"));
        }
        positions.drain(..offset * hidden);
        let kinds = config.size(&["type_vocab_size"])?;
        let types = w.read("embeddings.token_type_embeddings.weight", &[kinds, hidden])?;
        let (first, others) = types.split_at(hidden);
        for row in positions.chunks_exact_mut(hidden) {
            for (p, t) in row.iter_mut().zip(first) {
                *p += t;
            }
        }
        let second = others.iter().zip(first).map(|(b, a)| b - a).collect();
        let embedding_norm = w.norm("embeddings.LayerNorm", hidden, epsilon)?;
        let mut layers = Vec::new();
        for i in 0..config.size(&["num_hidden_layers"])? {
            let name = format!("encoder.layer.{i}");
            let mut projected = Vec::new();
            for part in ["query", "key", "value"] {
                projected.push(Linear::read(w, &format!("{name}.attention.self.{part}"), hidden, hidden)?);
            }
            let joined = Linear::join(projected);
            let mut qkv = joined.ok_or_else(|| config.damaged("its projections do not fit each other"))?;
            qkv.scale(hidden, 1.0 / ((hidden / heads) as f32).sqrt());
            let layer = Layer {
                qkv,
                attention: Linear::read(w, &format!("{name}.attention.output.dense"), hidden, hidden)?,
                attention_norm: w.norm(&format!("{name}.attention.output.LayerNorm"), hidden, epsilon)?,
                up: Linear::read(w, &format!("{name}.intermediate.dense"), hidden, inner)?,
                down: Linear::read(w, &format!("{name}.output.dense"), inner, hidden)?,
                norm: w.norm(&format!("{name}.output.LayerNorm"), hidden, epsilon)?,
            };
            if [&layer.attention, &layer.up, &layer.down].iter().any(|l| l.bias().is_empty()) {
                return Err(config.damaged("the biases of its layers are missing"));
            }
            layers.push(layer);
        }
        let attention =
            Attention { heads, kv_heads: heads, head: hidden / heads, causal: false, reach: None };
        Ok(Self { words, positions, second, embedding_norm, layers, attention, hidden, inner })
    }
}

impl Blocks for Bert {
    fn first_rows(&self, batch: &[Tokens], hidden: &mut [f32]) -> Result<(), ModelError> {
        let width = self.hidden;
        let mut rows = hidden.chunks_exact_mut(width);
        for sequence in batch {
            fits(sequence, self.positions())?;
            let tokens = sequence.ids.iter().zip(self.positions.chunks_exact(width)).zip(&mut rows);
            for (at, ((&token, place), row)) in tokens.enumerate() {
                self.words.row(token, row)?;
                for (h, p) in row.iter_mut().zip(place) {
                    *h += p;
                }
                if at >= sequence.second {
                    for (h, s) in row.iter_mut().zip(&self.second) {
                        *h += s;
                    }
                }
                self.embedding_norm.apply(row);
            }
        }
        Ok(())
    }

    fn take_blocks(&mut self) -> (Vec<Block>, Option<Normal>) {
        let attention = self.attention;
        let after = |norm| Norms { after: Some(Normal::Layer(norm)), ..Norms::default() };
        let block = |layer: Layer| Block {
            attention_norms: after(layer.attention_norm),
            qkv: layer.qkv,
            head_norms: None,
            speeds: Vec::new(),
            attention,
            out: layer.attention,
            inner_norms: after(layer.norm),
            gate: None,
            up: layer.up,
            down: layer.down,
        };
        (std::mem::take(&mut self.layers).into_iter().map(block).collect(), None)
    }
}

impl Encoder for Bert {
    fn width(&self) -> usize {
        self.hidden
    }

    fn positions(&self) -> usize {
        self.positions.len() / self.hidden
    }

    fn forward<'s>(
        &self,
        batch: &[Tokens],
        scratch: &'s mut Scratch,
        cancel: &Cancel,
    ) -> Result<&'s [f32], ModelError> {
        let rows: usize = batch.iter().map(|s| s.ids.len()).sum();
        let width = self.hidden;
        self.first_rows(batch, grown(&mut scratch.hidden, rows * width))?;
        for layer in &self.layers {
            go_on(cancel)?;
            let qkv = grown(&mut scratch.qkv, rows * 3 * width);
            layer.qkv.apply_with_bias(&scratch.hidden[..rows * width], rows, qkv);
            self.attention.apply(batch, scratch, cancel)?;
            let hidden = &mut scratch.hidden[..rows * width];
            let projected = grown(&mut scratch.projected, rows * width);
            layer.attention.apply(&scratch.context[..rows * width], rows, projected);
            layer.attention_norm.apply_residual(hidden, projected, layer.attention.bias());
            go_on(cancel)?;
            let inner = grown(&mut scratch.inner, rows * self.inner);
            layer.up.apply(hidden, rows, inner);
            bias_gelu(inner, layer.up.bias());
            layer.down.apply(inner, rows, projected);
            layer.norm.apply_residual(hidden, projected, layer.down.bias());
        }
        Ok(&scratch.hidden[..rows * width])
    }
}
