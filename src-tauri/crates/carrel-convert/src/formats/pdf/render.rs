//! Pages as pixels, where their text must be read from what they show.
//!
//! The document is opened anew: reading its text is over by then, and most documents never come here.

use super::read::bind;
use carrel_engine::seams::ConvertError;
use image::{DynamicImage, RgbImage};
use pdfium_render::prelude::PdfiumLibraryBindingsAccessor;
use std::path::Path;

/// Pixels to the inch, and the longest side in pixels: a page may claim to be as large as a house.
const RESOLUTION: f32 = 200.0;
const LONGEST: f32 = 4_000.0;
const POINTS_TO_THE_INCH: f32 = 72.0;
/// A page of a few characters is a scan where images cover this share of it.
const COVERED: f32 = 0.6;

const OBJECT_IMAGE: i32 = 3;
const OBJECT_FORM: i32 = 5;
/// Objects beyond this are not looked at.
const MAX_OBJECTS: i32 = 2_000;
/// Three bytes a pixel: blue, green, red.
const BGR: i32 = 2;
const WHITE: u32 = 0xffff_ffff;
const WITH_ANNOTATIONS: i32 = 1;

/// A page to be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Counts from 1.
    pub(super) page: u32,
    /// Only where images cover most of it.
    pub(super) if_image: bool,
}

/// A page as it is shown.
pub(super) struct Rendered {
    pub(super) picture: DynamicImage,
    /// Points for a pixel.
    pub(super) scale: f32,
}

/// Renders pages one by one. `on_page` gets `None` for a page that shows nothing, or is not wanted for what it shows.
#[expect(unsafe_code, reason = "calls PDFium as the reading of text does; its handles never leave it")]
pub(super) fn render(
    library: &Path,
    bytes: &[u8],
    password: Option<&str>,
    wanted: &[Wanted],
    on_page: &mut dyn FnMut(Wanted, Option<Rendered>),
) -> Result<(), ConvertError> {
    let pdfium = bind(library)?;
    let api = pdfium.bindings();
    // SAFETY: `bytes` outlives the document, which is closed below.
    let document = unsafe { api.FPDF_LoadMemDocument64(bytes, password) };
    if document.is_null() {
        return Err(ConvertError::Damaged { detail: "PDFium cannot open it again".into() });
    }

    // The share of a page that images cover, taken together. A form counts as the image that scanners wrap in one.
    let covered = |page| -> f32 {
        // SAFETY: the page is open; objects belong to it and are only read; every pointer is to a local of the right type.
        unsafe {
            let area = api.FPDF_GetPageWidthF(page) * api.FPDF_GetPageHeightF(page);
            let mut images = 0.0_f32;
            for i in 0..api.FPDFPage_CountObjects(page).clamp(0, MAX_OBJECTS) {
                let object = api.FPDFPage_GetObject(page, i);
                if object.is_null() || !matches!(api.FPDFPageObj_GetType(object), OBJECT_IMAGE | OBJECT_FORM)
                {
                    continue;
                }
                let (mut left, mut bottom, mut right, mut top) = (0.0_f32, 0.0_f32, 0.0_f32, 0.0_f32);
                if api.FPDFPageObj_GetBounds(
                    object,
                    &raw mut left,
                    &raw mut bottom,
                    &raw mut right,
                    &raw mut top,
                ) != 0
                {
                    images += (right - left).max(0.0) * (top - bottom).max(0.0);
                }
            }
            if area > 0.0 { images / area } else { 0.0 }
        }
    };

    let draw = |page| -> Option<Rendered> {
        // SAFETY: the page is open; the bitmap lives until it is destroyed here, its bytes are copied before.
        unsafe {
            let (wide, high) = (api.FPDF_GetPageWidthF(page), api.FPDF_GetPageHeightF(page));
            let zoom = (RESOLUTION / POINTS_TO_THE_INCH).min(LONGEST / wide.max(high).max(1.0));
            let (width, height) = ((wide * zoom).round() as i32, (high * zoom).round() as i32);
            if width < 1 || height < 1 {
                return None;
            }
            let bitmap = api.FPDFBitmap_CreateEx(width, height, BGR, std::ptr::null_mut(), 0);
            if bitmap.is_null() {
                return None;
            }
            api.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE.into());
            api.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, WITH_ANNOTATIONS);
            let stride = api.FPDFBitmap_GetStride(bitmap).max(1) as usize;
            let mut pixels = Vec::with_capacity(3 * width as usize * height as usize);
            for row in api.FPDFBitmap_GetBuffer_as_slice(bitmap).chunks(stride) {
                for pixel in row.chunks_exact(3).take(width as usize) {
                    pixels.extend(pixel.iter().rev());
                }
            }
            api.FPDFBitmap_Destroy(bitmap);
            let picture = RgbImage::from_raw(width as u32, height as u32, pixels)?;
            Some(Rendered { picture: picture.into(), scale: wide / width as f32 })
        }
    };

    for wanted in wanted {
        let index = i32::try_from(wanted.page.saturating_sub(1)).unwrap_or(i32::MAX);
        // SAFETY: the document is open; a page that does not exist is null.
        let page = unsafe { api.FPDF_LoadPage(document, index) };
        if page.is_null() {
            on_page(*wanted, None);
            continue;
        }
        let rendered = if !wanted.if_image || covered(page) >= COVERED { draw(page) } else { None };
        // SAFETY: the page is open and not used again.
        unsafe { api.FPDF_ClosePage(page) };
        on_page(*wanted, rendered.filter(|rendered| shows_something(&rendered.picture)));
    }
    // SAFETY: the document is open and not used again.
    unsafe { api.FPDF_CloseDocument(document) };
    Ok(())
}

/// Whether it is more than paper.
fn shows_something(picture: &DynamicImage) -> bool {
    let Some(pixels) = picture.as_rgb8() else { return false };
    let bytes = pixels.as_raw();
    bytes.first().is_some_and(|first| bytes.iter().any(|byte| byte.abs_diff(*first) > 32))
}
