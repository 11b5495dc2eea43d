//! Keys and values of what a decoder has read, as 16-bit floats: with each token, all of them are read again.

use half::f16;
use half::slice::HalfFloatSliceExt;

/// Keys and values of one conversation, by layer: a row for each token. It grows in place, and can be cut back.
#[derive(Default)]
pub(super) struct Cache {
    pub(super) layers: Vec<Layer>,
    /// Tokens read so far.
    pub(super) tokens: usize,
}

/// Of one layer.
#[derive(Default)]
pub(super) struct Layer {
    pub(super) keys: Vec<f16>,
    pub(super) values: Vec<f16>,
}

impl Layer {
    /// Adds rows.
    pub(super) fn push(&mut self, keys: &[f32], values: &[f32]) {
        for (vector, new) in [(&mut self.keys, keys), (&mut self.values, values)] {
            let old = vector.len();
            vector.resize(old + new.len(), f16::ZERO);
            vector[old..].convert_from_f32_slice(new);
        }
    }

    fn both(&mut self) -> [&mut Vec<f16>; 2] {
        [&mut self.keys, &mut self.values]
    }
}

impl Cache {
    /// Room for so many tokens of `width` numbers in all, taken at once: growing by doubling would take twice as much.
    pub(super) fn reserve(&mut self, layers: usize, width: usize, tokens: usize) {
        self.layers.resize_with(layers, Layer::default);
        for vector in self.layers.iter_mut().flat_map(Layer::both) {
            vector.reserve_exact((tokens * width).saturating_sub(vector.len()));
        }
    }

    /// Forgets what comes after so many tokens, and what a forward that was stopped in the middle left.
    pub(super) fn truncate(&mut self, tokens: usize, width: usize) {
        for vector in self.layers.iter_mut().flat_map(Layer::both) {
            vector.truncate(tokens * width);
        }
        self.tokens = self.tokens.min(tokens);
    }

    /// A copy of the first so many tokens.
    pub(super) fn beginning(&self, tokens: usize, width: usize) -> Self {
        let first = |vector: &[f16]| vector.get(..tokens * width).unwrap_or(vector).to_vec();
        let copy = |layer: &Layer| Layer { keys: first(&layer.keys), values: first(&layer.values) };
        Self { layers: self.layers.iter().map(copy).collect(), tokens: self.tokens.min(tokens) }
    }
}
