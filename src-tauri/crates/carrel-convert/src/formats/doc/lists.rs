//! The lists of a document of Word 97–2003: whether a level counts, and how far it has.

use super::fib::{Fib, table};
use crate::build::lists::{Counter, LEVELS};
use crate::formats::ole::{u8_at, u16_at, u32_at};
use std::collections::HashMap;

#[derive(Clone, Copy, Default)]
struct Level {
    start: u64,
    counts: bool,
    /// Neither bullet nor number is shown.
    nothing: bool,
}

/// Lists by use.
#[derive(Default)]
pub(super) struct Lists {
    levels: HashMap<u32, Vec<Level>>,
    uses: Vec<u32>,
    counters: HashMap<u32, Counter>,
}

/// How an item is marked.
#[derive(Debug, PartialEq)]
pub(super) enum Mark {
    Nothing,
    Bullet,
    Number(u64),
}

impl Lists {
    pub(super) fn read(fib: &Fib<'_>) -> Self {
        let mut lists = Self::default();
        let _ = lists.read_lists(fib.table(table::LISTS), fib.after(table::LISTS));
        let uses = fib.table(table::LIST_USES);
        let count = u32_at(uses, 0).unwrap_or_default().min(65_535) as usize;
        lists.uses = (0..count).map_while(|i| u32_at(uses, 4 + 16 * i)).collect();
        lists
    }

    /// The levels of all lists follow the table of lists.
    fn read_lists(&mut self, definitions: &[u8], levels: &[u8]) -> Option<()> {
        let count = usize::from(u16_at(definitions, 0)?);
        let mut at = 0;
        for i in 0..count {
            let own = 2 + 28 * i;
            let id = u32_at(definitions, own)?;
            let simple = u8_at(definitions, own + 26)? & 1 != 0;
            let mut read = Vec::new();
            for _ in 0..if simple { 1 } else { LEVELS } {
                let format = u8_at(levels, at + 4)?;
                read.push(Level {
                    start: u64::from(u32_at(levels, at)?),
                    counts: !matches!(format, 23 | 255),
                    nothing: format == 255,
                });
                let sizes = usize::from(u8_at(levels, at + 24)?) + usize::from(u8_at(levels, at + 25)?);
                at += 28 + sizes;
                at += 2 + 2 * usize::from(u16_at(levels, at)?);
            }
            self.levels.insert(id, read);
        }
        Some(())
    }

    /// Counts an item of the list of this use.
    pub(super) fn next(&mut self, list: u16, level: u8) -> Mark {
        let id = usize::from(list).checked_sub(1).and_then(|i| self.uses.get(i)).copied();
        let Some((id, levels)) = id.and_then(|id| Some((id, self.levels.get(&id)?))) else {
            return Mark::Bullet;
        };
        let at = usize::from(level).min(levels.len().saturating_sub(1));
        let own = levels.get(at).copied().unwrap_or_default();
        if own.nothing {
            return Mark::Nothing;
        }
        if !own.counts {
            return Mark::Bullet;
        }
        Mark::Number(self.counters.entry(id).or_default().next(at, own.start))
    }
}
