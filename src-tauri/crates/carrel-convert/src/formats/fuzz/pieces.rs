//! Small parsers that a whole file reaches seldom, and those of characters.

use super::{Input, finished, with_source};
use crate::catalogue::Converter;
use crate::formats::sheets::number;
use crate::formats::xml::{Id, ROOT, Tree};
use crate::formats::{encrypted as envelope, from_bytes, mail, math, mathml, text};
use crate::sniff::sniff;
use crate::text::clean::{self, Treatment};
use crate::text::codepage;
use crate::text::decode::decode;
use crate::worker::protocol::{Reply, Request, Wire, read_frame, write_frame};
use carrel_engine::seams::{ConvertError, Limits};
use unicode_normalization::is_nfc;

/// The first byte chooses the parser.
pub(super) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    match input.byte() % 5 {
        0 => numbers(input),
        1 => unpacked(input.rest()),
        2 => words(input.rest()),
        3 => frames(input.rest()),
        _ => formulas(&String::from_utf8_lossy(input.rest())),
    }
}

fn numbers(mut input: Input<'_>) {
    let value = input.double();
    let code = String::from_utf8_lossy(input.rest()).into_owned();
    number::is_date(&code);
    for text in [number::shown(value, Some(&code)), number::cached(value, Some(&code))] {
        assert!(text.len() <= 1_000 + 4 * code.len(), "{} bytes for a number", text.len());
    }
}

fn unpacked(bytes: &[u8]) {
    const LIMIT: usize = 1 << 16;
    // What one control byte unpacks goes together.
    let most = LIMIT + 8 * 17;
    assert!(mail::unpacked(bytes, LIMIT).is_none_or(|out| out.len() <= most));
}

fn words(bytes: &[u8]) {
    let header = mail::with_utf8_header(bytes);
    let end = memchr::memmem::find(&header, b"\n\n").unwrap_or(header.len());
    let end = end.min(memchr::memmem::find(&header, b"\r\n\r\n").unwrap_or(end));
    let own = header.get(..end).unwrap_or_default();
    // Encoded words are kept as they are, even where they hold what they should have encoded.
    assert!(std::str::from_utf8(own).is_ok() || memchr::memmem::find(own, b"=?").is_some());
}

fn formulas(xml: &str) {
    let Ok(tree) = Tree::parse(xml, "formula") else { return };
    let formulas: Vec<Id> = tree.children(ROOT).collect();
    for formula in formulas {
        for tex in [Some(math::latex(&tree, formula)), mathml::tex(&(&tree, formula))].into_iter().flatten() {
            assert!(is_nfc(&tex) && !tex.contains('\n'), "{tex:?}");
        }
    }
}

/// An envelope, with and without a password.
pub(super) fn encrypted(bytes: &[u8]) {
    for password in [None, Some("secret")] {
        with_source("a.docx", bytes, |source| {
            let package = envelope::open(&crate::formats::Source { password, ..*source });
            // No more than what the envelope holds, and a block.
            assert!(package.map_or(0, |opened| opened.package.len()) <= bytes.len() + 16);
        });
        for converter in [Converter::Doc, Converter::Xls, Converter::Ppt, Converter::Odt] {
            let draft = with_source("a", bytes, |source| {
                let source = crate::formats::Source { password, ..*source };
                from_bytes(converter, "application/octet-stream", &source)
            });
            finished(converter, draft);
        }
    }
}

/// Decoding, cleaning and sniffing.
pub(super) fn characters(bytes: &[u8]) {
    drop(sniff(bytes, "a"));
    let mut input = Input::new(bytes);
    let declared =
        input.one(&[None, Some("utf-8"), Some("utf-16le"), Some("windows-1251"), Some("big5"), Some("")]);
    let page = codepage::encoding(u32::from(input.short()));
    let raw = input.rest();
    for decoded in [
        decode(raw, None),
        decode(raw, declared.flatten()),
        decode(raw, page.map(encoding_rs::Encoding::name)),
    ] {
        let own = decoded.text.as_ref();
        let line = clean::line(own);
        assert!(is_nfc(&line) && !line.contains(['\n', '\0']), "{line:?}");
        assert_eq!(clean::line(&line), line, "cleaning what is clean changes nothing");
        let code = clean::code(own);
        assert!(is_nfc(&code));
        assert_eq!(clean::code(&code), code, "cleaning what is clean changes nothing");
        let scrubbed = clean::scrub(own);
        for how in [Treatment::Prose, Treatment::Markdown, Treatment::Verbatim] {
            let lines = clean::lines(&scrubbed, |_| how);
            assert!(lines.origin.is_sorted(), "lines ascend");
        }
    }
    let limits = Limits { output_bytes: super::OUTPUT, ..Limits::default() };
    finished(Converter::Text, text::convert(&decode(raw, None).text, &limits));
}

/// Frames and messages between worker and program.
fn frames(bytes: &[u8]) {
    let mut from = bytes;
    while let Ok(Some(content)) = read_frame(&mut from) {
        let mut frame = Vec::new();
        assert!(write_frame(&mut frame, &content).is_ok());
        assert!(read_frame(&mut frame.as_slice()).is_ok_and(|again| again.as_ref() == Some(&content)));
        if let Ok(request) = serde_json::from_slice::<Request>(&content) {
            let limits = request.limits.to_limits();
            assert_eq!(limits.pages, request.limits.pages);
        }
        if let Ok(Reply::Failed(wire)) = serde_json::from_slice::<Reply>(&content) {
            let error = ConvertError::from(wire);
            assert_eq!(ConvertError::from(Wire::from(error.clone())), error);
        }
    }
}
