//! Cases that users of such programs met, and attacks.

mod common;

use carrel_convert::WorkerPool;
use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{BlockKind, Converted};
use carrel_engine::seams::{ConvertError, DocumentConverter, Limits};
use common::make::{FONT_WITHOUT_UNICODE, SCAN, docx, package, pdf_pages, show, xlsx};
use common::{answer, bytes, convert, place, pool, request_with};

fn try_convert(pool: &WorkerPool, name: &str, content: &[u8]) -> Result<Converted, ConvertError> {
    answer(pool, &bytes(name, content))
}

#[test]
fn c1_a_code_on_the_third_sheet_is_found_and_its_sheet_named() {
    let book = xlsx(&[
        ("One", &[("A1", "name"), ("B1", "value")]),
        ("Two", &[("A1", "x")]),
        ("Third", &[("A1", "code"), ("B1", "what"), ("A7", "ZX-4711-Q"), ("B7", "a|b")]),
    ]);
    let converted = convert("book.xlsx", &book);
    let here = place(&converted, "ZX-4711-Q");
    assert_eq!((here.sheet.as_deref(), here.rows), (Some("Third"), Some((7, 7))));
    assert!(converted.markdown.contains("## Third") && converted.markdown.contains("| ZX-4711-Q | a\\|b |"));
}

#[test]
fn c3_a_folder_of_encodings_and_one_broken_pdf() {
    let folder = tempfile::tempdir().unwrap();
    let chinese = "知识库应当能够在本地离线运行。引用必须指向原文，版本更新以后旧的段落不得再出现。";
    let japanese = "知識ベースはオフラインで動作しなければなりません。引用は原文を指す。";
    let utf16: Vec<u8> = chinese.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let files: [(&str, Vec<u8>, &str); 6] = [
        ("a.md", b"# A\n\ntext".to_vec(), "text"),
        ("b.txt", b"plain words".to_vec(), "plain words"),
        ("c.html", b"<p>page</p>".to_vec(), "page"),
        ("gbk.txt", encoding_rs::GBK.encode(chinese).0.into_owned(), chinese),
        ("sjis.txt", encoding_rs::SHIFT_JIS.encode(japanese).0.into_owned(), japanese),
        ("utf16.txt", utf16, chinese),
    ];
    let pool = pool(2);
    for (name, content, wanted) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let converted = pool.convert(&common::path(&path), &Cancel::new()).unwrap();
        assert!(converted.markdown.contains(wanted), "{name}: {}", converted.markdown);
    }
    let path = folder.path().join("broken.pdf");
    std::fs::write(&path, b"%PDF-1.7\nthis is no PDF at all").unwrap();
    let error = pool.convert(&common::path(&path), &Cancel::new()).unwrap_err();
    if !common::without_pdfium("broken.pdf") {
        assert_eq!(error.code(), "damaged");
    }
}

#[test]
fn c4_controls_inside_words_go_and_the_words_stay() {
    for name in ["a.txt", "a.md", "a.html", "a.csv", "a.py"] {
        let converted = convert(name, b"kno\0wledge\x01 ba\x08se of the library\x7f\n");
        assert!(
            converted.markdown.contains("knowledge base of the library"),
            "{name}: {}",
            converted.markdown
        );
    }
}

#[test]
fn c5_two_megabytes_on_one_line() {
    let script = "function a(b,c){return b*c+\"*_`[<\"};".repeat(60_000);
    let base64 = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0".repeat(60_000);
    let limits = Limits { time: std::time::Duration::from_mins(2), ..Limits::default() };
    let pool = pool(1);
    for name in ["a.js", "a.txt", "a.md", "a.html", "a.csv", "a.json"] {
        for content in [&script, &base64] {
            let converted =
                pool.convert(&request_with(name, content.as_bytes(), limits.clone()), &Cancel::new());
            let converted = converted.unwrap_or_else(|error| panic!("{name}: {error}"));
            common::invariants::check(&converted);
            assert!(converted.markdown.len() >= content.len() / 2, "{name}");
        }
    }
}

#[test]
fn c34_empty_files_are_no_text() {
    let pool = pool(1);
    for (name, content) in
        [("a.txt", &b""[..]), ("b.md", b" \n\n"), ("c.html", b"<p></p>"), ("d.py", b"\n"), ("e.csv", b"\n\n")]
    {
        assert!(matches!(try_convert(&pool, name, content), Err(ConvertError::NoText { .. })), "{name}");
    }
    assert_eq!(
        try_convert(&pool, "a.txt", b"").unwrap_err(),
        ConvertError::NoText { detail: "the file is empty".into() }
    );
}

#[test]
fn c35_a_pdf_without_a_character_map_is_not_text() {
    // Where there is no model, what is said of such pages is another (see `images.rs`).
    if common::without_ocr("c35") {
        return;
    }
    let garbled = show("F3", 12, 50, 700, "!\"#$!\"#$!\"#$!\"#$ !\"#$!\"#$");
    let good = show("F1", 12, 50, 700, "This page can be read.");
    let error =
        try_convert(&pool(1), "a.pdf", &pdf_pages(std::slice::from_ref(&garbled), FONT_WITHOUT_UNICODE))
            .unwrap_err();
    assert!(matches!(&error, ConvertError::NoText { detail } if detail.contains("page 1")), "{error:?}");
    let converted = convert("a.pdf", &pdf_pages(&[good, garbled], FONT_WITHOUT_UNICODE));
    assert_eq!(converted.markdown, "This page can be read.");
    assert!(!converted.complete);
    let codes: Vec<_> = converted.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(codes, ["garbled"]);
    assert!(converted.warnings[0].message.contains("page 2"));
}

#[test]
fn pdf_pages_without_text_are_named_and_the_rest_is_kept() {
    if common::without_pdfium("partial") {
        return;
    }
    let page = |text: &str| show("F1", 12, 50, 700, text);
    let converted = convert(
        "a.pdf",
        &pdf_pages(&[page("One."), SCAN.to_owned(), SCAN.to_owned(), page("Four.")], "<< >>"),
    );
    assert_eq!(converted.markdown, "One.\n\nFour.");
    assert!(!converted.complete);
    assert_eq!(converted.warnings[0].code, "no_text_layer");
    assert!(converted.warnings[0].message.contains("pages 2–3 of 4"), "{:?}", converted.warnings);
    assert_eq!(place(&converted, "Four").page, Some(4));
}

#[test]
fn pdf_columns_headers_and_hyphens() {
    if common::without_pdfium("columns") {
        return;
    }
    let left = [
        "The first column speaks of a small desk",
        "in a library, on which all your docu-",
        "ments lie, sorted, and where every one",
        "of them is found again by its words.",
    ];
    let right = [
        "The second column speaks of the lamp on",
        "that desk: it burns the whole night and",
        "costs nothing, because it is not there,",
        "and nobody has ever asked for its light.",
    ];
    let pages: Vec<String> = (1..=3)
        .map(|n| {
            let mut page = show("F1", 9, 50, 770, "Carrel Quarterly")
                + &show("F2", 16, 50, 720, &format!("Chapter of page {n}"));
            for (i, (l, r)) in left.iter().zip(&right).enumerate() {
                // Drawn row by row, across the gutter.
                let y = 690 - 13 * i as u32;
                page += &(show("F1", 11, 50, y, l) + &show("F1", 11, 320, y, r));
            }
            page + &show("F1", 9, 300, 30, &n.to_string())
        })
        .collect();
    let converted = convert("a.pdf", &pdf_pages(&pages, "<< >>"));
    let markdown = &converted.markdown;
    assert_eq!(markdown.matches("Carrel Quarterly").count(), 1, "{markdown}");
    assert_eq!(markdown.matches("all your documents lie, sorted").count(), 3, "{markdown}");
    assert_eq!(markdown.matches("found again by its words.").count(), 3);
    assert!(
        !markdown.contains("desk The second") && !markdown.lines().any(|l| l.trim().parse::<u32>().is_ok()),
        "{markdown}"
    );
    let headings: Vec<_> =
        converted.blocks.iter().filter(|b| matches!(b.kind, BlockKind::Heading { .. })).collect();
    assert_eq!(headings.len(), 3, "{markdown}");
    assert_eq!(place(&converted, "Chapter of page 2").page, Some(2));
    let here = place(&converted, "The second column");
    assert!(
        here.boxes[0][0] > 310.0 && here.boxes[0][1] < 120.0,
        "the box is that of the right column: {here:?}"
    );
}

#[test]
fn a_sheet_with_impossible_cells_costs_that_sheet_and_says_why() {
    for place in ["ZZZZZZZZ1", "A99999999999", "XFE1", "A1048577"] {
        let book = xlsx(&[("Good", &[("A1", "kept")]), ("Bad", &[("A1", "x"), (place, "far")])]);
        let converted = convert("a.xlsx", &book);
        assert!(converted.markdown.contains("kept") && !converted.complete, "{place}");
        let said = &converted.warnings[0].message;
        assert!(said.contains("sheet Bad") && said.contains("address out of bounds"), "{place}: {said}");
    }
}

#[test]
fn office_attacks_meet_limits() {
    let pool = pool(1);
    let bomb = vec![b' '; 120 << 20];
    let error = try_convert(
        &pool,
        "a.docx",
        &package(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", &bomb)]),
    );
    assert_eq!(error.unwrap_err(), ConvertError::LimitExceeded { limit: "size" });
    let error = try_convert(
        &pool,
        "a.xlsx",
        &package(&[("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", &bomb)]),
    );
    assert_eq!(error.unwrap_err(), ConvertError::LimitExceeded { limit: "size" });
    let laughs = b"<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><w:document><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>";
    let error = try_convert(
        &pool,
        "a.docx",
        &package(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", laughs)]),
    );
    assert_eq!(error.unwrap_err().code(), "damaged");
    let deep = format!("{}x{}", "<w:sdt>".repeat(100_000), "</w:sdt>".repeat(100_000));
    let error = try_convert(&pool, "a.docx", &docx(&deep)).unwrap_err();
    assert_eq!(error.to_string(), "there is no text in it: what is nested too deeply in it was left out");
    let corner = xlsx(&[("S", &[("A1", "first"), ("XFD1048576", "last")])]);
    let converted = try_convert(&pool, "a.xlsx", &corner).unwrap();
    assert_eq!(place(&converted, "last").rows, Some((1_048_576, 1_048_576)));
}

#[test]
fn docx_structure() {
    let p = |properties: &str, text: &str| {
        format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let body = [
        p("<w:pStyle w:val=\"Heading1\"/>", "Head"),
        "<w:p><w:r><w:t>Half </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r><w:r><w:t>ly, a &amp; b</w:t><w:br/><w:t>next</w:t></w:r>\
         <w:r><w:rPr><w:vanish/></w:rPr><w:t>HIDDEN</w:t></w:r></w:p>"
            .to_owned(),
        p("<w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"9\"/></w:numPr>", "one"),
        p("<w:numPr><w:ilvl w:val=\"1\"/><w:numId w:val=\"9\"/></w:numPr>", "inner"),
        p("<w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"9\"/></w:numPr>", "two"),
        p("", "after"),
    ];
    let converted = convert("a.docx", &docx(&body.concat()));
    assert_eq!(converted.markdown, "# Head\n\nHalf boldly, a & b\nnext\n\n- one\n  - inner\n- two\n\nafter");
}

#[test]
fn formats_that_are_not_read_are_named() {
    let pool = pool(1);
    for (name, content, format) in [
        ("a.heic", &b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"[..], "image"),
        ("a.bin", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0", "program"),
        ("noname", b"\0\x01\x02\x03\0\xff\xfe\x90\0\0\x05\x06", "binary"),
        ("a.jar", &package(&[("x.txt", b"x")]), "archive"),
    ] {
        let error = try_convert(&pool, name, content).unwrap_err();
        assert_eq!(error, ConvertError::UnsupportedFormat { format: format.into() }, "{name}");
    }
}

#[test]
fn the_content_decides_and_the_name_only_hints() {
    let pool = pool(1);
    let text = try_convert(&pool, "notes", b"BM25 is a ranking function.").unwrap();
    assert_eq!(text.converter.id, "text");
    let word = try_convert(&pool, "a.pdf", &docx("<w:p><w:r><w:t>Word</w:t></w:r></w:p>")).unwrap();
    assert_eq!((word.converter.id.as_str(), word.markdown.as_str()), ("docx", "Word"));
    let page =
        try_convert(&pool, "https://example.org/a?b=c", b"<!doctype html><title>T</title><p>x").unwrap();
    assert_eq!((page.converter.id.as_str(), page.title.as_deref()), ("html", Some("T")));
    let sheet = try_convert(&pool, "a.xls", b"<html><table><tr><td>a<td>b</table></html>").unwrap();
    assert_eq!((sheet.converter.id.as_str(), sheet.markdown.as_str()), ("html", "| a | b |\n| --- | --- |"));
    for address in ["https://example.org", "https://example.org/index.php", "https://docs.rs/"] {
        let page = try_convert(&pool, address, b"<!doctype html><title>T</title><p>x").unwrap();
        assert_eq!(page.converter.id, "html", "{address}");
    }
    let text = try_convert(&pool, "a.docx", b"just text").unwrap();
    assert_eq!((text.converter.id.as_str(), text.markdown.as_str()), ("text", "just text"));
    assert_eq!(try_convert(&pool, "a.docx", b"PK\x03\x04 no package").unwrap_err().code(), "damaged");
}

#[test]
fn output_beyond_its_limit_is_refused() {
    let limits = Limits { output_bytes: 1000, ..Limits::default() };
    let html = "<p>words</p>".repeat(1000);
    let error =
        pool(1).convert(&request_with("a.html", html.as_bytes(), limits), &Cancel::new()).unwrap_err();
    assert_eq!(error, ConvertError::LimitExceeded { limit: "output" });
}
