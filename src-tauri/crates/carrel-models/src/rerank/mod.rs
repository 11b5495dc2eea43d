//! Local rerankers: cross-encoders, and late interaction over the embedder's token vectors.
//!
//! A pair is never cut: a passage that does not fit beside the question is read in pieces, and its best piece counts. A question that leaves
//! no room for a passage is an error.
//! Invariant: the same pair gives the same score alone and in any batch.

mod cross;
mod head;
mod late;
mod prompt;

#[cfg(test)]
mod tests;

pub(crate) use cross::CrossEncoder;
pub(crate) use late::LateInteraction;

use carrel_engine::seams::{ModelError, Tokenizer};

/// Id of the reranker that needs no model besides the embedder.
pub const LATE_INTERACTION: &str = "late-interaction";

/// The logistic function.
pub(crate) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// `text` in pieces of at most `room` tokens: whole if it fits, else its halves, each in the same way.
pub(crate) fn pieces<'t>(
    tokenizer: &dyn Tokenizer,
    text: &'t str,
    room: usize,
) -> Result<Vec<&'t str>, ModelError> {
    let mut pieces = Vec::new();
    let mut rest = vec![text];
    while let Some(text) = rest.pop() {
        let tokens = tokenizer.count(text)?;
        if tokens <= room {
            pieces.push(text);
            continue;
        }
        let spans = tokenizer.token_spans(text)?;
        let middle = spans.get(spans.len() / 2).map_or(0, |span| span.start);
        let (Some(a), Some(b)) = (text.get(..middle), text.get(middle..)) else {
            return Err(ModelError::Failed("the tokenizer cut a character".into()));
        };
        if a.is_empty() || b.is_empty() {
            return Err(ModelError::TooLong { tokens, window: room });
        }
        rest.extend([b, a]);
    }
    Ok(pieces)
}

/// The best score of each of `count` passages; `owners` says whose each score is.
pub(crate) fn best_of(count: usize, owners: &[usize], scores: &[f32]) -> Vec<f32> {
    let mut best = vec![0f32; count];
    for (&owner, &score) in owners.iter().zip(scores) {
        if let Some(best) = best.get_mut(owner) {
            *best = best.max(score);
        }
    }
    best
}
