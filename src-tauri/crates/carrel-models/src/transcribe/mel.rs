//! From samples to what Whisper hears: the logarithm of a mel spectrogram, a row for each hundredth of a second.
//!
//! The transform is a product with a matrix of sines and cosines: windows are of 400 samples, which is no power of two, and the time
//! is nothing beside the encoder's.

use super::WINDOW;
use crate::kernels::{Shape, multiply_transposed_on};
use carrel_engine::seams::SPEECH_RATE;
use gemm::Parallelism;
use std::f64::consts::PI;

/// Samples of a frame of the spectrogram.
const FRAME: usize = 400;
/// Samples from one frame to the next.
pub(super) const HOP: usize = 160;
/// Frames of a window.
pub(super) const FRAMES: usize = WINDOW / HOP;
/// Frequencies of a frame.
const FREQUENCIES: usize = FRAME / 2 + 1;

/// The matrices, made once.
pub(super) struct Mel {
    /// Cosines, then sines, under a Hann window.
    basis: Vec<f32>,
    /// Slaney's triangles.
    filters: Vec<f32>,
    /// Bands.
    pub(super) bands: usize,
}

impl Mel {
    pub(super) fn new(bands: usize) -> Self {
        let mut basis = Vec::with_capacity(2 * FREQUENCIES * FRAME);
        for wave in [f64::cos, f64::sin] {
            for frequency in 0..FREQUENCIES {
                basis.extend((0..FRAME).map(|i| {
                    let hann = 0.5 - 0.5 * (2.0 * PI * i as f64 / FRAME as f64).cos();
                    // Reduced before it becomes an angle, so that it stays exact.
                    let turn = (frequency * i % FRAME) as f64 / FRAME as f64;
                    (hann * wave(2.0 * PI * turn)) as f32
                }));
            }
        }
        Self { basis, filters: filters(bands), bands }
    }

    /// The spectrogram of at most a window of samples: [`FRAMES`] rows. What is missing is silence.
    pub(super) fn spectrogram(&self, samples: &[i16]) -> Vec<f32> {
        let padded = padded(samples);
        let mut frames = Vec::with_capacity(FRAMES * FRAME);
        for frame in padded.windows(FRAME).step_by(HOP).take(FRAMES) {
            frames.extend_from_slice(frame);
        }
        let mut waves = vec![0.0; FRAMES * 2 * FREQUENCIES];
        product(&frames, FRAME, &self.basis, &mut waves, 2 * FREQUENCIES);
        let mut power = Vec::with_capacity(FRAMES * FREQUENCIES);
        for row in waves.chunks_exact(2 * FREQUENCIES) {
            let (cosines, sines) = row.split_at(FREQUENCIES);
            power.extend(cosines.iter().zip(sines).map(|(c, s)| c * c + s * s));
        }
        let mut mel = vec![0.0; FRAMES * self.bands];
        product(&power, FREQUENCIES, &self.filters, &mut mel, self.bands);
        let mut top = f32::MIN;
        for value in &mut mel {
            *value = value.max(1e-10).log10();
            top = top.max(*value);
        }
        for value in &mut mel {
            *value = (value.max(top - 8.0) + 4.0) / 4.0;
        }
        mel
    }
}

/// [`FRAMES`] rows of `inner` numbers times the transpose of `columns` rows.
fn product(a: &[f32], inner: usize, b: &[f32], out: &mut [f32], columns: usize) {
    let (sa, sb, so) =
        (Shape::dense(FRAMES, inner), Shape::dense(columns, inner), Shape::dense(FRAMES, columns));
    multiply_transposed_on(Parallelism::Rayon(0), a, sa, b, sb, out, so);
}

/// A window with half a frame before and behind it, in which its ends are mirrored.
fn padded(samples: &[i16]) -> Vec<f32> {
    let mut window: Vec<f32> = samples.iter().take(WINDOW).map(|s| f32::from(*s) / 32_768.0).collect();
    window.resize(WINDOW, 0.0);
    let half = FRAME / 2;
    let mut padded = Vec::with_capacity(WINDOW + FRAME);
    padded.extend(window.iter().skip(1).take(half).rev());
    padded.extend_from_slice(&window);
    padded.extend(window.iter().rev().skip(1).take(half));
    padded
}

/// Slaney's scale: even up to 1 kHz, logarithmic above.
fn to_mel(hertz: f64) -> f64 {
    if hertz < 1_000.0 { hertz * 3.0 / 200.0 } else { 15.0 + 27.0 * (hertz / 1_000.0).ln() / 6.4_f64.ln() }
}

fn to_hertz(mel: f64) -> f64 {
    if mel < 15.0 { mel * 200.0 / 3.0 } else { 1_000.0 * ((mel - 15.0) * 6.4_f64.ln() / 27.0).exp() }
}

/// A triangle over the frequencies for each band, of the same area.
fn filters(bands: usize) -> Vec<f32> {
    let highest = to_mel(f64::from(SPEECH_RATE) / 2.0);
    let corner = |n: usize| to_hertz(highest * n as f64 / (bands + 1) as f64);
    let mut filters = Vec::with_capacity(bands * FREQUENCIES);
    for band in 0..bands {
        let (left, peak, right) = (corner(band), corner(band + 1), corner(band + 2));
        filters.extend((0..FREQUENCIES).map(|n| {
            let hertz = n as f64 * f64::from(SPEECH_RATE) / FRAME as f64;
            let height = ((hertz - left) / (peak - left)).min((right - hertz) / (right - peak)).max(0.0);
            (height * 2.0 / (right - left)) as f32
        }));
    }
    filters
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the filters that openai-whisper 20250625 carries, which librosa made.
    #[test]
    fn the_filters_are_those_that_the_model_was_trained_with() {
        let filters = filters(80);
        let row = |band: usize| &filters[band * FREQUENCIES..(band + 1) * FREQUENCIES];
        for (band, frequency, wanted) in [
            (0, 1, 0.024_862_595_f32),
            (5, 6, 0.014_908_484),
            (20, 14, 0.0),
            (39, 42, 0.010_089_745),
            (40, 44, 0.006_518_19),
            (79, 196, 0.001_795_036),
        ] {
            let found = row(band)[frequency];
            assert!((found - wanted).abs() < 1e-6, "band {band}, {frequency}: {found} instead of {wanted}");
        }
        for (band, wanted) in [
            (0, 0.024_862_595),
            (20, 0.024_862_595),
            (40, 0.026_664_86),
            (60, 0.025_101_54),
            (79, 0.024_925_34),
        ] {
            let found: f32 = row(band).iter().sum();
            assert!((found - wanted).abs() < 1e-5, "band {band}: {found} instead of {wanted}");
        }
    }

    /// Against the same computed with numpy's transform and those filters.
    #[test]
    fn a_rising_tone_has_the_spectrogram_that_numpy_computes() {
        let samples: Vec<i16> = (0..48_000)
            .map(|n| {
                let t = f64::from(n) / 16_000.0;
                let rising = 8_000.0 * (2.0 * PI * (200.0 * t + 600.0 * t * t)).sin();
                (rising + 2_000.0 * (2.0 * PI * 3_000.0 * t).sin()).round() as i16
            })
            .collect();
        let mel = Mel::new(80).spectrogram(&samples);
        assert_eq!(mel.len(), FRAMES * 80);
        for (frame, band, wanted) in [
            (0, 5, 1.121_59),
            (50, 10, -0.704_03),
            (100, 30, -0.383_84),
            (150, 40, -0.561_27),
            (299, 47, -0.149_26),
            (299, 63, 0.073_69),
            (300, 20, 0.236_66),
            (1_000, 0, -0.704_03),
        ] {
            let found = mel[frame * 80 + band];
            assert!((found - wanted).abs() < 2e-3, "{frame}, {band}: {found} instead of {wanted}");
        }
    }
}
