//! Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
//!
//! Refuses scores: only ranks count, so that legs need not be comparable. Invariant: a key counts once per list, at its
//! first place; ties go by key, so that the order never depends on a hash.

use std::collections::HashMap;
use std::hash::Hash;

/// Damping of the first ranks.
pub(crate) const K: f32 = 60.0;

/// Fuses ranked lists, best first, each with a weight: Σ w / (60 + rank), rank from 1.
pub(crate) fn rrf<T: Copy + Eq + Hash + Ord>(lists: &[(f32, &[T])]) -> Vec<(T, f32)> {
    let mut fused: HashMap<T, f32> = HashMap::new();
    for (weight, list) in lists {
        let mut seen = std::collections::HashSet::with_capacity(list.len());
        for (rank, key) in list.iter().filter(|key| seen.insert(**key)).enumerate() {
            *fused.entry(*key).or_default() += weight / (K + (rank + 1) as f32);
        }
    }
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
}
