//! Encrypted files of Office 97–2003 and of OpenDocument: they open with their password, and say what they want without it.

mod common;

use carrel_engine::domain::Converted;
use carrel_engine::seams::{ConvertError, ConvertRequest};
use common::{answer, expected, path, pool};

fn open(name: &str, password: Option<&str>) -> Result<Converted, ConvertError> {
    let request = path(&expected::fixture(name));
    answer(&pool(1), &ConvertRequest { password: password.map(str::to_owned), ..request })
}

#[test]
fn each_opens_with_its_password_alone() {
    let cases = [
        ("testWORD_protected_passtika.doc", "tika", "This is an encrypted Word 2007 File."),
        ("testEXCEL_protected_passtika.xls", "tika", "This is an Encrypted Excel spreadsheet."),
        ("testPPT_protected_passtika.ppt", "tika", "This is an encrypted PowerPoint 2007 slide."),
        ("sealed_whole.odt", "lighthouse", "The letter sealed as a whole."),
        ("testODTEncrypted.odt", "tika", "This should be encrypted."),
    ];
    for (name, password, words) in cases {
        assert_eq!(open(name, None), Err(ConvertError::NeedsPassword), "{name}");
        assert_eq!(open(name, Some("other")), Err(ConvertError::WrongPassword), "{name}");
        let converted = open(name, Some(password)).unwrap();
        assert!(converted.markdown.contains(words), "{name}: {}", converted.markdown);
        assert!(converted.complete, "{name}: {:?}", converted.warnings);
    }
}
