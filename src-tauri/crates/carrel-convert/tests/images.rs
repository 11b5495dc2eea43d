//! Text in images and scanned pages, read with the real model.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where something is missing")]

mod common;

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{Converted, Location, Span};
use carrel_engine::seams::{ConvertError, DocumentConverter};
use common::make::{SCAN, pdf, pdf_pages};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/documents").join(name)
}

fn try_read(name: &str) -> Result<Converted, ConvertError> {
    common::pool(1).convert(&common::path(&fixture(name)), &Cancel::new())
}

fn read(name: &str) -> Converted {
    let converted = try_read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    common::invariants::check(&converted);
    converted
}

fn place(converted: &Converted, needle: &str) -> Location {
    let text = &converted.markdown;
    let at = text.find(needle).unwrap_or_else(|| panic!("{needle} is not in {text}"));
    Location::of_span(Span::new(at, at + needle.len()), &converted.locations)
}

#[test]
fn a_page_on_its_side_is_read_and_its_boxes_lie_where_the_text_is_seen() {
    if common::without_ocr("turned_scan.png") {
        return;
    }
    let converted = read("turned_scan.png");
    assert_eq!((converted.media_type.as_str(), converted.converter.id.as_str()), ("image/png", "image"));
    let text = converted.markdown.replace('\n', " ");
    for words in ["The lantern keeper of Hallow Point wrote a line in the log", "14 March 1931", "followed."]
    {
        assert!(text.contains(words), "{words} is not in {text}");
    }
    assert!(converted.complete);
    // The page was turned clockwise: its first line runs down at the right edge.
    let first = place(&converted, "lantern keeper");
    let [left, top, right, bottom] = first.boxes[0];
    assert_eq!(first.page, Some(1));
    assert!(left > 500.0 && right <= 700.0 && bottom - top > 500.0, "{first:?}");
}

#[test]
fn vertical_text_is_read_from_right_to_left() {
    if common::without_ocr("vertical_zh.png") {
        return;
    }
    let text: String = read("vertical_zh.png").markdown.chars().filter(|c| !c.is_whitespace()).collect();
    let (first, second) = (text.find("春眠不").unwrap(), text.find("黃河入海流").unwrap());
    assert!(first < second, "{text}");
    let wanted = "春眠不覺曉處處聞啼鳥夜來風雨聲花落知多少白日依山盡黃河入海流欲窮千里目更上一層樓";
    let missed = wanted.chars().filter(|c| !text.contains(*c)).count();
    assert!(missed <= 2, "{text}");
}

#[test]
fn every_page_of_a_fax_is_read_and_located() {
    if common::without_ocr("two_pages.tif") {
        return;
    }
    let converted = read("two_pages.tif");
    assert_eq!(place(&converted, "2026-0417").page, Some(1));
    assert_eq!(place(&converted, "KX-9917").page, Some(2));
}

#[test]
fn an_image_without_text_holds_none() {
    if common::without_ocr("no_text.jpg") {
        return;
    }
    let error = try_read("no_text.jpg").unwrap_err();
    assert!(matches!(&error, ConvertError::NoText { detail } if detail.contains("image")), "{error:?}");
}

#[test]
fn a_cut_image_is_damaged_and_one_of_a_kilobyte_that_claims_gigabytes_is_refused() {
    if common::without_ocr("damaged") {
        return;
    }
    let pool = common::pool(1);
    let whole = std::fs::read(fixture("turned_scan.png")).unwrap();
    let cut = pool.convert(&common::bytes("cut.png", &whole[..whole.len() / 2]), &Cancel::new()).unwrap_err();
    assert!(matches!(cut, ConvertError::Damaged { .. }), "{cut:?}");
    let bomb = pool.convert(&common::bytes("bomb.png", &png(60_000, 60_000)), &Cancel::new()).unwrap_err();
    assert_eq!(bomb, ConvertError::LimitExceeded { limit: "memory" });
}

#[test]
fn an_image_waits_for_the_model_and_is_read_when_it_comes() {
    if common::without_ocr("model") {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("model");
    let pool = common::pool_with_ocr_at(&folder);
    let request = common::path(&fixture("vertical_zh.png"));
    let error = pool.convert(&request, &Cancel::new()).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("carrel models get pp-ocrv6-small"), "{said}");
    assert!(pool.converter_for("a.png").is_some(), "it is no unknown format");
    assert!(pool.converters().iter().all(|c| c.id != "image"));
    copy(&common::ocr().unwrap(), &folder);
    assert!(pool.converters().iter().any(|c| c.id == "image"), "what waited is queued again by this");
    assert!(pool.convert(&request, &Cancel::new()).is_ok());
}

#[test]
fn a_scanned_page_among_pages_of_text_keeps_its_place_and_its_points() {
    if common::without_ocr("scan among text") {
        return;
    }
    let text = |words: &str| format!("BT /F1 14 Tf 60 700 Td ({words}) Tj ET");
    // A stamp of the scanner is all the text that the second page has.
    let stream = "q 550 0 0 350 25 400 cm /I Do Q BT /F1 8 Tf 30 20 Td (Scan 7) Tj ET";
    let picture = image::open(fixture("two_pages.tif")).unwrap().to_luma8();
    let hex: String = picture.as_raw().iter().map(|byte| format!("{byte:02x}")).collect();
    let page = |contents: u32| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {contents} 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /I 4 0 R >> >> >>"
        )
    };
    let stream_of = |text: &str| format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len());
    // The image covers the page.
    let stream = stream.replace("550 0 0 350 25 400", "600 0 0 700 0 60");
    let document = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".into(),
        "<< /Type /Pages /Kids [5 0 R 7 0 R 9 0 R] /Count 3 >>".into(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".into(),
        format!(
            "<< /Type /XObject /Subtype /Image /Width {} /Height {} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /ASCIIHexDecode /Length {} >>\nstream\n{hex}>\nendstream",
            picture.width(),
            picture.height(),
            hex.len() + 1
        ),
        page(6),
        stream_of(&text("Before the scanned page there is text.")),
        page(8),
        stream_of(&stream),
        page(10),
        stream_of(&text("After it there is text again.")),
    ]);
    let converted = common::pool(1).convert(&common::bytes("a.pdf", &document), &Cancel::new()).unwrap();
    common::invariants::check(&converted);
    let order = ["Before the scanned", "2026-0417", "After it"].map(|words| place(&converted, words).page);
    assert_eq!(order, [Some(1), Some(2), Some(3)], "{}", converted.markdown);
    let [left, top, right, bottom] = place(&converted, "2026-0417").boxes[0];
    assert!(left >= 0.0 && right <= 600.0 && top > 30.0 && bottom < 400.0, "points of the page");
}

/// Pages of these lines, 20 points apart. A line behind `#` is drawn in a font that says of each letter that it is another.
fn pages_in_two_fonts(pages: &[&[&str]]) -> Vec<u8> {
    let stream = |text: &str| format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len());
    let map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def \
        1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <21> <7E> <E021> endbfrange endcmap end end";
    let kids: String = (0..pages.len()).map(|n| format!("{} 0 R ", 6 + 2 * n)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>".to_owned(),
        stream(map),
    ];
    for (lines, n) in pages.iter().zip(0..) {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>",
            7 + 2 * n
        ));
        let text: String = lines
            .iter()
            .zip(0..)
            .map(|(line, row)| {
                let (font, line) = line.strip_prefix('#').map_or(("F1", *line), |line| ("F2", line));
                format!("BT /{font} 14 Tf 60 {} Td ({line}) Tj ET\n", 700 - 20 * row)
            })
            .collect();
        objects.push(stream(&text));
    }
    pdf(&objects)
}

const GARBLED: [&str; 2] = ["#The lantern keeper wrote a line", "#in the log of that long night."];

#[test]
fn c35_text_whose_fonts_do_not_say_what_they_show_is_read_from_what_is_seen() {
    if common::without_ocr("c35") {
        return;
    }
    let mixed = [&["Hallow Point, 14 March 1931"][..], &GARBLED].concat();
    let document = pages_in_two_fonts(&[&["This page can be read."], &GARBLED, &mixed]);
    let converted = common::pool(1).convert(&common::bytes("a.pdf", &document), &Cancel::new()).unwrap();
    common::invariants::check(&converted);
    let text = converted.markdown.replace('\n', " ");
    assert_eq!(
        text.matches("The lantern keeper wrote a line in the log of that long night.").count(),
        2,
        "{text}"
    );
    assert_eq!(text.matches("Hallow Point, 14 March 1931").count(), 1, "{text}");
    assert!(!text.contains(|c| matches!(c, '\u{e000}'..='\u{f8ff}')), "{text}");
    assert!(converted.complete && converted.warnings.is_empty(), "{:?}", converted.warnings);
    assert_eq!(place(&converted, "can be read").page, Some(1));
    let here = place(&converted, "lantern keeper");
    let [left, top, right, bottom] = here.boxes[0];
    assert_eq!(here.page, Some(2));
    assert!(left > 50.0 && right < 300.0 && top > 80.0 && bottom < 130.0, "points of the page: {here:?}");
}

#[test]
fn c33_c35_pages_that_wait_for_the_model_are_named_and_the_rest_is_kept() {
    if common::without_pdfium("waiting pages") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pool = common::pool_with_ocr_at(folder.path());
    let document = pages_in_two_fonts(&[&["This page can be read."], &GARBLED]);
    let converted = pool.convert(&common::bytes("a.pdf", &document), &Cancel::new()).unwrap();
    assert_eq!(converted.markdown, "This page can be read.");
    let codes: Vec<_> = converted.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!((codes.as_slice(), converted.complete), (&["garbled", "needs_model"][..], false));
    assert!(converted.warnings[0].message.contains("page 2"), "{:?}", converted.warnings);
    for (document, said) in [
        (pages_in_two_fonts(&[&GARBLED]), "page 1: the fonts do not say"),
        (pdf_pages(&[SCAN.to_owned()], "<< >>"), "page 1: no text layer"),
    ] {
        let error = pool.convert(&common::bytes("a.pdf", &document), &Cancel::new()).unwrap_err();
        assert!(
            matches!(&error, ConvertError::NeedsModel { detail, .. } if detail.contains(said)),
            "{error:?}"
        );
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The head of a PNG of this size, with a little of its pixels.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes()[..], &[8, 2, 0, 0, 0]].concat();
    for (kind, content) in [(b"IHDR", head), (b"IDAT", vec![0x78, 0x9c, 0x63, 0, 0]), (b"IEND", Vec::new())] {
        file.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        let chunk = [&kind[..], &content].concat();
        file.extend(&chunk);
        let crc = chunk.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(
                crc ^ u32::from(*byte),
                |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
            )
        });
        file.extend((!crc).to_be_bytes());
    }
    file
}
