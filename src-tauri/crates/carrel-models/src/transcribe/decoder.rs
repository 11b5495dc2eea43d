//! Whisper's decoder: a token at a time. Keys and values of earlier tokens, and of what was heard, are kept.

use super::ct2::Ct2;
use super::encoder::POSITIONS;
use super::layers::{FeedForward, HEAD, Linear, add, count_layers, norm, normed, product};
use crate::kernels::{Norm, dot, softmax_row};
use carrel_engine::seams::ModelError;

struct Layer {
    norm: Norm,
    qkv: Linear,
    out: Linear,
    cross_norm: Norm,
    cross_query: Linear,
    cross_key_value: Linear,
    cross_out: Linear,
    feed: FeedForward,
}

pub(super) struct Decoder {
    /// A row for each token; also what the result is compared with.
    embeddings: Vec<f32>,
    positions: Vec<f32>,
    layers: Vec<Layer>,
    norm: Norm,
    width: usize,
    /// Tokens that there are.
    pub(super) vocabulary: usize,
    /// Tokens that fit.
    pub(super) context: usize,
}

/// Keys and values, a row for each position.
#[derive(Clone, Default)]
struct Memory {
    keys: Vec<f32>,
    values: Vec<f32>,
}

/// What was heard in a window, for each layer.
pub(super) struct Heard(Vec<Memory>);

/// What was said so far, for each layer.
#[derive(Clone)]
pub(super) struct Said {
    memories: Vec<Memory>,
    tokens: usize,
}

impl Decoder {
    pub(super) fn read(file: &mut Ct2, width: usize) -> Result<Self, ModelError> {
        let vocabulary = *file.shape("decoder/embeddings/weight")?.first().unwrap_or(&0);
        let context = *file.shape("decoder/position_encodings/encodings")?.first().unwrap_or(&0);
        let embeddings = file.read("decoder/embeddings/weight", &[vocabulary, width])?;
        let positions = file.read("decoder/position_encodings/encodings", &[context, width])?;
        let mut layers = Vec::new();
        for n in 0..count_layers(file, "decoder") {
            let name = format!("decoder/layer_{n}");
            let (own, cross) = (format!("{name}/self_attention"), format!("{name}/attention"));
            layers.push(Layer {
                norm: norm(file, &format!("{own}/layer_norm"), width)?,
                qkv: Linear::read(file, &format!("{own}/linear_0"), width, 3 * width)?,
                out: Linear::read(file, &format!("{own}/linear_1"), width, width)?,
                cross_norm: norm(file, &format!("{cross}/layer_norm"), width)?,
                cross_query: Linear::read(file, &format!("{cross}/linear_0"), width, width)?,
                cross_key_value: Linear::read(file, &format!("{cross}/linear_1"), width, 2 * width)?,
                cross_out: Linear::read(file, &format!("{cross}/linear_2"), width, width)?,
                feed: FeedForward::read(file, &format!("{name}/ffn"), width)?,
            });
        }
        let norm = norm(file, "decoder/layer_norm", width)?;
        Ok(Self { embeddings, positions, layers, norm, width, vocabulary, context })
    }

    /// Keys and values of what the encoder made of a window.
    pub(super) fn listen(&self, encoded: &[f32]) -> Heard {
        let each = self.layers.iter().map(|layer| {
            let both = layer.cross_key_value.apply(encoded);
            let mut memory = Memory::default();
            for row in both.chunks_exact(2 * self.width) {
                let (key, value) = row.split_at(self.width);
                memory.keys.extend_from_slice(key);
                memory.values.extend_from_slice(value);
            }
            debug_assert_eq!(memory.keys.len(), POSITIONS * self.width);
            memory
        });
        Heard(each.collect())
    }

    /// Nothing said yet.
    pub(super) fn begin(&self) -> Said {
        Said { memories: vec![Memory::default(); self.layers.len()], tokens: 0 }
    }

    /// Takes one token; returns the logits of the next. Refuses tokens that there are not and those beyond the context.
    pub(super) fn step(&self, token: u32, said: &mut Said, heard: &Heard) -> Result<Vec<f32>, ModelError> {
        let row =
            |table: &'_ [f32], n: usize| table.get(n * self.width..(n + 1) * self.width).map(<[f32]>::to_vec);
        let (Some(mut x), Some(position)) =
            (row(&self.embeddings, token as usize), row(&self.positions, said.tokens))
        else {
            return Err(ModelError::Failed(format!("token {token} at {} does not fit", said.tokens)));
        };
        add(&mut x, &position);
        said.tokens += 1;
        for ((layer, memory), heard) in self.layers.iter().zip(&mut said.memories).zip(&heard.0) {
            let qkv = layer.qkv.apply(&normed(&layer.norm, &x));
            let (query, key_value) = qkv.split_at(self.width);
            let (key, value) = key_value.split_at(self.width);
            memory.keys.extend_from_slice(key);
            memory.values.extend_from_slice(value);
            add(&mut x, &layer.out.apply(&memory.attend(query)));
            let query = layer.cross_query.apply(&normed(&layer.cross_norm, &x));
            add(&mut x, &layer.cross_out.apply(&heard.attend(&query)));
            layer.feed.apply(&mut x);
        }
        self.norm.apply(&mut x);
        Ok(product(&x, &self.embeddings, self.width, self.vocabulary))
    }
}

impl Memory {
    /// What a query finds, head by head.
    fn attend(&self, query: &[f32]) -> Vec<f32> {
        let width = query.len();
        let scale = 1.0 / (HEAD as f32).sqrt();
        let mut out = vec![0.0; width];
        let mut scores = vec![0.0; self.keys.len() / width];
        for (head, (query, out)) in query.chunks_exact(HEAD).zip(out.chunks_exact_mut(HEAD)).enumerate() {
            let part = head * HEAD..(head + 1) * HEAD;
            for (score, key) in scores.iter_mut().zip(self.keys.chunks_exact(width)) {
                *score = dot(query, &key[part.clone()]) * scale;
            }
            softmax_row(&mut scores);
            for (score, value) in scores.iter().zip(self.values.chunks_exact(width)) {
                for (o, v) in out.iter_mut().zip(&value[part.clone()]) {
                    *o = v.mul_add(*score, *o);
                }
            }
        }
        out
    }
}
