//! The element-wise half of a transformer layer, and the one door to `gemm`.
//!
//! Everything is f32 and row-major. All but [`multiply_transposed_on`] runs on the calling thread: an embedder has its
//! parallelism between batches, a language model between heads. The loops are written over fixed lanes so that the
//! compiler turns them into vector code.
//! Invariant: no function here allocates.

use gemm::{Parallelism, gemm};

const LANES: usize = 16;

/// A matrix inside a slice: rows of `columns` numbers, `stride` apart.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Rows.
    pub(crate) rows: usize,
    /// Numbers in a row.
    pub(crate) columns: usize,
    /// Distance between the starts of two rows.
    pub(crate) stride: usize,
}

impl Shape {
    /// Rows that lie one after the other.
    pub(crate) fn dense(rows: usize, columns: usize) -> Self {
        Self { rows, columns, stride: columns }
    }

    /// Rows that are cut out of longer ones.
    pub(crate) fn strided(rows: usize, columns: usize, stride: usize) -> Self {
        Self { rows, columns, stride }
    }

    fn fits(self, len: usize) -> bool {
        self.columns <= self.stride
            && (self.rows == 0 || self.columns == 0 || (self.rows - 1) * self.stride + self.columns <= len)
    }
}

/// `out = a · b`, or `out += a · b` when `add`.
pub(crate) fn multiply(a: &[f32], sa: Shape, b: &[f32], sb: Shape, out: &mut [f32], so: Shape, add: bool) {
    assert!(sa.columns == sb.rows && so.rows == sa.rows && so.columns == sb.columns);
    assert!(sa.fits(a.len()) && sb.fits(b.len()) && so.fits(out.len()));
    product(a, sa, b, (sb.stride, 1), out, so, add, Parallelism::None);
}

/// `out = a · bᵀ`.
pub(crate) fn multiply_transposed(a: &[f32], sa: Shape, b: &[f32], sb: Shape, out: &mut [f32], so: Shape) {
    multiply_transposed_on(Parallelism::None, a, sa, b, sb, out, so);
}

/// `out = a · bᵀ` on one thread or on several of rayon's.
pub(crate) fn multiply_transposed_on(
    threads: Parallelism,
    a: &[f32],
    sa: Shape,
    b: &[f32],
    sb: Shape,
    out: &mut [f32],
    so: Shape,
) {
    assert!(sa.columns == sb.columns && so.rows == sa.rows && so.columns == sb.rows);
    assert!(sa.fits(a.len()) && sb.fits(b.len()) && so.fits(out.len()));
    product(a, sa, b, (1, sb.stride), out, so, false, threads);
}

/// The callers have checked that each shape lies inside its slice; `b` is addressed by (row, column) strides.
#[expect(clippy::too_many_arguments, reason = "three matrices and their shapes")]
fn product(
    a: &[f32],
    sa: Shape,
    b: &[f32],
    (b_row, b_column): (usize, usize),
    out: &mut [f32],
    so: Shape,
    add: bool,
    threads: Parallelism,
) {
    if so.rows == 0 || so.columns == 0 {
        return;
    }
    // SAFETY: both callers assert that `a`, `b` and `out` hold every element that their shapes address, the
    // slices are valid f32, and `out` is borrowed mutably, so it overlaps neither input.
    #[expect(
        unsafe_code,
        reason = "gemm has only a raw-pointer interface; this is the one place that calls it"
    )]
    unsafe {
        gemm(
            so.rows,
            so.columns,
            sa.columns,
            out.as_mut_ptr(),
            1,
            so.stride as isize,
            add,
            a.as_ptr(),
            1,
            sa.stride as isize,
            b.as_ptr(),
            b_column as isize,
            b_row as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            threads,
        );
    }
}

fn sum(x: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *l += v;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

/// The scalar product of two vectors of the same length.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for ((l, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *l = a.mul_add(*b, *l);
        }
    }
    lanes.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

fn sum_of_squares(x: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *l = v.mul_add(*v, *l);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|v| v * v).sum::<f32>()
}

fn max(x: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *l = if *v > *l { *v } else { *l };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |m, v| if *v > m { *v } else { m })
}

/// e^x to within 2 units in the last place for −87 ≤ x ≤ 88, clamped outside (Cephes' `expf`).
#[expect(clippy::many_single_char_names, reason = "the names of the formula")]
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Adding it leaves the nearest integer in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-0.693_359_4, x);
    let r = n.mul_add(2.121_944_4e-4, r);
    let mut p = 1.987_569_1e-4f32;
    p = p.mul_add(r, 1.398_2e-3);
    p = p.mul_add(r, 8.333_452e-3);
    p = p.mul_add(r, 4.166_579_6e-2);
    p = p.mul_add(r, 1.666_666_5e-1);
    p = p.mul_add(r, 5e-1);
    let y = p.mul_add(r * r, r + 1.0);
    y * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
}

/// The error function to within 1e-6, as a quotient of polynomials (the one that Eigen and XLA use).
#[expect(clippy::inline_always, reason = "the loops around it become vector code only with its body inside")]
#[inline(always)]
fn erf(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let s = x * x;
    let mut p = -2.726_142_3e-10f32;
    p = p.mul_add(s, 2.770_681_4e-8);
    p = p.mul_add(s, -2.101_024e-6);
    p = p.mul_add(s, -5.692_506_4e-5);
    p = p.mul_add(s, -7.349_906_3e-4);
    p = p.mul_add(s, -2.954_6e-3);
    p = p.mul_add(s, -1.609_603_3e-2);
    let mut q = -1.456_607_2e-5f32;
    q = q.mul_add(s, -2.133_740_6e-4);
    q = q.mul_add(s, -1.682_827e-3);
    q = q.mul_add(s, -7.373_329_2e-3);
    q = q.mul_add(s, -1.426_473_9e-2);
    x * p / q
}

/// `x = gelu(x + bias)` for each row, with the exact (erf) form.
pub(crate) fn bias_gelu(x: &mut [f32], bias: &[f32]) {
    for row in x.chunks_exact_mut(bias.len()) {
        for (v, b) in row.iter_mut().zip(bias) {
            let t = *v + b;
            *v = 0.5 * t * (1.0 + erf(t * std::f32::consts::FRAC_1_SQRT_2));
        }
    }
}

/// Turns each row into probabilities.
pub(crate) fn softmax(x: &mut [f32], columns: usize) {
    for row in x.chunks_exact_mut(columns) {
        softmax_row(row);
    }
}

/// Turns a row into probabilities.
pub(crate) fn softmax_row(row: &mut [f32]) {
    let top = max(row);
    for v in row.iter_mut() {
        *v = exp(*v - top);
    }
    let scale = 1.0 / sum(row);
    for v in row.iter_mut() {
        *v *= scale;
    }
}

/// `gate = silu(gate) · up`.
pub(crate) fn silu_times(gate: &mut [f32], up: &[f32]) {
    for (g, u) in gate.iter_mut().zip(up) {
        *g = *g / (1.0 + exp(-*g)) * u;
    }
}

/// `gate = gelu(gate) · up`, with the exact (erf) form.
pub(crate) fn gelu_times(gate: &mut [f32], up: &[f32]) {
    for (g, u) in gate.iter_mut().zip(up) {
        *g = 0.5 * *g * (1.0 + erf(*g * std::f32::consts::FRAC_1_SQRT_2)) * u;
    }
}

/// `gate = gelu(gate) · up`, with the form that has a hyperbolic tangent.
pub(crate) fn gelu_tanh_times(gate: &mut [f32], up: &[f32]) {
    /// Twice √(2/π): (1 + tanh(z)) / 2 is the sigmoid of 2z.
    const STEEPNESS: f32 = 1.595_769;
    for (g, u) in gate.iter_mut().zip(up) {
        let z = STEEPNESS * (0.044_715 * *g * *g * *g + *g);
        *g = *g / (1.0 + exp(-z)) * u;
    }
}

/// `out = x / rms(x) · weight` for each row.
pub(crate) fn rms_norm(x: &[f32], weight: &[f32], epsilon: f32, out: &mut [f32]) {
    let width = weight.len();
    for (row, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        let scale = 1.0 / (sum_of_squares(row) / width as f32 + epsilon).sqrt();
        for ((o, v), w) in out.iter_mut().zip(row).zip(weight) {
            *o = v * scale * w;
        }
    }
}

/// `row = row / rms(row) · weight`.
pub(crate) fn rms_norm_row(row: &mut [f32], weight: &[f32], epsilon: f32) {
    let scale = 1.0 / (sum_of_squares(row) / row.len() as f32 + epsilon).sqrt();
    for (v, w) in row.iter_mut().zip(weight) {
        *v *= scale * w;
    }
}

/// Scale and shift of a layer normalisation.
pub(crate) struct Norm {
    /// Scale.
    pub(crate) weight: Vec<f32>,
    /// Shift.
    pub(crate) bias: Vec<f32>,
    /// Added to the variance.
    pub(crate) epsilon: f32,
}

impl Norm {
    /// Normalises one row in place.
    pub(crate) fn apply(&self, row: &mut [f32]) {
        let n = row.len() as f32;
        let mean = sum(row) / n;
        for v in row.iter_mut() {
            *v -= mean;
        }
        let scale = 1.0 / (sum_of_squares(row) / n + self.epsilon).sqrt();
        for ((v, w), b) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
            *v = (*v * scale).mul_add(*w, *b);
        }
    }

    /// `hidden = norm(hidden + x + bias)` for each row.
    pub(crate) fn apply_residual(&self, hidden: &mut [f32], x: &[f32], bias: &[f32]) {
        let width = bias.len();
        for (row, x) in hidden.chunks_exact_mut(width).zip(x.chunks_exact(width)) {
            for ((h, v), b) in row.iter_mut().zip(x).zip(bias) {
                *h += v + b;
            }
            self.apply(row);
        }
    }
}

/// Brings `x` to length 1. False when that is not possible (a zero or non-finite vector), and then `x` is of no use.
pub(crate) fn normalise(x: &mut [f32]) -> bool {
    let length = sum_of_squares(x).sqrt();
    if !length.is_finite() || length <= f32::MIN_POSITIVE {
        return false;
    }
    let scale = 1.0 / length;
    for v in x.iter_mut() {
        *v *= scale;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_and_erf_are_close_to_the_real_ones() {
        for i in -8_700..=8_800 {
            let x = i as f32 / 100.0;
            let want = f64::from(x).exp();
            assert!((f64::from(exp(x)) - want).abs() <= 3e-7 * want, "exp({x})");
        }
        for i in -6_000..=6_000 {
            let x = i as f32 / 1_000.0;
            let want = candle_core::cpu::erf::erf_f64(f64::from(x));
            assert!((f64::from(erf(x)) - want).abs() < 1e-6, "erf({x})");
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "small whole numbers are exact")]
    fn products_follow_their_strides() {
        let a = [1.0, 2.0, 9.0, 3.0, 4.0, 9.0];
        let b = [1.0, 0.0, 2.0, 1.0];
        let mut out = [1.0; 4];
        multiply(&a, Shape::strided(2, 2, 3), &b, Shape::dense(2, 2), &mut out, Shape::dense(2, 2), true);
        assert_eq!(out, [6.0, 3.0, 12.0, 5.0]);
        multiply_transposed(
            &a,
            Shape::strided(2, 2, 3),
            &b,
            Shape::dense(2, 2),
            &mut out,
            Shape::dense(2, 2),
        );
        assert_eq!(out, [1.0, 4.0, 3.0, 10.0]);
    }

    #[test]
    fn a_vector_without_a_direction_is_not_normalised() {
        assert!(!normalise(&mut [0.0; 20]));
        assert!(!normalise(&mut [f32::NAN; 20]));
        assert!(!normalise(&mut [f32::INFINITY; 20]));
    }
}
