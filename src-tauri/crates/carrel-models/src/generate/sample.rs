//! Picks the next token from the logits.

use super::mask::Mask;
use carrel_engine::random::Random;
use carrel_engine::seams::Sampling;
use std::hash::{BuildHasher, Hasher, RandomState};

/// How far back a token counts as written lately.
const PENALISED: usize = 64;
/// What is so much less likely than the likeliest token (in logits; less than a millionth) is never drawn: nearly all of a vocabulary.
const NEVER: f32 = 14.0;
/// Steps between 0 and 1.
const STEPS: usize = 1 << 24;

/// Draws tokens; remembers what it drew. The prompt is not penalised: answers are to repeat their sources.
pub(super) struct Sampler {
    sampling: Sampling,
    drawn: Vec<u32>,
    random: Random,
    /// Tokens with their probabilities, kept between calls for its memory.
    likely: Vec<(u32, f32)>,
}

impl Sampler {
    pub(super) fn new(sampling: &Sampling) -> Self {
        // Where no seed is given, the keys of a hash table are one.
        let seed = sampling.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
        Self { sampling: sampling.clone(), drawn: Vec::new(), random: Random::new(seed), likely: Vec::new() }
    }

    /// The next token, one of the allowed ones where those are told; `None` where there is none. `logits` is used up.
    pub(super) fn next(&mut self, logits: &mut [f32], allowed: Option<&Mask>) -> Option<u32> {
        if allowed.is_none() {
            self.penalise(logits);
        }
        let token = if self.sampling.temperature > 0.0 {
            self.draw(logits, allowed)
        } else {
            likeliest(logits, allowed).map(|(token, _)| token)
        };
        self.drawn.extend(token);
        token
    }

    fn penalise(&self, logits: &mut [f32]) {
        let penalty = self.sampling.repetition_penalty;
        if penalty <= 0.0 || (penalty - 1.0).abs() < f32::EPSILON {
            return;
        }
        let mut recent: Vec<u32> = self.drawn.iter().rev().take(PENALISED).copied().collect();
        recent.sort_unstable();
        recent.dedup();
        for token in recent {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
            }
        }
    }

    fn draw(&mut self, logits: &[f32], allowed: Option<&Mask>) -> Option<u32> {
        let (first, top) = likeliest(logits, allowed)?;
        let Sampling { temperature, top_p, top_k, min_p, .. } = self.sampling;
        let least = top - NEVER * temperature;
        self.likely.clear();
        let drawable = |(i, logit): (usize, &f32)| {
            // Also where every logit is −∞: the first allowed token is drawn then.
            let drawn = *logit >= least && allowed.is_none_or(|mask| mask.allows(i as u32));
            drawn.then(|| (i as u32, ((*logit - top) / temperature).exp()))
        };
        self.likely
            .extend(logits.iter().enumerate().filter_map(drawable).filter(|(_, share)| *share >= min_p));
        self.likely.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if top_k > 0 {
            self.likely.truncate(top_k);
        }
        let enough = top_p * self.likely.iter().map(|(_, share)| share).sum::<f32>();
        let mut sum = 0.0;
        let kept = self.likely.iter().position(|(_, share)| {
            sum += share;
            sum >= enough
        });
        self.likely.truncate(kept.map_or(self.likely.len(), |k| k + 1));
        let mut left = self.random.below(STEPS) as f32 / STEPS as f32 * sum;
        let drawn = self.likely.iter().find(|(_, share)| {
            left -= share;
            left < 0.0
        });
        Some(drawn.or(self.likely.first()).map_or(first, |(token, _)| *token))
    }
}

/// The likeliest of the allowed tokens with its logit; the first of equals.
fn likeliest(logits: &[f32], allowed: Option<&Mask>) -> Option<(u32, f32)> {
    let mut best: Option<(u32, f32)> = None;
    let mut look = |i: u32, v: f32| {
        if best.is_none_or(|(_, most)| v > most) {
            best = Some((i, v));
        }
    };
    match allowed {
        None => logits.iter().enumerate().for_each(|(i, v)| look(i as u32, *v)),
        Some(mask) => mask.tokens().for_each(|i| {
            if let Some(v) = logits.get(i as usize) {
                look(i, *v);
            }
        }),
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(temperature: f32) -> Sampling {
        Sampling { temperature, seed: Some(7), ..Sampling::default() }
    }

    fn drawn(sampling: &Sampling, logits: &[f32]) -> Vec<usize> {
        let mut times = vec![0; logits.len()];
        let mut sampler = Sampler::new(&Sampling { repetition_penalty: 1.0, ..sampling.clone() });
        for _ in 0..2_000 {
            times[sampler.next(&mut logits.to_vec(), None).unwrap() as usize] += 1;
        }
        times
    }

    #[test]
    fn greedy_takes_the_likeliest_until_it_repeats_itself() {
        let mut sampler = Sampler::new(&at(0.0));
        assert_eq!(sampler.next(&mut [1.0, 2.0, 1.9], None), Some(1));
        assert_eq!(sampler.next(&mut [1.0, 2.0, 1.9], None), Some(2));
        let mut sampler = Sampler::new(&Sampling { repetition_penalty: 1.0, ..at(0.0) });
        assert_eq!(sampler.next(&mut [1.0, 2.0, 1.9], None), Some(1));
        assert_eq!(sampler.next(&mut [1.0, 2.0, 1.9], None), Some(1));
    }

    #[test]
    fn tokens_are_drawn_as_often_as_they_are_likely() {
        let all = Sampling { top_p: 1.0, ..at(1.0) };
        // Probabilities 0.6, 0.3, 0.1.
        let logits = [0.6f32.ln(), 0.3f32.ln(), 0.1f32.ln()];
        let times = drawn(&all, &logits);
        for (times, share) in times.iter().zip([0.6, 0.3, 0.1]) {
            assert!((*times as f32 / 2_000.0 - share).abs() < 0.04, "{times:?}");
        }
        let hot = drawn(&Sampling { temperature: 100.0, ..all.clone() }, &logits);
        assert!(hot.iter().all(|t| *t > 500), "{hot:?}");
        assert_eq!(drawn(&Sampling { top_p: 0.85, ..all.clone() }, &logits)[2], 0);
        assert_eq!(drawn(&Sampling { top_p: 0.5, ..all.clone() }, &logits)[1..], [0, 0]);
        assert_eq!(drawn(&Sampling { top_k: 2, ..all.clone() }, &logits)[2], 0);
        assert_eq!(drawn(&Sampling { min_p: 0.4, ..all.clone() }, &logits)[2], 0);
        assert!(drawn(&Sampling { min_p: 0.4, ..all }, &logits)[1] > 0);
    }

    #[test]
    fn a_seed_repeats_itself() {
        let logits = [1.0, 1.1, 0.9, 1.05];
        let run = |seed| {
            let mut sampler = Sampler::new(&Sampling { seed, ..at(1.0) });
            (0..50).map(|_| sampler.next(&mut logits.clone(), None).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(run(Some(1)), run(Some(1)));
        assert_ne!(run(Some(1)), run(Some(2)));
        assert_ne!(run(None), run(None));
    }

    #[test]
    fn what_is_not_allowed_is_never_picked() {
        let mut mask = Mask::none(200);
        mask.allow(3);
        mask.allow(150);
        for sampling in [at(0.0), at(1.0), Sampling { top_k: 1, ..at(2.0) }] {
            let mut sampler = Sampler::new(&sampling);
            for logits in [vec![9.0; 200], vec![f32::NEG_INFINITY; 200], vec![f32::INFINITY; 200]] {
                let token = sampler.next(&mut logits.clone(), Some(&mask)).unwrap();
                assert!(token == 3 || token == 150, "{token}");
            }
            assert_eq!(sampler.next(&mut [1.0; 200], Some(&Mask::none(200))), None);
        }
    }
}
