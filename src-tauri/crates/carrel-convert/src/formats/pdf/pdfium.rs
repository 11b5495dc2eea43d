//! PDFium behind one function: pages as glyphs and ruled lines, nothing of its handles leaves this module.
//!
//! PDFium is not thread-safe and holds global state: it is bound once per process and used by the one converting thread.

use super::marks::{Annotation, Field, WIDGET, is_wanted};
use super::read::{
    About, Attached, Bitmap, Drawn, Entry, Frame, Glyph, Point, RawPage, Rule, Sheet, font_number, is_bold,
    is_mono,
};
use super::symbols;
use crate::formats::Budget;
use carrel_engine::seams::ConvertError;
use pdfium_render::prelude::{Pdfium, PdfiumError, PdfiumLibraryBindings, PdfiumLibraryBindingsAccessor};
use std::cell::Cell;
use std::ffi::c_ulong;
use std::path::Path;

/// Page objects beyond this are not looked at for ruled lines: drawings, not tables.
const MAX_OBJECTS: i32 = 20_000;
const MAX_SEGMENTS: i32 = 2_000;
/// Curves and areas beyond these are not looked at: a chart has fewer.
const MAX_MARKS: usize = 4_000;
const MAX_FORMS: usize = 50;
const OBJECT_TEXT: i32 = 1;
const OBJECT_PATH: i32 = 2;
const OBJECT_IMAGE: i32 = 3;
const OBJECT_FORM: i32 = 5;
const ATTACHED_FILE: i32 = 17;

/// Entries of the outline beyond these are not read.
const MAX_OUTLINE: usize = 5_000;
const MAX_OUTLINE_DEPTH: u8 = 8;

/// Annotations of a page, options of a field and attached files beyond these are not read.
const MAX_ANNOTATIONS: i32 = 5_000;
const MAX_OPTIONS: i32 = 1_000;
const MAX_ATTACHED: i32 = 1_000;
/// UTF-16 units of one text of an annotation, and of all of them.
const MAX_TEXT: usize = 1 << 20;
const MAX_TEXTS: usize = 16 << 20;

/// Pixels of a rendered page at most, and of one of its sides.
const MAX_PIXELS: f32 = 16_000_000.0;
const MAX_SIDE: f32 = 8_000.0;

/// The library, or `None` where it cannot be loaded.
pub(super) fn bind(library: &Path) -> Option<Pdfium> {
    match Pdfium::bind_to_library(library) {
        Ok(bindings) => Some(Pdfium::new(bindings)),
        Err(PdfiumError::PdfiumLibraryBindingsAlreadyInitialized) => Some(Pdfium::default()),
        Err(error) => {
            tracing::warn!("the PDFium library {} cannot be loaded: {error}", library.display());
            None
        }
    }
}

/// Reads a document page by page.
pub(super) fn read(
    pdfium: &Pdfium,
    bytes: &[u8],
    password: Option<&str>,
    max_pages: u32,
    budget: &Budget,
    on_page: &mut dyn FnMut(Sheet<'_>),
) -> Result<About, ConvertError> {
    read_bound(pdfium.bindings(), bytes, password, max_pages, budget, on_page)
}

#[expect(unsafe_code, reason = "the only place that calls PDFium; its handles never leave it")]
fn read_bound(
    api: &dyn PdfiumLibraryBindings,
    bytes: &[u8],
    password: Option<&str>,
    max_pages: u32,
    budget: &Budget,
    on_page: &mut dyn FnMut(Sheet<'_>),
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
            _ => ConvertError::Damaged { detail: "its structure cannot be read".into() },
        });
    }
    // SAFETY: the document is open.
    let pages = u32::try_from(unsafe { api.FPDF_GetPageCount(document) }).unwrap_or_default();
    if pages > max_pages {
        // SAFETY: the document is open, and not used again.
        unsafe { api.FPDF_CloseDocument(document) };
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }

    let drawn = |page: _, frame: &Frame| -> Drawn {
        let mut found = Drawn::default();
        let (width, height) = frame.size();
        // SAFETY: the page is open; objects belong to it and are only read; every pointer is to a local of the right type.
        unsafe {
            let count = api.FPDFPage_CountObjects(page).clamp(0, MAX_OBJECTS);
            for i in 0..count {
                let object = api.FPDFPage_GetObject(page, i);
                if object.is_null() {
                    continue;
                }
                let kind = api.FPDFPageObj_GetType(object);
                if kind == OBJECT_TEXT {
                    continue;
                }
                found.any = true;
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
                if kind == OBJECT_IMAGE || kind == OBJECT_FORM {
                    // A scan may lie in strips. A form counts as the image that scanners wrap in one.
                    found.images = (found.images + bounds.share_of(width, height)).min(1.0);
                }
                if kind == OBJECT_FORM && found.forms.len() < MAX_FORMS {
                    found.forms.push(bounds);
                }
                if kind != OBJECT_PATH {
                    continue;
                }
                if bounds.is_thin() {
                    found.rules.push(bounds);
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
                let (mut fill, mut stroke) = (0, 0);
                let filled = api.FPDFPath_GetDrawMode(object, &raw mut fill, &raw mut stroke) != 0
                    && fill != 0
                    && stroke == 0;
                let mut is_curved = false;
                let lines = if filled { &mut found.edges } else { &mut found.rules };
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
                        0 => {
                            is_curved |= last
                                .is_some_and(|(x, y)| (point.0 - x).abs() > 1.0 && (point.1 - y).abs() > 1.0);
                            lines.extend(last.and_then(|last| frame.line(last, point)));
                        }
                        // A move.
                        2 => start = Some(point),
                        // A curve: no table.
                        _ => is_curved = true,
                    }
                    last = Some(point);
                    if api.FPDFPathSegment_GetClose(segment) != 0 {
                        lines.extend(start.and_then(|start| frame.line(point, start)));
                    }
                }
                let marks = if is_curved { &mut found.curves } else { &mut found.areas };
                if (is_curved || filled) && marks.len() < MAX_MARKS {
                    marks.push(bounds);
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
            let (mut font, mut symbol) = (0, false);
            let mut name = [0_u8; 128];
            let mut before = 0;
            for i in 0..count {
                let mut unicode = api.FPDFText_GetUnicode(text, i);
                let high = std::mem::replace(&mut before, unicode);
                if pair(high, unicode).is_some() {
                    continue;
                }
                if (0xd800..0xdc00).contains(&unicode) && i + 1 < count {
                    unicode = pair(unicode, api.FPDFText_GetUnicode(text, i + 1)).unwrap_or(unicode);
                }
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
                    font = font_number(own_name);
                    symbol = symbols::is_symbol_font(own_name);
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
                let c = if symbol && !c.is_whitespace() { symbols::sign(c) } else { c };
                let unmapped = !symbol
                    && (api.FPDFText_HasUnicodeMapError(text, i) == 1 || (c < ' ' && !c.is_whitespace()));
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
                    font,
                    object: objects,
                });
            }
            glyphs
        }
    };

    let render = |page: _, frame: &Frame, dpi: f32| -> Option<Bitmap> {
        let (width, height) = frame.size();
        let scale = (dpi / 72.0)
            .min((MAX_PIXELS / (width * height).max(1.0)).sqrt())
            .min(MAX_SIDE / width.max(height).max(1.0));
        let (columns, rows) = ((width * scale).round().max(1.0), (height * scale).round().max(1.0));
        let (columns, rows) = (columns as i32, rows as i32);
        // SAFETY: the page is open; the bitmap is destroyed below, and its pixels are copied before.
        unsafe {
            let bitmap = api.FPDFBitmap_Create(columns, rows, 0);
            if bitmap.is_null() {
                return None;
            }
            api.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, 0xffff_ffff);
            // With its annotations (1), and without keeping decoded images (0x200).
            api.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, 0x201);
            let stride = usize::try_from(api.FPDFBitmap_GetStride(bitmap)).unwrap_or_default();
            let pixels = api.FPDFBitmap_GetBuffer_as_slice(bitmap);
            let mut rgb = Vec::with_capacity(columns as usize * rows as usize * 3);
            for row in pixels.chunks_exact(stride.max(1)) {
                let row = row.get(..columns as usize * 4).unwrap_or_default();
                rgb.extend(row.as_chunks::<4>().0.iter().flat_map(|[b, g, r, _]| [*r, *g, *b]));
            }
            api.FPDFBitmap_Destroy(bitmap);
            Some(Bitmap { width: columns as u32, height: rows as u32, rgb })
        }
    };

    let outline = || -> Vec<Entry> {
        let mut entries = Vec::new();
        // SAFETY: the document is open; bookmarks belong to it and are only read; the buffer is as long as said. A bookmark
        // in a circle ends with the number of entries.
        unsafe {
            let mut path = vec![api.FPDFBookmark_GetFirstChild(document, std::ptr::null_mut())];
            while let Some(bookmark) = path.pop() {
                if bookmark.is_null() || entries.len() >= MAX_OUTLINE {
                    continue;
                }
                let depth = u8::try_from(path.len() + 1).unwrap_or(u8::MAX);
                path.push(api.FPDFBookmark_GetNextSibling(document, bookmark));
                let mut title = [0_u8; 1024];
                let length =
                    api.FPDFBookmark_GetTitle(bookmark, title.as_mut_ptr().cast(), title.len() as _) as usize;
                let mut dest = api.FPDFBookmark_GetDest(document, bookmark);
                if dest.is_null() {
                    let action = api.FPDFBookmark_GetAction(bookmark);
                    if !action.is_null() {
                        dest = api.FPDFAction_GetDest(document, action);
                    }
                }
                let page = if dest.is_null() { -1 } else { api.FPDFDest_GetDestPageIndex(document, dest) };
                let title = utf16(title.get(..length.min(title.len())).unwrap_or_default());
                entries.push(Entry { depth, title, page: u32::try_from(page).ok().map(|p| p + 1) });
                if depth < MAX_OUTLINE_DEPTH {
                    path.push(api.FPDFBookmark_GetFirstChild(document, bookmark));
                }
            }
        }
        entries
    };

    // The form's settings are looked at as long as it is open: no callbacks, nothing that a document could run.
    // SAFETY: they are plain numbers and callbacks that need not be there.
    let init = |settings| unsafe { api.FPDFDOC_InitFormFillEnvironment(document, settings) };
    let mut settings = Box::new(zeroed_for(&init));
    settings.version = 1;
    let form = init(&raw mut *settings);
    let texts = Cell::new(MAX_TEXTS);

    let field = |annotation| -> Option<Field> {
        // SAFETY: form and annotation are open; buffers are as long as said, indexes below the count.
        unsafe {
            if form.is_null() {
                return None;
            }
            let kind = api.FPDFAnnot_GetFormFieldType(form, annotation);
            if kind < 0 {
                return None;
            }
            let options = api.FPDFAnnot_GetOptionCount(form, annotation).clamp(0, MAX_OPTIONS);
            let selected = (0..options).filter(|i| api.FPDFAnnot_IsOptionSelected(form, annotation, *i) != 0);
            let selected = selected.map(|i| {
                text(&texts, |to, size| api.FPDFAnnot_GetOptionLabel(form, annotation, i, to, size))
            });
            Some(Field {
                kind,
                flags: api.FPDFAnnot_GetFormFieldFlags(form, annotation),
                name: text(&texts, |to, size| api.FPDFAnnot_GetFormFieldName(form, annotation, to, size)),
                label: text(&texts, |to, size| {
                    api.FPDFAnnot_GetFormFieldAlternateName(form, annotation, to, size)
                }),
                value: text(&texts, |to, size| api.FPDFAnnot_GetFormFieldValue(form, annotation, to, size)),
                state: text(&texts, |to, size| api.FPDFAnnot_GetStringValue(annotation, "AS", to, size)),
                selected: selected.collect(),
            })
        }
    };

    let attachment = |file| -> Option<Attached> {
        // SAFETY: the document is open and the file belongs to it; the buffer is as long as said.
        unsafe {
            let name = text(&texts, |to, size| api.FPDFAttachment_GetName(file, to, size));
            let name = if name.trim().is_empty() { "attachment".to_owned() } else { name };
            let mut size: c_ulong = 0;
            if api.FPDFAttachment_GetFile(file, std::ptr::null_mut(), 0, &raw mut size) == 0 {
                return Some(Attached { name, content: Err("it is damaged or missing") });
            }
            if size as u64 > budget.allowed() {
                return Some(Attached { name, content: Err("it is larger than what is allowed") });
            }
            budget.spend(size as u64);
            let mut content = vec![0_u8; size as usize];
            let mut written = size;
            let done = size == 0
                || api.FPDFAttachment_GetFile(file, content.as_mut_ptr().cast(), size, &raw mut written) != 0;
            let done = done && written == size;
            Some(Attached { name, content: if done { Ok(content) } else { Err("it is damaged or missing") } })
        }
    };

    let mut attached: Vec<Attached> = Vec::new();
    // Files that stand both on a page and in the list are one.
    let add = |attached: &mut Vec<Attached>, file: Option<Attached>| {
        attached.extend(file.filter(|file| !attached.contains(file)));
    };
    let beyond = |count: i32, most: i32| usize::try_from(count.saturating_sub(most)).unwrap_or_default();
    let marks_beyond = Cell::new(0);
    // SAFETY: the document is open; indexes lie below the count.
    let files_beyond = unsafe {
        let count = api.FPDFDoc_GetAttachmentCount(document);
        for index in 0..count.clamp(0, MAX_ATTACHED) {
            let file = api.FPDFDoc_GetAttachment(document, index);
            add(&mut attached, if file.is_null() { None } else { attachment(file) });
        }
        beyond(count, MAX_ATTACHED)
    };

    let annotations = |page, frame: &Frame, attached: &mut Vec<Attached>| -> Vec<Annotation> {
        let mut found = Vec::new();
        // SAFETY: the page is open, indexes lie below the count; each annotation is closed and not used again; pointers are to locals.
        unsafe {
            let count = api.FPDFPage_GetAnnotCount(page);
            marks_beyond.set(marks_beyond.get() + beyond(count, MAX_ANNOTATIONS));
            for index in 0..count.clamp(0, MAX_ANNOTATIONS) {
                let annotation = api.FPDFPage_GetAnnot(page, index);
                if annotation.is_null() {
                    continue;
                }
                let subtype = api.FPDFAnnot_GetSubtype(annotation);
                let flags = api.FPDFAnnot_GetFlags(annotation);
                if is_wanted(subtype, flags) {
                    let string = |key| {
                        text(&texts, |to, size| api.FPDFAnnot_GetStringValue(annotation, key, to, size))
                    };
                    let mut bounds = std::mem::zeroed();
                    let placed = api.FPDFAnnot_GetRect(annotation, &raw mut bounds) != 0;
                    let place =
                        placed.then(|| frame.rect(bounds.left, bounds.bottom, bounds.right, bounds.top));
                    let field = if subtype == WIDGET { field(annotation) } else { None };
                    let (author, contents) = if subtype == WIDGET {
                        Default::default()
                    } else {
                        (string("T"), string("Contents"))
                    };
                    found.push(Annotation { subtype, flags, place, author, contents, field });
                }
                if subtype == ATTACHED_FILE && attached.len() < MAX_ATTACHED as usize {
                    let file = api.FPDFAnnot_GetFileAttachment(annotation);
                    add(attached, if file.is_null() { None } else { attachment(file) });
                }
                api.FPDFPage_CloseAnnot(annotation);
            }
        }
        found
    };

    for index in 0..pages {
        // SAFETY: the document is open and has a page of this index.
        let page = unsafe { api.FPDF_LoadPage(document, index as i32) };
        if page.is_null() {
            let annotations = Vec::new();
            on_page(Sheet { number: index + 1, of: pages, raw: None, annotations, render: &|_| None });
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
            let drawn = drawn(page, &frame);
            let (width, height) = frame.size();
            Some(RawPage { width, height, glyphs, drawn })
        };
        if !text.is_null() {
            // SAFETY: it is open and not used again; it goes before its page.
            unsafe { api.FPDFText_ClosePage(text) };
        }
        let annotations = annotations(page, &frame, &mut attached);
        let render = |dpi| render(page, &frame, dpi);
        on_page(Sheet { number: index + 1, of: pages, raw, annotations, render: &render });
        // SAFETY: it is open and not used again.
        unsafe { api.FPDF_ClosePage(page) };
    }

    let outline = outline();
    // SAFETY: the buffer is as long as said; the form and then the document are closed last and not used again.
    let title = unsafe {
        if !form.is_null() {
            api.FPDFDOC_ExitFormFillEnvironment(form);
        }
        let mut title = [0_u8; 1024];
        let length =
            api.FPDF_GetMetaText(document, "Title", title.as_mut_ptr().cast(), title.len() as _) as usize;
        api.FPDF_CloseDocument(document);
        utf16(title.get(..length.min(title.len())).unwrap_or_default())
    };
    drop(settings);
    let left_out = (files_beyond, marks_beyond.get());
    Ok(About { title, pages, outline, attached, left_out, simple: false })
}

/// Room for what a call takes a pointer to, all of it zero.
#[expect(unsafe_code, reason = "the type has no name outside its crate")]
fn zeroed_for<T, R>(_call: &impl Fn(*mut T) -> R) -> T {
    // SAFETY: called for a structure of numbers, pointers and callbacks that may be null.
    unsafe { std::mem::zeroed() }
}

/// Text that a call writes as UTF-16 into a buffer of so many bytes, and whose length in bytes it returns; nothing of a text that is too
/// long, or where there were too many.
fn text(left: &Cell<usize>, call: impl Fn(*mut u16, c_ulong) -> c_ulong) -> String {
    let units = call(std::ptr::null_mut(), 0) as usize / 2;
    if units < 2 || units > MAX_TEXT.min(left.get()) {
        return String::new();
    }
    left.set(left.get() - units);
    let mut buffer = vec![0_u16; units];
    call(buffer.as_mut_ptr(), (units * 2) as c_ulong);
    let end = buffer.iter().position(|unit| *unit == 0).unwrap_or(units);
    String::from_utf16_lossy(buffer.get(..end).unwrap_or_default())
}

/// Text that PDFium hands over as UTF-16, up to its zero.
fn utf16(bytes: &[u8]) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|u| u16::from_le_bytes(*u));
    let units: Vec<u16> = units.take_while(|u| *u != 0).collect();
    String::from_utf16_lossy(&units)
}

/// The character that two halves stand for: PDFium gives what does not fit into 16 bits (letters of formulas, rare Han) as two.
fn pair(high: u32, low: u32) -> Option<u32> {
    let halves = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    halves.then(|| 0x10000 + (((high - 0xd800) << 10) | (low - 0xdc00)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_character_make_one() {
        assert_eq!(pair(0xd835, 0xdc49), Some(u32::from('𝑉')));
        assert_eq!(pair(0xdc49, 0xd835), None);
        assert_eq!(pair(0x56, 0xdc49), None);
    }
}
