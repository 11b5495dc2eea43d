//! Numbers as 8 bits, with one scale for each block of 32.

use super::{BLOCK, HALF};
use candle_core::quantized::{QStorage, QTensor};
use candle_core::{Device, Result};
use std::borrow::Cow;

/// Rows that are turned at a time.
const ROWS: usize = 1_024;

/// A matrix, or any numbers.
pub(super) struct Int8 {
    /// Between −127 and 127, so that two products add up within 16 bits.
    blocks: Vec<[i8; BLOCK]>,
    scales: Vec<f32>,
}

/// A row that meets a matrix.
pub(super) struct Row {
    pub(super) numbers: Int8,
    /// The sum of each block.
    pub(super) sums: Vec<f32>,
}

impl Row {
    pub(super) fn new(x: &[f32]) -> Self {
        let numbers = Int8::new(x);
        let sum = |(block, scale): (&[i8; BLOCK], &f32)| {
            block.iter().map(|q| i32::from(*q)).sum::<i32>() as f32 * scale
        };
        let sums = numbers.blocks.iter().zip(&numbers.scales).map(sum).collect();
        Self { numbers, sums }
    }

    /// Blocks with their scales.
    pub(super) fn blocks(&self) -> (&[[i8; BLOCK]], &[f32]) {
        (&self.numbers.blocks, &self.numbers.scales)
    }
}

impl Int8 {
    fn with_room(numbers: usize) -> Self {
        let blocks = numbers / BLOCK;
        Self { blocks: Vec::with_capacity(blocks), scales: Vec::with_capacity(blocks) }
    }

    pub(super) fn new(x: &[f32]) -> Self {
        let mut this = Self::with_room(x.len());
        this.push(x);
        this
    }

    /// A matrix of any format, some rows at a time: all of them in floats would take several times what is kept.
    pub(super) fn read(tensor: &QTensor) -> Result<Self> {
        let (outputs, inputs) = tensor.shape().dims2()?;
        let format = tensor.dtype();
        let mut this = Self::with_room(outputs * inputs);
        let data = tensor.data()?;
        let row = inputs / format.block_size() * format.type_size();
        for rows in data.chunks((row * ROWS).max(1)) {
            let storage = QStorage::from_data(Cow::Borrowed(rows), &Device::Cpu, format)?;
            let part = QTensor::new(storage, (rows.len() / row.max(1), inputs))?;
            this.push(&part.dequantize(&Device::Cpu)?.flatten_all()?.to_vec1::<f32>()?);
        }
        Ok(this)
    }

    fn push(&mut self, x: &[f32]) {
        let (chunks, _) = x.as_chunks::<BLOCK>();
        for chunk in chunks {
            let largest = chunk.iter().fold(0f32, |m, v| m.max(v.abs()));
            let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
            self.blocks.push(chunk.map(|v| (v * inverse).round() as i8));
            self.scales.push(largest / 127.0);
        }
    }

    /// Writes the numbers from `first` on, which begins a block.
    pub(super) fn write(&self, first: usize, out: &mut [f32]) {
        let first = first / BLOCK;
        let (chunks, _) = out.as_chunks_mut::<BLOCK>();
        for ((chunk, block), scale) in chunks.iter_mut().zip(&self.blocks[first..]).zip(&self.scales[first..])
        {
            for (o, q) in chunk.iter_mut().zip(block) {
                *o = f32::from(*q) * scale;
            }
        }
    }

    /// The product of a row of this matrix with another one.
    pub(super) fn dot(&self, row: usize, x: &Row) -> f32 {
        let (blocks, scales) = x.blocks();
        let place = row * blocks.len()..(row + 1) * blocks.len();
        dot(&self.blocks[place.clone()], &self.scales[place], blocks, scales)
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
    fn the_largest_numbers_do_not_overflow() {
        let ends = [[-127i8; BLOCK], [127; BLOCK]];
        assert!((dot(&ends, &[1.0, 1.0], &ends, &[1.0, 1.0]) - 64.0 * 127.0 * 127.0).abs() < 1.0);
    }
}
