//! Real documents through a real worker, against what `expected.json` says must be found in them.

mod common;

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::ConverterId;
use carrel_engine::seams::{ConvertError, ConvertRequest, DocumentConverter};
use common::expected::{check, expected, fixture};
use std::path::Path;

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
fn without_pdfium_a_simpler_reader_reads_what_it_can_and_says_so() {
    let pool = common::pool_without_pdfium();
    assert_eq!(pool.converter_for("a.pdf").map(|c| c.id).as_deref(), Some("pdf_simple"));
    let expected = expected();
    for name in ["test.pdf", "multicolumn.pdf", "broken_xref.pdf", "ruled_table.pdf"] {
        let converted = pool.convert(&request(name, None), &Cancel::new());
        let converted = converted.unwrap_or_else(|error| panic!("{name}: {error}"));
        check(name, &converted, expected.get(name).unwrap());
        assert!(converted.warnings.iter().any(|w| w.code == "simple_reader"), "{name}");
        assert_eq!(converted.converter.id, "pdf_simple", "{name}");
    }
    let open = |password| pool.convert(&request("zh_encrypted_userpw.pdf", password), &Cancel::new());
    assert_eq!(open(None).unwrap_err(), ConvertError::NeedsPassword);
    assert_eq!(open(Some("wrong")).unwrap_err(), ConvertError::WrongPassword);
    assert!(open(Some("geheim")).unwrap().markdown.contains("第1章"));
}

#[test]
fn what_the_simpler_reader_made_is_due_again_once_pdfium_is_there() {
    let made = common::pool_without_pdfium().converters();
    let simple = |list: &[ConverterId]| list.iter().find(|c| c.id == "pdf_simple").map(|c| c.version);
    assert!(made.iter().all(|c| c.id != "pdf") && simple(&made) == Some(2), "what PDFium read stays");
    if !common::without_pdfium("due again") {
        let now = common::pool(1).converters();
        assert!(now.iter().any(|c| c.id == "pdf") && simple(&now) > simple(&made));
    }
}
