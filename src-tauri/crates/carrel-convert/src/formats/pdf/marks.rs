//! What was put on a page on top of its content: values of form fields, text and remarks of readers.
//!
//! They stand below the text of their page, each with its place. A field that is empty or hidden, a box that is not ticked and a password
//! are left out.

use super::read::Rule;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use carrel_engine::domain::Location;
use std::collections::BTreeMap;

/// What a reader of PDF says of an annotation; texts that it has none of are empty.
#[derive(Debug, Default)]
pub(super) struct Annotation {
    /// The number of its subtype, as PDFium counts.
    pub(super) subtype: i32,
    pub(super) flags: i32,
    pub(super) place: Option<Rule>,
    pub(super) author: String,
    pub(super) contents: String,
    pub(super) field: Option<Field>,
}

/// A field of a form.
#[derive(Debug, Default)]
pub(super) struct Field {
    /// The number of its type, as PDFium counts.
    pub(super) kind: i32,
    pub(super) flags: i32,
    pub(super) name: String,
    /// What is shown to people in place of the name.
    pub(super) label: String,
    pub(super) value: String,
    /// The state in which a button is shown: `Off`, or what it stands for where it is ticked.
    pub(super) state: String,
    /// Options that are selected.
    pub(super) selected: Vec<String>,
}

pub(super) const FREE_TEXT: i32 = 3;
pub(super) const WIDGET: i32 = 20;
/// Subtypes whose contents are a remark: text, free text, lines, shapes, marks in the text, stamps, ink, files.
const WITH_REMARKS: [i32; 15] = [1, FREE_TEXT, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17];
/// Hidden, or not to be viewed.
const UNSEEN: i32 = 2 | 32;
const CHECK_BOX: i32 = 2;
const RADIO_BUTTON: i32 = 3;
const COMBO_BOX: i32 = 4;
const LIST_BOX: i32 = 5;
const TEXT_FIELD: i32 = 6;
const PASSWORD: i32 = 1 << 13;

/// Whether an annotation of this subtype may have something to say.
pub(super) fn is_wanted(subtype: i32, flags: i32) -> bool {
    flags & UNSEEN == 0 && (subtype == WIDGET || WITH_REMARKS.contains(&subtype))
}

/// What is kept of an annotation.
#[derive(Debug, PartialEq)]
pub(super) enum Mark {
    Field { label: String, value: String },
    Ticked(String),
    Remark { author: String, text: String },
    Text(String),
}

impl Mark {
    fn of(annotation: Annotation) -> Option<Self> {
        let Annotation { subtype, flags, author, contents, field, .. } = annotation;
        if !is_wanted(subtype, flags) {
            return None;
        }
        match field {
            Some(field) => field.mark(),
            None if contents.trim().is_empty() || subtype == WIDGET => None,
            None if subtype == FREE_TEXT => Some(Self::Text(contents)),
            None => Some(Self::Remark { author, text: contents }),
        }
    }

    fn write(&self, writer: &mut Writer) {
        let item = |writer: &mut Writer, text: &str| {
            writer.open_item();
            writer.paragraph(text);
            writer.close();
        };
        match self {
            Self::Field { label, value } if label.is_empty() => item(writer, &escaped(value)),
            Self::Field { label, value } => item(writer, &format!("{}: {}", escaped(label), escaped(value))),
            Self::Ticked(label) => item(writer, format!("☑ {}", escaped(label)).trim_end()),
            Self::Remark { author, text } if author.trim().is_empty() => {
                writer.paragraph(&format!("Comment: {}", escaped(text)));
            }
            Self::Remark { author, text } => {
                writer.paragraph(&format!("Comment by {}: {}", escaped(author), escaped(text)));
            }
            Self::Text(text) => writer.paragraph(&escaped(text)),
        }
    }

    fn is_item(&self) -> bool {
        matches!(self, Self::Field { .. } | Self::Ticked(_))
    }
}

/// Whether a button with this state or value is ticked.
fn is_on(state: &str) -> bool {
    !state.is_empty() && state != "Off"
}

impl Field {
    fn is_ticked(&self) -> bool {
        is_on(if self.state.is_empty() { &self.value } else { &self.state })
    }

    fn mark(self) -> Option<Mark> {
        let label = if self.label.trim().is_empty() { short(&self.name) } else { self.label.trim() };
        let label = label.trim_end_matches(':').to_owned();
        let value = match self.kind {
            CHECK_BOX if self.is_ticked() => return Some(Mark::Ticked(label)),
            // The buttons of a group share its value.
            RADIO_BUTTON if is_on(&self.value) => self.value,
            COMBO_BOX | LIST_BOX if !self.selected.is_empty() => self.selected.join(", "),
            COMBO_BOX | LIST_BOX => self.value,
            TEXT_FIELD if self.flags & PASSWORD == 0 => self.value,
            _ => return None,
        };
        let value = lines(&value);
        (!value.is_empty()).then_some(Mark::Field { label, value })
    }
}

/// The lines of a value that hold something; forms end them with carriage returns.
fn lines(value: &str) -> String {
    let value = value.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = value.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// The last part of a field's name that is no number: `Name` of `form[0].page[0].Name[0]`.
fn short(name: &str) -> &str {
    let bare = |part: &'_ str| part.split('[').next().unwrap_or_default().len();
    let parts = name.rsplit('.').map(|part| part.get(..bare(part)).unwrap_or(part).trim());
    let mut named = parts.filter(|part| part.chars().any(char::is_alphabetic));
    named.next().unwrap_or_default()
}

/// The marks of all pages, until they are written.
#[derive(Default)]
pub(super) struct Marks(BTreeMap<u32, Vec<(Mark, Location)>>);

impl Marks {
    /// Takes those of a page. What stands on it twice (a field shown again) is kept once.
    pub(super) fn take(&mut self, page: u32, annotations: Vec<Annotation>) {
        let mut kept: Vec<(Mark, Location)> = Vec::new();
        for annotation in annotations {
            let round = |v: f32| (v * 10.0).round() / 10.0;
            let boxes = annotation
                .place
                .filter(Rule::is_placed)
                .map(|Rule { left, top, right, bottom }| [left, top, right, bottom].map(round));
            let location =
                Location { page: Some(page), boxes: boxes.into_iter().collect(), ..Location::default() };
            if let Some(mark) = Mark::of(annotation)
                && !kept.iter().rev().take(100).any(|(other, _)| *other == mark)
            {
                kept.push((mark, location));
            }
        }
        if !kept.is_empty() {
            self.0.insert(page, kept);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first page before this one that has marks.
    pub(super) fn due(&self, before: u32) -> Option<u32> {
        self.0.range(..before).next().map(|(page, _)| *page)
    }

    /// Writes those of a page.
    pub(super) fn write(&mut self, page: u32, writer: &mut Writer) {
        let mut is_open = false;
        for (mark, location) in self.0.remove(&page).unwrap_or_default() {
            if writer.is_full() {
                break;
            }
            if mark.is_item() != is_open {
                writer.locate(None);
                if is_open {
                    writer.close();
                } else {
                    writer.open_list(None);
                }
                is_open = !is_open;
            }
            writer.locate(Some(location));
            mark.write(writer);
        }
        writer.locate(None);
        if is_open {
            writer.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_called_by_its_label_or_the_end_of_its_name() {
        assert_eq!(short("form1[0].#subform[0].Name[0]"), "Name");
        assert_eq!(short("address.0"), "address");
        let field = |label: &str| Field {
            kind: TEXT_FIELD,
            name: "a.City".into(),
            label: label.into(),
            value: "Bern\r\n\rWest ".into(),
            ..Field::default()
        };
        let mark = |label: &str| Some(Mark::Field { label: label.into(), value: "Bern\nWest".into() });
        assert_eq!(field("").mark(), mark("City"));
        assert_eq!(field("Town:").mark(), mark("Town"));
    }

    #[test]
    fn what_nobody_filled_in_or_should_see_is_left_out() {
        let field = |kind, flags| Field { kind, flags, value: "Off".into(), ..Field::default() };
        assert_eq!(field(TEXT_FIELD, PASSWORD).mark(), None);
        assert_eq!(field(CHECK_BOX, 0).mark(), None);
        let hidden = Annotation { subtype: 1, flags: 2, contents: "x".into(), ..Annotation::default() };
        assert_eq!(Mark::of(hidden), None);
    }
}
