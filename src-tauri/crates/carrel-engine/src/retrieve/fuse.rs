//! Ranked lists joined to one: by ranks, or by scores.
//!
//! Invariant: a key counts once per list, at its first place; ties go by key, so that the order never depends on a hash.

use std::collections::HashMap;
use std::hash::Hash;

/// Damping of the first ranks.
pub(crate) const K: f32 = 60.0;

/// Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of ranked lists, best first, each with a weight: Σ w / (60 + rank),
/// rank from 1. Scores need not be comparable.
pub(crate) fn rrf<T: Copy + Eq + Hash + Ord>(lists: &[(f32, &[T])]) -> Vec<(T, f32)> {
    let mut fused: HashMap<T, f32> = HashMap::new();
    for (weight, list) in lists {
        let mut seen = std::collections::HashSet::with_capacity(list.len());
        for (rank, key) in list.iter().filter(|key| seen.insert(**key)).enumerate() {
            *fused.entry(*key).or_default() += weight / (K + (rank + 1) as f32);
        }
    }
    sorted(fused)
}

/// A ranked list whose scores count.
pub(crate) struct Scored<'a, T> {
    /// Its share of the sum.
    pub(crate) weight: f32,
    /// The score of what has nothing to do with the question.
    pub(crate) zero: f32,
    /// Best first.
    pub(crate) list: &'a [(T, f32)],
}

/// Convex combination of scores (Bruch, Gai and Ingber 2023): Σ w · (score − zero) / (best − zero), between 0 and the sum of the
/// weights. The zero is that of the scale, not the lowest score found: the last of two good candidates is not worthless.
pub(crate) fn convex<T: Copy + Eq + Hash + Ord>(lists: &[Scored<'_, T>]) -> Vec<(T, f32)> {
    let mut fused: HashMap<T, f32> = HashMap::new();
    for Scored { weight, zero, list } in lists {
        let best = list.first().map_or(0.0, |(_, score)| *score);
        // Where even the best is nothing, its order is still worth more than none.
        let zero = if best > *zero { *zero } else { best - 1.0 };
        let mut seen = std::collections::HashSet::with_capacity(list.len());
        for (key, score) in list.iter().filter(|(key, _)| seen.insert(*key)) {
            let strength = weight * ((score - zero) / (best - zero)).max(0.0);
            *fused.entry(*key).or_default() += strength;
        }
    }
    sorted(fused)
}

fn sorted<T: Copy + Ord>(fused: HashMap<T, f32>) -> Vec<(T, f32)> {
    let mut order: Vec<(T, f32)> = fused.into_iter().collect();
    order.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_add_up_and_ties_go_by_key() {
        let fused = rrf(&[(1.0, &[1, 2, 3]), (1.0, &[3, 4, 1])]);
        let order: Vec<i32> = fused.iter().map(|(key, _)| *key).collect();
        assert_eq!(order, [1, 3, 2, 4]);
        assert!((fused[0].1 - (1.0 / 61.0 + 1.0 / 63.0)).abs() < 1e-7);
        assert!((fused[2].1 - fused[3].1).abs() < 1e-7);
    }

    #[test]
    fn a_repeated_key_counts_once_and_takes_no_rank() {
        let fused = rrf(&[(1.0, &[7, 7, 8])]);
        assert!((fused[1].1 - 1.0 / 62.0).abs() < 1e-7);
        let empty: Vec<(i32, f32)> = rrf(&[]);
        assert!(empty.is_empty());
    }

    #[test]
    fn a_heavier_list_wins() {
        assert_eq!(rrf(&[(2.0, &[1]), (1.0, &[2])])[0].0, 1);
    }

    fn scored(weight: f32, zero: f32, list: &[(i32, f32)]) -> Scored<'_, i32> {
        Scored { weight, zero, list }
    }

    #[test]
    fn scores_add_up_by_their_share_of_the_best() {
        let fused = convex(&[
            scored(0.6, 0.0, &[(1, 8.0), (2, 6.0)]),
            scored(0.4, 0.2, &[(2, 0.7), (3, 0.45), (4, 0.1)]),
        ]);
        let expected = [(2, 0.85), (1, 0.6), (3, 0.2), (4, 0.0)];
        for ((key, score), (right, strength)) in fused.iter().zip(expected) {
            assert!(*key == right && (score - strength).abs() < 1e-6, "{fused:?}");
        }
    }

    #[test]
    fn a_clear_lead_by_score_outweighs_ranks() {
        let words: &[(i32, f32)] = &[(1, 20.0), (2, 5.0), (3, 4.9)];
        let meaning: &[(i32, f32)] = &[(3, 0.41), (2, 0.40), (1, 0.39)];
        assert_eq!(convex(&[scored(0.6, 0.0, words), scored(0.4, 0.1, meaning)])[0].0, 1);
    }

    #[test]
    fn where_nothing_is_near_the_order_stays() {
        let fused = convex(&[scored(1.0, 0.2, &[(5, 0.15), (4, 0.1)])]);
        assert_eq!(fused.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [5, 4]);
        assert!(convex::<i32>(&[scored(1.0, 0.2, &[])]).is_empty());
    }
}
