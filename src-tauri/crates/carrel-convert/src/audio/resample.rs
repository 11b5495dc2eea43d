//! From any rate to that of speech, piece by piece, with a windowed sinc.

use carrel_engine::seams::SPEECH_RATE;

/// Zero crossings of the sinc on either side.
const CROSSINGS: usize = 16;
/// What is kept of the band that the lower rate can carry, so that nothing folds back into it.
const KEPT: f64 = 0.94;
/// A larger table belongs to no rate that is in use.
const LARGEST_TABLE: usize = 1 << 22;

/// Resamples one channel.
pub(super) struct Resampler {
    /// A filter for each place that an output can have between two inputs.
    table: Vec<f32>,
    taps: usize,
    /// Outputs before the pattern of places repeats, and inputs in the same time.
    outputs: usize,
    inputs: usize,
    phase: usize,
    /// Inputs that are still needed, and where the next filter begins.
    pending: Vec<f32>,
    at: usize,
}

impl Resampler {
    /// `None` for a rate that no recording has.
    pub(super) fn new(rate: u32) -> Option<Self> {
        if !(4_000..=384_000).contains(&rate) {
            return None;
        }
        let common = gcd(rate, SPEECH_RATE);
        let (inputs, outputs) = ((rate / common) as usize, (SPEECH_RATE / common) as usize);
        let narrowing = f64::from(SPEECH_RATE.min(rate)) / f64::from(rate);
        let half = (CROSSINGS as f64 / narrowing).ceil() as usize;
        let taps = 2 * half;
        if taps * outputs > LARGEST_TABLE {
            return None;
        }
        let mut table = Vec::with_capacity(taps * outputs);
        for phase in 0..outputs {
            let filter: Vec<f64> = (0..taps)
                .map(|tap| {
                    let distance = tap as f64 - (half - 1) as f64 - phase as f64 / outputs as f64;
                    let window = 0.5 + 0.5 * (std::f64::consts::PI * distance / half as f64).cos();
                    sinc(distance * narrowing * KEPT) * window
                })
                .collect();
            let sum: f64 = filter.iter().sum();
            table.extend(filter.iter().map(|value| (value / sum) as f32));
        }
        Some(Self { table, taps, outputs, inputs, phase: 0, pending: vec![0.0; half - 1], at: 0 })
    }

    /// Takes samples from −1 to 1; appends what can be computed by now.
    pub(super) fn push(&mut self, samples: &[f32], out: &mut Vec<i16>) {
        if self.inputs == self.outputs {
            out.extend(samples.iter().map(|s| quantised(*s)));
            return;
        }
        self.pending.extend_from_slice(samples);
        while let Some(inputs) = self.pending.get(self.at..self.at + self.taps) {
            let from = self.phase * self.taps;
            let filter = self.table.get(from..from + self.taps).unwrap_or_default();
            let value: f32 = inputs.iter().zip(filter).map(|(x, f)| x * f).sum();
            out.push(quantised(value));
            self.phase += self.inputs;
            self.at += self.phase / self.outputs;
            self.phase %= self.outputs;
        }
        let passed = self.at.min(self.pending.len());
        self.pending.drain(..passed);
        self.at -= passed;
    }

    /// What the last samples still give.
    pub(super) fn finish(&mut self, out: &mut Vec<i16>) {
        if self.inputs != self.outputs {
            self.push(&vec![0.0; self.taps / 2], out);
        }
    }
}

fn quantised(sample: f32) -> i16 {
    // The cast stops at the largest.
    (sample * 32_768.0).round() as i16
}

fn sinc(x: f64) -> f64 {
    let x = x * std::f64::consts::PI;
    if x.abs() < 1e-9 { 1.0 } else { x.sin() / x }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(rate: u32, hertz: f64) -> Vec<f32> {
        let turn = std::f64::consts::TAU * hertz / f64::from(rate);
        (0..rate).map(|n| (0.5 * (turn * f64::from(n)).sin()) as f32).collect()
    }

    fn resampled(rate: u32, hertz: f64, piece: usize) -> Vec<i16> {
        let mut resampler = Resampler::new(rate).unwrap();
        let mut out = Vec::new();
        tone(rate, hertz).chunks(piece).for_each(|samples| resampler.push(samples, &mut out));
        resampler.finish(&mut out);
        out
    }

    #[test]
    fn a_tone_keeps_its_pitch_its_level_and_its_time() {
        for rate in [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000] {
            let out = resampled(rate, 440.0, 1_000);
            assert!(out.len().abs_diff(16_000) <= 1, "{rate}: {}", out.len());
            let wanted = tone(16_000, 440.0);
            let worst = out
                .iter()
                .zip(wanted)
                .skip(200)
                .take(15_600)
                .map(|(a, b)| (f32::from(*a) / 32_768.0 - b).abs());
            let worst = worst.fold(0.0, f32::max);
            assert!(worst < 0.01, "{rate}: off by {worst}");
            assert_eq!(out, resampled(rate, 440.0, 77), "pieces do not matter");
        }
    }

    #[test]
    fn what_the_rate_cannot_carry_does_not_fold_back() {
        let out = resampled(44_100, 12_000.0, 4_096);
        let loudest = out.iter().skip(200).take(15_600).map(|s| s.unsigned_abs()).max().unwrap();
        assert!(loudest < 330, "{loudest}");
    }

    #[test]
    fn rates_that_no_recording_has_are_refused() {
        for rate in [0, 1, 3_999, 400_000, u32::MAX, 383_999] {
            assert!(Resampler::new(rate).is_none(), "{rate}");
        }
    }
}
