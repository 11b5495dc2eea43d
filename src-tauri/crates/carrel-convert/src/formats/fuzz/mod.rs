//! The parsers one by one, for bytes from anywhere: what `carrel-fuzz` runs.
//!
//! Each takes what it is given, panics where an invariant is broken, and is otherwise silent: a refusal is no fault. Nothing
//! here is reached by the product.

mod input;
mod pieces;
mod writing;

use super::{Budget, Progress, Source, convert, from_bytes, from_text, html, note_malformed};
use crate::build::{Draft, parse};
use crate::catalogue::Converter;
use crate::invariants::check;
use crate::text::decode::decode;
use carrel_engine::domain::{Converted, Location};
use carrel_engine::seams::{ConvertError, Limits};
pub(crate) use input::Input;
use std::path::PathBuf;

/// A parser, or a family of them.
pub type Run = fn(&[u8]);

/// Bytes of text that a run may put out.
const OUTPUT: u64 = 4 << 20;

/// Each by its name.
pub const TARGETS: &[(&str, Run)] = &[
    ("archive", |bytes| file(Converter::Archive, "a.zip", bytes)),
    ("code", code),
    ("data", data),
    ("doc", |bytes| file(Converter::Doc, "a.doc", bytes)),
    ("docx", |bytes| file(Converter::Docx, "a.docx", bytes)),
    ("encrypted", pieces::encrypted),
    ("epub", |bytes| file(Converter::Epub, "a.epub", bytes)),
    ("html", page),
    ("image", |bytes| dispatched("a.png", bytes)),
    ("lines", lines),
    ("mail", mail),
    ("markdown", markdown),
    ("msg", |bytes| file(Converter::Outlook, "a.msg", bytes)),
    ("odf", odf),
    ("pdf", |bytes| file(Converter::Pdf, "a.pdf", bytes)),
    ("pdf_layout", super::pdf::fuzz::layout),
    ("pieces", pieces::run),
    ("ppt", |bytes| file(Converter::Ppt, "a.ppt", bytes)),
    ("pptx", |bytes| file(Converter::Pptx, "a.pptx", bytes)),
    ("reading", crate::ocr::fuzz::layout),
    ("rtf", |bytes| file(Converter::Rtf, "a.rtf", bytes)),
    ("sheets", |bytes| dispatched("a.xlsx", bytes)),
    ("text", pieces::characters),
    ("writer", writing::run),
    ("xls", |bytes| file(Converter::Xls, "a.xls", bytes)),
    ("xml", |bytes| text(Converter::Xml, "a.xml", bytes)),
];

/// A file as the worker takes it, for the harness of the engine's parsers; `None` where it is refused.
pub fn converted(name: &str, bytes: &[u8]) -> Option<Converted> {
    let result = with_source(name, bytes, convert);
    result.inspect(checked).ok()
}

pub(super) fn with_source<T>(name: &str, bytes: &[u8], work: impl FnOnce(&Source<'_>) -> T) -> T {
    let limits = Limits { output_bytes: OUTPUT, pages: 20, ..Limits::default() };
    let pdfium = crate::WorkerConfig::locate_pdfium(models().as_deref());
    work(&Source {
        bytes,
        name,
        password: None,
        passwords: &[],
        limits: &limits,
        pdfium: pdfium.as_deref(),
        ocr: None,
        budget: &Budget::new(bytes.len() as u64),
        depth: 0,
        progress: &|progress: Progress| assert!(progress.part > 0, "parts count from 1"),
    })
}

fn models() -> Option<PathBuf> {
    std::env::var_os("CARREL_MODELS").map(PathBuf::from)
}

/// A file, whatever it is.
fn dispatched(name: &str, bytes: &[u8]) {
    converted(name, bytes);
}

/// A file for one converter, whatever it looks like.
fn file(converter: Converter, name: &str, bytes: &[u8]) {
    let draft = with_source(name, bytes, |source| from_bytes(converter, "application/octet-stream", source));
    finished(converter, draft);
}

/// A text for one converter.
fn text(converter: Converter, name: &str, bytes: &[u8]) {
    let decoded = decode(bytes, None);
    let draft = with_source(name, bytes, |source| from_text(converter, source, &decoded));
    finished(
        converter,
        draft.map(|mut draft| {
            note_malformed(&mut draft, &decoded);
            draft
        }),
    );
}

pub(super) fn finished(converter: Converter, draft: Result<Draft, ConvertError>) {
    if let Ok(converted) = draft.and_then(|draft| draft.finish(converter.id(), "application/octet-stream")) {
        checked(&converted);
    }
}

/// Panics where a document breaks its contract, is larger than allowed, or would not reach the program.
fn checked(converted: &Converted) {
    check(converted);
    assert!(converted.markdown.len() as u64 <= OUTPUT, "{} bytes of text", converted.markdown.len());
    for located in &converted.locations {
        check_location(&located.location);
    }
    let title = converted.title.as_deref();
    assert!(title.is_none_or(|title| !title.trim().is_empty() && !title.contains('\n')), "{title:?}");
    // What a number is that JSON cannot say is lost between worker and program.
    let sent = serde_json::to_vec(converted).ok();
    let received = sent.and_then(|json| serde_json::from_slice::<Converted>(&json).ok());
    let same = received.is_some_and(|received| {
        let Converted { markdown, blocks, locations, .. } = received;
        (markdown, blocks, locations.len())
            == (converted.markdown.clone(), converted.blocks.clone(), converted.locations.len())
    });
    assert!(same, "it is another behind the protocol");
}

fn check_location(location: &Location) {
    let Location { page, page_end, rows, slide, seconds, line, boxes, .. } = location;
    for number in [page, page_end, slide, line].into_iter().flatten() {
        assert!(*number > 0, "numbers count from 1: {location:?}");
    }
    assert!(page_end.is_none_or(|end| page.is_some_and(|page| page < end)), "{location:?}");
    assert!(rows.is_none_or(|(first, last)| first > 0 && first <= last), "{location:?}");
    assert!(seconds.is_none_or(|(from, to)| from >= 0.0 && from <= to && to.is_finite()), "{location:?}");
    for [left, top, right, bottom] in boxes {
        assert!(left <= right && top <= bottom, "a box has two sides: {location:?}");
        assert!([left, top, right, bottom].iter().all(|edge| edge.is_finite()), "{location:?}");
    }
}

/// The first byte chooses the language.
fn code(bytes: &[u8]) {
    const NAMES: &[&str] = &[
        "a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.java", "a.c", "a.cpp", "a.go", "a.cs", "a.rb", "a.php",
        "a.sh", "a.sql", "a.toml",
    ];
    let Some((language, rest)) = bytes.split_first() else { return };
    text(Converter::Code, NAMES.get(usize::from(*language) % NAMES.len()).copied().unwrap_or_default(), rest);
}

fn data(bytes: &[u8]) {
    text(Converter::Json, "a.json", bytes);
    text(Converter::Json, "a.jsonl", bytes);
    if memchr::memmem::find(bytes, b"\"cells\"").is_some() {
        text(Converter::Notebook, "a.ipynb", bytes);
    }
}

fn lines(bytes: &[u8]) {
    text(Converter::Csv, if bytes.contains(&b'\t') { "a.tsv" } else { "a.csv" }, bytes);
    text(Converter::Subtitles, "a.vtt", bytes);
}

fn mail(bytes: &[u8]) {
    if bytes.starts_with(b"From ") {
        file(Converter::Mailbox, "a.mbox", bytes);
    } else if memchr::memmem::find(bytes, b"multipart/related").is_some() {
        file(Converter::WebArchive, "a.mht", bytes);
    }
    file(Converter::Mail, "a.eml", bytes);
}

fn markdown(bytes: &[u8]) {
    text(Converter::Markdown, "a.md", bytes);
    let text = String::from_utf8_lossy(bytes);
    for range in parse::verbatim_ranges(&text) {
        assert!(text.get(range.clone()).is_some(), "{range:?}");
    }
}

fn odf(bytes: &[u8]) {
    if !bytes.starts_with(b"PK") {
        for converter in [Converter::Odt, Converter::Ods] {
            text(converter, "a.fodt", bytes);
        }
        return;
    }
    for (converter, name) in [(Converter::Odt, "a.odt"), (Converter::Odp, "a.odp"), (Converter::Ods, "a.ods")]
    {
        file(converter, name, bytes);
    }
}

fn page(bytes: &[u8]) {
    text(Converter::Html, "a.html", bytes);
    let limits = Limits { output_bytes: OUTPUT, ..Limits::default() };
    let text = String::from_utf8_lossy(bytes);
    html::plain(&text, &limits);
    finished(Converter::Html, html::fragment(&text, &limits));
}
