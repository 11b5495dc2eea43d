//! The simpler reader where the PDFium library cannot be loaded: `pdf_oxide`, pure Rust, behind the same page.
//!
//! It draws no pages (so none is read from its image), gives neither outline nor title, form fields, remarks nor attached files, and its Arabic and Hebrew are less true.
//! A page that it cannot read, or in which it panics, costs that page.

use super::read::{About, Drawn, Frame, Glyph, RawPage, Rule, Sheet, font_number, is_bold, is_mono};
use super::symbols;
use super::upright::Upright;
use carrel_engine::seams::ConvertError;
use pdf_oxide::PdfDocument;
use pdf_oxide::elements::{PathContent, PathOperation};
use pdf_oxide::layout::{FontWeight, TextChar};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Paths beyond this are a drawing.
const MAX_PATHS: usize = 20_000;
/// Parts of the size of letters above and below their baseline.
const ASCENT: f32 = 0.8;
const DESCENT: f32 = 0.2;
/// The width of letters where it is not known, in sizes.
const TURNED_WIDTH: f32 = 0.65;

/// Reads a document page by page.
pub(super) fn read(
    bytes: &[u8],
    password: Option<&str>,
    max_pages: u32,
    on_page: &mut dyn FnMut(Sheet<'_>),
) -> Result<About, ConvertError> {
    let guarded = |act: &mut dyn FnMut() -> Result<(PdfDocument, u32), ConvertError>| {
        catch_unwind(AssertUnwindSafe(act))
            .unwrap_or_else(|_| Err(ConvertError::Damaged { detail: "its structure cannot be read".into() }))
    };
    let (document, pages) = guarded(&mut || open(bytes, password))?;
    if pages > max_pages {
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }
    for index in 0..pages {
        let raw = catch_unwind(AssertUnwindSafe(|| page(&document, index as usize))).ok().flatten();
        let annotations = Vec::new();
        on_page(Sheet { number: index + 1, of: pages, raw, annotations, render: &|_| None });
    }
    Ok(About {
        title: String::new(),
        pages,
        outline: Vec::new(),
        attached: Vec::new(),
        left_out: (0, 0),
        simple: true,
    })
}

fn open(bytes: &[u8], password: Option<&str>) -> Result<(PdfDocument, u32), ConvertError> {
    let damaged =
        |_: pdf_oxide::Error| ConvertError::Damaged { detail: "its structure cannot be read".into() };
    let document = PdfDocument::from_bytes(bytes.to_vec()).map_err(damaged)?;
    if document.is_encrypted() && !document.is_authenticated() {
        let Some(password) = password else { return Err(ConvertError::NeedsPassword) };
        match document.authenticate(password.as_bytes()) {
            Ok(true) => {}
            Ok(false) => return Err(ConvertError::WrongPassword),
            Err(_) => {
                let format = "PDF with this kind of encryption".into();
                return Err(ConvertError::UnsupportedFormat { format });
            }
        }
    }
    let pages = document.page_count().map_err(damaged)?;
    Ok((document, u32::try_from(pages).unwrap_or(u32::MAX)))
}

fn page(document: &PdfDocument, index: usize) -> Option<RawPage> {
    let chars = document.extract_chars(index).ok()?;
    let (left, bottom, right, top) = document.get_page_visible_box(index).unwrap_or((0.0, 0.0, 612.0, 792.0));
    let turns = document.get_page_rotation(index).unwrap_or_default().rem_euclid(360) / 90;
    let frame = Frame { left, bottom, right, top, rotation: u8::try_from(turns).unwrap_or_default() };
    let (width, height) = frame.size();
    let paths = document.extract_paths(index).unwrap_or_default();
    let mut drawn = Drawn { any: !paths.is_empty(), ..Drawn::default() };
    for path in paths.iter().take(MAX_PATHS) {
        rules(path, &frame, &mut drawn.rules);
    }
    if chars.is_empty() && !drawn.any {
        // What it does not look at may be an image.
        (drawn.any, drawn.images) = (true, 1.0);
    }
    let mut raw = RawPage { width, height, glyphs: glyphs(&chars, &frame), drawn };
    let turned = chars.iter().filter(|char| char.rotation_degrees.to_radians().sin().abs() > 0.5).count();
    if turned * 2 > chars.len() {
        line_by_line(&mut raw);
    }
    Some(raw)
}

/// Puts the glyphs of a page in the order of its lines: the library sorts characters as if none of them were turned.
fn line_by_line(raw: &mut RawPage) {
    let upright = Upright::of(raw);
    let (mut glyphs, others): (Vec<_>, Vec<_>) =
        raw.glyphs.iter().map(|glyph| (*glyph, upright.glyph(glyph))).partition(|(_, own)| own.is_some());
    let place = |own: &Option<Glyph>| own.map_or((0.0, 0.0, 0.0), |own| (own.baseline, own.left, own.size));
    glyphs.sort_by(|a, b| place(&a.1).0.total_cmp(&place(&b.1).0));
    for line in glyphs.chunk_by_mut(|a, b| place(&b.1).0 - place(&a.1).0 <= 0.2 * place(&a.1).2) {
        line.sort_by(|a, b| place(&a.1).1.total_cmp(&place(&b.1).1));
    }
    raw.glyphs = glyphs.into_iter().chain(others).map(|(glyph, _)| glyph).collect();
}

/// Its characters as glyphs; words end where it says so or where a gap does.
fn glyphs(chars: &[TextChar], frame: &Frame) -> Vec<Glyph> {
    let mut glyphs = Vec::with_capacity(chars.len());
    for (char, object) in chars.iter().zip(0..) {
        let (sin, cos) = char.rotation_degrees.to_radians().sin_cos();
        let turn = frame.turn_of(cos, sin);
        let size = char.font_size.abs().max(0.1);
        // Of a turned letter it measures the advance across the page, which is none.
        let least = if sin.abs() > 0.5 { TURNED_WIDTH } else { 0.05 };
        let width = char.advance_width.abs().max(least * size);
        let origin = (char.origin_x, char.origin_y);
        let from =
            |along: f32, up: f32| (origin.0 + along * cos - up * sin, origin.1 + along * sin + up * cos);
        let (low, high) = (from(0.0, -DESCENT * size), from(width, ASCENT * size));
        let Rule { left, right, top, bottom } =
            frame.rect(low.0.min(high.0), low.1.min(high.1), low.0.max(high.0), low.1.max(high.1));
        let baseline = frame.point(origin.0, origin.1);
        let name = char.font_name.as_bytes();
        let symbol = symbols::is_symbol_font(name);
        let c = if symbol && !char.char.is_whitespace() { symbols::sign(char.char) } else { char.char };
        glyphs.push(Glyph {
            c,
            left,
            right,
            top,
            bottom,
            baseline: if turn.is_multiple_of(2) { baseline.1 } else { baseline.0 },
            size,
            bold: is_bold(name) || char.font_weight >= FontWeight::SemiBold,
            turn,
            generated: false,
            mono: char.is_monospace || is_mono(name),
            unmapped: c < ' ' && !c.is_whitespace(),
            font: font_number(name),
            object,
        });
    }
    glyphs
}

/// The straight lines of a path.
fn rules(path: &PathContent, frame: &Frame, found: &mut Vec<Rule>) {
    let (mut start, mut last) = (None, None);
    for operation in &path.operations {
        match *operation {
            PathOperation::MoveTo(x, y) => {
                start = Some((x, y));
                last = start;
            }
            PathOperation::LineTo(x, y) => {
                found.extend(last.and_then(|last| frame.line(last, (x, y))));
                last = Some((x, y));
            }
            PathOperation::CurveTo(.., x, y) => last = Some((x, y)),
            PathOperation::Rectangle(x, y, width, height) => {
                let (right, top) = (x + width, y + height);
                if let Some(line) = frame.line((x, y), (right, top)) {
                    found.push(line);
                } else {
                    let sides = [
                        ((x, y), (right, y)),
                        ((right, y), (right, top)),
                        ((x, top), (right, top)),
                        ((x, y), (x, top)),
                    ];
                    found.extend(sides.into_iter().filter_map(|(from, to)| frame.line(from, to)));
                }
            }
            PathOperation::ClosePath => {
                found.extend(last.zip(start).and_then(|(last, start)| frame.line(last, start)));
                last = start;
            }
        }
    }
}
