//! What earlier questions cost, kept for the next ones.
//!
//! Refuses to grow: each kind is bounded. Invariant: what is taken from here is what would be computed again; only what was found for
//! a question that means the same ([`super::results`]) may differ from that in order.

use super::results::Results;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Scores of pairs of question and passage.
const SCORES: usize = 20_000;

/// Answers of language models to short questions.
const SAYINGS: usize = 500;
/// Vectors of questions.
const VECTORS: usize = 250;

/// How often what was looked for was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HitRate {
    /// Found.
    pub found: u64,
    /// Looked for.
    pub asked: u64,
}

/// At most twice `most` values by key; those not asked for lately go first.
pub(super) struct Kept<K, V> {
    most: usize,
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    rate: HitRate,
}

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    pub(super) fn new(most: usize) -> Self {
        Self { most, young: HashMap::new(), old: HashMap::new(), rate: HitRate::default() }
    }

    pub(super) fn get(&mut self, key: K) -> Option<V> {
        self.rate.asked += 1;
        let found = match self.young.get(&key) {
            Some(value) => Some(value.clone()),
            None => self.old.remove(&key).inspect(|value| self.put(key, value.clone())),
        };
        self.rate.found += u64::from(found.is_some());
        found
    }

    pub(super) fn put(&mut self, key: K, value: V) {
        if self.young.len() >= self.most {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

/// A hash of parts, none of which can pass for the end of another.
pub(super) type Fingerprint = [u8; 16];

pub(super) fn fingerprint(parts: &[&str]) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut short = Fingerprint::default();
    short.copy_from_slice(&hasher.finalize().as_bytes()[..size_of::<Fingerprint>()]);
    short
}

/// What is kept beside a library, as long as it is open.
pub(crate) struct Caches {
    scores: Mutex<Kept<Fingerprint, f32>>,
    sayings: Mutex<Kept<Fingerprint, Arc<str>>>,
    vectors: Mutex<Kept<Fingerprint, Arc<[f32]>>>,
    results: Mutex<Results>,
}

impl Default for Caches {
    fn default() -> Self {
        Self {
            scores: Mutex::new(Kept::new(SCORES)),
            sayings: Mutex::new(Kept::new(SAYINGS)),
            vectors: Mutex::new(Kept::new(VECTORS)),
            results: Mutex::default(),
        }
    }
}

impl Caches {
    /// Scores of rerankers, by reranker, question and text.
    pub(super) fn scores(&self) -> MutexGuard<'_, Kept<Fingerprint, f32>> {
        locked(&self.scores)
    }

    /// What language models said, by model and prompt.
    pub(super) fn sayings(&self) -> MutexGuard<'_, Kept<Fingerprint, Arc<str>>> {
        locked(&self.sayings)
    }

    /// Vectors of questions, by embedding space, kind and text.
    pub(super) fn vectors(&self) -> MutexGuard<'_, Kept<Fingerprint, Arc<[f32]>>> {
        locked(&self.vectors)
    }

    /// What searches found.
    pub(super) fn results(&self) -> MutexGuard<'_, Results> {
        locked(&self.results)
    }

    /// How often each kind helped, by name.
    pub(crate) fn rates(&self) -> [(&'static str, HitRate); 5] {
        let (same, alike) = self.results().rates();
        [
            ("results", same),
            ("alike", alike),
            ("vectors", self.vectors().rate),
            ("wordings", self.sayings().rate),
            ("rerank", self.scores().rate),
        ]
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let mut kept = Kept::new(2);
        for n in 0..20 {
            kept.put(n, n);
            assert_eq!(kept.get(0), Some(0), "asked for all the time");
        }
        assert_eq!(kept.get(1), None);
        assert!(kept.young.len() + kept.old.len() <= 4);
        assert_eq!(kept.rate, HitRate { found: 20, asked: 21 });
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
        assert_eq!(fingerprint(&["ab", "c"]), fingerprint(&["ab", "c"]));
    }
}
