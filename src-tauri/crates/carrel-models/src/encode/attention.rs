//! Attention of one sequence at a time, a block of its rows after the other, so that the scores of a long text never lie in memory as a whole.

use super::{Scratch, Tokens, go_on, grown};
use crate::kernels::{Shape, multiply, multiply_transposed, softmax_row};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;

/// Rows whose scores are made at once. All passages of the usual size are one block.
const ROWS: usize = 512;
/// The same where a row sees only its neighbourhood: more would be computed for nothing.
const LOCAL_ROWS: usize = 128;

/// Who sees whom. Queries come scaled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attention {
    /// Heads of the queries.
    pub(super) heads: usize,
    /// Heads of keys and values; divides `heads`.
    pub(super) kv_heads: usize,
    /// Numbers of a head.
    pub(super) head: usize,
    /// Whether a token sees only what stands before it, and itself.
    pub(super) causal: bool,
    /// How many tokens to each side it sees; `None` for all.
    pub(super) reach: Option<usize>,
}

impl Attention {
    /// Numbers in a row of queries, keys and values.
    pub(super) fn row(&self) -> usize {
        (self.heads + 2 * self.kv_heads) * self.head
    }

    /// Fills `context` with what each token gathers, for all sequences of the batch; `qkv` holds their queries, keys and values.
    pub(super) fn apply(
        &self,
        batch: &[Tokens],
        scratch: &mut Scratch,
        cancel: &Cancel,
    ) -> Result<(), ModelError> {
        let rows: usize = batch.iter().map(|s| s.ids.len()).sum();
        let width = self.heads * self.head;
        let context = grown(&mut scratch.context, rows * width);
        let mut first = 0;
        for sequence in batch {
            let n = sequence.ids.len();
            let qkv = &scratch.qkv[first * self.row()..][..n * self.row()];
            let context = &mut context[first * width..][..n * width];
            let step = if self.reach.is_some() { LOCAL_ROWS } else { ROWS };
            for from in (0..n).step_by(step) {
                go_on(cancel)?;
                self.block(from, (from + step).min(n), n, qkv, &mut scratch.scores, context);
            }
            first += n;
        }
        Ok(())
    }

    /// The columns that row `r` of `n` sees.
    pub(super) fn sight(&self, r: usize, n: usize) -> (usize, usize) {
        let from = self.reach.map_or(0, |reach| r.saturating_sub(reach));
        let to = if self.causal { r + 1 } else { self.reach.map_or(n, |reach| (r + reach + 1).min(n)) };
        (from, to)
    }

    fn block(
        &self,
        from: usize,
        to: usize,
        n: usize,
        qkv: &[f32],
        scores: &mut Vec<f32>,
        context: &mut [f32],
    ) {
        let (left, right) = (self.sight(from, n).0, self.sight(to - 1, n).1);
        let (rows, columns) = (to - from, right - left);
        let scores = grown(scores, rows * columns);
        let (stride, width) = (self.row(), self.heads * self.head);
        let block = Shape::dense(rows, columns);
        for h in 0..self.heads {
            let kv = h / (self.heads / self.kv_heads);
            let query = from * stride + h * self.head;
            let key = left * stride + (self.heads + kv) * self.head;
            let value = key + self.kv_heads * self.head;
            let keys = Shape::strided(columns, self.head, stride);
            multiply_transposed(
                &qkv[query..],
                Shape::strided(rows, self.head, stride),
                &qkv[key..],
                keys,
                scores,
                block,
            );
            for (i, row) in scores.chunks_exact_mut(columns).enumerate() {
                let (a, b) = self.sight(from + i, n);
                let (a, b) = (a - left, b - left);
                softmax_row(&mut row[a..b]);
                row[..a].fill(0.0);
                row[b..].fill(0.0);
            }
            let out = Shape::strided(rows, self.head, width);
            let place = from * width + h * self.head;
            multiply(scores, block, &qkv[value..], keys, &mut context[place..], out, false);
        }
    }
}
