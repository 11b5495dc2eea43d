//! The rankings of a question and of its other wordings, joined to one.

use crate::retrieve::legs::{Candidate, Key, Ranking};
use crate::retrieve::{Expanded, Leg, ScoreKind};
use std::collections::HashMap;

/// Adds to the ranking of the question those of its variants, each with its weight beside the question's 1: the mean of the scores as
/// shares of the best of each ranking, so that no variant outweighs the question. Places in the variants' legs are kept, numbered from 2.
pub(in crate::retrieve) fn joined(original: Ranking, variants: Vec<(f32, Ranking)>) -> Ranking {
    let by_meaning = original.by_meaning;
    let all: f32 = 1.0 + variants.iter().map(|(weight, _)| weight).sum::<f32>();
    let mut joined: HashMap<Key, Candidate> = HashMap::new();
    for (at, (weight, ranking)) in std::iter::once((1.0, original)).chain(variants).enumerate() {
        let best = ranking.candidates.first().map_or(0.0, |candidate| candidate.score);
        if best <= 0.0 {
            continue;
        }
        for candidate in ranking.candidates {
            let score = weight / all * (candidate.score / best).max(0.0);
            let places = if at == 0 { Vec::new() } else { places(at + 1, &candidate) };
            let empty = || match at {
                0 => Candidate { score: 0.0, ..candidate.clone() },
                _ => Candidate { score: 0.0, lexical: None, dense: None, ..candidate.clone() },
            };
            let entry = joined.entry(candidate.key).or_insert_with(empty);
            entry.score += score;
            entry.is_near |= candidate.is_near;
            entry.expanded.extend(places);
        }
    }
    let mut candidates: Vec<Candidate> = joined.into_values().collect();
    for candidate in &mut candidates {
        candidate.fused = Some(candidate.score);
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    Ranking { candidates, kind: ScoreKind::Fused, by_meaning }
}

fn places(number: usize, candidate: &Candidate) -> Vec<Expanded> {
    let legs = [(Leg::Lexical, candidate.lexical), (Leg::Dense, candidate.dense)];
    legs.into_iter().filter_map(|(leg, place)| Some(Expanded { number, leg, place: place? })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::PassageId;

    fn ranking(of: &[(i64, f32)]) -> Ranking {
        let candidate = |(passage, score): &(i64, f32)| {
            let key = Key { library: 0, passage: PassageId(*passage) };
            Candidate::found(key, *score)
        };
        Ranking { candidates: of.iter().map(candidate).collect(), kind: ScoreKind::Fused, by_meaning: true }
    }

    #[test]
    fn the_question_weighs_most() {
        let original = ranking(&[(1, 0.9), (2, 0.8), (3, 0.1)]);
        let variants = vec![(0.25, ranking(&[(4, 7.0), (3, 6.0)])), (0.25, ranking(&[(4, 3.0), (2, 1.0)]))];
        let joined = joined(original, variants);
        let order: Vec<i64> = joined.candidates.iter().map(|c| c.key.passage.0).collect();
        assert_eq!(
            order,
            [1, 2, 4, 3],
            "what all variants put first stays below what the question found best"
        );
        assert!(joined.candidates.iter().all(|c| c.score <= 1.0));
    }

    #[test]
    fn where_the_question_finds_nothing_the_variants_answer() {
        let joined = joined(ranking(&[]), vec![(0.5, ranking(&[(4, 7.0)]))]);
        assert_eq!(joined.candidates.len(), 1);
    }
}
