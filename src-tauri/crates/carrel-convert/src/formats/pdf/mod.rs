//! PDF through PDFium: its characters and their places, and an own pass that makes lines, columns, paragraphs, headings and tables of them.
//!
//! Every paragraph is located by page and box. Pages that give no text are read as images (`scanned`); those that give none so either are
//! named in warnings, and a document of such pages only is `no_text`.

mod aligned;
mod lines;
mod order;
mod page;
mod paragraphs;
mod read;
mod render;
mod running;
mod scanned;
mod tables;

use super::{Progress, Source, scan};
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use carrel_engine::seams::ConvertError;
use page::{Mute, Page};
use paragraphs::{Compounds, Piece, Sizes, pieces};
use scanned::Scanned;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How to get what is missing.
const WITHOUT_PDFIUM: &str = "PDF (the PDFium library is missing: `cargo xtask models` fetches it)";

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let Some(library) = source.pdfium else {
        return Err(ConvertError::UnsupportedFormat { format: WITHOUT_PDFIUM.into() });
    };
    let mut pages: Vec<Page> = Vec::new();
    let mut mute: Vec<(u32, Mute)> = Vec::new();
    let mut sparse: Vec<u32> = Vec::new();
    let about =
        read::read(library, source.bytes, source.password, source.limits.pages, &mut |number, of, raw| {
            (source.progress)(Progress { unit: "page", part: number, of });
            let Some(raw) = raw else {
                mute.push((number, Mute::Broken));
                return;
            };
            // A fault in the layout of one page costs that page.
            match catch_unwind(AssertUnwindSafe(|| page::page(number, &raw))) {
                Ok(Ok(page)) => {
                    if scanned::is_sparse(&raw) {
                        sparse.push(number);
                    }
                    pages.push(page);
                }
                Ok(Err(why)) => mute.push((number, why)),
                Err(_) => mute.push((number, Mute::Broken)),
            }
        })?;
    if about.pages == 0 {
        return Err(ConvertError::Damaged { detail: "it has no pages".into() });
    }
    let title = plausible_title(&about.title);
    let mut scanned = Scanned::read(source, library, &mute, &sparse)?;
    mute.retain(|(number, _)| !scanned.has(*number));
    pages.retain(|page| !scanned.has(page.number));
    if pages.is_empty() && scanned.is_empty() {
        return Err(if scanned.needs_model() {
            scan::needs_model(&format!("there is no text layer on {}", all(&mute)))
        } else {
            without_text(&mute, about.pages)
        });
    }
    let sizes = Sizes::of(&pages);
    running::remove(&mut pages, title.unwrap_or_default(), &sizes);
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(title) = title {
        writer.title(title);
    }
    let compounds = Compounds::of(&pages);
    write(&pieces(&pages, &sizes, &compounds), &mut scanned, &mut writer);
    warn(&mute, about.pages, &mut writer);
    let mut draft = writer.finish()?;
    scanned.tell(about.pages, &mut draft);
    Ok(draft)
}

fn write(pieces: &[Piece], scanned: &mut Scanned, writer: &mut Writer) {
    let mut in_list = false;
    for piece in pieces {
        if writer.is_full() {
            return;
        }
        let page = first_page(piece);
        if scanned.is_due(page) {
            if std::mem::take(&mut in_list) {
                writer.close();
            }
            scanned.write_before(page, writer);
        }
        let bullet = matches!(piece, Piece::Bullet(_));
        if in_list && !bullet {
            writer.close();
        } else if bullet && !in_list {
            writer.open_list(None);
        }
        in_list = bullet;
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
            Piece::Paragraph(parts) => write_parts(parts, writer),
            Piece::Bullet(parts) => {
                writer.open_item();
                write_parts(parts, writer);
                writer.close();
            }
            Piece::Table(table, place) => {
                writer.locate(Some(place.clone()));
                writer.open_table();
                for row in &table.rows {
                    let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
                    writer.row(&cells, None);
                }
                writer.close_table();
            }
        }
    }
    if in_list {
        writer.close();
    }
    scanned.write_before(u32::MAX, writer);
}

/// The page on which a piece begins.
fn first_page(piece: &Piece) -> u32 {
    let place = match piece {
        Piece::Heading { place, .. } | Piece::Code(_, place) | Piece::Table(_, place) => Some(place),
        Piece::Paragraph(parts) | Piece::Bullet(parts) => parts.first().map(|part| &part.place),
    };
    place.and_then(|place| place.page).unwrap_or_default()
}

fn write_parts(parts: &[paragraphs::Part], writer: &mut Writer) {
    let texts: Vec<String> = parts
        .iter()
        .map(|part| {
            let text = escaped(&part.text);
            // The space to the next part is kept.
            if part.text.ends_with(' ') { text + " " } else { text }
        })
        .collect();
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

fn without_text(mute: &[(u32, Mute)], pages: u32) -> ConvertError {
    let of = |why| named(mute, why);
    if mute.iter().all(|(_, why)| *why == Mute::Broken) {
        return ConvertError::Damaged { detail: format!("none of its {pages} pages can be read") };
    }
    let mut parts = Vec::new();
    if let Some(pages) = of(Mute::NoText) {
        parts.push(format!("{pages}: an image or empty"));
    }
    if let Some(pages) = of(Mute::Garbled) {
        parts.push(format!("{pages}: the fonts do not say which characters they show"));
    }
    if let Some(pages) = of(Mute::Broken) {
        parts.push(format!("{pages}: damaged"));
    }
    ConvertError::NoText { detail: parts.join("; ") }
}

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
    if let Some(which) = named(mute, Mute::Broken) {
        writer.missing("damaged", format!("{which} could not be read"));
    }
}

/// The pages that are mute for this reason: `page 3`, `pages 1–4, 7`.
fn named(mute: &[(u32, Mute)], why: Mute) -> Option<String> {
    runs(mute.iter().filter(|(_, w)| *w == why))
}

/// All pages that are mute.
fn all(mute: &[(u32, Mute)]) -> String {
    runs(mute.iter()).unwrap_or_default()
}

fn runs<'a>(mute: impl Iterator<Item = &'a (u32, Mute)>) -> Option<String> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (page, _) in mute {
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
