//! Real documents through a real worker, against what `expected.json` says must be found in them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where something is missing")]

mod common;

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{Converted, Location, Span};
use carrel_engine::seams::{ConvertError, ConvertRequest, DocumentConverter};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

#[derive(Deserialize)]
struct Expected {
    must_contain: Vec<String>,
    must_not_contain: Vec<String>,
    in_order: Vec<Vec<String>>,
    table_rows: Vec<Vec<String>>,
    headings: Vec<String>,
    pages: BTreeMap<String, u32>,
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/documents").join(name)
}

fn expected() -> BTreeMap<String, Expected> {
    serde_json::from_slice(&std::fs::read(fixture("expected.json")).unwrap()).unwrap()
}

/// Compared after NFKC, without white space, case-folded.
fn folded(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()).collect()
}

fn check(name: &str, converted: &Converted, expected: &Expected) {
    common::invariants::check(converted);
    let markdown = &converted.markdown;
    let text = folded(markdown);
    let has = |wanted: &str| text.contains(&folded(wanted));
    for wanted in &expected.must_contain {
        assert!(has(wanted), "{name}: {wanted:?} is missing in:\n{markdown}");
    }
    for forbidden in &expected.must_not_contain {
        assert!(!has(forbidden), "{name}: {forbidden:?} must not be in:\n{markdown}");
    }
    for order in &expected.in_order {
        let places: Vec<_> = order.iter().map(|wanted| text.find(&folded(wanted)).unwrap()).collect();
        assert!(places.is_sorted(), "{name}: {order:?} stand at {places:?} in:\n{markdown}");
    }
    let rows: Vec<String> = markdown.lines().filter(|l| l.starts_with('|')).map(folded).collect();
    for cells in &expected.table_rows {
        let found = rows.iter().any(|row| cells.iter().all(|cell| row.contains(&folded(cell))));
        assert!(found, "{name}: no row holds {cells:?} in:\n{markdown}");
    }
    let headings: Vec<String> = markdown.lines().filter(|l| l.starts_with('#')).map(folded).collect();
    for heading in &expected.headings {
        assert!(
            headings.iter().any(|h| h.contains(&folded(heading))),
            "{name}: {heading:?} is no heading in:\n{markdown}"
        );
    }
    for (wanted, page) in &expected.pages {
        // Located by a part of it that stands on one line.
        let needle = markdown.find(wanted.as_str()).map(|at| Span::new(at, at + wanted.len()));
        let span = needle.unwrap_or_else(|| panic!("{name}: {wanted:?} is not in:\n{markdown}"));
        assert_eq!(
            Location::of_span(span, &converted.locations).page,
            Some(*page),
            "{name}: page of {wanted:?}"
        );
    }
}

fn is_pdf(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == "pdf")
}

fn request(name: &str, password: Option<&str>) -> ConvertRequest {
    ConvertRequest { password: password.map(str::to_owned), ..common::path(&fixture(name)) }
}

#[test]
fn documents_give_what_is_expected_of_them() {
    let pool = common::pool(1);
    for (name, expected) in expected() {
        let password = (name == "zh_encrypted_userpw.pdf").then_some("geheim");
        let lacks = if name == "scan_en_zh.pdf" { common::without_ocr } else { common::without_pdfium };
        if is_pdf(&name) && lacks(&name) {
            continue;
        }
        let converted = pool.convert(&request(&name, password), &Cancel::new());
        check(&name, &converted.unwrap_or_else(|error| panic!("{name}: {error}")), &expected);
    }
}

#[test]
fn pages_without_text_are_named_where_nothing_can_read_them() {
    if common::without_pdfium("scan_en_zh.pdf") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pool = common::pool_with_ocr_at(folder.path());
    let error = pool.convert(&request("scan_en_zh.pdf", None), &Cancel::new()).unwrap_err();
    assert!(
        matches!(&error, ConvertError::NeedsModel { detail, .. } if detail.contains("page 1")),
        "{error:?}"
    );
}

#[test]
fn encrypted_files_ask_for_their_password() {
    if common::without_pdfium("zh_encrypted_userpw.pdf") {
        return;
    }
    let pool = common::pool(1);
    let convert = |password| pool.convert(&request("zh_encrypted_userpw.pdf", password), &Cancel::new());
    assert_eq!(convert(None).unwrap_err(), ConvertError::NeedsPassword);
    assert_eq!(convert(Some("wrong")).unwrap_err(), ConvertError::WrongPassword);
    assert!(convert(Some("geheim")).unwrap().markdown.contains("第1章"));
}

#[test]
fn without_pdfium_pdf_says_how_to_get_it() {
    let pool = common::pool_without_pdfium();
    let error = pool.convert(&request("ruled_table.pdf", None), &Cancel::new()).unwrap_err();
    assert!(
        matches!(&error, ConvertError::UnsupportedFormat { format } if format.contains("PDFium")),
        "{error:?}"
    );
    assert_eq!(pool.converter_for("a.pdf"), None);
    assert!(pool.converters().iter().all(|c| c.id != "pdf"));
    assert!(common::pool(1).converter_for("a.docx").is_some());
}
