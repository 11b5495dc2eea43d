//! What a document is made of, each with its place: one box for every line.

use super::lines::Line;
use super::page::Page;
use super::read::Rule;
use super::tables::Table;
use super::words::{Compounds, end_line};
use carrel_engine::domain::Location;

/// A piece of the document.
#[derive(Debug)]
pub(super) enum Piece {
    Heading {
        level: u8,
        text: String,
        place: Location,
    },
    Paragraph(Vec<Part>),
    /// A note below the text.
    Note(Vec<Part>),
    /// An item of a list; its number, where it counts; how far it is from the edge of the page at which lines begin.
    Item {
        left: f32,
        number: Option<u64>,
        parts: Vec<Part>,
    },
    /// Rows of cells.
    Table(Vec<(Vec<String>, Location)>),
    /// Lines of a font of one width, as they stand.
    Code(String, Location),
}

/// The part of a paragraph that stands on one line. A blank at its end belongs between it and the next.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) place: Location,
}

impl Piece {
    /// The page on which it begins.
    pub(super) fn page(&self) -> Option<u32> {
        let place = match self {
            Self::Heading { place, .. } | Self::Code(_, place) => Some(place),
            Self::Table(rows) => rows.first().map(|(_, place)| place),
            Self::Paragraph(parts) | Self::Note(parts) | Self::Item { parts, .. } => {
                parts.first().map(|part| &part.place)
            }
        };
        place?.page
    }
}

/// Lines as parts of one paragraph.
pub(super) fn parts(lines: &[&Line], page: &Page, compounds: &Compounds) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(lines.len());
    for line in lines {
        let text = line.text.trim();
        if text.is_empty() {
            continue;
        }
        if let Some(last) = parts.last_mut() {
            end_line(&mut last.text, text, compounds);
        }
        parts.push(Part { text: text.to_owned(), place: location(page, &[line.place()]) });
    }
    parts
}

/// The text of parts.
pub(super) fn text_of(parts: &[Part]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect()
}

/// A table of a page.
pub(super) fn rows(table: &Table, page: &Page) -> Piece {
    Piece::Table(table.rows.iter().map(|row| (row.cells.clone(), location(page, &[row.place]))).collect())
}

/// Boxes on a page, to a tenth of a point.
pub(super) fn location(page: &Page, boxes: &[Rule]) -> Location {
    let round = |v: f32| (v * 10.0).round() / 10.0;
    let boxes = boxes.iter().map(|b| {
        let Rule { left, top, right, bottom } = page.upright.on_page(*b);
        [round(left), round(top), round(right), round(bottom)]
    });
    Location { page: Some(page.number), boxes: boxes.collect(), ..Location::default() }
}

/// Lines of code with their indents, and blank lines where they stand apart.
pub(super) fn code(lines: &[&Line]) -> String {
    let left = lines.iter().map(|l| l.left).fold(f32::MAX, f32::min);
    let widths = lines.iter().map(|l| (l.right - l.left) / l.chars().max(1) as f32);
    let width = widths.fold(f32::MAX, f32::min).max(1.0);
    let mut out = String::new();
    let mut last: Option<&Line> = None;
    for line in lines {
        if let Some(last) = last {
            let blank = line.baseline - last.baseline > 1.9 * line.size;
            out.push_str(if blank { "\n\n" } else { "\n" });
        }
        let indent = ((line.left - left) / width).round().clamp(0.0, 80.0) as usize;
        out.push_str(&" ".repeat(indent));
        out.push_str(&line.text);
        last = Some(line);
    }
    out
}
