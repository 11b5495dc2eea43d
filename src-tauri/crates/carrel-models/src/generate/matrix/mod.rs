//! The matrices of a language model: most of its memory and of its time.
//!
//! candle has fast kernels for some formats and sizes; those matrices stay as they are. All others become blocks of 32 here: of 4 bits
//! as the file holds them ([`int4`]), or of 8 bits, whatever the file held ([`int8`]). One row at a time meets them in integers, many
//! rows meet them dequantised in `gemm`.
//! Invariant: a matrix of fewer than [`PARALLEL`] numbers is multiplied on the calling thread, so that a loaded machine
//! does not wait for its other threads hundreds of times per token.

mod int4;
mod int8;

use crate::kernels::{Shape, multiply_transposed_on};
use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{Device, Module, Tensor};
use carrel_engine::seams::ModelError;
use gemm::Parallelism;
use half::f16;
use int4::Int4;
use int8::{Int8, Row};
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
    Int4(Int4),
    Candle { product: QMatMul, tensor: Arc<QTensor> },
}

impl Matrix {
    pub(super) fn new(tensor: QTensor) -> Result<Self, ModelError> {
        let (outputs, inputs) = tensor.shape().dims2().map_err(failed)?;
        let form = if is_tiled(tensor.dtype(), outputs, inputs) || !inputs.is_multiple_of(BLOCK) {
            let tensor = Arc::new(tensor);
            Form::Candle { product: QMatMul::from_arc(Arc::clone(&tensor)).map_err(failed)?, tensor }
        } else if let Some(matrix) = Int4::read(&tensor).map_err(failed)? {
            Form::Int4(matrix)
        } else {
            Form::Int8(Int8::read(&tensor).map_err(failed)?)
        };
        Ok(Self { outputs, inputs, form })
    }

    /// Bytes that a matrix takes here; `alone` where it only ever meets one row.
    pub(super) fn bytes(format: GgmlDType, outputs: usize, inputs: usize, alone: bool) -> u64 {
        let numbers = (outputs * inputs) as u64;
        let stored = numbers * format.type_size() as u64 / format.block_size() as u64;
        if is_tiled(format, outputs, inputs) {
            // candle makes tiles of it when it is first used, and keeps both: bytes of a tile of 4,096 or 512 numbers.
            let (tile, size) = match format {
                GgmlDType::Q6K if alone => (4_096, 0),
                GgmlDType::Q4K => (4_096, 3_072),
                GgmlDType::Q6K => (4_096, 5_120),
                _ => (512, 544),
            };
            stored + numbers * size / tile
        } else if inputs.is_multiple_of(BLOCK) {
            let block =
                if Int4::takes(format) { HALF + 2 * size_of::<f16>() } else { BLOCK + size_of::<f32>() };
            numbers / BLOCK as u64 * block as u64
        } else {
            stored + numbers * size_of::<f32>() as u64
        }
    }

    /// Bytes that it takes besides while many rows meet it.
    pub(super) fn unpacked_bytes(format: GgmlDType, outputs: usize, inputs: usize) -> u64 {
        let unpacked = !is_tiled(format, outputs, inputs) && inputs.is_multiple_of(BLOCK);
        if unpacked { (outputs * inputs * size_of::<f32>()) as u64 } else { 0 }
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
            Form::Int8(matrix) if rows < ROWS_FOR_GEMM => self.one_by_one(x, out, |i, x| matrix.dot(i, x)),
            Form::Int4(matrix) if rows < ROWS_FOR_GEMM => self.one_by_one(x, out, |i, x| matrix.dot(i, x)),
            Form::Int8(matrix) => self.unpacked(x, rows, out, |first, part| matrix.write(first, part)),
            Form::Int4(matrix) => self.unpacked(x, rows, out, |first, part| matrix.write(first, part)),
        }
        Ok(())
    }

    /// Each row in integers; `number` gives one output.
    fn one_by_one(&self, x: &[f32], out: &mut [f32], number: impl Fn(usize, &Row) -> f32 + Sync) {
        for (x, out) in x.chunks_exact(self.inputs).zip(out.chunks_exact_mut(self.outputs)) {
            let x = Row::new(x);
            each(out, self.outputs * self.inputs, |i| number(i, &x));
        }
    }

    /// All rows at once with the matrix in floats; `write` gives those from a place on.
    fn unpacked(&self, x: &[f32], rows: usize, out: &mut [f32], write: impl Fn(usize, &mut [f32]) + Sync) {
        let mut plain = vec![0f32; self.outputs * self.inputs];
        let portion = PORTION * self.inputs;
        plain.par_chunks_mut(portion).enumerate().for_each(|(i, part)| write(i * portion, part));
        let (i, o) = (Shape::dense(rows, self.inputs), Shape::dense(self.outputs, self.inputs));
        let threads = Parallelism::Rayon(rayon::current_num_threads());
        multiply_transposed_on(threads, x, i, &plain, o, out, Shape::dense(rows, self.outputs));
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
            Form::Int4(matrix) => {
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

/// Whether candle has its fast kernels for it.
fn is_tiled(format: GgmlDType, outputs: usize, inputs: usize) -> bool {
    matches!(format, GgmlDType::Q4K | GgmlDType::Q6K | GgmlDType::Q8_0)
        && inputs.is_multiple_of(256)
        && outputs.is_multiple_of(16)
}

/// Calls `number` for each output; on several threads where that is worth it.
fn each(out: &mut [f32], numbers: usize, number: impl Fn(usize) -> f32 + Sync) {
    let portion = |(i, out): (usize, &mut [f32])| {
        for (j, o) in out.iter_mut().enumerate() {
            *o = number(i * PORTION + j);
        }
    };
    if numbers < PARALLEL {
        out.chunks_mut(PORTION).enumerate().for_each(portion);
    } else {
        out.par_chunks_mut(PORTION).enumerate().for_each(portion);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(i: usize) -> f32 {
        ((i * 7919 + 13) % 2003) as f32 / 1000.0 - 1.0
    }

    fn quantised(format: GgmlDType, plain: &[f32], outputs: usize, inputs: usize) -> QTensor {
        let tensor = Tensor::from_slice(plain, (outputs, inputs), &Device::Cpu).unwrap();
        QTensor::quantize(&tensor, format).unwrap()
    }

    #[test]
    fn every_form_computes_what_its_numbers_say() {
        let formats = [
            (GgmlDType::Q4_0, 300, 96),
            (GgmlDType::Q4_1, 50_000, 96),
            (GgmlDType::Q8_0, 300, 96),
            (GgmlDType::Q5_0, 300, 96),
            (GgmlDType::Q4K, 64, 256),
            (GgmlDType::Q6K, 64, 256),
            (GgmlDType::F16, 30, 40),
        ];
        for (format, outputs, inputs) in formats {
            let plain: Vec<f32> = (0..outputs * inputs).map(number).collect();
            let tensor = quantised(format, &plain, outputs, inputs);
            let plain: Vec<f32> =
                tensor.dequantize(&Device::Cpu).unwrap().flatten_all().unwrap().to_vec1().unwrap();
            let matrix = Matrix::new(tensor).unwrap();
            for rows in [1, ROWS_FOR_GEMM] {
                let x: Vec<f32> = (0..rows * inputs).map(|i| number(i * 31 + 5)).collect();
                let mut got = vec![0f32; rows * outputs];
                matrix.apply(&x, rows, &mut got).unwrap();
                for (i, got) in got.iter().enumerate().step_by(7) {
                    let (row, output) = (i / outputs, i % outputs);
                    let (x, w) = (&x[row * inputs..][..inputs], &plain[output * inputs..][..inputs]);
                    let want: f32 = x.iter().zip(w).map(|(a, b)| a * b).sum();
                    assert!((got - want).abs() < 0.25, "{format:?}, {rows} rows: {got} instead of {want}");
                }
            }
            let row = matrix.row(7).unwrap();
            let far = row.iter().zip(&plain[7 * inputs..]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            // Four bits are kept as they are, others come to eight.
            assert!(far < if Int4::takes(format) { 1e-6 } else { 0.005 }, "{format:?}: {far}");
        }
    }
}
