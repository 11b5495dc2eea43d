//! Writes items of lists, nested by how far they stand from the left.

use crate::build::writer::Writer;

/// Items within this distance are of one level, in points.
const SAME_LEVEL: f32 = 6.0;
/// Further apart they are of two columns, not of two levels.
const COLUMN: f32 = 90.0;
const MAX_LEVELS: usize = 6;

/// The lists that are open, each with an open item.
#[derive(Default)]
pub(super) struct Lists(Vec<(f32, Option<u64>)>);

impl Lists {
    /// Begins an item. What is written until the next call is its text.
    pub(super) fn item(&mut self, left: f32, number: Option<u64>, writer: &mut Writer) {
        if self.0.first().is_some_and(|(first, _)| left < first - SAME_LEVEL || left > first + COLUMN) {
            self.close(writer);
        }
        while self.0.last().is_some_and(|(last, _)| left < last - SAME_LEVEL) {
            self.close_last(writer);
        }
        let deeper = self.0.last().is_none_or(|(last, _)| left > last + SAME_LEVEL);
        if deeper && self.0.len() < MAX_LEVELS {
            writer.open_list(number);
            self.0.push((left, number));
        } else if let Some((_, last)) = self.0.last_mut() {
            writer.close();
            // Numbers that go on are one list; anything else begins another.
            let goes_on = match (*last, number) {
                (None, None) => true,
                (Some(last), Some(number)) => number == last + 1,
                _ => false,
            };
            *last = number;
            if !goes_on {
                writer.close();
                writer.open_list(number);
            }
        }
        writer.open_item();
    }

    /// Ends all lists.
    pub(super) fn close(&mut self, writer: &mut Writer) {
        while !self.0.is_empty() {
            self.close_last(writer);
        }
    }

    fn close_last(&mut self, writer: &mut Writer) {
        if self.0.pop().is_some() {
            writer.close();
            writer.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(items: &[(f32, Option<u64>, &str)]) -> String {
        let mut writer = Writer::new(1000);
        let mut lists = Lists::default();
        for (left, number, text) in items {
            lists.item(*left, *number, &mut writer);
            writer.paragraph(text);
        }
        lists.close(&mut writer);
        writer.finish().unwrap().markdown
    }

    #[test]
    fn items_nest_by_their_indent() {
        let text = written(&[(50.0, None, "a"), (70.0, None, "b"), (90.0, None, "c"), (52.0, None, "d")]);
        assert_eq!(text, "- a\n  - b\n    - c\n- d");
    }

    #[test]
    fn numbers_count_on_over_bullets_below_them() {
        let text =
            written(&[(50.0, Some(3), "a"), (70.0, None, "b"), (50.0, Some(4), "c"), (50.0, Some(1), "new")]);
        assert_eq!(text, "3. a\n   - b\n4. c\n\n1) new");
    }
}
