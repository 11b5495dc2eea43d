//! Files that hold other files: archives, mail, mailboxes, e-books and web archives, through a real worker.

mod common;

use carrel_engine::domain::Converted;
use carrel_engine::seams::{ConvertError, ConvertRequest};
use common::make::{docx, outlook, package, xlsx};
use common::{answer, bytes, convert, place, pool};
use std::io::{Cursor, Write};
use zip::AesMode;
use zip::write::{SimpleFileOptions, ZipWriter};

fn try_convert(name: &str, content: &[u8], password: Option<&str>) -> Result<Converted, ConvertError> {
    answer(&pool(1), &ConvertRequest { password: password.map(str::to_owned), ..bytes(name, content) })
}

const PARAGRAPH: &str = "<w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>Minutes</w:t></w:r></w:p><w:p><w:r><w:t>DOCX-MARK</w:t></w:r></w:p>";

#[test]
fn files_of_an_archive_stand_below_their_path_with_their_places() {
    let inner = package(&[("deep/note.md", b"# Inner\n\nNOTE-MARK[^1]\n\n[^1]: first\n")]);
    let archive = package(&[
        ("docs/report.docx", &docx(PARAGRAPH)),
        (
            "table.xlsx",
            &xlsx(&[("Prices", &[("A1", "item"), ("B1", "price"), ("A2", "SHEET-MARK"), ("B2", "7")])]),
        ),
        ("more.zip", &inner),
        ("a.md", b"---\ntitle: x\n---\n\nText[^1]\n====\n\n[^1]: second\n"),
        ("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("empty.txt", b""),
        ("__MACOSX/._a.md", b"x"),
    ]);
    let converted = convert("all.zip", &archive);
    let markdown = &converted.markdown;
    assert!(markdown.contains("## docs/report.docx") && markdown.contains("DOCX-MARK"), "{markdown}");
    assert!(markdown.contains("## more.zip\n\n### deep/note.md\n\n#### Inner\n\nNOTE-MARK"), "{markdown}");
    assert!(markdown.contains("```yaml\ntitle: x\n```\n\n### Text"), "{markdown}");
    assert!(!markdown.contains("MACOSX"));
    let labels = markdown.matches("]: ").count();
    let defined: std::collections::HashSet<_> =
        markdown.lines().filter_map(|l| l.strip_prefix("[^")?.split_once("]: ")).map(|(l, _)| l).collect();
    assert_eq!((labels, defined.len()), (2, 2), "each note has a label of its own: {markdown}");
    assert_eq!(place(&converted, "DOCX-MARK").chapter.as_deref(), Some("docs/report.docx"));
    let cell = place(&converted, "SHEET-MARK");
    assert_eq!((cell.chapter.as_deref(), cell.sheet.as_deref()), (Some("table.xlsx"), Some("Prices")));
    assert_eq!(place(&converted, "NOTE-MARK").chapter.as_deref(), Some("more.zip / deep/note.md"));
    assert!(!converted.complete);
    assert!(
        converted.warnings.iter().any(|w| w.message.contains("photo.png was not read")),
        "{:?}",
        converted.warnings
    );
    assert!(converted.warnings.iter().any(|w| w.message.contains("empty.txt")));
}

#[test]
fn a_damaged_part_costs_itself_and_names_are_only_labels() {
    let archive = package(&[
        ("../../etc/passwd.txt", b"SLIP-MARK"),
        ("C:\\windows\\x.txt", b"DRIVE-MARK"),
        ("broken.docx", b"PK\x03\x04 no package"),
        ("good.txt", b"GOOD-MARK"),
    ]);
    let converted = convert("x.zip", &archive);
    for mark in ["SLIP-MARK", "DRIVE-MARK", "GOOD-MARK"] {
        assert!(converted.markdown.contains(mark));
    }
    assert!(!converted.complete && converted.warnings.iter().any(|w| w.message.contains("broken.docx")));
}

#[test]
fn archives_in_archives_end_at_a_depth() {
    let mut archive = package(&[("core.txt", b"CORE-MARK")]);
    for _ in 0..30 {
        archive = package(&[("beside.txt", b"BESIDE-MARK"), ("inner.zip", &archive)]);
    }
    let converted = convert("deep.zip", &archive);
    assert_eq!(converted.markdown.matches("BESIDE-MARK").count(), 3);
    assert!(
        !converted.complete && converted.warnings.iter().any(|w| w.message.contains("depth")),
        "{:?}",
        converted.warnings
    );
}

#[test]
fn one_budget_is_for_all_that_lies_in_a_file() {
    let zeros = vec![b'0'; 60 << 20];
    let inner = package(&[("zeros.txt", &zeros)]);
    let archive =
        package(&[("a.zip", &inner), ("b.zip", &inner), ("c.txt", b"SMALL-MARK"), ("d.zip", &inner)]);
    let converted = convert("bomb.zip", &archive);
    assert!(converted.markdown.contains("SMALL-MARK") && converted.markdown.len() < 100 << 20);
    assert!(
        converted.warnings.iter().any(|w| w.message.contains("larger than what is allowed")),
        "{:?}",
        converted.warnings
    );
}

#[test]
fn encrypted_archives_ask_for_their_password() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("secret.txt", SimpleFileOptions::default().with_aes_encryption(AesMode::Aes256, "geheim"))
        .unwrap();
    zip.write_all(b"SECRET-MARK").unwrap();
    let archive = zip.finish().unwrap().into_inner();
    assert_eq!(try_convert("x.zip", &archive, None).unwrap_err(), ConvertError::NeedsPassword);
    assert_eq!(try_convert("x.zip", &archive, Some("wrong")).unwrap_err(), ConvertError::WrongPassword);
    assert!(try_convert("x.zip", &archive, Some("geheim")).unwrap().markdown.contains("SECRET-MARK"));
}

/// An archive with one file, its name in these bytes.
fn named(name: &[u8]) -> Vec<u8> {
    let placeholder = "x".repeat(name.len());
    let mut archive = package(&[(&placeholder, b"text")]);
    while let Some(at) = archive.windows(name.len()).position(|w| w == placeholder.as_bytes()) {
        archive[at..at + name.len()].copy_from_slice(name);
    }
    archive
}

#[test]
fn names_of_other_systems_are_decoded() {
    for (name, shown) in [
        (&b"\xd6\xaa\xca\xb6\xbf\xe2\xb1\xa8\xb8\xe6.txt"[..], "知识库报告.txt"),
        (b"\x89\xef\x8b\x63\x8e\x91\x97\xbf.txt", "会議資料.txt"),
        (b"\x9aberblick.txt", "Überblick.txt"),
        ("naïve.txt".as_bytes(), "naïve.txt"),
    ] {
        assert!(convert("x.zip", &named(name)).markdown.starts_with(&format!("## {shown}\n")), "{shown}");
    }
}

const MAIL: &str = "From: =?utf-8?B?5byg5LiJ?= <zhang@example.org>\r\nTo: Ann <ann@example.org>\r\nSubject: Plan\r\n for May\r\n\
    Date: Tue, 3 Mar 2026 10:20:30 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n\
    --B\r\nContent-Type: multipart/alternative; boundary=A\r\n\r\n--A\r\nContent-Type: text/plain; charset=gb2312\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
    =D6=AA=CA=B6\r\n\r\n> old words\r\n--A\r\nContent-Type: text/html\r\n\r\n<p>HTML-MARK</p>\r\n--A--\r\n\
    --B\r\nContent-Type: application/octet-stream; name=\"list.csv\"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\nYSxiCjEsMgo=\r\n\
    --B\r\nContent-Type: message/rfc822\r\n\r\nFrom: bob@example.org\r\nSubject: Inner\r\n\r\nINNER-MARK\r\n--B--\r\n";

#[test]
fn mail_shows_who_when_what_and_its_attachments() {
    let converted = convert("a.eml", MAIL.as_bytes());
    assert_eq!(
        converted.markdown,
        "# Plan for May\n\n- From: 张三 \\<zhang@example.org>\n- To: Ann \\<ann@example.org>\n- Date: 2026-03-03 10:20 +0100\n\
         - Attachments: list.csv, Inner.eml\n\n知识\n\n> old words\n\n## list.csv\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\
         ## Inner.eml\n\n### Inner\n\n- From: bob@example.org\n\nINNER-MARK"
    );
    assert_eq!(converted.title.as_deref(), Some("Plan for May"));
    assert_eq!(place(&converted, "INNER-MARK").chapter.as_deref(), Some("Inner.eml"));
    // Without a name that says so, it is still a mail.
    assert_eq!(convert("message", MAIL.as_bytes()).markdown, converted.markdown);
    let counted = format!("{}\n{MAIL}<?xml version=\"1.0\"?><plist/>", MAIL.len());
    assert_eq!(convert("1.emlx", counted.as_bytes()).markdown, converted.markdown);
    let wide: Vec<u8> = MAIL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(convert("wide.eml", &wide).markdown.starts_with("# Plan for May"));
}

#[test]
fn a_message_whose_text_is_rtf_alone_is_read_by_the_converter_of_rtf() {
    let rtf = b"{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\*\\generator G;}\\pard Caf\\'e9 {\\b RTF-MARK}\\par\\trowd\\cellx1\\cellx2\\intbl a\\cell b\\cell\\row}";
    let mut packed = Vec::new();
    for word in [rtf.len() as u32 + 12, rtf.len() as u32, 0x414c_454d, 0] {
        packed.extend(word.to_le_bytes());
    }
    packed.extend(rtf);
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let message = outlook(&[
        ("__properties_version1.0", &[0; 32]),
        ("__substg1.0_0037001F", &wide("A subject")),
        ("__substg1.0_10090102", &packed),
    ]);
    let converted = convert("a.msg", &message);
    assert_eq!(
        (converted.converter.id.as_str(), converted.complete),
        ("msg", true),
        "{:?}",
        converted.warnings
    );
    assert_eq!(converted.markdown, "# A subject\n\nCafé **RTF-MARK**\n\n| a | b |\n| --- | --- |");
    // The same inside an archive.
    let archived = convert("a.zip", &package(&[("letters/a.msg", &message)]));
    assert!(
        archived.markdown.contains("## letters/a.msg\n\n### A subject\n\nCafé **RTF-MARK**"),
        "{}",
        archived.markdown
    );
}

#[test]
fn office_files_are_read_inside_archives() {
    let folder = common::expected::fixture("");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let archive = package(&[
        ("old.doc", &read("testWORD_various.doc")),
        ("slides.ppt", &read("testPPT_comment.ppt")),
        ("sheet.xls", &read("date.xls")),
        ("locked.docx", &read("testWORD_protected_passtika.docx")),
    ]);
    let closed = try_convert("a.zip", &archive, None).unwrap();
    for wanted in ["This is a footnote.", "this tps deck", "2021-01-01"] {
        assert!(closed.markdown.contains(wanted), "{wanted} in {}", closed.markdown);
    }
    assert!(
        !closed.complete && closed.warnings.iter().any(|w| w.message.starts_with("locked.docx was not read"))
    );
    let open = try_convert("a.zip", &archive, Some("tika")).unwrap();
    assert!(open.markdown.contains("This is an encrypted Word 2007 File."), "{}", open.markdown);
}

#[test]
fn mailboxes_are_read_message_by_message() {
    let mailbox = format!(
        "From a@x Mon Jan 1\n{}\n\nFrom b@x Tue Jan 2\nFrom: b@example.org\nSubject: Second\nDate: today\n\nTWO-MARK\n>From here\n",
        MAIL.replace("\r\n", "\n")
    );
    let converted = convert("all.mbox", mailbox.as_bytes());
    assert!(
        converted.markdown.starts_with("## Plan for May\n") && converted.markdown.contains("### list.csv\n")
    );
    assert!(
        converted
            .markdown
            .ends_with("## Second\n\n- From: b@example.org\n- Date: today\n\nTWO-MARK\nFrom here"),
        "{}",
        converted.markdown
    );
    assert_eq!(place(&converted, "TWO-MARK").chapter.as_deref(), Some("Second"));
    assert_eq!(place(&converted, "INNER-MARK").chapter.as_deref(), Some("Plan for May / Inner.eml"));
}

#[test]
fn eight_bit_mail_without_a_charset_is_recognised() {
    let (body, _, _) = encoding_rs::WINDOWS_1252.encode("Größe für Häuser und schöne Türen in der Straße");
    let mut mail = b"From: a@example.org\nSubject: ".to_vec();
    mail.extend_from_slice(&encoding_rs::WINDOWS_1252.encode("Größe für schöne Türen").0);
    mail.extend_from_slice(b"\n\n");
    mail.extend_from_slice(&body);
    let converted = convert("a.eml", &mail);
    assert!(
        converted.markdown.starts_with("# Größe für schöne Türen\n")
            && converted.markdown.ends_with("in der Straße"),
        "{}",
        converted.markdown
    );
}

#[test]
fn web_archives_give_their_page() {
    let page = "From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/\nSubject: T\nMIME-Version: 1.0\n\
        Content-Type: multipart/related; type=\"text/html\"; boundary=\"B\"\n\n--B\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n\
        <html><head><title>Ti=C3=BCtle</title></head><body><h1>Head</h1><p>PAGE-MARK a=3Db</p></body></html>\n--B\nContent-Type: text/css\n\nbody {}\n--B--\n";
    let converted = convert("a.mhtml", page.as_bytes());
    assert_eq!(converted.markdown, "# Head\n\nPAGE-MARK a=b");
    assert_eq!(converted.title.as_deref(), Some("Tiütle"));
}

#[test]
fn books_are_read_in_order_and_miss_only_what_is_missing() {
    let opf = "<package><metadata><title>The Desk</title><creator>Ann</creator></metadata><manifest>\
        <item id='a' href='a%20b.xhtml' media-type='application/xhtml+xml'/><item id='b' href='b.xhtml' media-type='application/xhtml+xml'/>\
        <item id='n' href='note.xhtml' media-type='application/xhtml+xml'/><item id='m' href='missing.xhtml' media-type='application/xhtml+xml'/>\
        <item id='v' href='nav.xhtml' media-type='application/xhtml+xml'/><item id='toc' href='toc.ncx' media-type='application/x-dtbncx+xml'/></manifest>\
        <spine toc='toc'><itemref idref='n' linear='no'/><itemref idref='v'/><itemref idref='a'/><itemref idref='m'/><itemref idref='b'/></spine></package>";
    let ncx = "<!DOCTYPE ncx><ncx><navMap><navPoint><navLabel><text>First</text></navLabel><content src='a%20b.xhtml#x'/></navPoint></navMap></ncx>";
    let book = package(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", b"<container><rootfiles><rootfile full-path='O/c.opf'/></rootfiles></container>"),
        ("O/c.opf", opf.as_bytes()),
        ("O/toc.ncx", ncx.as_bytes()),
        ("O/a b.xhtml", b"<?xml version='1.0'?><html><head><title/><script src='x'/></head><body><p>ONE-MARK<a href='#n'>1</a></p></body></html>"),
        ("O/b.xhtml", b"<html><body><h1>Second</h1><p><i/>TWO-MARK</p></body></html>"),
        ("O/nav.xhtml", b"<html><body><nav><ol><li><a href='b.xhtml'>NAV-MARK</a></li></ol></nav></body></html>"),
        ("O/note.xhtml", b"<html><body><p>NOTE-MARK</p></body></html>"),
    ]);
    let converted = convert("a.epub", &book);
    assert_eq!(
        converted.markdown,
        "# The Desk\n\n- Author: Ann\n\n## First\n\nONE-MARK1\n\n## Second\n\nTWO-MARK\n\nNOTE-MARK"
    );
    assert_eq!(converted.title.as_deref(), Some("The Desk"));
    assert_eq!(place(&converted, "ONE-MARK").chapter.as_deref(), Some("First"));
    assert!(
        !converted.complete && converted.warnings.iter().any(|w| w.message.contains("missing.xhtml")),
        "{:?}",
        converted.warnings
    );
}
