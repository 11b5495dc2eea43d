//! Lists of office files, which say of each paragraph alone at which level of a list it stands.

use super::writer::Writer;

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
