//! The `SentencePiece` model of byte pairs: neighbours are merged, the pair with the best score first.
//!
//! Source: Kudo and Richardson 2018, arXiv 1808.06226; tests compare it with the original. What the vocabulary cannot spell becomes
//! bytes.

use carrel_engine::seams::ModelError;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// Stands for a space.
pub(super) const SPACE: char = '▁';

/// Pieces with their scores.
pub(super) struct SentencePiece {
    pieces: HashMap<Box<str>, (u32, f32)>,
    bytes: HashMap<u8, u32>,
    unknown: Option<u32>,
    /// A text gets a space in front.
    pub(super) space_in_front: bool,
}

/// A stretch of the text; emptied when it is merged into the one before it.
struct Symbol {
    start: usize,
    end: usize,
    previous: Option<usize>,
    next: Option<usize>,
}

/// Two neighbours that could be one.
struct Pair {
    score: f32,
    left: usize,
    right: usize,
    /// Of both together: another one means that one of them has changed.
    length: usize,
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.left.cmp(&self.left))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

impl SentencePiece {
    pub(super) fn new(
        pieces: impl IntoIterator<Item = (String, u32, f32)>,
        bytes: HashMap<u8, u32>,
        unknown: Option<u32>,
        space_in_front: bool,
    ) -> Self {
        let pieces = pieces.into_iter().map(|(text, id, score)| (text.into(), (id, score))).collect();
        Self { pieces, bytes, unknown, space_in_front }
    }

    /// The tokens of a text without special tokens; `first` where it stands at the beginning or behind one.
    pub(super) fn encode(&self, text: &str, first: bool) -> Result<Vec<u32>, ModelError> {
        let mut spaced = String::with_capacity(text.len() + SPACE.len_utf8());
        if first && self.space_in_front {
            spaced.push(SPACE);
        }
        spaced.extend(text.chars().map(|c| if c == ' ' { SPACE } else { c }));
        let mut ids = Vec::new();
        for symbol in self.merged(&spaced) {
            let piece = &spaced[symbol.start..symbol.end];
            if let Some((id, _)) = self.pieces.get(piece) {
                ids.push(*id);
                continue;
            }
            let bytes: Option<Vec<u32>> = piece.bytes().map(|b| self.bytes.get(&b).copied()).collect();
            match (bytes, self.unknown) {
                (Some(bytes), _) => ids.extend(bytes),
                (None, Some(unknown)) => ids.push(unknown),
                (None, None) => {
                    return Err(ModelError::Failed(format!("its tokenizer cannot spell {piece}")));
                }
            }
        }
        Ok(ids)
    }

    /// The stretches that are left when nothing can be merged any more.
    fn merged(&self, text: &str) -> impl Iterator<Item = Symbol> {
        let mut symbols: Vec<Symbol> = Vec::new();
        for (start, c) in text.char_indices() {
            let i = symbols.len();
            let end = start + c.len_utf8();
            let next = (end < text.len()).then_some(i + 1);
            symbols.push(Symbol { start, end, previous: i.checked_sub(1), next });
        }
        let mut pairs = BinaryHeap::new();
        let pair = |symbols: &[Symbol], left: usize, right: usize| {
            let (start, end) = (symbols[left].start, symbols[right].end);
            let (_, score) = self.pieces.get(&text[start..end])?;
            Some(Pair { score: *score, left, right, length: end - start })
        };
        pairs.extend((1..symbols.len()).filter_map(|right| pair(&symbols, right - 1, right)));
        while let Some(Pair { left, right, length, .. }) = pairs.pop() {
            let (l, r) = (&symbols[left], &symbols[right]);
            if l.start == l.end || r.start == r.end || r.end - l.start != length {
                continue;
            }
            let (end, next) = (r.end, r.next);
            symbols[right].start = end;
            symbols[left].end = end;
            symbols[left].next = next;
            if let Some(next) = next {
                symbols[next].previous = Some(left);
                pairs.extend(pair(&symbols, left, next));
            }
            if let Some(previous) = symbols[left].previous {
                pairs.extend(pair(&symbols, previous, left));
            }
        }
        symbols.into_iter().filter(|s| s.start < s.end)
    }
}
