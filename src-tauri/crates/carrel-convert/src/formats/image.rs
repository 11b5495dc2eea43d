//! Pictures: what stands in them is read. PNG, JPEG, GIF (the first frame), WebP, TIFF (every page), BMP.
//!
//! Sizes are checked before anything is unpacked. Locations count the pages of a TIFF from 1; in boxes a pixel of the picture, as its
//! orientation mark says to show it, counts as a point.

use super::{Progress, Source, scan};
use crate::build::Draft;
use crate::build::writer::Writer;
use carrel_engine::seams::ConvertError;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage};
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Pixels of a picture, and bytes that its decoder may take for it.
const MOST_PIXELS: u64 = 100_000_000;
const MOST_BYTES: u64 = 400 << 20;
/// A longer side is reduced to this once it is decoded.
const LONGEST: u32 = 8_000;
/// A side of fewer pixels holds no letter.
const LEAST: u32 = 8;

/// Why a picture, or a page of one, is not there.
enum Fault {
    TooLarge,
    Damaged(String),
}

pub(super) fn convert(source: &Source<'_>, media_type: &str) -> Result<Draft, ConvertError> {
    let model = scan::model(source)?.ok_or_else(|| scan::needs_model("it is an image"))?;
    let pages = if media_type == "image/tiff" { tiff_pages(source.bytes) } else { vec![None] };
    let of = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    if of > source.limits.pages {
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }
    let mut writer = Writer::new(source.limits.output_bytes);
    let mut doubts = scan::Doubts::default();
    let mut faults: Vec<(u32, Fault)> = Vec::new();
    for (page, number) in pages.into_iter().zip(1..) {
        (source.progress)(Progress { unit: scan::UNIT, part: number, of });
        // A fault of a decoder costs the page.
        let picture = catch_unwind(AssertUnwindSafe(|| decode(source.bytes, media_type, page)))
            .unwrap_or_else(|_| Err(Fault::Damaged("its decoder failed".to_owned())));
        match picture {
            Ok((picture, title)) => {
                if let Some(title) = title.filter(|_| number == 1) {
                    writer.title(&title);
                }
                let reading = scan::read(&model, &picture)?;
                doubts.count(number, &reading);
                scan::write(&reading, number, 1.0, &mut writer);
            }
            Err(fault) => faults.push((number, fault)),
        }
        if writer.is_full() {
            break;
        }
    }
    if faults.len() == of as usize {
        return Err(match faults.into_iter().next() {
            Some((_, Fault::TooLarge)) => ConvertError::LimitExceeded { limit: "memory" },
            Some((_, Fault::Damaged(detail))) => ConvertError::Damaged { detail },
            None => ConvertError::Damaged { detail: "it holds no image".to_owned() },
        });
    }
    for (number, fault) in faults {
        match fault {
            Fault::TooLarge => writer.missing("damaged", format!("page {number} is too large to be read")),
            Fault::Damaged(detail) => {
                writer.missing("damaged", format!("page {number} could not be read: {detail}"));
            }
        }
    }
    let mut draft = writer.finish()?;
    if draft.markdown.trim().is_empty() && draft.warnings.is_empty() {
        return Err(ConvertError::NoText {
            detail: "nothing that is written was found in the image".to_owned(),
        });
    }
    doubts.tell(of, &mut draft);
    Ok(draft)
}

/// The picture, upright by its own mark, in RGB over white, and what it says it shows.
fn decode(
    bytes: &[u8],
    media_type: &str,
    page: Option<TiffPage>,
) -> Result<(DynamicImage, Option<String>), Fault> {
    let format = ImageFormat::from_mime_type(media_type)
        .ok_or_else(|| Fault::Damaged("its format is not known".to_owned()))?;
    let patched = page.map(|page| page.first_of(bytes));
    let mut reader = ImageReader::with_format(Cursor::new(patched.as_deref().unwrap_or(bytes)), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| fault(&error))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS || decoder.total_bytes() > MOST_BYTES {
        return Err(Fault::TooLarge);
    }
    if width < LEAST || height < LEAST {
        return Ok((DynamicImage::ImageRgb8(RgbImage::new(LEAST, LEAST)), None));
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let title = decoder.exif_metadata().ok().flatten().and_then(|exif| description(&exif));
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| fault(&error))?;
    let picture = if width.max(height) > LONGEST { picture.thumbnail(LONGEST, LONGEST) } else { picture };
    let mut picture =
        if picture.color().has_alpha() { over_white(picture) } else { picture.into_rgb8().into() };
    picture.apply_orientation(orientation);
    Ok((picture, title))
}

fn fault(error: &ImageError) -> Fault {
    match error {
        ImageError::Limits(_) => Fault::TooLarge,
        ImageError::Unsupported(_) => Fault::Damaged("it is kept in a way that is not known".to_owned()),
        _ => Fault::Damaged("the picture breaks off or is not valid".to_owned()),
    }
}

/// What shows through is white, or black behind what is light.
fn over_white(picture: DynamicImage) -> DynamicImage {
    let picture = picture.into_rgba8();
    let (mut light, mut weight) = (0_u64, 1_u64);
    for pixel in picture.as_raw().chunks_exact(4) {
        if let [red, green, blue, alpha] = *pixel {
            light += u64::from(alpha) * (u64::from(red) + u64::from(green) + u64::from(blue)) / 3;
            weight += u64::from(alpha);
        }
    }
    let behind: u16 = if light / weight > 200 { 0 } else { 255 };
    let (width, height) = picture.dimensions();
    let mut bytes = Vec::with_capacity(3 * width as usize * height as usize);
    for pixel in picture.as_raw().chunks_exact(4) {
        if let [colour @ .., alpha] = pixel {
            let alpha = u16::from(*alpha);
            bytes.extend(
                colour.iter().map(|c| ((u16::from(*c) * alpha + behind * (255 - alpha)) / 255) as u8),
            );
        }
    }
    RgbImage::from_raw(width, height, bytes).unwrap_or_default().into()
}

/// Where a page of a TIFF is described.
#[derive(Clone, Copy)]
struct TiffPage {
    offset: u64,
    /// Whether numbers in the head have eight bytes.
    big: bool,
    little_endian: bool,
}

impl TiffPage {
    /// The file with this page as its first: the decoder reads that one.
    fn first_of(self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        let offset = self.offset;
        let written: Vec<u8> = match (self.big, self.little_endian) {
            (true, true) => offset.to_le_bytes().to_vec(),
            (true, false) => offset.to_be_bytes().to_vec(),
            (false, true) => (offset as u32).to_le_bytes().to_vec(),
            (false, false) => (offset as u32).to_be_bytes().to_vec(),
        };
        let from = if self.big { 8 } else { 4 };
        if let Some(place) = bytes.get_mut(from..from + written.len()) {
            place.copy_from_slice(&written);
        }
        bytes
    }
}

/// The pages of a TIFF without reduced copies of others; `[None]` where its head says nothing.
fn tiff_pages(bytes: &[u8]) -> Vec<Option<TiffPage>> {
    /// `NewSubfileType`; its lowest bit marks a reduced copy.
    const KIND: u64 = 254;
    let little_endian = bytes.starts_with(b"II");
    let number = |at: u64, size: usize| -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        let field = bytes.get(at..at.checked_add(size)?)?;
        let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if little_endian { field.iter().rev().fold(0, fold) } else { field.iter().fold(0, fold) })
    };
    let big = number(2, 2) == Some(43);
    let (count_size, entry_size, offset_size) = if big { (8, 20, 8) } else { (2, 12, 4) };
    let mut next = if big { number(8, 8) } else { number(4, 4) };
    let mut pages: Vec<Option<TiffPage>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    while let Some(offset) = next.filter(|offset| *offset != 0 && seen.insert(*offset)) {
        let Some(count) = number(offset, count_size).filter(|count| *count <= 4_096) else { break };
        let first = offset + count_size as u64;
        let mut entries = (0..count).map(|n| first + n * entry_size);
        let reduced = entries.any(|entry| {
            let value = entry + if big { 12 } else { 8 };
            number(entry, 2) == Some(KIND) && number(value, 4).is_some_and(|kind| kind & 1 == 1)
        });
        if !reduced {
            pages.push(Some(TiffPage { offset, big, little_endian }));
        }
        next = number(first + count * entry_size, offset_size);
    }
    if pages.is_empty() { vec![None] } else { pages }
}

/// `ImageDescription` of EXIF data, unless a camera put its own name there.
fn description(exif: &[u8]) -> Option<String> {
    const DESCRIPTION: u64 = 0x010e;
    let little_endian = exif.starts_with(b"II");
    let number = |at: usize, size: usize| -> Option<u64> {
        let field = exif.get(at..at.checked_add(size)?)?;
        let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if little_endian { field.iter().rev().fold(0, fold) } else { field.iter().fold(0, fold) })
    };
    let directory = usize::try_from(number(4, 4)?).ok()?;
    let count = usize::try_from(number(directory, 2)?).ok()?;
    let entry = (0..count).map(|n| directory + 2 + 12 * n).find(|at| number(*at, 2) == Some(DESCRIPTION))?;
    let length = usize::try_from(number(entry + 4, 4)?).ok().filter(|length| *length <= 1_024)?;
    let at = if length <= 4 { entry + 8 } else { usize::try_from(number(entry + 8, 4)?).ok()? };
    let text = std::str::from_utf8(exif.get(at..at.checked_add(length)?)?).ok()?;
    let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    let camera = ["DIGITAL CAMERA", "SAMSUNG", "SONY DSC", "default", "Screenshot"];
    let own = text.chars().filter(|c| c.is_alphabetic()).count() >= 3
        && !camera.iter().any(|name| text.to_lowercase().contains(&name.to_lowercase()));
    own.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(tag: u16, kind: u16, count: u32, value: u32) -> Vec<u8> {
        [
            tag.to_le_bytes().to_vec(),
            kind.to_le_bytes().to_vec(),
            count.to_le_bytes().to_vec(),
            value.to_le_bytes().to_vec(),
        ]
        .concat()
    }

    #[test]
    fn pages_of_a_tiff_are_followed_without_reduced_copies_and_loops() {
        let mut bytes = b"II\x2a\0\x08\0\0\0".to_vec();
        for (kind, next) in [(0, 26), (1, 44), (0, 8_u32)] {
            bytes.extend(1_u16.to_le_bytes());
            bytes.extend(entry(254, 4, 1, kind));
            bytes.extend(next.to_le_bytes());
        }
        let offsets: Vec<u64> = tiff_pages(&bytes).into_iter().flatten().map(|page| page.offset).collect();
        assert_eq!(offsets, [8, 44]);
        let second = TiffPage { offset: 44, big: false, little_endian: true }.first_of(&bytes);
        assert_eq!(second[4..8], 44_u32.to_le_bytes());
        assert!(matches!(tiff_pages(b"II\x2a\0\xff\xff\xff\xff").as_slice(), [None]));
    }

    #[test]
    fn a_description_is_a_title_and_the_name_of_a_camera_is_not() {
        let exif = |text: &[u8]| {
            let mut bytes = b"II\x2a\0\x08\0\0\0\x01\0".to_vec();
            bytes.extend(entry(0x010e, 2, u32::try_from(text.len()).unwrap(), 26));
            bytes.extend([0; 4]);
            bytes.extend(text);
            bytes
        };
        assert_eq!(description(&exif(b"The old reading room\0")).as_deref(), Some("The old reading room"));
        assert_eq!(description(&exif(b"OLYMPUS DIGITAL CAMERA\0")), None);
        assert_eq!(description(b"II\x2a\0"), None);
    }

    #[test]
    fn what_shows_through_is_told_from_what_is_written() {
        let dark =
            image::RgbaImage::from_fn(4, 1, |x, _| image::Rgba([0, 0, 0, if x == 0 { 255 } else { 0 }]));
        assert_eq!(over_white(dark.into()).to_rgb8().as_raw()[..6], [0, 0, 0, 255, 255, 255]);
        let light = image::RgbaImage::from_fn(4, 1, |x, _| {
            image::Rgba([255, 255, 255, if x == 0 { 255 } else { 0 }])
        });
        assert_eq!(over_white(light.into()).to_rgb8().as_raw()[..6], [255, 255, 255, 0, 0, 0]);
    }
}
