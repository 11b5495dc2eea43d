//! Lists: those of office files, which say of each paragraph alone at which level of a list it stands, how they count, and those of
//! names with values.

use super::inline::escaped;
use super::writer::Writer;

/// Levels of a list.
pub(crate) const LEVELS: usize = 9;

/// How far the levels of a list have counted. Levels count from 0; what lies deeper than the last counts as the last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counter([Option<u64>; LEVELS]);

impl Counter {
    /// Counts an item of a level, which begins at `start`; deeper levels begin anew.
    pub(crate) fn next(&mut self, level: usize, start: u64) -> u64 {
        let level = level.min(LEVELS - 1);
        for deeper in self.0.iter_mut().skip(level + 1) {
            *deeper = None;
        }
        let Some(count) = self.0.get_mut(level) else { return start };
        *count.insert(count.map_or(start, |last| last.saturating_add(1)))
    }

    /// The number of the last item of a level, where it has one.
    pub(crate) fn last(&self, level: usize) -> Option<u64> {
        self.0.get(level).copied().flatten()
    }
}

/// A list that is open: its level, and whether it counts.
struct Open {
    level: u8,
    ordered: bool,
}

/// The lists that are open.
#[derive(Default)]
pub(crate) struct Lists(Vec<Open>);

impl Lists {
    /// Opens an item at this level, and what lists it takes; ordered ones are given their number.
    pub(crate) fn item(&mut self, writer: &mut Writer, level: u8, number: Option<u64>) {
        while let Some(open) = self.0.last() {
            if open.level < level || (open.level == level && open.ordered == number.is_some()) {
                break;
            }
            self.0.pop();
            // The item, and its list.
            writer.close();
            writer.close();
        }
        if self.0.last().is_some_and(|open| open.level == level) {
            writer.close();
        } else {
            writer.open_list(number);
            self.0.push(Open { level, ordered: number.is_some() });
        }
        writer.open_item();
    }

    /// Closes them all.
    pub(crate) fn end(&mut self, writer: &mut Writer) {
        while self.0.pop().is_some() {
            writer.close();
            writer.close();
        }
    }
}

/// A list of names with their values, which are plain text; empty ones are left out.
pub(crate) fn fields<'a>(writer: &mut Writer, fields: impl IntoIterator<Item = (&'a str, String)>) {
    let mut fields = fields.into_iter().filter(|(_, value)| !value.is_empty()).peekable();
    if fields.peek().is_none() {
        return;
    }
    writer.open_list(None);
    for (name, value) in fields {
        writer.open_item();
        writer.paragraph(&format!("{name}: {}", escaped(&value)));
        writer.close();
    }
    writer.close();
}
