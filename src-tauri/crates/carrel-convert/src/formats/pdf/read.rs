//! PDFium behind one function: pages as glyphs and ruled lines, nothing of its handles leaves this module.
//!
//! PDFium is not thread-safe and holds global state: it is bound once per process and used by the one converting thread.

use carrel_engine::seams::ConvertError;
use pdfium_render::prelude::{Pdfium, PdfiumError, PdfiumLibraryBindings, PdfiumLibraryBindingsAccessor};
use std::path::Path;

/// A character on a page, in points from the top left corner of the page as it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that PDFium states one by one")]
pub(super) struct Glyph {
    pub(super) c: char,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) bold: bool,
    /// Quarter turns clockwise against the page.
    pub(super) turn: u8,
    /// Made by PDFium: a space or line end between glyphs. It has no place.
    pub(super) generated: bool,
    /// All letters of its font are of one width.
    pub(super) mono: bool,
    /// The font does not say which character it is.
    pub(super) unmapped: bool,
    /// Counts the pieces in which the file draws its text.
    pub(super) object: u32,
}

/// A straight line that is drawn along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

/// What PDFium says of a page.
#[derive(Debug, Default)]
pub(super) struct RawPage {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) glyphs: Vec<Glyph>,
    pub(super) rules: Vec<Rule>,
}

/// What the document says of itself.
pub(super) struct About {
    pub(super) title: String,
    pub(super) pages: u32,
}

/// Page objects beyond this are not looked at for ruled lines: drawings, not tables.
const MAX_OBJECTS: i32 = 20_000;
const MAX_SEGMENTS: i32 = 2_000;
/// A drawn line is at most this thick.
const RULE_THICKNESS: f32 = 3.0;

const OBJECT_PATH: i32 = 2;

/// Reads a document page by page. `on_page` gets the number of the page (from 1), how many there are, and the page or `None`
/// where PDFium cannot load it.
pub(super) fn read(
    library: &Path,
    bytes: &[u8],
    password: Option<&str>,
    max_pages: u32,
    on_page: &mut dyn FnMut(u32, u32, Option<RawPage>),
) -> Result<About, ConvertError> {
    read_bound(bind(library)?.bindings(), bytes, password, max_pages, on_page)
}

/// The library, loaded once for the process.
pub(super) fn bind(library: &Path) -> Result<Pdfium, ConvertError> {
    match Pdfium::bind_to_library(library) {
        Ok(bindings) => Ok(Pdfium::new(bindings)),
        Err(PdfiumError::PdfiumLibraryBindingsAlreadyInitialized) => Ok(Pdfium::default()),
        Err(error) => {
            let place = library.display();
            Err(ConvertError::Crashed(format!("the PDFium library {place} cannot be loaded: {error}")))
        }
    }
}

#[expect(unsafe_code, reason = "the only place that calls PDFium; its handles never leave it")]
fn read_bound(
    api: &dyn PdfiumLibraryBindings,
    bytes: &[u8],
    password: Option<&str>,
    max_pages: u32,
    on_page: &mut dyn FnMut(u32, u32, Option<RawPage>),
) -> Result<About, ConvertError> {
    // SAFETY: `bytes` outlives the document, which is closed below.
    let document = unsafe { api.FPDF_LoadMemDocument64(bytes, password) };
    if document.is_null() {
        // SAFETY: no arguments.
        let code = unsafe { api.FPDF_GetLastError() };
        // FPDF_ERR_PASSWORD is 4, FPDF_ERR_SECURITY is 5.
        return Err(match (code, password) {
            (4, None) => ConvertError::NeedsPassword,
            (4, Some(_)) => ConvertError::WrongPassword,
            (5, _) => ConvertError::UnsupportedFormat { format: "PDF with this kind of encryption".into() },
            _ => ConvertError::Damaged { detail: format!("PDFium cannot open it (error {code})") },
        });
    }
    // SAFETY: the document is open.
    let pages = u32::try_from(unsafe { api.FPDF_GetPageCount(document) }).unwrap_or_default();
    if pages > max_pages {
        // SAFETY: the document is open, and not used again.
        unsafe { api.FPDF_CloseDocument(document) };
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }

    let rules = |page: _, frame: &Frame| -> Vec<Rule> {
        let mut found = Vec::new();
        // SAFETY: the page is open; objects belong to it and are only read; every pointer is to a local of the right type.
        unsafe {
            let count = api.FPDFPage_CountObjects(page).clamp(0, MAX_OBJECTS);
            for i in 0..count {
                let object = api.FPDFPage_GetObject(page, i);
                if object.is_null() || api.FPDFPageObj_GetType(object) != OBJECT_PATH {
                    continue;
                }
                let (mut left, mut bottom, mut right, mut top) = (0.0, 0.0, 0.0, 0.0);
                if api.FPDFPageObj_GetBounds(
                    object,
                    &raw mut left,
                    &raw mut bottom,
                    &raw mut right,
                    &raw mut top,
                ) == 0
                {
                    continue;
                }
                let bounds = frame.rect(left, bottom, right, top);
                if bounds.is_thin() {
                    found.push(bounds);
                    continue;
                }
                let segments = api.FPDFPath_CountSegments(object);
                if !(2..=MAX_SEGMENTS).contains(&segments) {
                    continue;
                }
                let mut matrix = std::mem::zeroed();
                if api.FPDFPageObj_GetMatrix(object, &raw mut matrix) == 0 {
                    continue;
                }
                let (mut start, mut last) = (None::<Point>, None::<Point>);
                for i in 0..segments {
                    let segment = api.FPDFPath_GetPathSegment(object, i);
                    let (mut x, mut y) = (0.0, 0.0);
                    if segment.is_null() || api.FPDFPathSegment_GetPoint(segment, &raw mut x, &raw mut y) == 0
                    {
                        break;
                    }
                    let point =
                        (matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f);
                    match api.FPDFPathSegment_GetType(segment) {
                        // A line.
                        0 => found.extend(last.and_then(|last| frame.line(last, point))),
                        // A move.
                        2 => start = Some(point),
                        // A curve: no table.
                        _ => {}
                    }
                    last = Some(point);
                    if api.FPDFPathSegment_GetClose(segment) != 0 {
                        found.extend(start.and_then(|start| frame.line(point, start)));
                    }
                }
            }
        }
        found
    };

    let glyphs = |text, frame: &Frame| -> Vec<Glyph> {
        // SAFETY: the text page is open, indexes lie below its count, every pointer is to a local of the right type.
        unsafe {
            let count = api.FPDFText_CountChars(text).max(0);
            let mut glyphs = Vec::with_capacity(count as usize);
            let mut object = std::ptr::null_mut();
            let mut objects = 0;
            let (mut size, mut bold, mut mono, mut turn) = (0.0_f32, false, false, 0_u8);
            let mut name = [0_u8; 128];
            for i in 0..count {
                let unicode = api.FPDFText_GetUnicode(text, i);
                if api.FPDFText_IsGenerated(text, i) == 1 {
                    let c = char::from_u32(unicode).unwrap_or(' ');
                    let blank = Glyph { c, generated: true, ..Glyph::default() };
                    glyphs.push(Glyph { size, bold, turn, ..blank });
                    continue;
                }
                let this = api.FPDFText_GetTextObject(text, i);
                if this != object || i == 0 {
                    object = this;
                    objects += 1;
                    let mut matrix = std::mem::zeroed();
                    size = api.FPDFText_GetFontSize(text, i) as f32;
                    if api.FPDFText_GetMatrix(text, i, &raw mut matrix) != 0 {
                        size *= matrix.c.hypot(matrix.d);
                        turn = frame.turn_of(matrix.a, matrix.b);
                    }
                    let mut flags = 0;
                    let length = api.FPDFText_GetFontInfo(
                        text,
                        i,
                        name.as_mut_ptr().cast(),
                        name.len() as _,
                        &raw mut flags,
                    );
                    let length = (length as usize).min(name.len());
                    let own_name = name.get(..length).unwrap_or_default();
                    mono = flags & 1 != 0 || is_mono(own_name);
                    bold = is_bold(own_name)
                        || api.FPDFText_GetFontWeight(text, i) >= 600
                        || flags & (1 << 18) != 0;
                }
                let mut bounds = std::mem::zeroed();
                if api.FPDFText_GetLooseCharBox(text, i, &raw mut bounds) == 0 {
                    continue;
                }
                let (mut x, mut y) = (0.0, 0.0);
                if api.FPDFText_GetCharOrigin(text, i, &raw mut x, &raw mut y) == 0 {
                    (x, y) = (f64::from(bounds.left), f64::from(bounds.bottom));
                }
                // What PDFium takes for the hyphen of a line's end.
                let c = match unicode {
                    2 | 0xfffe => '-',
                    unicode => char::from_u32(unicode).unwrap_or('\u{fffd}'),
                };
                let unmapped =
                    api.FPDFText_HasUnicodeMapError(text, i) == 1 || (c < ' ' && !c.is_whitespace());
                let place = frame.rect(bounds.left, bounds.bottom, bounds.right, bounds.top);
                let baseline = frame.point(x as f32, y as f32);
                let Rule { left, right, top, bottom } = place;
                glyphs.push(Glyph {
                    c,
                    left,
                    right,
                    top,
                    bottom,
                    baseline: if turn % 2 == 0 { baseline.1 } else { baseline.0 },
                    size,
                    bold,
                    turn,
                    generated: false,
                    mono,
                    unmapped,
                    object: objects,
                });
            }
            glyphs
        }
    };

    for index in 0..pages {
        // SAFETY: the document is open and has a page of this index.
        let page = unsafe { api.FPDF_LoadPage(document, index as i32) };
        if page.is_null() {
            on_page(index + 1, pages, None);
            continue;
        }
        // SAFETY: the page is open until it is closed below; pointers are to locals.
        let frame = unsafe {
            let (mut l, mut b, mut r, mut t) = (0.0, 0.0, 0.0, 0.0);
            if api.FPDFPage_GetCropBox(page, &raw mut l, &raw mut b, &raw mut r, &raw mut t) == 0
                && api.FPDFPage_GetMediaBox(page, &raw mut l, &raw mut b, &raw mut r, &raw mut t) == 0
            {
                (l, b) = (0.0, 0.0);
                (r, t) = (api.FPDF_GetPageWidthF(page), api.FPDF_GetPageHeightF(page));
            }
            Frame {
                left: l,
                bottom: b,
                right: r,
                top: t,
                rotation: (api.FPDFPage_GetRotation(page) & 3) as u8,
            }
        };
        // SAFETY: as above.
        let text = unsafe { api.FPDFText_LoadPage(page) };
        let raw = if text.is_null() {
            None
        } else {
            let glyphs = glyphs(text, &frame);
            let rules = rules(page, &frame);
            let (width, height) = frame.size();
            Some(RawPage { width, height, glyphs, rules })
        };
        // SAFETY: both are open and not used again; the text page goes first.
        unsafe {
            if !text.is_null() {
                api.FPDFText_ClosePage(text);
            }
            api.FPDF_ClosePage(page);
        }
        on_page(index + 1, pages, raw);
    }

    // SAFETY: the buffer is as long as said; the document is closed last and not used again.
    let title = unsafe {
        let mut utf16 = [0_u8; 1024];
        let length =
            api.FPDF_GetMetaText(document, "Title", utf16.as_mut_ptr().cast(), utf16.len() as _) as usize;
        api.FPDF_CloseDocument(document);
        let units = utf16.get(..length.min(utf16.len())).unwrap_or_default().as_chunks::<2>().0;
        let units: Vec<u16> = units.iter().map(|u| u16::from_le_bytes(*u)).take_while(|u| *u != 0).collect();
        String::from_utf16_lossy(&units)
    };
    Ok(About { title, pages })
}

impl Default for Glyph {
    fn default() -> Self {
        Self {
            c: ' ',
            left: 0.0,
            right: 0.0,
            top: 0.0,
            bottom: 0.0,
            baseline: 0.0,
            size: 0.0,
            bold: false,
            turn: 0,
            generated: false,
            mono: false,
            unmapped: false,
            object: 0,
        }
    }
}

impl Rule {
    fn is_thin(&self) -> bool {
        let (width, height) = (self.right - self.left, self.bottom - self.top);
        width.min(height) <= RULE_THICKNESS && width.max(height) > RULE_THICKNESS
    }
}

type Point = (f32, f32);

/// The visible part of a page in its own coordinates.
struct Frame {
    left: f32,
    bottom: f32,
    right: f32,
    top: f32,
    /// Quarter turns clockwise by which the page is shown.
    rotation: u8,
}

impl Frame {
    fn size(&self) -> (f32, f32) {
        let (w, h) = (self.right - self.left, self.top - self.bottom);
        if self.rotation.is_multiple_of(2) { (w, h) } else { (h, w) }
    }

    fn point(&self, x: f32, y: f32) -> (f32, f32) {
        match self.rotation {
            0 => (x - self.left, self.top - y),
            1 => (y - self.bottom, x - self.left),
            2 => (self.right - x, y - self.bottom),
            _ => (self.top - y, self.right - x),
        }
    }

    fn rect(&self, left: f32, bottom: f32, right: f32, top: f32) -> Rule {
        let (ax, ay) = self.point(left, bottom);
        let (bx, by) = self.point(right, top);
        Rule { left: ax.min(bx), right: ax.max(bx), top: ay.min(by), bottom: ay.max(by) }
    }

    /// The line between two points, where it runs along an axis.
    fn line(&self, a: (f32, f32), b: (f32, f32)) -> Option<Rule> {
        let line = self.rect(a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1));
        line.is_thin().then_some(line)
    }

    /// Quarter turns clockwise of text with this matrix, as the page is shown.
    fn turn_of(&self, a: f32, b: f32) -> u8 {
        let own = match (a.abs() >= b.abs(), a >= 0.0, b >= 0.0) {
            (true, true, _) => 0,
            (true, false, _) => 2,
            (false, _, true) => 3,
            (false, _, false) => 1,
        };
        (own + self.rotation) % 4
    }
}

fn is_bold(font_name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(font_name).to_ascii_lowercase();
    ["bold", "black", "heavy", "demi", "cmbx"].iter().any(|word| name.contains(word))
}

fn is_mono(font_name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(font_name).to_ascii_lowercase();
    ["courier", "mono", "consol", "menlo", "typewriter", "cmtt", "sftt", "lmtt"]
        .iter()
        .any(|word| name.contains(word))
}
