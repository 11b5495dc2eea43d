//! Where scores fall off: the hits that are worth reading.
//!
//! Ranks say nothing about how far the next one is behind, so the legs' own scores are looked at, each against the best of its leg.
//! Refuses to reorder, and to leave out the first few.

use super::Hit;

/// So many are read in any case.
const FIRST: usize = 4;
/// A hit whose words score less than this share of the best by words is behind.
const WORDS: f32 = 0.4;
/// A hit this far below the best by meaning is behind.
const MEANING: f32 = 0.1;

/// Those of the hits, in their order, that are among the first or near the best of a leg.
pub fn worth_reading(hits: &[Hit]) -> impl Iterator<Item = &Hit> {
    let scores = hits.iter().map(|hit| (hit.lexical.map(|leg| leg.score), hit.dense.map(|leg| leg.score)));
    hits.iter().zip(kept(scores)).filter_map(|(hit, kept)| kept.then_some(hit))
}

/// Whether each is kept, by its scores in both legs.
fn kept(scores: impl Iterator<Item = (Option<f32>, Option<f32>)> + Clone) -> impl Iterator<Item = bool> {
    let words = scores.clone().filter_map(|(words, _)| words).reduce(f32::max);
    let meaning = scores.clone().filter_map(|(_, meaning)| meaning).reduce(f32::max);
    let near = |score: Option<f32>, least: Option<f32>| score.zip(least).is_some_and(|(s, least)| s >= least);
    scores.enumerate().map(move |(i, (by_words, by_meaning))| {
        i < FIRST
            || near(by_words, words.map(|best| best * WORDS))
            || near(by_meaning, meaning.map(|best| best - MEANING))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_of(scores: &[(Option<f32>, Option<f32>)]) -> Vec<usize> {
        kept(scores.iter().copied()).enumerate().filter(|(_, kept)| *kept).map(|(i, _)| i).collect()
    }

    #[test]
    fn what_is_behind_in_every_leg_is_left_out_and_the_first_never() {
        let hits = [
            (None, Some(0.1)),
            (Some(9.0), Some(0.1)),
            (Some(2.0), Some(0.6)),
            (None, None),
            (Some(3.1), Some(0.35)),
            (Some(3.9), None),
            (None, Some(0.55)),
            (Some(0.1), Some(0.1)),
        ];
        assert_eq!(kept_of(&hits), [0, 1, 2, 3, 5, 6]);
        assert_eq!(kept_of(&[]), [0; 0]);
    }

    #[test]
    fn a_leg_that_did_not_run_keeps_nothing() {
        let by_words = [9.0, 8.0, 7.0, 1.0, 4.0, 1.0].map(|score| (Some(score), None));
        assert_eq!(kept_of(&by_words), [0, 1, 2, 3, 4]);
        let by_meaning = [0.6, 0.5, 0.4, 0.3, 0.55, 0.2].map(|score| (None, Some(score)));
        assert_eq!(kept_of(&by_meaning), [0, 1, 2, 3, 4]);
    }
}
