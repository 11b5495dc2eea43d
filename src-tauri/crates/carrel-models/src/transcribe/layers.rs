//! What encoder and decoder have in common: linear layers, feed-forward blocks, and how they are read.

use super::ct2::Ct2;
use crate::kernels::{Norm, Shape, bias_gelu, dot, multiply_transposed_on};
use carrel_engine::seams::ModelError;
use gemm::Parallelism;
use rayon::prelude::*;

/// Width of an attention head, in every Whisper.
pub(super) const HEAD: usize = 64;

/// No Whisper has more.
const MOST_LAYERS: usize = 64;

/// From this many products on, a single row is worth being shared between threads.
const WORTH_SHARING: usize = 1 << 21;

/// `y = x · weightᵀ + bias`.
pub(super) struct Linear {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

impl Linear {
    pub(super) fn read(
        file: &mut Ct2,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, ModelError> {
        let weight = file.read(&format!("{name}/weight"), &[outputs, inputs])?;
        let bias = file.read(&format!("{name}/bias"), &[outputs])?;
        Ok(Self { weight, bias, inputs, outputs })
    }

    /// One or more rows.
    pub(super) fn apply(&self, x: &[f32]) -> Vec<f32> {
        let mut out = self.product(x);
        for row in out.chunks_exact_mut(self.outputs) {
            add(row, &self.bias);
        }
        out
    }

    /// The same, through GELU.
    fn apply_gelu(&self, x: &[f32]) -> Vec<f32> {
        let mut out = self.product(x);
        bias_gelu(&mut out, &self.bias);
        out
    }

    fn product(&self, x: &[f32]) -> Vec<f32> {
        product(x, &self.weight, self.inputs, self.outputs)
    }
}

/// Rows of `inputs` numbers times the transpose of `outputs` rows.
pub(super) fn product(x: &[f32], weight: &[f32], inputs: usize, outputs: usize) -> Vec<f32> {
    let rows = x.len() / inputs;
    let mut out = vec![0.0; rows * outputs];
    if rows > 1 {
        let (sa, sb, so) =
            (Shape::dense(rows, inputs), Shape::dense(outputs, inputs), Shape::dense(rows, outputs));
        multiply_transposed_on(Parallelism::Rayon(0), x, sa, weight, sb, &mut out, so);
    } else if inputs * outputs >= WORTH_SHARING {
        out.par_iter_mut()
            .with_min_len(2048)
            .zip(weight.par_chunks_exact(inputs))
            .for_each(|(o, row)| *o = dot(row, x));
    } else {
        for (o, row) in out.iter_mut().zip(weight.chunks_exact(inputs)) {
            *o = dot(row, x);
        }
    }
    out
}

/// `to += x`
pub(super) fn add(to: &mut [f32], x: &[f32]) {
    for (t, v) in to.iter_mut().zip(x) {
        *t += v;
    }
}

pub(super) fn norm(file: &mut Ct2, name: &str, width: usize) -> Result<Norm, ModelError> {
    Ok(Norm {
        weight: file.read(&format!("{name}/gamma"), &[width])?,
        bias: file.read(&format!("{name}/beta"), &[width])?,
        epsilon: 1e-5,
    })
}

/// `x` normalised, row by row.
pub(super) fn normed(norm: &Norm, x: &[f32]) -> Vec<f32> {
    let mut out = x.to_vec();
    for row in out.chunks_exact_mut(norm.weight.len()) {
        norm.apply(row);
    }
    out
}

/// Normalisation, a layer four times as wide, and back.
pub(super) struct FeedForward {
    norm: Norm,
    up: Linear,
    down: Linear,
}

impl FeedForward {
    pub(super) fn read(file: &mut Ct2, name: &str, width: usize) -> Result<Self, ModelError> {
        Ok(Self {
            norm: norm(file, &format!("{name}/layer_norm"), width)?,
            up: Linear::read(file, &format!("{name}/linear_0"), width, 4 * width)?,
            down: Linear::read(file, &format!("{name}/linear_1"), 4 * width, width)?,
        })
    }

    /// `x += down(gelu(up(norm(x))))`
    pub(super) fn apply(&self, x: &mut [f32]) {
        let inner = self.up.apply_gelu(&normed(&self.norm, x));
        add(x, &self.down.apply(&inner));
    }
}

/// How many layers of a stack the file holds.
pub(super) fn count_layers(file: &Ct2, stack: &str) -> usize {
    let is_there = |n: &usize| file.has(&format!("{stack}/layer_{n}/self_attention/linear_0/weight"));
    (0..MOST_LAYERS).take_while(is_there).count()
}
