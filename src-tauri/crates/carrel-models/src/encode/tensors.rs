//! The forwards of [`super::bert`] and [`super::rotary`] once more, by candle's tensors: the path for graphics cards.
//!
//! Both read one description of a layer ([`Block`]), so a family is described once. The first rows are looked up on the processor, where
//! the words lie; they go to the device, and the last rows come back. Sequences are attended to one at a time: nothing is padded. A
//! device does one batch at a time. Tests compare all families with what transformers computes, on the processor.

use super::attention::Attention;
use super::rotary::{Gate, Normal, Norms};
use super::{Encoder, Linear, Scratch, Tokens, go_on, grown};
use candle_core::{D, Device, Result as Computed, Tensor};
use candle_nn::ops::{layer_norm, rms_norm, softmax_last_dim};
use candle_nn::rotary_emb::rope;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What a device is given at a time: it is slow at little.
const BATCH_TOKENS: usize = 8_192;

/// One layer of any family.
pub(super) struct Block {
    pub(super) attention_norms: Norms,
    /// Queries, keys and values side by side; queries come scaled out of it or out of `head_norms`.
    pub(super) qkv: Linear,
    /// Per head, for queries and keys.
    pub(super) head_norms: Option<(Normal, Normal)>,
    /// One rotation speed per pair of numbers of a head; empty where positions are added to the words.
    pub(super) speeds: Vec<f32>,
    pub(super) attention: Attention,
    pub(super) out: Linear,
    pub(super) inner_norms: Norms,
    /// What `up` is multiplied with, and what the gate goes through; without one, `up` goes through GELU.
    pub(super) gate: Option<(Linear, Gate)>,
    pub(super) up: Linear,
    pub(super) down: Linear,
}

/// An encoder whose layers can be laid elsewhere.
pub(super) trait Blocks: Encoder {
    /// The rows that go into the first layer.
    fn first_rows(&self, batch: &[Tokens], hidden: &mut [f32]) -> Result<(), ModelError>;

    /// Gives its layers and its last normalisation away.
    fn take_blocks(&mut self) -> (Vec<Block>, Option<Normal>);
}

struct TensorLinear {
    /// `inputs × outputs`.
    weight: Tensor,
    bias: Option<Tensor>,
}

impl TensorLinear {
    fn new(linear: Linear, device: &Device) -> Computed<Self> {
        let shape = (linear.outputs(), linear.inputs());
        let (weight, bias) = linear.into_numbers();
        let bias = (!bias.is_empty()).then(|| Tensor::new(bias, device)).transpose()?;
        Ok(Self { weight: Tensor::from_vec(weight, shape, device)?.t()?, bias })
    }

    fn apply(&self, x: &Tensor) -> Computed<Tensor> {
        let product = x.matmul(&self.weight)?;
        self.bias.as_ref().map_or(Ok(product.clone()), |bias| product.broadcast_add(bias))
    }
}

enum TensorNorm {
    Layer { weight: Tensor, bias: Tensor, epsilon: f32 },
    Rms { weight: Tensor, epsilon: f32 },
}

impl TensorNorm {
    fn new(normal: Normal, device: &Device) -> Computed<Self> {
        Ok(match normal {
            Normal::Layer(norm) => Self::Layer {
                weight: Tensor::new(norm.weight, device)?,
                bias: Tensor::new(norm.bias, device)?,
                epsilon: norm.epsilon,
            },
            Normal::Rms { weight, epsilon } => Self::Rms { weight: Tensor::new(weight, device)?, epsilon },
        })
    }

    fn maybe(normal: Option<Normal>, device: &Device) -> Computed<Option<Self>> {
        normal.map(|normal| Self::new(normal, device)).transpose()
    }

    fn apply(&self, x: &Tensor) -> Computed<Tensor> {
        let x = x.contiguous()?;
        match self {
            Self::Layer { weight, bias, epsilon } => layer_norm(&x, weight, bias, *epsilon),
            Self::Rms { weight, epsilon } => rms_norm(&x, weight, *epsilon),
        }
    }
}

fn normed(norm: Option<&TensorNorm>, x: &Tensor) -> Computed<Tensor> {
    norm.map_or_else(|| Ok(x.clone()), |norm| norm.apply(x))
}

struct TensorNorms {
    before: Option<TensorNorm>,
    branch: Option<TensorNorm>,
    after: Option<TensorNorm>,
}

impl TensorNorms {
    fn new(norms: Norms, device: &Device) -> Computed<Self> {
        Ok(Self {
            before: TensorNorm::maybe(norms.before, device)?,
            branch: TensorNorm::maybe(norms.branch, device)?,
            after: TensorNorm::maybe(norms.after, device)?,
        })
    }

    /// `after(x + branch(half(before(x))))`.
    fn around(&self, x: Tensor, half: impl FnOnce(Tensor) -> Computed<Tensor>) -> Computed<Tensor> {
        let made = half(normed(self.before.as_ref(), &x)?)?;
        normed(self.after.as_ref(), &(x + normed(self.branch.as_ref(), &made)?)?)
    }
}

struct Layer {
    attention_norms: TensorNorms,
    qkv: TensorLinear,
    head_norms: Option<(TensorNorm, TensorNorm)>,
    speeds: Vec<f32>,
    attention: Attention,
    out: TensorLinear,
    inner_norms: TensorNorms,
    gate: Option<(TensorLinear, Gate)>,
    up: TensorLinear,
    down: TensorLinear,
}

/// What the layers of one pass share.
struct Pass<'a> {
    device: &'a Device,
    /// Tokens of the longest sequence.
    longest: usize,
    /// Cosines and sines by rotation speeds: neighbouring layers mostly share them.
    turns: Vec<(Vec<f32>, Tensor, Tensor)>,
    /// What is added to the scores, by length, direction and reach.
    masks: HashMap<(usize, bool, Option<usize>), Tensor>,
}

impl Pass<'_> {
    fn turns(&mut self, speeds: &[f32], n: usize) -> Computed<(Tensor, Tensor)> {
        let at = match self.turns.iter().position(|(known, ..)| known == speeds) {
            Some(at) => at,
            None => {
                let angles: Vec<f32> =
                    (0..self.longest).flat_map(|p| speeds.iter().map(move |s| p as f32 * s)).collect();
                let angles = Tensor::from_vec(angles, (self.longest, speeds.len()), self.device)?;
                self.turns.push((speeds.to_vec(), angles.cos()?, angles.sin()?));
                self.turns.len() - 1
            }
        };
        let (_, cosines, sines) = &self.turns[at];
        Ok((cosines.narrow(0, 0, n)?, sines.narrow(0, 0, n)?))
    }

    /// `None` where every token sees all.
    fn mask(&mut self, attention: Attention, n: usize) -> Computed<Option<Tensor>> {
        if !attention.causal && attention.reach.is_none_or(|reach| reach >= n) {
            return Ok(None);
        }
        let key = (n, attention.causal, attention.reach);
        if let Some(mask) = self.masks.get(&key) {
            return Ok(Some(mask.clone()));
        }
        let mut unseen = vec![f32::NEG_INFINITY; n * n];
        for (r, row) in unseen.chunks_exact_mut(n).enumerate() {
            let (from, to) = attention.sight(r, n);
            row[from..to].fill(0.0);
        }
        let mask = Tensor::from_vec(unseen, (n, n), self.device)?;
        self.masks.insert(key, mask.clone());
        Ok(Some(mask))
    }
}

impl Layer {
    fn new(block: Block, device: &Device) -> Computed<Self> {
        let linear = |linear| TensorLinear::new(linear, device);
        let head_norms = match block.head_norms {
            Some((queries, keys)) => {
                Some((TensorNorm::new(queries, device)?, TensorNorm::new(keys, device)?))
            }
            None => None,
        };
        let gate = match block.gate {
            Some((gate, activation)) => Some((linear(gate)?, activation)),
            None => None,
        };
        Ok(Self {
            attention_norms: TensorNorms::new(block.attention_norms, device)?,
            qkv: linear(block.qkv)?,
            head_norms,
            speeds: block.speeds,
            attention: block.attention,
            out: linear(block.out)?,
            inner_norms: TensorNorms::new(block.inner_norms, device)?,
            gate,
            up: linear(block.up)?,
            down: linear(block.down)?,
        })
    }

    fn apply(&self, x: Tensor, batch: &[Tokens], pass: &mut Pass<'_>) -> Computed<Tensor> {
        let x = self.attention_norms.around(x, |x| {
            let qkv = self.qkv.apply(&x)?;
            let (mut gathered, mut first) = (Vec::with_capacity(batch.len()), 0);
            for sequence in batch {
                let n = sequence.ids.len();
                gathered.push(self.attend(&qkv.narrow(0, first, n)?, n, pass)?);
                first += n;
            }
            self.out.apply(&Tensor::cat(&gathered, 0)?)
        })?;
        self.inner_norms.around(x, |x| {
            let up = self.up.apply(&x)?;
            let inner = match &self.gate {
                None => up.gelu_erf()?,
                Some((gate, activation)) => {
                    let gate = gate.apply(&x)?;
                    let opened = match activation {
                        Gate::Silu => gate.silu()?,
                        Gate::Gelu => gate.gelu_erf()?,
                        Gate::GeluTanh => gate.gelu()?,
                    };
                    (opened * up)?
                }
            };
            self.down.apply(&inner)
        })
    }

    /// What each token of one sequence gathers: `n × heads·head`.
    fn attend(&self, qkv: &Tensor, n: usize, pass: &mut Pass<'_>) -> Computed<Tensor> {
        let Attention { heads, kv_heads, head, .. } = self.attention;
        let part = |first: usize, count: usize| -> Computed<Tensor> {
            let rows = qkv.narrow(1, first * head, count * head)?.reshape((n, count, head))?;
            rows.transpose(0, 1)?.contiguous()
        };
        let (mut queries, mut keys) = (part(0, heads)?, part(heads, kv_heads)?);
        let values = part(heads + kv_heads, kv_heads)?;
        if let Some((of_queries, of_keys)) = &self.head_norms {
            (queries, keys) = (of_queries.apply(&queries)?, of_keys.apply(&keys)?);
        }
        if !self.speeds.is_empty() {
            let (cosines, sines) = pass.turns(&self.speeds, n)?;
            let turned = |x: &Tensor| rope(&x.unsqueeze(0)?, &cosines, &sines)?.squeeze(0);
            (queries, keys) = (turned(&queries)?, turned(&keys)?);
        }
        let shared = |x: Tensor| -> Computed<Tensor> {
            if kv_heads == heads {
                return Ok(x);
            }
            let group = heads / kv_heads;
            x.unsqueeze(1)?.broadcast_as((kv_heads, group, n, head))?.reshape((heads, n, head))
        };
        let (keys, values) = (shared(keys)?, shared(values)?);
        let mut scores = queries.matmul(&keys.transpose(1, 2)?)?;
        if let Some(mask) = pass.mask(self.attention, n)? {
            scores = scores.broadcast_add(&mask)?;
        }
        let gathered = softmax_last_dim(&scores)?.matmul(&values.contiguous()?)?;
        gathered.transpose(0, 1)?.contiguous()?.flatten_from(D::Minus2)
    }
}

/// An encoder whose layers lie on a device of candle's.
pub(super) struct OnDevice {
    first: Box<dyn Blocks>,
    layers: Vec<Layer>,
    norm: Option<TensorNorm>,
    device: Device,
    one_at_a_time: Mutex<()>,
}

impl OnDevice {
    /// Lays the layers of `encoder` on `device`.
    pub(super) fn new(mut encoder: Box<dyn Blocks>, device: &Device) -> Result<Self, ModelError> {
        let (blocks, norm) = encoder.take_blocks();
        let layers = blocks.into_iter().map(|block| Layer::new(block, device)).collect::<Computed<_>>();
        Ok(Self {
            first: encoder,
            layers: layers.map_err(|e| failed(&e))?,
            norm: TensorNorm::maybe(norm, device).map_err(|e| failed(&e))?,
            device: device.clone(),
            one_at_a_time: Mutex::new(()),
        })
    }

    fn run(&self, batch: &[Tokens], hidden: &mut [f32], cancel: &Cancel) -> Result<(), ModelError> {
        let shape = (hidden.len() / self.width().max(1), self.width());
        let longest = batch.iter().map(|s| s.ids.len()).max().unwrap_or(0);
        let mut pass = Pass { device: &self.device, longest, turns: Vec::new(), masks: HashMap::new() };
        let mut x = Tensor::from_slice(hidden, shape, &self.device).map_err(|e| failed(&e))?;
        for layer in &self.layers {
            go_on(cancel)?;
            x = layer.apply(x, batch, &mut pass).map_err(|e| failed(&e))?;
        }
        let rows = normed(self.norm.as_ref(), &x).and_then(|x| x.flatten_all()?.to_vec1::<f32>());
        hidden.copy_from_slice(&rows.map_err(|e| failed(&e))?);
        Ok(())
    }
}

impl Encoder for OnDevice {
    fn width(&self) -> usize {
        self.first.width()
    }

    fn positions(&self) -> usize {
        self.first.positions()
    }

    fn batch_tokens(&self) -> usize {
        BATCH_TOKENS
    }

    fn forward<'s>(
        &self,
        batch: &[Tokens],
        scratch: &'s mut Scratch,
        cancel: &Cancel,
    ) -> Result<&'s [f32], ModelError> {
        let rows: usize = batch.iter().map(|s| s.ids.len()).sum();
        let hidden = grown(&mut scratch.hidden, rows * self.width());
        self.first.first_rows(batch, hidden)?;
        let _alone = self.one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
        self.run(batch, hidden, cancel)?;
        Ok(hidden)
    }
}

fn failed(error: &candle_core::Error) -> ModelError {
    ModelError::Failed(format!("the device could not compute: {error}"))
}

#[cfg(test)]
mod tests {
    use super::super::{files, read};
    use super::*;
    use crate::testing::families;
    use carrel_engine::random::Random;

    #[test]
    fn every_family_gives_the_rows_of_the_forward_for_the_processor() {
        for family in families(&["bert", "xlm-roberta", "modernbert", "nomic-bert", "qwen3", "gemma3"]) {
            let encoder = || {
                let (config, mut weights) = files(&family.folder, &family.name).unwrap();
                (read(&config, &mut weights).unwrap(), config.size(&["vocab_size"]).unwrap())
            };
            let (own, vocabulary) = encoder();
            let by_tensors = OnDevice::new(encoder().0, &Device::Cpu).unwrap();
            let mut random = Random::new(7);
            let longest = own.positions().min(200);
            let batch: Vec<Tokens> = [1, 2, 17, longest]
                .iter()
                .map(|&n| Tokens {
                    ids: (0..n).map(|_| random.below(vocabulary) as u32).collect(),
                    second: n / 2,
                })
                .collect();
            let (mut here, mut there) = (Scratch::default(), Scratch::default());
            let want = own.forward(&batch, &mut here, &Cancel::new()).unwrap();
            let got = by_tensors.forward(&batch, &mut there, &Cancel::new()).unwrap();
            assert_eq!(want.len(), got.len(), "{}", family.name);
            assert!(want.iter().any(|v| v.abs() > 0.01), "{}", family.name);
            for (w, g) in want.iter().zip(got) {
                assert!((w - g).abs() < 1e-3 * w.abs().max(1.0), "{}: {g} instead of {w}", family.name);
            }
        }
    }

    #[test]
    fn a_cancelled_pass_ends() {
        let family = &families(&["bert"])[0];
        let (config, mut weights) = files(&family.folder, &family.name).unwrap();
        let encoder = OnDevice::new(read(&config, &mut weights).unwrap(), &Device::Cpu).unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let batch = [Tokens::from(vec![1, 2, 3])];
        let made = encoder.forward(&batch, &mut Scratch::default(), &cancel).map(<[f32]>::to_vec);
        assert_eq!(made, Err(ModelError::Cancelled));
    }
}
