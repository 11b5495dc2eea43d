//! The texts of the slides, from their shapes or from the outline that the document keeps of them.

use super::record::{Directory, Record, Records, kind};
use crate::build::inline::escaped;
use crate::build::table::MAX_COLUMNS;
use crate::formats::ole::{u16_at, u32_at, wide};
use std::collections::HashMap;

/// Groups inside each other.
const MAX_GROUPS: usize = 64;

/// A text of a shape: its paragraphs, each with its level.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) kind: u32,
    pub(super) paragraphs: Vec<(u8, String)>,
    /// The cells, where it is a table.
    pub(super) rows: Vec<Vec<String>>,
}

impl Text {
    pub(super) fn is_empty(&self) -> bool {
        self.paragraphs.iter().all(|(_, p)| p.trim().is_empty()) && self.rows.is_empty()
    }

    pub(super) fn is_title(&self) -> bool {
        matches!(self.kind, kind::TITLE | kind::CENTRED_TITLE)
    }

    /// Bodies are lists unless something says otherwise.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.kind, kind::BODY | kind::HALF_BODY | kind::QUARTER_BODY)
    }
}

/// What a slide holds.
#[derive(Default, Debug)]
pub(super) struct Slide {
    pub(super) texts: Vec<Text>,
    pub(super) notes: Vec<Text>,
    /// Author and text.
    pub(super) comments: Vec<(String, String)>,
    pub(super) hidden: bool,
}

/// The slides in their order.
pub(super) fn slides(stream: &[u8], user: &[u8]) -> Vec<Slide> {
    if let Some(directory) = Directory::read(stream, user)
        && let Some(slides) = listed(stream, &directory)
        && !slides.is_empty()
    {
        return slides;
    }
    // Without a directory: as they lie in the stream.
    let slides = Records::of(stream).filter(|r| r.kind == kind::SLIDE);
    slides.map(|record| read(&record, &[], None)).collect()
}

/// Slides as the document lists them.
fn listed(stream: &[u8], directory: &Directory) -> Option<Vec<Slide>> {
    let document = directory.get(stream, directory.document).filter(|r| r.kind == kind::DOCUMENT)?;
    let lists: Vec<Record<'_>> = document.children().filter(|r| r.kind == kind::LIST_WITH_TEXT).collect();
    let list = |instance| lists.iter().find(|l| l.instance == instance);
    // Each object is listed once: what is listed again and again is not read again and again.
    let mut left = 2 * stream.len();
    let mut once = |number: u32| {
        let record = directory.get(stream, number)?;
        left = left.checked_sub(record.data.len())?;
        Some(record)
    };
    let mut notes: HashMap<u32, Record<'_>> = list(2)
        .into_iter()
        .flat_map(Record::children)
        .filter(|r| r.kind == kind::PERSIST)
        .filter_map(|r| Some((u32_at(r.data, 12)?, once(u32_at(r.data, 0)?)?)))
        .filter(|(_, r)| r.kind == kind::NOTES)
        .collect();
    let mut slides = Vec::new();
    // A slide, and the texts that the outline has of it.
    let mut open: Option<(Option<Record<'_>>, Vec<Record<'_>>)> = None;
    let mut finish = |open: &mut Option<(Option<Record<'_>>, Vec<Record<'_>>)>| {
        let Some((record, outline)) = open.take() else { return };
        let outline = texts(&outline);
        slides.push(match record {
            Some(record) => {
                let of_notes = record
                    .child(kind::SLIDE_ATOM)
                    .and_then(|atom| u32_at(atom.data, 16))
                    .filter(|id| *id != 0)
                    // Each slide has notes of its own.
                    .and_then(|id| notes.remove(&id));
                read(&record, &outline, of_notes.as_ref())
            }
            None => Slide { texts: outline, ..Slide::default() },
        });
    };
    for record in list(0)?.children() {
        if record.kind == kind::PERSIST {
            finish(&mut open);
            let slide = u32_at(record.data, 0).and_then(&mut once);
            open = Some((slide.filter(|r| r.kind == kind::SLIDE), Vec::new()));
        } else if let Some((_, outline)) = &mut open {
            outline.push(record);
        }
    }
    finish(&mut open);
    Some(slides)
}

fn read(slide: &Record<'_>, outline: &[Text], notes: Option<&Record<'_>>) -> Slide {
    let mut used = vec![false; outline.len()];
    let mut found = Slide::default();
    let mut shapes = Vec::new();
    shapes_of(slide, 0, &mut shapes);
    for shape in shapes {
        if shape.kind == kind::GROUP {
            found.texts.push(Text { kind: kind::OTHER, paragraphs: Vec::new(), rows: table(&shape) });
            continue;
        }
        let from = found.texts.len();
        let holder = shape.child(kind::CLIENT_DATA).and_then(|d| d.child(kind::PLACEHOLDER));
        let holder = holder.and_then(|h| h.data.get(4).copied());
        let Some(shape) = shape.child(kind::TEXT_BOX) else { continue };
        let reference = shape.child(kind::OUTLINE_REFERENCE).and_then(|r| u32_at(r.data, 0));
        if let Some((text, used)) = reference
            .and_then(|i| usize::try_from(i).ok())
            .and_then(|i| Some((outline.get(i)?, used.get_mut(i)?)))
        {
            if !std::mem::replace(used, true) {
                found.texts.push(text.clone());
            }
        } else {
            let records: Vec<Record<'_>> = shape.children().collect();
            found.texts.extend(texts(&records));
        }
        // What a title is, its place on the master says where the text does not.
        if let (Some(13 | 15), Some(text)) = (holder, found.texts.get_mut(from)) {
            text.kind = if holder == Some(15) { kind::CENTRED_TITLE } else { kind::TITLE };
        }
    }
    // What no shape shows is kept all the same.
    for (text, used) in outline.iter().zip(used) {
        if !used {
            found.texts.push(text.clone());
        }
    }
    for shape in notes.map(|n| n.all(&[kind::TEXT_BOX])).unwrap_or_default() {
        let records: Vec<Record<'_>> = shape.children().collect();
        found.notes.extend(texts(&records).into_iter().filter(|t| t.kind == kind::NOTES_TEXT));
    }
    found.notes.retain(|t| !t.is_empty());
    if let Some(show) = slide.child(kind::SHOW) {
        found.hidden = u16_at(show.data, 10).is_some_and(|flags| flags & 4 != 0);
    }
    for comment in slide.all(&[kind::COMMENT]) {
        let string = |instance| {
            let mut strings = comment.children().filter(|r| r.kind == kind::STRING && r.instance == instance);
            strings.next().map(|r| wide(r.data)).unwrap_or_default()
        };
        if !string(1).trim().is_empty() {
            found.comments.push((string(0), string(1)));
        }
    }
    found
}

/// Shapes in their order, groups opened; a group that is a table stays one.
fn shapes_of<'a>(record: &Record<'a>, depth: usize, out: &mut Vec<Record<'a>>) {
    for child in record.children() {
        match child.kind {
            kind::SHAPE => out.push(child),
            kind::GROUP if is_table(&child) => out.push(child),
            kind::GROUP | kind::DRAWING | kind::SHAPES if depth < MAX_GROUPS => {
                shapes_of(&child, depth + 1, out);
            }
            _ => {}
        }
    }
}

/// Whether a group says that it is a table.
fn is_table(group: &Record<'_>) -> bool {
    let Some(own) = group.child(kind::SHAPE) else { return false };
    let options = own.children().filter(|r| matches!(r.kind, 0xf00b | 0xf121 | 0xf122));
    options.into_iter().any(|options| {
        let properties = options.data.as_chunks::<6>().0.iter().take(usize::from(options.instance));
        properties.into_iter().any(|p| u16_at(p, 0) == Some(0x039f) && p[2] & 1 != 0)
    })
}

/// The cells of a table by where they are drawn.
fn table(group: &Record<'_>) -> Vec<Vec<String>> {
    let mut cells: Vec<(u32, u32, String)> = Vec::new();
    for shape in group.children().filter(|r| r.kind == kind::SHAPE).skip(1) {
        let (Some(anchor), Some(text)) = (shape.child(kind::CHILD_ANCHOR), shape.child(kind::TEXT_BOX))
        else {
            continue;
        };
        let records: Vec<Record<'_>> = text.children().collect();
        let paragraphs = texts(&records).into_iter().flat_map(|t| t.paragraphs);
        let lines: Vec<String> =
            paragraphs.map(|(_, p)| p.trim().to_owned()).filter(|p| !p.is_empty()).collect();
        if let (Some(left), Some(top)) = (u32_at(anchor.data, 0), u32_at(anchor.data, 4)) {
            cells.push((top, left, escaped(&lines.join(" "))));
        }
    }
    let places = |of: fn(&(u32, u32, String)) -> u32| {
        let mut places: Vec<u32> = cells.iter().map(of).collect();
        places.sort_unstable();
        places.dedup();
        places.truncate(MAX_COLUMNS);
        places
    };
    let (tops, lefts) = (places(|c| c.0), places(|c| c.1));
    let mut rows = vec![vec![String::new(); lefts.len()]; tops.len()];
    for (top, left, text) in cells {
        if let (Ok(row), Ok(column)) = (tops.binary_search(&top), lefts.binary_search(&left))
            && let Some(cell) = rows.get_mut(row).and_then(|r| r.get_mut(column))
        {
            *cell = text;
        }
    }
    rows
}

/// Texts among records that follow each other: a head, characters, and their style.
fn texts(records: &[Record<'_>]) -> Vec<Text> {
    let mut found: Vec<Text> = Vec::new();
    for record in records {
        match record.kind {
            kind::TEXT_HEADER => {
                found.push(Text { kind: u32_at(record.data, 0).unwrap_or(kind::OTHER), ..Text::default() });
            }
            kind::CHARACTERS | kind::BYTES => {
                let text = if record.kind == kind::CHARACTERS {
                    wide(record.data)
                } else {
                    encoding_rs::WINDOWS_1252.decode_without_bom_handling(record.data).0.into_owned()
                };
                if found.is_empty() {
                    found.push(Text { kind: kind::OTHER, ..Text::default() });
                }
                if let Some(last) = found.last_mut() {
                    last.paragraphs.extend(text.split(['\r', '\n']).map(|p| (0, p.to_owned())));
                }
            }
            kind::STYLE => {
                if let Some(last) = found.last_mut() {
                    levels(record.data, last);
                }
            }
            _ => {}
        }
    }
    found
}

/// Sets the levels of paragraphs from their properties.
fn levels(style: &[u8], text: &mut Text) {
    let mut at = 0;
    let mut paragraphs = text.paragraphs.iter_mut();
    // Characters of the run that are left.
    let mut left = 0_usize;
    let mut level = 0;
    loop {
        if left == 0 {
            let Some((count, own, next)) = run(style, at) else { return };
            if count == 0 {
                return;
            }
            (left, level, at) = (count, own, next);
        }
        let Some((of, paragraph)) = paragraphs.next() else { return };
        *of = level;
        let length = paragraph.encode_utf16().count() + 1;
        // A run ends with a paragraph.
        left = left.saturating_sub(length);
    }
}

/// Characters and level of a run of paragraphs, and where the next begins.
fn run(style: &[u8], at: usize) -> Option<(usize, u8, usize)> {
    let count = u32_at(style, at)? as usize;
    let level = u16_at(style, at + 4)?.min(8) as u8;
    let mask = u32_at(style, at + 6)?;
    let set = |bits: u32| mask & bits != 0;
    let mut next = at + 10;
    // Flags of bullets, character, font, size, colour.
    for (bits, size) in [(0x0f, 2), (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4)] {
        next += if set(bits) { size } else { 0 };
    }
    // Alignment, spacing and margins, in the order of the file.
    for bits in [0x0800, 0x1000, 0x2000, 0x4000, 0x0100, 0x0400, 0x8000] {
        next += if set(bits) { 2 } else { 0 };
    }
    if set(0x0010_0000) {
        next += 2 + 4 * usize::from(u16_at(style, next)?);
    }
    for bits in [0x0001_0000, 0x000e_0000, 0x0020_0000] {
        next += if set(bits) { 2 } else { 0 };
    }
    Some((count, level, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, version: u16, data: &[u8]) -> Vec<u8> {
        [&version.to_le_bytes()[..], &kind.to_le_bytes(), &(data.len() as u32).to_le_bytes(), data].concat()
    }

    #[test]
    fn a_slide_that_is_listed_again_and_again_is_not_read_again_and_again() {
        let text: Vec<u8> = "words of a slide".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let box_of_text = record(kind::TEXT_BOX, 0xf, &record(kind::CHARACTERS, 0, &text));
        let shape = record(kind::SHAPE, 0xf, &box_of_text);
        let drawing = record(kind::DRAWING, 0xf, &record(kind::SHAPES, 0xf, &shape));
        let slide = record(kind::SLIDE, 0xf, &drawing);
        let listed = record(kind::PERSIST, 0, &[7, 0, 0, 0].repeat(4)).repeat(1_000);
        let document = record(kind::DOCUMENT, 0xf, &record(kind::LIST_WITH_TEXT, 0xf, &listed));
        let numbers = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        let (at, directory) = (slide.len() as u32, (slide.len() + document.len()) as u32);
        // The document is number 6, the slide 7.
        let places = record(kind::DIRECTORY, 0, &numbers(&[(2 << 20) | 6, at, 0]));
        let edit = record(kind::EDIT, 0, &numbers(&[0, 0, 0, directory, 6]));
        let user = numbers(&[0, 0, 0, 0, directory + places.len() as u32]);
        let stream = [slide.clone(), document, places, edit].concat();
        let slides = slides(&stream, &user);
        let read = slides.iter().filter(|slide| !slide.texts.is_empty()).count();
        assert_eq!(slides.len(), 1_000);
        assert!(read > 0 && read <= 2 * stream.len() / (slide.len() - 8), "{read}");
    }
}
