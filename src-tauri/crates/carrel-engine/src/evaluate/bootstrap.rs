//! Whether one run is better than another on the same questions, or only luckier: the paired bootstrap (Efron and Tibshirani
//! 1993; Sakai 2006 for retrieval).
//!
//! Invariant: the same numbers give the same answer, for the seed is fixed.

use crate::random::Random;

/// Resamples that are drawn.
pub const RESAMPLES: usize = 10_000;
/// Fewer questions tell nothing, whatever the numbers say.
pub const FEWEST: usize = 10;

/// The difference between two runs by one metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Questions that both answered.
    pub questions: usize,
    /// Mean of the second run minus mean of the first.
    pub mean: f64,
    /// The middle 95 % of the means of resamples: from here …
    pub low: f64,
    /// … to here.
    pub high: f64,
    /// How probable a mean as far from zero is where the runs do not differ (two-sided).
    pub p: f64,
}

/// What the numbers allow one to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Too few questions.
    TooFew,
    /// The runs are equal on every question.
    Same,
    /// A difference as large as this comes about by chance.
    Chance,
    /// The second run is better.
    Better,
    /// The second run is worse.
    Worse,
}

impl Difference {
    /// In words, at the level of 5 %.
    pub fn verdict(&self) -> Verdict {
        if self.questions < FEWEST {
            return Verdict::TooFew;
        }
        if self.low == 0.0 && self.high == 0.0 {
            return Verdict::Same;
        }
        match self.p < 0.05 {
            true if self.low > 0.0 => Verdict::Better,
            true if self.high < 0.0 => Verdict::Worse,
            _ => Verdict::Chance,
        }
    }
}

/// The difference of two runs; each pair is one question's value in the first and in the second. Zeros for none.
pub fn paired_bootstrap(pairs: &[(f64, f64)]) -> Difference {
    let differences: Vec<f64> = pairs.iter().map(|(first, second)| second - first).collect();
    let n = differences.len();
    if n == 0 {
        return Difference { questions: 0, mean: 0.0, low: 0.0, high: 0.0, p: 1.0 };
    }
    let mean = differences.iter().sum::<f64>() / n as f64;
    let mut random = Random::new(0x5eed);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| (0..n).map(|_| differences[random.below(n)]).sum::<f64>() / n as f64)
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    // What would be seen where nothing differs: the same spread around zero.
    let as_far = means.iter().filter(|m| (*m - mean).abs() >= mean.abs() - 1e-12).count();
    let at = |share: f64| means[((RESAMPLES - 1) as f64 * share).round() as usize];
    Difference {
        questions: n,
        mean,
        low: at(0.025),
        high: at(0.975),
        p: (as_far + 1) as f64 / (RESAMPLES + 1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_gain_is_real_and_noise_is_chance() {
        let better: Vec<(f64, f64)> = (0..40).map(|n| (0.4, 0.5 + f64::from(n % 5) * 0.05)).collect();
        let gain = paired_bootstrap(&better);
        assert!((gain.mean - 0.2).abs() < 1e-9 && gain.low > 0.15 && gain.high < 0.25, "{gain:?}");
        assert!(gain.p < 0.001);
        assert_eq!(gain.verdict(), Verdict::Better);
        let turned: Vec<(f64, f64)> = better.iter().map(|(a, b)| (*b, *a)).collect();
        assert_eq!(paired_bootstrap(&turned).verdict(), Verdict::Worse);
        let noise: Vec<(f64, f64)> = (0..40).map(|n| (0.5, if n % 2 == 0 { 1.0 } else { 0.02 })).collect();
        let chance = paired_bootstrap(&noise);
        assert!(chance.low < 0.0 && chance.high > 0.0 && chance.p > 0.5, "{chance:?}");
        assert_eq!(chance.verdict(), Verdict::Chance);
    }

    #[test]
    fn the_interval_is_that_of_the_normal_distribution_where_there_are_many() {
        // Differences ±1 by halves: the mean's standard error is 1/√400 = 0.05.
        let pairs: Vec<(f64, f64)> = (0..400).map(|n| (0.0, if n % 2 == 0 { 1.0 } else { -1.0 })).collect();
        let found = paired_bootstrap(&pairs);
        assert!((found.low + 0.098).abs() < 0.01 && (found.high - 0.098).abs() < 0.01, "{found:?}");
        assert_eq!(paired_bootstrap(&pairs), found, "seeded");
    }

    #[test]
    fn few_or_equal_questions_say_so() {
        assert_eq!(paired_bootstrap(&[]).verdict(), Verdict::TooFew);
        assert_eq!(paired_bootstrap(&[(0.0, 1.0); 5]).verdict(), Verdict::TooFew);
        assert_eq!(paired_bootstrap(&[(0.7, 0.7); 30]).verdict(), Verdict::Same);
    }
}
