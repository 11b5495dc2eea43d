//! How many tokens a span of a text costs, answered in O(log n) after one pass over the text.
//!
//! An estimate that never falls far short: a token counts one, but at least its bytes / 16, so that a tokenizer that takes
//! a whole base64 line for one unknown word does not let it through in one piece. The exact count decides afterwards.

use crate::domain::Span;
use crate::seams::{ModelError, Tokenizer};

/// Units of one token: a byte of an overlong token is one unit.
pub(super) const TOKEN: usize = 16;

/// A tokenizer is handed at most this many bytes at once.
const SLICE: usize = 64 << 10;

/// White space and punctuation up to this many bytes between two tokens are free.
const FREE_GAP: usize = 8;

/// Cumulative cost of a text in units of 1/16 token.
pub(super) struct Weights {
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// Units before the start of each token.
    before: Vec<u32>,
    len: usize,
}

impl Weights {
    /// Tokenizes `text` slice by slice.
    pub(super) fn of(text: &str, tokenizer: &dyn Tokenizer) -> Result<Self, ModelError> {
        if u32::try_from(text.len().saturating_mul(2)).is_err() {
            return Err(ModelError::Failed(format!("a text of {} bytes is too long to be cut", text.len())));
        }
        let mut weights = Self { starts: Vec::new(), ends: Vec::new(), before: Vec::new(), len: text.len() };
        let (mut from, mut end, mut units) = (0, 0, 0);
        while from < text.len() {
            let to = slice_end(text, from);
            for token in tokenizer.token_spans(&text[from..to])? {
                let start = (from + token.start).max(end);
                let stop = (from + token.end).clamp(start, text.len());
                units += gap_units(start - end);
                weights.starts.push(start as u32);
                weights.ends.push(stop as u32);
                weights.before.push(units as u32);
                units += token_units(stop - start);
                end = stop;
            }
            from = to;
        }
        Ok(weights)
    }

    /// Units of `span`; parts of tokens count in proportion.
    pub(super) fn units(&self, span: Span) -> usize {
        self.at(span.end).saturating_sub(self.at(span.start))
    }

    /// The smallest position from which the text up to `end` costs at most `units`; not below `floor`.
    pub(super) fn back(&self, end: usize, units: usize, floor: usize) -> usize {
        let goal = self.at(end).saturating_sub(units);
        let first = self.before.partition_point(|&b| (b as usize) < goal);
        self.starts.get(first).map_or(end, |&s| s as usize).clamp(floor.min(end), end)
    }

    fn at(&self, position: usize) -> usize {
        let position = position.min(self.len);
        let next = self.starts.partition_point(|&s| (s as usize) <= position);
        let Some(i) = next.checked_sub(1) else { return gap_units(position) };
        let (start, end) = (self.starts[i] as usize, self.ends[i] as usize);
        let (before, token) = (self.before[i] as usize, token_units(end - start));
        if position < end {
            before + token * (position - start) / (end - start)
        } else {
            before + token + gap_units(position - end)
        }
    }
}

fn token_units(bytes: usize) -> usize {
    bytes.max(TOKEN)
}

fn gap_units(bytes: usize) -> usize {
    bytes.saturating_sub(FREE_GAP)
}

/// The end of the slice from `from`: after a line, else after a space, else at a character.
fn slice_end(text: &str, from: usize) -> usize {
    if text.len() - from <= SLICE {
        return text.len();
    }
    let limit = text.floor_char_boundary(from + SLICE);
    let slice = &text[from..limit];
    let cut = slice.rfind('\n').or_else(|| slice.rfind(' ')).map(|at| at + 1);
    from + cut.unwrap_or(slice.len())
}
