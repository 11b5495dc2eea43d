//! Whisper's encoder: two convolutions and a stack of attention layers over a window of 30 seconds.

use super::ct2::Ct2;
use super::layers::{FeedForward, HEAD, Linear, add, count_layers, norm, normed, product};
use super::mel::FRAMES;
use crate::kernels::{Norm, Shape, bias_gelu, multiply, multiply_transposed, softmax};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use rayon::prelude::*;

/// Positions that come out of a window.
pub(super) const POSITIONS: usize = FRAMES / 2;

/// Rows whose attention is computed at once: the scores of a whole window would take 9 MB for each head.
const ROWS: usize = 250;

struct Convolution {
    /// For each output, three times the inputs.
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

struct Layer {
    norm: Norm,
    qkv: Linear,
    out: Linear,
    feed: FeedForward,
}

pub(super) struct Encoder {
    convolutions: [Convolution; 2],
    positions: Vec<f32>,
    layers: Vec<Layer>,
    norm: Norm,
    width: usize,
}

impl Encoder {
    pub(super) fn read(file: &mut Ct2, width: usize, bands: usize) -> Result<Self, ModelError> {
        let convolutions = [
            Convolution::read(file, "encoder/conv1", bands, width)?,
            Convolution::read(file, "encoder/conv2", width, width)?,
        ];
        let positions = file.read("encoder/position_encodings/encodings", &[POSITIONS, width])?;
        let mut layers = Vec::new();
        for n in 0..count_layers(file, "encoder") {
            let name = format!("encoder/layer_{n}");
            layers.push(Layer {
                norm: norm(file, &format!("{name}/self_attention/layer_norm"), width)?,
                qkv: Linear::read(file, &format!("{name}/self_attention/linear_0"), width, 3 * width)?,
                out: Linear::read(file, &format!("{name}/self_attention/linear_1"), width, width)?,
                feed: FeedForward::read(file, &format!("{name}/ffn"), width)?,
            });
        }
        let norm = norm(file, "encoder/layer_norm", width)?;
        Ok(Self { convolutions, positions, layers, norm, width })
    }

    /// From a spectrogram to [`POSITIONS`] rows.
    pub(super) fn forward(&self, mel: &[f32], cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
        let [first, second] = &self.convolutions;
        let x = first.apply(mel, 1);
        let mut x = second.apply(&x, 2);
        add(&mut x, &self.positions);
        for layer in &self.layers {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            let qkv = layer.qkv.apply(&normed(&layer.norm, &x));
            add(&mut x, &layer.out.apply(&attention(&qkv, self.width, cancel)?));
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            layer.feed.apply(&mut x);
        }
        Ok(normed(&self.norm, &x))
    }
}

impl Convolution {
    fn read(file: &mut Ct2, name: &str, inputs: usize, outputs: usize) -> Result<Self, ModelError> {
        let read = file.read(&format!("{name}/weight"), &[outputs, inputs, 3])?;
        let mut weight = Vec::with_capacity(read.len());
        for of in read.chunks_exact(3 * inputs) {
            for place in 0..3 {
                weight.extend(of.iter().skip(place).step_by(3));
            }
        }
        Ok(Self { weight, bias: file.read(&format!("{name}/bias"), &[outputs])?, inputs })
    }

    /// Over rows, with a row of zeros before and behind them, through GELU.
    fn apply(&self, x: &[f32], step: usize) -> Vec<f32> {
        let mut padded = vec![0.0; self.inputs];
        padded.extend_from_slice(x);
        padded.resize(padded.len() + self.inputs, 0.0);
        let mut rows = Vec::with_capacity(3 * x.len() / step);
        for row in padded.windows(3 * self.inputs).step_by(step * self.inputs) {
            rows.extend_from_slice(row);
        }
        let mut out = product(&rows, &self.weight, 3 * self.inputs, self.bias.len());
        bias_gelu(&mut out, &self.bias);
        out
    }
}

/// Every position sees every other.
fn attention(qkv: &[f32], width: usize, cancel: &Cancel) -> Result<Vec<f32>, ModelError> {
    let jobs: Vec<(usize, usize)> =
        (0..width / HEAD).flat_map(|head| (0..POSITIONS).step_by(ROWS).map(move |row| (head, row))).collect();
    let done: Vec<Vec<f32>> = jobs
        .par_iter()
        .map(|&(head, from)| {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            let rows = ROWS.min(POSITIONS - from);
            let stride = 3 * width;
            let q = &qkv[from * stride + head * HEAD..];
            let k = &qkv[width + head * HEAD..];
            let v = &qkv[2 * width + head * HEAD..];
            let mut scores = vec![0.0; rows * POSITIONS];
            let all = Shape::strided(POSITIONS, HEAD, stride);
            let of = Shape::dense(rows, POSITIONS);
            multiply_transposed(q, Shape::strided(rows, HEAD, stride), k, all, &mut scores, of);
            let scale = 1.0 / (HEAD as f32).sqrt();
            for score in &mut scores {
                *score *= scale;
            }
            softmax(&mut scores, POSITIONS);
            let mut out = vec![0.0; rows * HEAD];
            multiply(&scores, of, v, all, &mut out, Shape::dense(rows, HEAD), false);
            Ok(out)
        })
        .collect::<Result<_, _>>()?;
    let mut out = vec![0.0; POSITIONS * width];
    for ((head, from), block) in jobs.into_iter().zip(done) {
        for (row, values) in (from..).zip(block.chunks_exact(HEAD)) {
            let at = row * width + head * HEAD;
            out[at..at + HEAD].copy_from_slice(values);
        }
    }
    Ok(out)
}
