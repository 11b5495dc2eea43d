//! A linear layer.

use super::weights::Weights;
use crate::kernels::{Shape, multiply_transposed};
use carrel_engine::seams::ModelError;

/// `outputs` rows of `inputs`, and a bias where the layer has one. The kernels pack the weight panel by panel; the other way round its columns
/// lie a page apart, and the product runs at half the speed.
pub(crate) struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl Linear {
    /// The layer `name`, with its bias if there is one.
    pub(crate) fn read(
        weights: &mut Weights,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, ModelError> {
        let bias = format!("{name}.bias");
        Ok(Self {
            weight: weights.read(&format!("{name}.weight"), &[outputs, inputs])?,
            bias: if weights.has(&bias) { weights.read(&bias, &[outputs])? } else { Vec::new() },
            inputs,
            outputs,
        })
    }

    /// Several layers of the same input as one; their outputs lie side by side.
    pub(crate) fn join(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let mut joined = parts.next()?;
        for part in parts {
            if part.inputs != joined.inputs || part.bias.is_empty() != joined.bias.is_empty() {
                return None;
            }
            joined.weight.extend(part.weight);
            joined.bias.extend(part.bias);
            joined.outputs += part.outputs;
        }
        Some(joined)
    }

    /// The first `outputs` outputs and the others, as two layers.
    pub(crate) fn split(mut self, outputs: usize) -> (Self, Self) {
        let weight = self.weight.split_off(outputs * self.inputs);
        let bias = if self.bias.is_empty() { Vec::new() } else { self.bias.split_off(outputs) };
        let rest = Self { weight, bias, inputs: self.inputs, outputs: self.outputs - outputs };
        (Self { outputs, ..self }, rest)
    }

    /// Multiplies its first `outputs` outputs.
    pub(crate) fn scale(&mut self, outputs: usize, by: f32) {
        let weights = self.weight.iter_mut().take(outputs * self.inputs);
        weights.chain(self.bias.iter_mut().take(outputs)).for_each(|v| *v *= by);
    }

    /// Its weight, row by row of the outputs, and its bias, which may be empty.
    pub(super) fn into_numbers(self) -> (Vec<f32>, Vec<f32>) {
        (self.weight, self.bias)
    }

    /// Its bias; empty where it has none.
    pub(crate) fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Numbers that go in.
    pub(crate) fn inputs(&self) -> usize {
        self.inputs
    }

    /// Numbers that come out.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// `out = x · weightᵀ` without the bias.
    pub(crate) fn apply(&self, x: &[f32], rows: usize, out: &mut [f32]) {
        let (i, o) = (self.inputs, self.outputs);
        let (x_shape, out_shape) = (Shape::dense(rows, i), Shape::dense(rows, o));
        multiply_transposed(x, x_shape, &self.weight, Shape::dense(o, i), out, out_shape);
    }

    /// `out = x · weightᵀ + bias`.
    pub(crate) fn apply_with_bias(&self, x: &[f32], rows: usize, out: &mut [f32]) {
        self.apply(x, rows, out);
        if self.bias.is_empty() {
            return;
        }
        for row in out.chunks_exact_mut(self.outputs) {
            for (o, b) in row.iter_mut().zip(&self.bias) {
                *o += b;
            }
        }
    }

    /// The outputs of one row.
    pub(crate) fn of(&self, x: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; self.outputs];
        self.apply_with_bias(x, 1, &mut out);
        out
    }
}
