//! The matrices of a language model: most of its memory and of its time.
//!
//! candle has fast kernels for some formats and sizes; those matrices stay as they are. All others become 8-bit blocks of 32
//! here, whatever the file held: one row at a time meets them in integers, many rows meet them dequantised in `gemm`.
//! Invariant: a matrix of fewer than [`PARALLEL`] numbers is multiplied on the calling thread, so that a loaded machine
//! does not wait for its other threads hundreds of times per token.

use crate::kernels::{Shape, multiply_transposed_on};
use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{Device, Module, Tensor};
use carrel_engine::seams::ModelError;
use gemm::Parallelism;
use rayon::prelude::*;
use std::sync::Arc;

const BLOCK: usize = 32;
const HALF: usize = BLOCK / 2;
/// Fewer rows than this meet the matrix in integers.
pub(super) const ROWS_FOR_GEMM: usize = 8;
/// Numbers of a matrix below which handing out work costs more than it saves.
const PARALLEL: usize = 4_000_000;
/// Rows that one thread takes at a time.
const PORTION: usize = 256;

#[expect(clippy::needless_pass_by_value, reason = "it stands where an error is mapped")]
pub(super) fn failed(error: candle_core::Error) -> ModelError {
    ModelError::Failed(said(&error))
}

/// What candle says, for people: without the stack that it adds where the environment asks for one.
pub(super) fn said(error: &candle_core::Error) -> String {
    match error {
        candle_core::Error::WithBacktrace { inner, .. } => said(inner),
        candle_core::Error::Context { inner, context } => format!("{context}: {}", said(inner)),
        candle_core::Error::WithPath { inner, path } => format!("{}: {}", path.display(), said(inner)),
        other => other.to_string(),
    }
}

/// A matrix of `outputs × inputs`.
pub(super) struct Matrix {
    pub(super) outputs: usize,
    pub(super) inputs: usize,
    form: Form,
}

enum Form {
    Int8(Int8),
    Candle { product: QMatMul, tensor: Arc<QTensor> },
}

impl Matrix {
    pub(super) fn new(tensor: QTensor) -> Result<Self, ModelError> {
        let (outputs, inputs) = tensor.shape().dims2().map_err(failed)?;
        let tiled = matches!(tensor.dtype(), GgmlDType::Q4K | GgmlDType::Q6K | GgmlDType::Q8_0)
            && inputs.is_multiple_of(256)
            && outputs.is_multiple_of(16);
        let form = if tiled || !inputs.is_multiple_of(BLOCK) {
            let tensor = Arc::new(tensor);
            Form::Candle { product: QMatMul::from_arc(Arc::clone(&tensor)).map_err(failed)?, tensor }
        } else {
            let plain = tensor.dequantize(&Device::Cpu).and_then(|t| t.flatten_all()?.to_vec1::<f32>());
            Form::Int8(Int8::new(&plain.map_err(failed)?))
        };
        Ok(Self { outputs, inputs, form })
    }

    /// `out = x · matrixᵀ` for `rows` rows.
    pub(super) fn apply(&self, x: &[f32], rows: usize, out: &mut [f32]) -> Result<(), ModelError> {
        match &self.form {
            Form::Candle { product, .. } => {
                let x = Tensor::from_slice(x, (rows, self.inputs), &Device::Cpu).map_err(failed)?;
                let y: Vec<f32> =
                    product.forward(&x).and_then(|y| y.flatten_all()?.to_vec1()).map_err(failed)?;
                out.copy_from_slice(&y);
            }
            Form::Int8(matrix) if rows < ROWS_FOR_GEMM => {
                for (x, out) in x.chunks_exact(self.inputs).zip(out.chunks_exact_mut(self.outputs)) {
                    matrix.apply_to_row(&Int8::new(x), out);
                }
            }
            Form::Int8(matrix) => {
                let mut plain = vec![0f32; self.outputs * self.inputs];
                let portion = PORTION * self.inputs;
                plain
                    .par_chunks_mut(portion)
                    .enumerate()
                    .for_each(|(i, part)| matrix.write(i * portion, part));
                let (i, o) = (Shape::dense(rows, self.inputs), Shape::dense(self.outputs, self.inputs));
                let threads = Parallelism::Rayon(rayon::current_num_threads());
                multiply_transposed_on(threads, x, i, &plain, o, out, Shape::dense(rows, self.outputs));
            }
        }
        Ok(())
    }

    /// One row of the matrix, as an embedding.
    pub(super) fn row(&self, index: usize) -> Result<Vec<f32>, ModelError> {
        if index >= self.outputs {
            return Err(ModelError::Failed(format!("the tokenizer made the unknown token {index}")));
        }
        match &self.form {
            Form::Int8(matrix) => {
                let mut row = vec![0f32; self.inputs];
                matrix.write(index * self.inputs, &mut row);
                Ok(row)
            }
            Form::Candle { tensor, .. } => {
                let ids = Tensor::new(&[index as u32], &Device::Cpu).map_err(failed)?;
                tensor.embedding(&ids).and_then(|t| t.flatten_all()?.to_vec1()).map_err(failed)
            }
        }
    }
}

/// Numbers as 8 bits, with one scale for each block.
struct Int8 {
    /// Between −127 and 127, so that two products add up within 16 bits.
    blocks: Vec<[i8; BLOCK]>,
    scales: Vec<f32>,
}

impl Int8 {
    fn new(x: &[f32]) -> Self {
        let (chunks, _) = x.as_chunks::<BLOCK>();
        let mut this =
            Self { blocks: Vec::with_capacity(chunks.len()), scales: Vec::with_capacity(chunks.len()) };
        for chunk in chunks {
            let largest = chunk.iter().fold(0f32, |m, v| m.max(v.abs()));
            let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
            this.blocks.push(chunk.map(|v| (v * inverse).round() as i8));
            this.scales.push(largest / 127.0);
        }
        this
    }

    /// Writes the numbers from `first` on, which begins a block.
    fn write(&self, first: usize, out: &mut [f32]) {
        let first = first / BLOCK;
        let (chunks, _) = out.as_chunks_mut::<BLOCK>();
        for ((chunk, block), scale) in chunks.iter_mut().zip(&self.blocks[first..]).zip(&self.scales[first..])
        {
            for (o, q) in chunk.iter_mut().zip(block) {
                *o = f32::from(*q) * scale;
            }
        }
    }

    fn apply_to_row(&self, x: &Self, out: &mut [f32]) {
        let width = x.blocks.len();
        let portion = |(i, out): (usize, &mut [f32])| {
            let first = i * PORTION * width;
            let rows = self.blocks[first..].chunks_exact(width).zip(self.scales[first..].chunks_exact(width));
            for (o, (blocks, scales)) in out.iter_mut().zip(rows) {
                *o = dot(blocks, scales, &x.blocks, &x.scales);
            }
        };
        if self.blocks.len() * BLOCK < PARALLEL {
            out.chunks_mut(PORTION).enumerate().for_each(portion);
        } else {
            out.par_chunks_mut(PORTION).enumerate().for_each(portion);
        }
    }
}

/// Lanes of 16 bits, then of 32, then of floats: what the compiler turns into vector code. Nothing overflows (two
/// products of at most 127² each); the wrapping forms only keep checks out of the loop.
fn dot(a: &[[i8; BLOCK]], sa: &[f32], b: &[[i8; BLOCK]], sb: &[f32]) -> f32 {
    let mut sum = [0f32; HALF / 2];
    for (((a, sa), b), sb) in a.iter().zip(sa).zip(b).zip(sb) {
        let mut pairs = [0i16; HALF];
        for i in 0..HALF {
            let low = i16::from(a[i]).wrapping_mul(i16::from(b[i]));
            let high = i16::from(a[i + HALF]).wrapping_mul(i16::from(b[i + HALF]));
            pairs[i] = low.wrapping_add(high);
        }
        let scale = sa * sb;
        for i in 0..HALF / 2 {
            let whole = i32::from(pairs[i]).wrapping_add(i32::from(pairs[i + HALF / 2]));
            sum[i] = (whole as f32).mul_add(scale, sum[i]);
        }
    }
    sum.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_come_close_to_the_floats() {
        let number = |i: usize| ((i * 7919 + 13) % 2003) as f32 / 1000.0 - 1.0;
        for (outputs, inputs) in [(300, 96), (50_000, 96)] {
            let plain: Vec<f32> = (0..outputs * inputs).map(number).collect();
            let matrix = Matrix { outputs, inputs, form: Form::Int8(Int8::new(&plain)) };
            for rows in [1, ROWS_FOR_GEMM] {
                let x: Vec<f32> = (0..rows * inputs).map(|i| number(i * 31 + 5)).collect();
                let mut got = vec![0f32; rows * outputs];
                matrix.apply(&x, rows, &mut got).unwrap();
                for (i, got) in got.iter().enumerate().step_by(97) {
                    let (row, output) = (i / outputs, i % outputs);
                    let (x, w) = (&x[row * inputs..][..inputs], &plain[output * inputs..][..inputs]);
                    let want: f32 = x.iter().zip(w).map(|(a, b)| a * b).sum();
                    assert!((got - want).abs() < 0.15, "{got} instead of {want}");
                }
            }
            let row = matrix.row(7).unwrap();
            assert!(row.iter().zip(&plain[7 * inputs..]).all(|(a, b)| (a - b).abs() < 0.005));
        }
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let ends = [[-127i8; BLOCK], [127; BLOCK]];
        assert!((dot(&ends, &[1.0, 1.0], &ends, &[1.0, 1.0]) - 64.0 * 127.0 * 127.0).abs() < 1.0);
    }
}
