//! Positions, and attention over a cache of keys and values.

use super::cache::Layer;
use super::config::{Config, Rope};
use crate::kernels::{Shape, multiply, multiply_transposed, softmax_row};
use half::f16;
use half::slice::HalfFloatSliceExt;
use rayon::prelude::*;

/// Rows of a head that are widened at a time.
const BLOCK: usize = 128;
/// Numbers of the keys below which one new row is not worth several threads.
const PARALLEL: usize = 500_000;

/// Sizes of the heads.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    pub(super) queries: usize,
    pub(super) keys: usize,
    pub(super) width: usize,
}

impl Heads {
    /// One new row, which sees the last `window` rows, itself included: the query heads that share a key head go through together.
    pub(super) fn attend_one(self, queries: &[f32], seen: &Layer, window: usize, out: &mut [f32]) {
        let kv = self.keys * self.width;
        let first = (seen.keys.len() / kv).saturating_sub(window);
        let (keys, values) = (&seen.keys[first * kv..], &seen.values[first * kv..]);
        let together = self.queries / self.keys * self.width;
        let head = |(g, out): (usize, &mut [f32])| {
            self.attend_head(g, &queries[g * together..][..together], keys, values, out);
        };
        if keys.len() < PARALLEL {
            out.chunks_exact_mut(together).enumerate().for_each(head);
        } else {
            out.par_chunks_exact_mut(together).enumerate().for_each(head);
        }
    }

    /// The query heads of the key head `g`, block by block: what was widened stays near.
    fn attend_head(self, g: usize, queries: &[f32], keys: &[f16], values: &[f16], out: &mut [f32]) {
        let (d, kv) = (self.width, self.keys * self.width);
        let (group, seen) = (queries.len() / d, keys.len() / kv);
        let heads = Shape::dense(group, d);
        let mut scores = vec![0f32; group * seen];
        let mut near = vec![0f32; BLOCK * d];
        let widen = |rows: &[f16], near: &mut [f32]| {
            let rows = rows.chunks_exact(kv);
            let count = rows.len();
            for (row, near) in rows.zip(near.chunks_exact_mut(d)) {
                row[g * d..][..d].convert_to_f32_slice(near);
            }
            count
        };
        for (i, block) in keys.chunks(BLOCK * kv).enumerate() {
            let rows = widen(block, &mut near);
            let part = Shape::strided(group, rows, seen);
            multiply_transposed(queries, heads, &near, Shape::dense(rows, d), &mut scores[i * BLOCK..], part);
        }
        scores.chunks_exact_mut(seen).for_each(softmax_row);
        for (i, block) in values.chunks(BLOCK * kv).enumerate() {
            let rows = widen(block, &mut near);
            let part = Shape::strided(group, rows, seen);
            multiply(&scores[i * BLOCK..], part, &near, Shape::dense(rows, d), out, heads, i > 0);
        }
    }

    /// Many new rows, each of which sees itself and what stands before it, `window` rows at most; `before` rows were there already.
    pub(super) fn attend(
        self,
        queries: &[f32],
        seen: &Layer,
        (before, window): (usize, usize),
        out: &mut [f32],
    ) {
        let (d, q, kv) = (self.width, self.queries * self.width, self.keys * self.width);
        let group = self.queries / self.keys;
        // The first row that anyone sees.
        let first = (before + 1).saturating_sub(window);
        let (keys, values) = (widened(&seen.keys[first * kv..]), widened(&seen.values[first * kv..]));
        let (rows, seen) = (queries.len() / q, keys.len() / kv);
        let cached = Shape::strided(seen, d, kv);
        let mut by_head = vec![0f32; queries.len()];
        by_head.par_chunks_exact_mut(rows * d).enumerate().for_each_init(
            || vec![0f32; rows * seen],
            |scores, (h, out)| {
                let g = h / group;
                let (mine, square) = (Shape::strided(rows, d, q), Shape::dense(rows, seen));
                multiply_transposed(&queries[h * d..], mine, &keys[g * d..], cached, scores, square);
                for (i, row) in scores.chunks_exact_mut(seen).enumerate() {
                    let end = before + i + 1;
                    let (visible, later) = row.split_at_mut(end - first);
                    let (earlier, visible) =
                        visible.split_at_mut(end.saturating_sub(window).max(first) - first);
                    softmax_row(visible);
                    earlier.fill(0.0);
                    later.fill(0.0);
                }
                multiply(scores, square, &values[g * d..], cached, out, Shape::dense(rows, d), false);
            },
        );
        for (h, head) in by_head.chunks_exact(rows * d).enumerate() {
            for (row, part) in out.chunks_exact_mut(q).zip(head.chunks_exact(d)) {
                row[h * d..][..d].copy_from_slice(part);
            }
        }
    }
}

fn widened(numbers: &[f16]) -> Vec<f32> {
    let mut wide = vec![0f32; numbers.len()];
    let parts = wide.par_chunks_mut(PARALLEL).zip(numbers.par_chunks(PARALLEL));
    parts.for_each(|(wide, narrow)| narrow.convert_to_f32_slice(wide));
    wide
}

/// How the numbers of a head turn with the position: one speed per pair.
pub(super) struct Rotation {
    speeds: Vec<f32>,
    head_width: usize,
    neighbours: bool,
}

impl Rotation {
    /// `factors` slow the pairs down, one by one.
    pub(super) fn new(config: &Config, rope: Rope, factors: Option<&[f32]>) -> Self {
        let rotated = config.rotated;
        let speed = |i: usize| {
            let factor = factors.and_then(|f| f.get(i)).copied().unwrap_or(1.0);
            rope.base.powf(-2.0 * i as f32 / rotated as f32) / rope.stretch / factor
        };
        Self {
            speeds: (0..rotated / 2).map(speed).collect(),
            head_width: config.head_width,
            neighbours: config.family.turns_neighbours(),
        }
    }

    /// Cosine and sine of each pair, for so many positions from `first` on.
    pub(super) fn turns(&self, first: usize, rows: usize) -> Vec<(f32, f32)> {
        let angles = (first..first + rows).flat_map(|p| self.speeds.iter().map(move |s| p as f32 * s));
        angles.map(|a| (a.cos(), a.sin())).collect()
    }

    /// Turns the pairs of every head, and scales all of it.
    pub(super) fn apply(&self, x: &mut [f32], turns: &[(f32, f32)], scale: f32) {
        let half = self.speeds.len();
        let rows = turns.len() / half;
        let width = x.len() / rows.max(1);
        for (row, turns) in x.chunks_exact_mut(width).zip(turns.chunks_exact(half)) {
            for head in row.chunks_exact_mut(self.head_width) {
                if self.neighbours {
                    let (pairs, _) = head.as_chunks_mut::<2>();
                    for (pair, (cos, sin)) in pairs.iter_mut().zip(turns) {
                        let [a, b] = *pair;
                        *pair = [a * cos - b * sin, a * sin + b * cos];
                    }
                } else {
                    let (first, second) = head.split_at_mut(half);
                    for ((a, b), (cos, sin)) in first.iter_mut().zip(second).zip(turns) {
                        (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
                    }
                }
                for v in head.iter_mut() {
                    *v *= scale;
                }
            }
        }
    }
}
