//! What a file is: its content decides, its name only breaks ties between kinds of text.
//!
//! Nothing is trusted: a DOCX named `.pdf` is a DOCX, and a text with a few NULs in it is a text.

use crate::catalogue::{Converter, Promise, language_of, promise};
use crate::text::decode::{Decoded, decode};
use carrel_engine::seams::{ConvertError, UNKNOWN_FORMAT};
use std::io::Cursor;

/// What a file was found to be.
pub(crate) enum Found<'a> {
    /// Bytes for a converter.
    Binary { converter: Converter, media_type: &'static str },
    /// Text, decoded.
    Text { converter: Converter, media_type: &'static str, decoded: Decoded<'a> },
}

/// How far into a file the head of a PDF may begin.
const PDF_HEAD: usize = 1024;

/// Looks at the content. Formats without a converter are `UnsupportedFormat`, empty files `NoText`.
pub(crate) fn sniff<'a>(bytes: &'a [u8], name: &str) -> Result<Found<'a>, ConvertError> {
    if bytes.is_empty() {
        return Err(ConvertError::NoText { detail: "the file is empty".into() });
    }
    let head = bytes.get(..PDF_HEAD).unwrap_or(bytes);
    if find(head, b"%PDF-").is_some() && !looks_like_text(head) || head.starts_with(b"%PDF-") {
        return Ok(Found::Binary { converter: Converter::Pdf, media_type: "application/pdf" });
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return package(bytes);
    }
    if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]) {
        return Err(unsupported(ole(bytes)));
    }
    if bytes.starts_with(b"{\\rtf") {
        return Err(unsupported("RTF"));
    }
    if let Some(kind) = infer::get(bytes)
        && kind.matcher_type() != infer::MatcherType::Text
        && !looks_like_text(head)
    {
        return match image(kind, name) {
            Some(media_type) => Ok(Found::Binary { converter: Converter::Image, media_type }),
            None => Err(unsupported(kind_name(kind))),
        };
    }
    let decoded = decode(bytes, declared_encoding(head).as_deref());
    if !is_text(&decoded) {
        let format = match promise(name) {
            Promise::Unreadable(format) => format,
            _ => UNKNOWN_FORMAT,
        };
        // A promise of a readable format that the content does not keep.
        if let Promise::Readable(
            converter @ (Converter::Pdf | Converter::Docx | Converter::Xlsx | Converter::Image),
        ) = promise(name)
        {
            let id = converter.id().id;
            return Err(ConvertError::Damaged { detail: format!("it is named as {id} and is not") });
        }
        return Err(unsupported(format));
    }
    text(decoded, name)
}

/// Which converter takes a text.
fn text<'a>(decoded: Decoded<'a>, name: &str) -> Result<Found<'a>, ConvertError> {
    let start: String =
        decoded.text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).chars().take(512).collect();
    let start = start.to_ascii_lowercase();
    let html = start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || (start.starts_with("<?xml") || start.starts_with("<!--")) && start.contains("<html")
        || start.starts_with("<head")
        || start.starts_with("<body");
    let (converter, media_type) = match promise(name) {
        Promise::Unreadable(format) => return Err(unsupported(format)),
        Promise::Readable(Converter::Code) => (Converter::Code, code_media_type(language_of(name))),
        Promise::Readable(Converter::Markdown) => (Converter::Markdown, "text/markdown"),
        Promise::Readable(Converter::Html) => (Converter::Html, "text/html"),
        Promise::Readable(Converter::Csv) => {
            let tabs = crate::catalogue::extension(name).is_some_and(|e| e != "csv");
            (Converter::Csv, if tabs { "text/tab-separated-values" } else { "text/csv" })
        }
        _ if html => (Converter::Html, "text/html"),
        Promise::Readable(Converter::Text) => (Converter::Text, "text/plain"),
        Promise::Readable(converter) => {
            let id = converter.id().id;
            return Err(ConvertError::Damaged {
                detail: format!("it is named as {id} and holds plain text"),
            });
        }
        Promise::Unknown if start.starts_with("<?xml") => (Converter::Code, "application/xml"),
        Promise::Unknown => (Converter::Text, "text/plain"),
    };
    Ok(Found::Text { converter, media_type, decoded })
}

fn code_media_type(language: Option<&str>) -> &'static str {
    match language {
        Some("json") => "application/json",
        Some("xml") => "application/xml",
        Some("javascript") => "text/javascript",
        Some("css") => "text/css",
        _ => "text/x-source",
    }
}

/// What lies in a zip file.
fn package<'a>(bytes: &[u8]) -> Result<Found<'a>, ConvertError> {
    let archive = match zip::ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) => archive,
        Err(error) => {
            return Err(ConvertError::Damaged {
                detail: format!("the zip package cannot be opened: {error}"),
            });
        }
    };
    let has = |name: &str| archive.index_for_name(name).is_some();
    let starts = |prefix: &str| archive.file_names().any(|n| n.is_ok_and(|n| n.starts_with(prefix)));
    if has("[Content_Types].xml") || starts("word/") || starts("xl/") {
        if starts("word/") {
            return Ok(Found::Binary {
                converter: Converter::Docx,
                media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            });
        }
        if has("xl/workbook.bin") {
            return Err(unsupported("Excel binary"));
        }
        if starts("xl/") {
            return Ok(Found::Binary {
                converter: Converter::Xlsx,
                media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            });
        }
        if starts("ppt/") {
            return Err(unsupported("PowerPoint"));
        }
    }
    if has("META-INF/container.xml") {
        return Err(unsupported("e-book"));
    }
    if has("content.xml") && has("META-INF/manifest.xml") {
        return Err(unsupported("OpenDocument"));
    }
    Err(unsupported("archive"))
}

/// What lies in an OLE compound file: the directory names its streams in UTF-16.
fn ole(bytes: &[u8]) -> &'static str {
    let has = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        find(bytes, &wide).is_some()
    };
    if has("EncryptedPackage") {
        "password-protected Office"
    } else if has("WordDocument") {
        "Word 97–2003"
    } else if has("Workbook") {
        "Excel 97–2003"
    } else if has("PowerPoint Document") {
        "PowerPoint 97–2003"
    } else if has("__properties_version1.0") {
        "mail"
    } else {
        "Office 97–2003"
    }
}

/// The media type of an image that can be read. What a camera calls raw is a TIFF that holds no picture of its own.
fn image(kind: infer::Type, name: &str) -> Option<&'static str> {
    if matches!(promise(name), Promise::Unreadable("image")) {
        return None;
    }
    ["image/png", "image/jpeg", "image/gif", "image/webp", "image/tiff", "image/bmp"]
        .into_iter()
        .find(|media_type| *media_type == kind.mime_type())
}

fn kind_name(kind: infer::Type) -> &'static str {
    match kind.matcher_type() {
        infer::MatcherType::Image => "image",
        infer::MatcherType::Audio => "audio",
        infer::MatcherType::Video => "video",
        infer::MatcherType::Archive => "archive",
        infer::MatcherType::App => "program",
        infer::MatcherType::Book => "e-book",
        infer::MatcherType::Font => "font",
        _ => UNKNOWN_FORMAT,
    }
}

/// Whether it reads as text. Compressed bytes hold one control in ten, taken for whatever encoding of single bytes; what is
/// valid UTF-8 is text even with many controls in it (CASES C4).
fn is_text(decoded: &Decoded<'_>) -> bool {
    let (mut total, mut strange) = (0_usize, 0_usize);
    for c in decoded.text.chars().take(64 << 10) {
        total += 1;
        let control = c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}');
        strange += usize::from(control || c == '\u{fffd}');
    }
    let allowed = if decoded.encoding == "UTF-8" { 25 } else { 4 };
    strange * 100 <= total * allowed
}

fn looks_like_text(head: &[u8]) -> bool {
    let end = head.len().saturating_sub(4);
    head.iter().take(end).all(|b| *b >= 0x20 || matches!(b, b'\n' | b'\r' | b'\t'))
        && std::str::from_utf8(head).is_ok()
}

/// The encoding that HTML or XML declares in its first bytes.
fn declared_encoding(head: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let markup = head.trim_start().starts_with('<');
    let after = head.split_once("charset=").or_else(|| head.split_once("encoding="))?.1;
    let label: String = after
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_:".contains(*c))
        .collect();
    (markup && !label.is_empty()).then_some(label)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

fn unsupported(format: &str) -> ConvertError {
    ConvertError::UnsupportedFormat { format: format.to_owned() }
}
