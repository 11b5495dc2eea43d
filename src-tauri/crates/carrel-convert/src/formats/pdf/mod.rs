//! PDF through PDFium, or without it through a simpler reader: characters and their places, and an own pass that makes lines,
//! columns, paragraphs, headings, lists and tables of them.
//!
//! Every line is located by page and box. Filled fields and remarks stand below the text of their page, attached files at the end. Whether a page has usable text or must be read from its image is said by
//! [`usable::verdict`]; [`read::Sheet`] draws it and [`Scanned`] reads it. Pages that give no text either way are named in warnings; a
//! document of such pages only is `no_text`, or waits for the model that reads images.

mod aligned;
mod columns;
mod figures;
mod forms;
#[cfg(feature = "fuzz")]
pub(super) mod fuzz;
mod items;
mod lines;
mod list;
mod marks;
mod numbering;
mod order;
mod outline;
mod oxide;
mod page;
mod paragraphs;
mod pdfium;
mod piece;
mod read;
mod running;
mod scanned;
mod sequence;
mod sizes;
mod stacked;
mod symbols;
mod tables;
mod upright;
mod usable;
mod words;

use super::nested::{Part as File, Parts};
use super::{Progress, Source, scan};
use crate::build::Draft;
use crate::build::inline::{escaped, escaped_parts};
use crate::build::writer::Writer;
use crate::catalogue::simple_pdf;
use crate::text::clean;
use carrel_engine::seams::ConvertError;
use list::Lists;
use marks::Marks;
use outline::Outline;
use page::Page;
use paragraphs::pieces;
use piece::{Part, Piece};
use read::{About, Attached, Sheet};
use scanned::{Scanned, Seen};
use sizes::Sizes;
use std::panic::{AssertUnwindSafe, catch_unwind};
use usable::{Mute, Verdict};
use words::Compounds;

/// What is said of a document that the simpler reader read.
const SIMPLE: &str = "read without the PDFium library, by a simpler reader: headings and the order of columns may be less true, \
                      pages that are images are not read, \
                      nor form fields, remarks and attached files";

/// Headings of attached files.
const ATTACHED_LEVEL: u8 = 2;

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let mut pages: Vec<Page> = Vec::new();
    let mut mute: Vec<(u32, Mute)> = Vec::new();
    let mut scanned = Scanned::new(source);
    let mut marks = Marks::default();
    let about = read(source, &mut |mut sheet| {
        (source.progress)(Progress { unit: "page", part: sheet.number, of: sheet.of });
        marks.take(sheet.number, std::mem::take(&mut sheet.annotations));
        // A fault in the layout of one page costs that page.
        let (page, why) = catch_unwind(AssertUnwindSafe(|| take(&sheet, &mut scanned)))
            .unwrap_or((None, Some(Mute::Broken)));
        pages.extend(page);
        mute.extend(why.map(|why| (sheet.number, why)));
    })?;
    scanned.check()?;
    if about.pages == 0 {
        return Err(ConvertError::Damaged { detail: "it has no pages".into() });
    }
    let title = plausible_title(&about.title);
    // The simpler reader draws no pages that a model could read.
    let none =
        |scanned: &Scanned<'_>| Err(without_text(&mute, about.pages, scanned.needs_model() && !about.simple));
    if pages.is_empty() && scanned.is_empty() && marks.is_empty() && about.attached.is_empty() {
        return none(&scanned);
    }
    let sizes = Sizes::of(&pages);
    running::remove(&mut pages, title.unwrap_or_default(), &sizes, about.pages);
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(title) = title {
        writer.title(title);
    }
    let compounds = Compounds::of(&pages);
    let pieces = pieces(&pages, &sizes, &compounds, Outline::of(&about.outline));
    write(&pieces, &mut scanned, &mut marks, &mut writer);
    writer.locate(None);
    write_attached(&about.attached, source, &mut writer);
    warn(&mute, about.pages, &mut writer);
    for (count, what) in [(about.left_out.0, "attached files"), (about.left_out.1, "form fields and remarks")]
    {
        if count > 0 {
            writer.missing("too_many_parts", format!("{count} {what} were not read: there are too many"));
        }
    }
    if about.simple {
        writer.note("simple_reader", SIMPLE);
    }
    let mut draft = writer.finish()?;
    if draft.markdown.trim().is_empty() {
        return none(&scanned);
    }
    if about.simple {
        draft.converter = Some(simple_pdf(false));
    } else {
        scanned.tell(about.pages, &mut draft);
    }
    Ok(draft)
}

/// Reads with PDFium, or with the simpler reader where it cannot be loaded.
fn read(source: &Source<'_>, on_page: &mut dyn FnMut(Sheet<'_>)) -> Result<About, ConvertError> {
    let Source { bytes, password, limits, .. } = *source;
    match source.pdfium.and_then(pdfium::bind) {
        Some(pdfium) => pdfium::read(&pdfium, bytes, password, limits.pages, source.budget, on_page),
        None => oxide::read(bytes, password, limits.pages, on_page),
    }
}

/// The text of a page, and why it or a part of it has none. Of a page that was read from its image both are `None`.
fn take(sheet: &Sheet<'_>, scanned: &mut Scanned<'_>) -> (Option<Page>, Option<Mute>) {
    let Some(raw) = &sheet.raw else { return (None, Some(Mute::Broken)) };
    let (page, why) = match usable::verdict(raw) {
        Verdict::Usable => (page::page(sheet.number, raw, false), None),
        Verdict::Mapped(why) => (page::page(sheet.number, raw, true), why),
        Verdict::NeedsOcr(Mute::NoText) if usable::is_blank(raw, sheet.render) => {
            return (None, Some(Mute::Blank));
        }
        Verdict::NeedsOcr(why) => (None, Some(why)),
    };
    let Some(why) = why.or_else(|| page.is_none().then_some(Mute::NoText)) else { return (page, None) };
    let known = if page.is_some() { usable::mapped_letters(raw) } else { 0 };
    match scanned.read(sheet, raw.width, known) {
        Seen::Text => (None, None),
        // Nothing is missing beside the stamp.
        Seen::NoMore if page.is_some() && why == Mute::NoText => (page, None),
        Seen::NoMore | Seen::Unread => (page, Some(why)),
    }
}

/// The pages before this one that are not made of pieces, and what lies on top of pages.
fn write_before(page: u32, scanned: &mut Scanned<'_>, marks: &mut Marks, writer: &mut Writer) {
    while let Some(marked) = marks.due(page) {
        scanned.write_before(marked.saturating_add(1), writer);
        marks.write(marked, writer);
    }
    scanned.write_before(page, writer);
}

/// Attached files, each below a heading with its name.
fn write_attached(attached: &[Attached], source: &Source<'_>, writer: &mut Writer) {
    let mut parts = Parts::new(source);
    for Attached { name, content } in attached {
        if writer.is_full() {
            break;
        }
        match content {
            Ok(bytes) => parts.write(writer, ATTACHED_LEVEL, &File { name, bytes }),
            Err(why) => parts.unread(writer, &clean::line(name), why),
        }
    }
    parts.close(writer);
}

fn write(pieces: &[Piece], scanned: &mut Scanned<'_>, marks: &mut Marks, writer: &mut Writer) {
    let mut lists = Lists::default();
    for piece in pieces {
        if writer.is_full() {
            return;
        }
        let page = piece.page().unwrap_or_default();
        let is_due = scanned.is_due(page) || marks.due(page).is_some();
        if is_due || !matches!(piece, Piece::Item { .. }) {
            lists.close(writer);
        }
        if is_due {
            write_before(page, scanned, marks, writer);
        }
        match piece {
            Piece::Heading { level, text, place } => {
                if *level == 1 && place.page == Some(1) && !text.starts_with(|c: char| c.is_ascii_digit()) {
                    writer.title(text);
                }
                writer.locate(Some(place.clone()));
                writer.heading(*level, &escaped(text), text);
            }
            Piece::Code(code, place) => {
                writer.locate(Some(place.clone()));
                writer.code(None, code);
            }
            Piece::Paragraph(parts) | Piece::Note(parts) => write_parts(parts, writer),
            Piece::Item { left, number, parts } => {
                lists.item(*left, *number, writer);
                write_parts(parts, writer);
            }
            Piece::Table(rows) => {
                writer.open_table();
                for (row, place) in rows {
                    let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
                    writer.row(&cells, Some(place.clone()));
                }
                writer.close_table();
            }
        }
    }
    lists.close(writer);
    write_before(u32::MAX, scanned, marks, writer);
}

fn write_parts(parts: &[Part], writer: &mut Writer) {
    let texts = escaped_parts(parts.iter().map(|part| part.text.as_str()));
    let parts: Vec<_> =
        texts.iter().zip(parts).map(|(text, part)| (text.as_str(), Some(part.place.clone()))).collect();
    writer.paragraph_parts(&parts);
}

/// The title of the document's own, unless it is what a program put there.
fn plausible_title(title: &str) -> Option<&str> {
    let title = title.trim();
    let lower = title.to_lowercase();
    let file = [
        ".doc", ".docx", ".pdf", ".tex", ".dvi", ".indd", ".qxd", ".rtf", ".ppt", ".pptx", ".xls", ".xlsx",
        ".pages", ".ps",
    ];
    let junk = title.chars().count() < 3
        || lower.starts_with("microsoft ")
        || lower.starts_with("untitled")
        || lower.starts_with("slide 1")
        || lower.starts_with("powerpoint presentation")
        || file.iter().any(|f| lower.ends_with(f))
        || !title.chars().any(char::is_alphabetic)
        || title.contains('\u{fffd}');
    (!junk).then_some(title)
}

fn without_text(mute: &[(u32, Mute)], pages: u32, needs_model: bool) -> ConvertError {
    if mute.iter().all(|(_, why)| *why == Mute::Broken) {
        return ConvertError::Damaged { detail: format!("none of its {pages} pages can be read") };
    }
    let reasons = [
        (Mute::NoText, "no text layer, but an image or a drawing"),
        (Mute::Garbled, "the fonts do not say which characters they show"),
        (Mute::Broken, "damaged"),
        (Mute::Blank, "empty"),
    ];
    let parts: Vec<String> = reasons
        .into_iter()
        .filter_map(|(why, reason)| Some(format!("{}: {reason}", named(mute, why)?)))
        .collect();
    let detail = parts.join("; ");
    if needs_model { scan::needs_model(&detail) } else { ConvertError::NoText { detail } }
}

/// Names what is missing; nothing is missing of a blank page.
fn warn(mute: &[(u32, Mute)], pages: u32, writer: &mut Writer) {
    if let Some(which) = named(mute, Mute::NoText) {
        writer.missing("no_text_layer", format!("no text layer on {which} of {pages}"));
    }
    if let Some(which) = named(mute, Mute::Garbled) {
        writer.missing(
            "garbled",
            format!("{which}: the fonts do not say which characters they show; the text was left out"),
        );
    }
    if let Some(which) = named(mute, Mute::PartlyGarbled) {
        writer.missing(
            "garbled",
            format!("{which}: some fonts do not say which characters they show; their text was left out"),
        );
    }
    if let Some(which) = named(mute, Mute::Broken) {
        writer.missing("damaged", format!("{which} could not be read"));
    }
}

/// The pages that are mute for this reason: `page 3`, `pages 1–4, 7`.
fn named(mute: &[(u32, Mute)], why: Mute) -> Option<String> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (page, _) in mute.iter().filter(|(_, w)| *w == why) {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *page => *end = *page,
            _ => runs.push((*page, *page)),
        }
    }
    let text: Vec<String> = runs
        .iter()
        .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}–{to}") })
        .collect();
    match runs.as_slice() {
        [] => None,
        [(from, to)] if from == to => Some(format!("page {from}")),
        _ => Some(format!("pages {}", text.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_in_runs() {
        let mute = [(1, Mute::NoText), (2, Mute::NoText), (4, Mute::Garbled), (5, Mute::NoText)];
        assert_eq!(named(&mute, Mute::NoText).as_deref(), Some("pages 1–2, 5"));
        assert_eq!(named(&mute, Mute::Garbled).as_deref(), Some("page 4"));
        assert_eq!(named(&mute, Mute::Broken), None);
    }

    #[test]
    fn titles_of_programs_are_not_titles() {
        assert_eq!(plausible_title(" The Carrel "), Some("The Carrel"));
        for junk in ["Microsoft Word - a.doc", "untitled", "paper.dvi", "12", ""] {
            assert_eq!(plausible_title(junk), None);
        }
    }
}
