//! Small files made for a test: PDF, XLSX, DOCX, packages and messages of Outlook.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::write::{SimpleFileOptions, ZipWriter};

/// A PDF from its objects (the first is the catalogue) with a right cross-reference table.
pub(crate) fn pdf(objects: &[String]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        offsets.push(out.len());
        out.extend(format!("{number} 0 obj\n{object}\nendobj\n").into_bytes());
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    let trailer =
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    out.extend(trailer.into_bytes());
    out
}

/// Operators that show an image all over the page.
pub(crate) const SCAN: &str = "q 600 0 0 800 0 0 cm BI /W 2 /H 1 /CS /G /BPC 8 ID A9 EI Q\n";

/// Operators that draw straight lines, each from and to a place.
pub(crate) fn rules(lines: &[[u32; 4]]) -> String {
    lines.iter().fold(String::from("0.5 w\n"), |mut text, [x, y, to_x, to_y]| {
        writeln!(text, "{x} {y} m {to_x} {to_y} l S").unwrap();
        text
    })
}

/// The same as [`pdf_pages`] with an outline: titles of one level and their pages, from 0.
pub(crate) fn pdf_with_outline(streams: &[String], entries: &[(&str, usize)]) -> Vec<u8> {
    let mut objects = pdf_objects(streams, "<< >>");
    let outline = objects.len() + 1;
    objects[0] = format!("<< /Type /Catalog /Pages 2 0 R /Outlines {outline} 0 R >>");
    objects.push(format!(
        "<< /First {} 0 R /Last {} 0 R /Count {} >>",
        outline + 1,
        outline + entries.len(),
        entries.len()
    ));
    for (i, (title, page)) in entries.iter().enumerate() {
        let next =
            if i + 1 < entries.len() { format!("/Next {} 0 R", outline + i + 2) } else { String::new() };
        let page = FIRST_PAGE + 2 * page;
        objects.push(format!("<< /Title ({title}) /Parent {outline} 0 R {next} /Dest [{page} 0 R /Fit] >>"));
    }
    pdf(&objects)
}

/// A PDF with one page for each content stream, and Helvetica as `/F1`, bold as `/F2`, and the given font as `/F3`.
pub(crate) fn pdf_pages(streams: &[String], third_font: &str) -> Vec<u8> {
    pdf(&pdf_objects(streams, third_font))
}

/// The number of the object of the first page; each page has one for its contents behind it.
const FIRST_PAGE: usize = 6;

fn pdf_objects(streams: &[String], third_font: &str) -> Vec<String> {
    let first_page = FIRST_PAGE;
    let kids: Vec<String> = (0..streams.len()).map(|i| format!("{} 0 R", first_page + 2 * i)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), streams.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>".to_owned(),
        third_font.to_owned(),
    ];
    for (i, stream) in streams.iter().enumerate() {
        let contents = first_page + 2 * i + 1;
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {contents} 0 R \
             /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> >> >>"
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()));
    }
    objects
}

/// Operators that show `text` at a place, from the bottom left corner.
pub(crate) fn show(font: &str, size: u32, x: u32, y: u32, text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    format!("BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// A font without any way to tell its characters.
pub(crate) const FONT_WITHOUT_UNICODE: &str = "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [0.1 0 0 0.1 0 0] \
    /FirstChar 33 /LastChar 36 /Widths [10 10 10 10] /Resources << >> /Encoding << /Type /Encoding /Differences [33 /g1 /g2 /g3 /g4] >> \
    /CharProcs << >> >>";

/// A zip package.
pub(crate) fn package(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A DOCX with this body.
pub(crate) fn docx(body: &str) -> Vec<u8> {
    let document = format!("<w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>");
    package(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", document.as_bytes())])
}

/// An XLSX whose sheets hold these cells (reference, text).
pub(crate) fn xlsx(sheets: &[(&str, &[(&str, &str)])]) -> Vec<u8> {
    let mut book = String::from("<workbook xmlns:r=\"r\"><sheets>");
    let mut relations = String::from("<Relationships>");
    let main = "<Relationships><Relationship Id=\"r1\" Target=\"xl/workbook.xml\" \
        Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\"/></Relationships>";
    let mut parts: Vec<(String, String)> =
        vec![("[Content_Types].xml".into(), "<Types/>".into()), ("_rels/.rels".into(), main.into())];
    for ((name, cells), n) in sheets.iter().zip(1..) {
        write!(book, "<sheet name=\"{name}\" sheetId=\"{n}\" r:id=\"r{n}\"/>").unwrap();
        write!(relations, "<Relationship Id=\"r{n}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>").unwrap();
        let mut sheet = String::from("<worksheet><sheetData>");
        for (reference, text) in *cells {
            let row = reference.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            write!(
                sheet,
                "<row r=\"{row}\"><c r=\"{reference}\" t=\"inlineStr\"><is><t>{text}</t></is></c></row>"
            )
            .unwrap();
        }
        sheet.push_str("</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/sheet{n}.xml"), sheet));
    }
    parts.push(("xl/workbook.xml".into(), book + "</sheets></workbook>"));
    parts.push(("xl/_rels/workbook.xml.rels".into(), relations + "</Relationships>"));
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(n, c)| (n.as_str(), c.as_bytes())).collect();
    package(&parts)
}

/// A message of Outlook that has only these streams.
pub(crate) fn outlook(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (name, content) in streams {
        file.create_stream(name).unwrap().write_all(content).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}
