//! Keys and values that outlive a request: what the next one begins with like an earlier one is not read again.
//!
//! A request has its cache for itself. It takes over the conversation that it continues, or copies the beginning that it shares
//! with another (as instructions that stand before every question). Never are more than so many tokens kept beside what is running,
//! the oldest go first, and all go with the model.

use super::cache::Cache;
use super::matrix::ROWS_FOR_GEMM;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Conversations that are kept at most: an answer, its checks and a chat's title take turns.
const MOST: usize = 4;
/// Sharing less is not worth a copy.
const LEAST_SHARED: usize = 8;

struct Conversation {
    tokens: Vec<u32>,
    cache: Cache,
}

/// Conversations, the oldest first.
pub(super) struct Kept {
    conversations: Mutex<Vec<Conversation>>,
    /// Numbers of a layer's keys for one token.
    width: usize,
    most_tokens: usize,
}

impl Kept {
    pub(super) fn new(width: usize, most_tokens: usize) -> Self {
        Self { conversations: Mutex::default(), width, most_tokens }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Conversation>> {
        self.conversations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A cache that holds the longest known beginning of `prompt`, never all of it: the last token has to be read for what comes
    /// next, and with so many before it that it meets the matrices as in a prompt that is read whole. `needed` tokens will be in it in
    /// the end.
    pub(super) fn take(&self, prompt: &[u32], needed: usize) -> Cache {
        let mut kept = self.lock();
        let shared = |c: &Conversation| c.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        let most = prompt.len().saturating_sub(ROWS_FOR_GEMM);
        // The latest of equals.
        let best = (0..kept.len()).map(|i| (kept.get(i).map_or(0, shared).min(most), i)).max();
        let mut cache = Cache::default();
        if let Some((shared, i)) = best.filter(|(shared, _)| *shared >= LEAST_SHARED) {
            if shared * 2 >= kept[i].tokens.len() {
                cache = kept.remove(i).cache;
                cache.truncate(shared, self.width);
            } else {
                cache = kept[i].cache.beginning(shared, self.width);
            }
        }
        make_room(&mut kept, self.most_tokens.saturating_sub(needed));
        cache
    }

    /// Keeps a conversation of these tokens; `cache` may hold fewer.
    pub(super) fn put(&self, mut tokens: Vec<u32>, cache: Cache) {
        tokens.truncate(cache.tokens);
        if tokens.len() < LEAST_SHARED {
            return;
        }
        let mut kept = self.lock();
        make_room(&mut kept, self.most_tokens.saturating_sub(tokens.len()));
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push(Conversation { tokens, cache });
    }

    /// Tokens of all that is kept.
    #[cfg(test)]
    pub(super) fn tokens(&self) -> usize {
        total(&self.lock())
    }
}

fn total(kept: &[Conversation]) -> usize {
    kept.iter().map(|c| c.tokens.len()).sum()
}

/// Lets the oldest go until at most so many tokens are kept.
fn make_room(kept: &mut Vec<Conversation>, most: usize) {
    while !kept.is_empty() && total(kept) > most {
        kept.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::cache::Layer;
    use half::f16;

    /// Whole numbers below it have 16 bits.
    const EXACT: u32 = 2_048;

    /// A cache of one layer of width 1, whose keys are the tokens.
    fn cache(tokens: &[u32]) -> Cache {
        let keys: Vec<f16> = tokens.iter().map(|t| f16::from_f32((*t % EXACT) as f32)).collect();
        Cache { layers: vec![Layer { values: keys.clone(), keys }], tokens: tokens.len() }
    }

    fn put(kept: &Kept, tokens: &[u32]) {
        kept.put(tokens.to_vec(), cache(tokens));
    }

    fn taken(kept: &Kept, prompt: &[u32]) -> usize {
        let cache = kept.take(prompt, prompt.len());
        let keys: Vec<u32> = cache.layers.iter().flat_map(|l| &l.keys).map(|k| k.to_f32() as u32).collect();
        assert_eq!(keys, prompt[..cache.tokens].iter().map(|t| t % EXACT).collect::<Vec<_>>());
        cache.tokens
    }

    fn numbers(first: u32, count: u32) -> Vec<u32> {
        (first..first + count).collect()
    }

    #[test]
    fn a_continued_conversation_is_taken_over_and_a_shared_beginning_is_copied() {
        let kept = Kept::new(1, 1_000);
        put(&kept, &numbers(0, 100));
        assert_eq!(taken(&kept, &[numbers(0, 20), numbers(500, 9)].concat()), 20, "the beginning");
        assert_eq!(taken(&kept, &numbers(0, 120)), 100, "it was still there");
        assert_eq!(kept.tokens(), 0, "now it is in use");
        assert_eq!(taken(&kept, &numbers(0, 120)), 0, "by one alone");
        put(&kept, &numbers(0, 100));
        assert_eq!(taken(&kept, &numbers(0, 100)), 100 - ROWS_FOR_GEMM, "the last tokens are read again");
    }

    #[test]
    fn it_is_bounded_in_number_and_in_tokens() {
        let kept = Kept::new(1, 100);
        for first in [0, 1_000, 2_000, 3_000, 4_000] {
            put(&kept, &numbers(first, 20));
        }
        assert_eq!(kept.tokens(), 80);
        assert_eq!(taken(&kept, &numbers(0, 30)), 0, "the oldest went");
        put(&kept, &numbers(5_000, 70));
        assert_eq!(kept.tokens(), 90);
        assert_eq!(taken(&kept, &numbers(4_000, 30)), 20);
        kept.take(&numbers(9_000, 50), 90);
        assert_eq!(kept.tokens(), 0, "what runs needs the room");
        put(&kept, &numbers(0, 500));
        assert_eq!(kept.tokens(), 500, "one that is longer is kept alone");
    }

    #[test]
    fn a_stopped_forward_leaves_only_what_was_read() {
        let kept = Kept::new(1, 100);
        let mut stopped = cache(&numbers(0, 30));
        stopped.truncate(20, 1);
        kept.put(numbers(0, 40), stopped);
        assert_eq!(taken(&kept, &numbers(0, 40)), 20);
    }
}
