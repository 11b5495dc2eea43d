//! Archives and packages that are put together in unusual ways: nothing of them is lost without a word.

mod common;

use common::make::{docx, package};
use common::{convert, place};
use std::io::{Cursor, Write};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// An archive in whose directory every `b.txt` is called `a.txt`.
fn twins(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = package(entries);
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, b"b.txt").collect();
    for at in places {
        bytes[at] = b'a';
    }
    bytes
}

#[test]
fn two_entries_of_one_name_are_both_read() {
    let archive =
        twins(&[("a.txt", b"The first letter"), ("b.txt", b"The second letter"), ("c.md", b"Other")]);
    let converted = convert("all.zip", &archive);
    let markdown = &converted.markdown;
    for part in ["## a.txt\n\nThe first letter", "## a (2).txt\n\nThe second letter", "## c.md\n\nOther"] {
        assert!(markdown.contains(part), "{part} in {markdown}");
    }
    assert_eq!(place(&converted, "The second letter").chapter.as_deref(), Some("a (2).txt"));
    assert!(converted.complete, "{:?}", converted.warnings);
}

#[test]
fn what_lies_too_deep_in_archives_is_named_once() {
    let mut archive = package(&[("leaf.txt", b"Too deep")]);
    for _ in 0..5 {
        archive = package(&[("inner.zip", &archive)]);
    }
    let with_text = package(&[("inner.zip", &archive), ("note.txt", b"A note")]);
    let converted = convert("all.zip", &with_text);
    let messages: Vec<&str> = converted.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0].matches("was not read").count(), 1, "{messages:?}");
    assert!(!converted.complete);
}

const CONTENT: &str =
    "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\" xmlns:table=\"b\"><office:body>";
const END: &str = "</office:body></office:document-content>";

fn text_document() -> String {
    format!("{CONTENT}<office:text><text:p>The lighthouse letter</text:p></office:text>{END}")
}

#[test]
fn an_open_document_is_known_however_it_is_packed() {
    let kind = b"application/vnd.oasis.opendocument.text";
    let manifest = b"<manifest:manifest xmlns:manifest=\"m\"><manifest:file-entry manifest:full-path=\"/\" \
        manifest:media-type=\"application/vnd.oasis.opendocument.text\"/></manifest:manifest>";
    let content = text_document();
    let content = content.as_bytes();
    let cases: [&[(&str, &[u8])]; 4] = [
        &[("content.xml", content), ("mimetype", kind), ("META-INF/manifest.xml", manifest)],
        &[("content.xml", content), ("META-INF/manifest.xml", manifest)],
        &[("content.xml", content), ("mimetype", kind)],
        &[("Content.xml", content), ("meta-inf\\manifest.xml", manifest)],
    ];
    for parts in cases {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let packed = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        for (name, bytes) in parts {
            zip.start_file(*name, packed).unwrap();
            zip.write_all(bytes).unwrap();
        }
        let converted = convert("letter", &zip.finish().unwrap().into_inner());
        assert_eq!(converted.markdown.trim(), "The lighthouse letter", "{:?}", parts[0].0);
        assert_eq!(converted.media_type, "application/vnd.oasis.opendocument.text");
    }
}

#[test]
fn a_book_without_its_container_and_a_document_with_other_separators_are_known() {
    let opf = b"<package><metadata/><manifest><item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/></manifest>\
        <spine><itemref idref=\"a\"/></spine></package>";
    let book = package(&[
        ("OEBPS/book.opf", opf),
        ("OEBPS/a.xhtml", b"<html><body><p>Chapter of lighthouses</p></body></html>"),
        ("mimetype", b"application/epub+zip"),
    ]);
    let converted = convert("book.bin", &book);
    assert!(converted.markdown.contains("Chapter of lighthouses"), "{}", converted.markdown);
    assert_eq!(converted.media_type, "application/epub+zip");

    let body =
        b"<w:document xmlns:w=\"w\"><w:body><w:p><w:r><w:t>Separated</w:t></w:r></w:p></w:body></w:document>";
    let document = package(&[("[Content_Types].xml", b"<Types/>"), ("word\\document.xml", body)]);
    assert_eq!(convert("a.docx", &document).markdown.trim(), "Separated");
}

#[test]
fn what_is_nested_too_deeply_costs_itself() {
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let deep = format!(
        "{}{}{}{}{}",
        paragraph("Before"),
        "<w:tbl><w:tr><w:tc>".repeat(10_000),
        paragraph("Inside"),
        "</w:tc></w:tr></w:tbl>".repeat(10_000),
        paragraph("After")
    );
    let converted = convert("deep.docx", &docx(&deep));
    assert!(converted.markdown.starts_with("Before"), "{}", converted.markdown);
    assert!(converted.markdown.trim().ends_with("After"), "{}", converted.markdown);
    assert!(!converted.complete && converted.warnings.iter().any(|w| w.code == "too_deep"));
}

#[test]
fn cells_that_repeat_beyond_a_bound_are_counted() {
    let rows = "<table:table-row><table:table-cell table:number-columns-repeated=\"3\"><text:p>x</text:p></table:table-cell>\
        </table:table-row><table:table-row table:number-rows-repeated=\"5000\"><table:table-cell><text:p>y</text:p>\
        </table:table-cell></table:table-row>";
    let content = format!(
        "{CONTENT}<office:spreadsheet><table:table table:name=\"S\">{rows}</table:table></office:spreadsheet>{END}"
    );
    let sheet = package(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
        ("META-INF/manifest.xml", b"<manifest/>"),
    ]);
    let converted = convert("a.ods", &sheet);
    assert_eq!(converted.markdown.matches("| y |").count(), 1_000);
    let message = "sheet S: 4000 cells that repeat another one were left out";
    assert!(converted.warnings.iter().any(|w| w.message == message), "{:?}", converted.warnings);
    assert!(!converted.complete);
}
