//! From states to the tokens that may follow.

use super::Mask;
use super::grammar::Grammar;
use super::state::State;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Masks that one shape keeps; a vocabulary of 150,000 tokens makes one 19 KB large.
const MOST_MASKS: usize = 512;

/// The tokens that write something, sorted by their bytes, so that those with the same beginning are tried together.
pub(in crate::generate) struct Vocabulary {
    tokens: Vec<(u32, Box<[u8]>)>,
    /// How many bytes a token begins with like the one before it.
    shared: Vec<u8>,
    /// Tokens that end an answer.
    ends: Vec<u32>,
    size: usize,
    longest: u32,
}

impl Vocabulary {
    /// Of what each token writes; nothing where it is none to write with.
    pub(in crate::generate) fn new(bytes: &[Box<[u8]>], ends: Vec<u32>) -> Self {
        let mut tokens: Vec<(u32, Box<[u8]>)> = bytes
            .iter()
            .enumerate()
            .filter(|(_, b)| !b.is_empty())
            .map(|(i, b)| (i as u32, b.clone()))
            .collect();
        tokens.sort_unstable_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
        let mut shared = vec![0];
        shared.extend(tokens.windows(2).map(|pair| {
            let same = pair[0].1.iter().zip(&pair[1].1).take_while(|(a, b)| a == b).count();
            u8::try_from(same).unwrap_or(u8::MAX)
        }));
        // Characters are fewer than bytes.
        let longest = tokens.iter().map(|(_, b)| b.len() as u32).max().unwrap_or(0);
        Self { tokens, shared, ends, size: bytes.len(), longest }
    }

    fn mask(&self, state: &State, grammar: &Grammar) -> Mask {
        let mut mask = Mask::none(self.size);
        // The states behind each byte of the token that is tried.
        let mut states = vec![*state];
        // Tokens that share more than so many bytes with the one before are as impossible as it.
        let mut impossible = usize::MAX;
        for ((token, bytes), shared) in self.tokens.iter().zip(&self.shared) {
            let shared = usize::from(*shared);
            if shared > impossible {
                continue;
            }
            impossible = usize::MAX;
            states.truncate(shared + 1);
            let known = states.len() - 1;
            for (i, byte) in bytes.iter().enumerate().skip(known) {
                let mut next = states.last().copied().unwrap_or(*state);
                if !next.step(grammar, *byte) {
                    impossible = i;
                    break;
                }
                states.push(next);
            }
            if impossible == usize::MAX {
                mask.allow(*token);
            }
        }
        if state.is_whole() {
            self.ends.iter().for_each(|end| mask.allow(*end));
        }
        mask
    }
}

/// The masks of one shape, by state.
#[derive(Default)]
pub(super) struct Masks(Mutex<HashMap<State, Arc<Mask>>>);

impl Masks {
    pub(super) fn of(&self, state: &State, grammar: &Grammar, vocabulary: &Vocabulary) -> Arc<Mask> {
        let state = state.as_seen_by(vocabulary.longest);
        if let Some(mask) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&state) {
            return Arc::clone(mask);
        }
        let mask = Arc::new(vocabulary.mask(&state, grammar));
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_MASKS {
            known.clear();
        }
        known.insert(state, Arc::clone(&mask));
        mask
    }
}
