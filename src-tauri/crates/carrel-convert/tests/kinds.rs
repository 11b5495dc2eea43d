//! What a file is called that is of another kind than its name says, or of one that is not read, and in which words.

#![expect(clippy::panic, reason = "a test stops where something is missing")]

mod common;

use carrel_engine::seams::ConvertError;
use common::make::package;
use common::{answer, bytes, convert, pool};

fn error(name: &str, content: &[u8]) -> ConvertError {
    match answer(&pool(1), &bytes(name, content)) {
        Ok(converted) => panic!("{name} was read: {}", converted.markdown),
        Err(error) => error,
    }
}

#[test]
fn formats_that_are_not_read_are_called_by_their_names() {
    let mut wmf = vec![0xd7, 0xcd, 0xc6, 0x9a];
    wmf.resize(100, 7);
    let pages = package(&[("Index/Document.iwa", b"\x00\x01"), ("Metadata/Properties.plist", b"bplist00")]);
    let cases: [(&str, &[u8], &str); 6] = [
        ("letter.doc", b"\xffWPC\x10\x00\x00\x00\x01\x0a\x02\x01\x00\x00\x00\x00", "WordPerfect"),
        ("old.xls", b"\x09\x04\x06\x00\x00\x00\x10\x00\x00\x00\x42\x00\x02\x00\xe4\x04", "Excel 4"),
        ("sheet.wk1", b"\x00\x00\x02\x00\x06\x04\x06\x00\x08\x00\x00\x00\x00\x00\x00\x00", "Lotus 1-2-3"),
        ("picture", &wmf, "WMF image"),
        ("letter.zip", &pages, "Pages, Numbers and Keynote"),
        ("print.txt", b"%!PS-Adobe-3.0\n/Helvetica findfont\n", "PostScript"),
    ];
    for (name, content, format) in cases {
        let expected = ConvertError::UnsupportedFormat { format: format.to_owned() };
        assert_eq!(error(name, content), expected, "{name}");
    }
}

#[test]
fn a_text_under_the_name_of_a_document_is_read() {
    for name in ["a.pdf", "a.docx", "a.pptx", "a.odt", "a.epub", "a.zip", "a.png", "a.msg"] {
        let converted = convert(name, b"The notice period is three months.\n\nIn writing.");
        assert_eq!(converted.markdown.trim(), "The notice period is three months.\n\nIn writing.", "{name}");
        assert_eq!(converted.media_type, "text/plain", "{name}");
    }
}

#[test]
fn what_is_damaged_is_said_in_the_words_of_people() {
    let whole =
        package(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w:document></w:body>")]);
    let cut = &whole[..whole.len() / 2];
    let sheet = package(&[("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<nothing/>")]);
    let mut compound = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    compound.extend("WordDocument".encode_utf16().flat_map(u16::to_le_bytes));
    compound.resize(2_000, 0);
    let cases: [(&str, &[u8]); 6] = [
        ("a.docx", cut),
        ("a.docx", &whole),
        ("a.zip", cut),
        ("a.xlsx", &sheet),
        ("a.doc", &compound),
        ("a.pdf", b"%PDF-1.7\n1 0 obj\n<<"),
    ];
    for (name, content) in cases {
        let message = error(name, content).to_string();
        assert!(message.starts_with("the file is damaged: "), "{name}: {message}");
        for jargon in ["EOCD", "Zip archive", "error", "Error", "os ", "PDFium", "sector", "XML"] {
            assert!(!message.contains(jargon), "{name}: {message}");
        }
    }
}
