//! Numbers as 4 bits, with a scale and a shift for each block of 32, exactly as the formats `Q4_0` and `Q4_1` hold them: what decoding
//! reads of memory is what it costs.

use super::int8::Row;
use super::{BLOCK, HALF};
use candle_core::Result;
use candle_core::quantized::{GgmlDType, QTensor};
use half::f16;

/// In `Q4_0`, this stands for zero.
const MIDDLE: f32 = 8.0;

/// A matrix.
pub(super) struct Int4 {
    /// Two numbers a byte: the first half of a block in the low bits, the second in the high ones.
    blocks: Vec<[u8; HALF]>,
    /// A number is its bits times the first, plus the second.
    scales: Vec<[f16; 2]>,
}

impl Int4 {
    /// Whether a format is held like this.
    pub(super) fn takes(format: GgmlDType) -> bool {
        matches!(format, GgmlDType::Q4_0 | GgmlDType::Q4_1)
    }

    /// The matrix, where its format is one of these.
    pub(super) fn read(tensor: &QTensor) -> Result<Option<Self>> {
        if !Self::takes(tensor.dtype()) {
            return Ok(None);
        }
        let with_shift = tensor.dtype() == GgmlDType::Q4_1;
        let data = tensor.data()?;
        let stored = data.chunks_exact(tensor.dtype().type_size());
        let mut this =
            Self { blocks: Vec::with_capacity(stored.len()), scales: Vec::with_capacity(stored.len()) };
        for block in stored {
            let (scales, numbers) = block.split_at(block.len() - HALF);
            let scale =
                |at: usize| scales.get(at..at + 2).map_or(f16::ZERO, |b| f16::from_le_bytes([b[0], b[1]]));
            let (scale, shift) = (scale(0), scale(2));
            let shift = if with_shift { shift } else { f16::from_f32(-MIDDLE * scale.to_f32()) };
            let mut bits = [0; HALF];
            bits.copy_from_slice(numbers);
            this.blocks.push(bits);
            this.scales.push([scale, shift]);
        }
        Ok(Some(this))
    }

    /// Writes the numbers from `first` on, which begins a block.
    pub(super) fn write(&self, first: usize, out: &mut [f32]) {
        let first = first / BLOCK;
        let (chunks, _) = out.as_chunks_mut::<BLOCK>();
        for ((chunk, block), scales) in
            chunks.iter_mut().zip(&self.blocks[first..]).zip(&self.scales[first..])
        {
            let [scale, shift] = scales.map(f16::to_f32);
            let (low, high) = chunk.split_at_mut(HALF);
            for ((l, h), bits) in low.iter_mut().zip(high).zip(block) {
                *l = f32::from(bits & 15).mul_add(scale, shift);
                *h = f32::from(bits >> 4).mul_add(scale, shift);
            }
        }
    }

    /// The product of a row of this matrix with another one.
    pub(super) fn dot(&self, row: usize, x: &Row) -> f32 {
        let (numbers, scales) = x.blocks();
        let place = row * numbers.len()..(row + 1) * numbers.len();
        let mut sum = [0f32; HALF / 2];
        let mut shifts = 0f32;
        let mine = self.blocks[place.clone()].iter().zip(&self.scales[place]);
        for (((a, sa), (b, sb)), whole) in mine.zip(numbers.iter().zip(scales)).zip(&x.sums) {
            // As in the 8-bit product: at most 2 · 15 · 127.
            let mut pairs = [0i16; HALF];
            for i in 0..HALF {
                let low = i16::from(a[i] & 15).wrapping_mul(i16::from(b[i]));
                let high = i16::from(a[i] >> 4).wrapping_mul(i16::from(b[i + HALF]));
                pairs[i] = low.wrapping_add(high);
            }
            let [scale, shift] = sa.map(f16::to_f32);
            let scale = scale * sb;
            for i in 0..HALF / 2 {
                let whole = i32::from(pairs[i]).wrapping_add(i32::from(pairs[i + HALF / 2]));
                sum[i] = (whole as f32).mul_add(scale, sum[i]);
            }
            shifts = shift.mul_add(*whole, shifts);
        }
        sum.iter().sum::<f32>() + shifts
    }
}
