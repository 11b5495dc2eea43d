//! Picks the next token from the logits.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Small models fall into loops when decoded greedily; this much is taken off what was said lately.
const REPETITION_PENALTY: f32 = 1.1;
const PENALISED: usize = 64;
/// Only the likeliest tokens that make up this share are drawn from.
const TOP_P: f32 = 0.95;

/// Draws tokens at a temperature; remembers what it drew. The prompt is not penalised: answers are to repeat their sources.
pub(super) struct Sampler {
    temperature: f32,
    drawn: Vec<u32>,
    state: u64,
}

impl Sampler {
    pub(super) fn new(temperature: f32) -> Self {
        Self { temperature, drawn: Vec::new(), state: RandomState::new().build_hasher().finish() | 1 }
    }

    /// The next token. `logits` is used up.
    pub(super) fn next(&mut self, logits: &mut [f32]) -> u32 {
        let mut recent: Vec<u32> = self.drawn.iter().rev().take(PENALISED).copied().collect();
        recent.sort_unstable();
        recent.dedup();
        for token in recent {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit = if *logit > 0.0 { *logit / REPETITION_PENALTY } else { *logit * REPETITION_PENALTY };
            }
        }
        let token = if self.temperature > 0.0 { self.draw(logits) } else { likeliest(logits) };
        self.drawn.push(token);
        token
    }

    fn draw(&mut self, logits: &mut [f32]) -> u32 {
        for logit in logits.iter_mut() {
            *logit /= self.temperature;
        }
        crate::kernels::softmax_row(logits);
        let mut order: Vec<u32> = (0..logits.len() as u32).collect();
        order.sort_unstable_by(|a, b| logits[*b as usize].total_cmp(&logits[*a as usize]));
        let mut share = 0.0;
        let kept = order.iter().position(|t| {
            share += logits[*t as usize];
            share >= TOP_P
        });
        order.truncate(kept.map_or(order.len(), |k| k + 1));
        let mut left = self.random() * share;
        for token in &order {
            left -= logits[*token as usize];
            if left <= 0.0 {
                return *token;
            }
        }
        order.first().copied().unwrap_or(0)
    }

    /// Between 0 and 1 (xorshift; nothing secret depends on it).
    fn random(&mut self) -> f32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 40) as f32 / (1u32 << 24) as f32
    }
}

fn likeliest(logits: &[f32]) -> u32 {
    let mut best = (0, f32::NEG_INFINITY);
    for (i, v) in logits.iter().enumerate() {
        if *v > best.1 {
            best = (i, *v);
        }
    }
    best.0 as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_takes_the_likeliest_until_it_repeats_itself() {
        let mut sampler = Sampler::new(0.0);
        assert_eq!(sampler.next(&mut [1.0, 2.0, 1.9]), 1);
        assert_eq!(sampler.next(&mut [1.0, 2.0, 1.9]), 2);
    }

    #[test]
    fn drawing_stays_within_the_likely_ones() {
        let mut sampler = Sampler::new(0.7);
        for _ in 0..200 {
            let token = sampler.next(&mut [-20.0, 5.0, 4.9, -20.0]);
            assert!(token == 1 || token == 2);
        }
    }
}
