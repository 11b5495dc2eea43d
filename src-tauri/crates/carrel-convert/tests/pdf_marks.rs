//! What lies on top of the pages of a PDF, and in it: fields of forms, remarks of readers, attached files.

#![expect(clippy::unwrap_used, reason = "a test stops where something is missing")]

mod common;

use carrel_engine::domain::Converted;
use common::make::{package, pdf, show};
use common::{convert, place};
use std::fmt::Write as _;

/// A page with a text, annotations that are fields of its form too, and files that are attached.
fn document(text: &str, annotations: &[&str], files: &[(&str, Vec<u8>)]) -> Converted {
    let stream = if text.is_empty() { String::new() } else { show("F1", 12, 50, 700, text) };
    let first = 6;
    let list: Vec<String> = (0..annotations.len()).map(|i| format!("{} 0 R", first + i)).collect();
    let list = list.join(" ");
    let first_file = first + annotations.len();
    let mut names = String::new();
    for (i, (name, _)) in files.iter().enumerate() {
        write!(names, "({name}) {} 0 R ", first_file + 2 * i).unwrap();
    }
    let mut objects = vec![
        format!(
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{list}] >> \
             /Names << /EmbeddedFiles << /Names [{names}] >> >> >>"
        ),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Annots [{list}] \
             /Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    objects.extend(annotations.iter().map(|a| format!("<< /Type /Annot {a} >>")));
    for (i, (name, content)) in files.iter().enumerate() {
        let stream = first_file + 2 * i + 1;
        objects.push(format!("<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F {stream} 0 R >> >>"));
        let hex: String = content.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        });
        objects.push(format!(
            "<< /Type /EmbeddedFile /Filter /ASCIIHexDecode /Length {} >>\nstream\n{hex}>\nendstream",
            hex.len() + 1
        ));
    }
    convert("a.pdf", &pdf(&objects))
}

const FIELDS: [&str; 6] = [
    "/Subtype /Widget /FT /Tx /T (form.name[0]) /TU (Full name) /V (Ada Keller) /Rect [100 600 300 620]",
    "/Subtype /Widget /FT /Tx /T (city) /V (Bern) /Rect [100 560 300 580]",
    "/Subtype /Widget /FT /Tx /T (empty) /Rect [100 540 300 550]",
    "/Subtype /Widget /FT /Btn /T (married) /TU (Married) /V /Yes /AS /Yes /Rect [100 500 110 510] \
     /AP << /N << /Yes << >> /Off << >> >> >>",
    "/Subtype /Widget /FT /Btn /T (retired) /TU (Retired) /V /Off /AS /Off /Rect [100 480 110 490] \
     /AP << /N << /Yes << >> /Off << >> >> >>",
    "/Subtype /Widget /FT /Ch /Ff 131072 /T (canton) /V (be) /Opt [[(be) (Berne)] [(zh) (Zurich)]] \
     /Rect [100 440 300 460]",
];

#[test]
fn what_was_filled_into_a_form_stands_with_its_names_on_its_page() {
    if common::without_pdfium("fields") {
        return;
    }
    for text in ["", "An application for a permit"] {
        let converted = document(text, &FIELDS, &[]);
        let expected = "- Full name: Ada Keller\n- city: Bern\n- ☑ Married\n- canton: Berne";
        assert!(converted.markdown.starts_with(text), "{}", converted.markdown);
        assert!(converted.markdown.trim().ends_with(expected), "{}", converted.markdown);
        assert!(converted.complete, "{:?}", converted.warnings);
        let place = place(&converted, "Ada Keller");
        assert_eq!((place.page, place.boxes), (Some(1), vec![[100.0, 180.0, 300.0, 200.0]]));
    }
}

#[test]
fn remarks_of_readers_are_kept() {
    if common::without_pdfium("remarks") {
        return;
    }
    let marks = [
        "/Subtype /FreeText /Contents (Typed on the page) /Rect [50 500 300 520]",
        "/Subtype /Text /T (Ada) /Contents (Is this right?) /Rect [50 400 60 410]",
        "/Subtype /Popup /Contents (Is this right?) /Rect [50 300 60 310]",
        "/Subtype /Text /F 2 /Contents (Hidden) /Rect [50 400 60 410]",
    ];
    let converted = document("The text of the page", &marks, &[]);
    let expected = "The text of the page\n\nTyped on the page\n\nComment by Ada: Is this right?";
    assert_eq!(converted.markdown.trim(), expected);
}

#[test]
fn attached_files_are_read_as_those_of_an_archive() {
    if common::without_pdfium("attached") {
        return;
    }
    let zip = package(&[("inner.txt", b"Inside the archive")]);
    let files = [
        ("notes.txt", b"The attached notes".to_vec()),
        ("more.zip", zip),
        ("broken.docx", b"PK\x03\x04 nothing of a package".to_vec()),
    ];
    let converted = document("The letter", &[], &files);
    let markdown = &converted.markdown;
    for part in ["The letter", "## notes.txt\n\nThe attached notes", "## more.zip", "Inside the archive"] {
        assert!(markdown.contains(part), "{part} in {markdown}");
    }
    assert_eq!(place(&converted, "The attached notes").chapter.as_deref(), Some("notes.txt"));
    assert!(!converted.complete);
    assert!(converted.warnings.iter().any(|w| w.message.starts_with("broken.docx was not read")));
}
