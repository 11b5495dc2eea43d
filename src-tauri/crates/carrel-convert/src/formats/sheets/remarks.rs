//! Comments and text in shapes of an XLS: their records stand after the cells, and refer to each other.

use super::biff::{characters, kind};
use super::place;
use crate::formats::ole::{u8_at, u16_at};
use std::collections::BTreeMap;

/// Comments and texts of shapes, as the records of a sheet give them.
#[derive(Default)]
pub(super) struct Remarks {
    /// The shape that is being described.
    object: u16,
    /// How many characters of its text are still to come.
    rest: usize,
    /// Texts by shape.
    texts: BTreeMap<u16, String>,
    /// Comments: their places, and the shapes that hold their texts.
    notes: Vec<(String, u16)>,
    /// Place and text.
    said: Vec<(String, String)>,
}

impl Remarks {
    /// A comment whose text stands beside it.
    pub(super) fn comment(&mut self, row: u16, column: u16, text: String) {
        self.said.push((place(row.into(), column.into()), text));
    }

    /// Takes a record of the sheet.
    pub(super) fn record(&mut self, kind: u16, data: &[u8]) {
        match kind {
            kind::OBJECT => self.object = u16_at(data, 6).unwrap_or_default(),
            kind::OBJECT_TEXT => self.rest = u16_at(data, 10).unwrap_or_default().into(),
            kind::CONTINUE if self.rest > 0 => {
                let is_wide = u8_at(data, 0).is_some_and(|flags| flags & 1 != 0);
                let text = characters(data, 1, self.rest, is_wide).unwrap_or_default();
                self.rest = self.rest.saturating_sub(text.encode_utf16().count().max(1));
                self.texts.entry(self.object).or_default().push_str(&text);
            }
            kind::NOTE => {
                if let (Some(row), Some(column), Some(object)) =
                    (u16_at(data, 0), u16_at(data, 2), u16_at(data, 6))
                {
                    self.notes.push((place(row.into(), column.into()), object));
                }
            }
            _ => {}
        }
    }

    /// Comments with their places, then what else stands in shapes, which has none.
    pub(super) fn all(mut self) -> Vec<(String, String)> {
        let mut said = self.said;
        said.extend(
            self.notes.into_iter().filter_map(|(place, object)| Some((place, self.texts.remove(&object)?))),
        );
        said.extend(self.texts.into_values().map(|text| (String::new(), text)));
        for (_, text) in &mut said {
            *text = text.trim().to_owned();
        }
        said.retain(|(_, text)| !text.is_empty());
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_places_and_other_shapes_have_none() {
        let mut remarks = Remarks::default();
        for (object, text) in [(7_u8, "why"), (9, "in a box")] {
            remarks.record(kind::OBJECT, &[0x15, 0, 0x12, 0, 0x19, 0, object, 0]);
            let length = text.len() as u8;
            remarks.record(kind::OBJECT_TEXT, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, length, 0]);
            let (head, tail) = text.split_at(2);
            remarks.record(kind::CONTINUE, &[&[0], head.as_bytes()].concat());
            remarks.record(kind::CONTINUE, &[&[0], tail.as_bytes()].concat());
            // The formats of the text follow it.
            remarks.record(kind::CONTINUE, &[0; 16]);
        }
        remarks.record(kind::NOTE, &[2, 0, 1, 0, 0, 0, 7, 0]);
        let pair = |place: &str, text: &str| (place.to_owned(), text.to_owned());
        assert_eq!(remarks.all(), [pair("B3", "why"), pair("", "in a box")]);
    }
}
