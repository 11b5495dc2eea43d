//! What a file is: its content decides, its name only breaks ties between kinds of text.
//!
//! Nothing is trusted: a DOCX named `.pdf` is a DOCX, and a text with a few NULs in it is a text.

mod known;

use crate::catalogue::{Converter, Promise, language_of, promise};
use crate::text::decode::{Decoded, decode};
use carrel_engine::seams::{ConvertError, UNKNOWN_FORMAT};
use std::io::{Cursor, Read};

/// What a file was found to be.
pub(crate) enum Sniffed<'a> {
    /// Bytes for a converter.
    Binary { converter: Converter, media_type: &'static str },
    /// A package inside an encrypted envelope.
    Encrypted,
    /// Text, decoded.
    Text { converter: Converter, media_type: &'static str, decoded: Decoded<'a> },
}

/// The namespace of sheets in one XML file.
const OFFICE_SHEETS: &str = "urn:schemas-microsoft-com:office:spreadsheet";
/// How far into a file the head of a PDF may begin.
const PDF_HEAD: usize = 1024;

/// Looks at the content. Formats without a converter are `UnsupportedFormat`, empty files `NoText`.
pub(crate) fn sniff<'a>(bytes: &'a [u8], name: &str) -> Result<Sniffed<'a>, ConvertError> {
    if bytes.is_empty() {
        return Err(ConvertError::NoText { detail: "the file is empty".into() });
    }
    let head = bytes.get(..PDF_HEAD).unwrap_or(bytes);
    if let Some(format) = known::format(bytes)
        && (!looks_like_text(head) || head.starts_with(b"%!"))
    {
        return Err(unsupported(format));
    }
    if find(head, b"%PDF-").is_some() && !looks_like_text(head) || head.starts_with(b"%PDF-") {
        return Ok(Sniffed::Binary { converter: Converter::Pdf, media_type: "application/pdf" });
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return package(bytes, name);
    }
    if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]) {
        return ole(bytes);
    }
    if bytes.trim_ascii_start().starts_with(b"{\\rtf") {
        return Ok(Sniffed::Binary { converter: Converter::Rtf, media_type: "application/rtf" });
    }
    if let Some((converter, media_type)) = mail(bytes, name) {
        return Ok(Sniffed::Binary { converter, media_type });
    }
    if let Some(media_type) = sound(bytes, name) {
        return Ok(Sniffed::Binary { converter: Converter::Audio, media_type });
    }
    if let Some(kind) = infer::get(bytes)
        && kind.matcher_type() != infer::MatcherType::Text
        && !looks_like_text(head)
    {
        return match image(kind, name) {
            Some(media_type) => Ok(Sniffed::Binary { converter: Converter::Image, media_type }),
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
        if let Promise::Readable(converter) = promise(name)
            && converter.is_binary()
        {
            let id = converter.id().id;
            let detail = format!(
                "its name says {id}, but its content is of no format that is known; copy or download it again"
            );
            return Err(ConvertError::Damaged { detail });
        }
        return Err(unsupported(format));
    }
    text(decoded, name)
}

/// Which converter takes a text.
fn text<'a>(decoded: Decoded<'a>, name: &str) -> Result<Sniffed<'a>, ConvertError> {
    let start: String =
        decoded.text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).chars().take(1024).collect();
    let start = start.to_ascii_lowercase();
    let html = start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || (start.starts_with("<?xml") || start.starts_with("<!--")) && start.contains("<html")
        || start.starts_with("<head")
        || start.starts_with("<body")
        || is_office(promise(name)) && is_piece_of_html(&start);
    let (converter, media_type) = match promise(name) {
        // Addresses end with the name of the program that makes the page, or with anything.
        _ if html && name.contains("://") => (Converter::Html, "text/html"),
        Promise::Readable(Converter::Json) => (Converter::Json, "application/json"),
        Promise::Readable(Converter::Notebook) => (Converter::Notebook, "application/x-ipynb+json"),
        Promise::Readable(Converter::Subtitles) => (Converter::Subtitles, "text/vtt"),
        // Some programs write pages and name them as sheets.
        Promise::Unreadable(_) if html => (Converter::Html, "text/html"),
        Promise::Unreadable(format) => return Err(unsupported(format)),
        _ if start.contains("<office:document") => flat(&decoded.text),
        _ if start.starts_with('<') && start.contains("<workbook") && start.contains(OFFICE_SHEETS) => {
            (Converter::Xls, "application/vnd.ms-excel")
        }
        Promise::Readable(Converter::Code) => (Converter::Code, code_media_type(language_of(name))),
        Promise::Readable(Converter::Markdown) => (Converter::Markdown, "text/markdown"),
        Promise::Readable(Converter::Html) => (Converter::Html, "text/html"),
        Promise::Readable(Converter::Csv) => {
            let tabs = crate::catalogue::extension(name).is_some_and(|e| e != "csv");
            (Converter::Csv, if tabs { "text/tab-separated-values" } else { "text/csv" })
        }
        _ if html => (Converter::Html, "text/html"),
        Promise::Readable(Converter::Xml) => (Converter::Xml, "application/xml"),
        // Programs hand out tables under the name of a sheet.
        Promise::Readable(Converter::Xls | Converter::Xlsx) => (Converter::Csv, "text/csv"),
        Promise::Unknown if start.starts_with("<?xml") || start.starts_with("<rss") => {
            (Converter::Xml, "application/xml")
        }
        Promise::Unknown if start.starts_with("webvtt") => (Converter::Subtitles, "text/vtt"),
        // Some write text and name it as a document.
        Promise::Readable(_) | Promise::Unknown => (Converter::Text, "text/plain"),
    };
    Ok(Sniffed::Text { converter, media_type, decoded })
}

/// Whether the name promises a file of an office program. Many programs write pages, or pieces of one, and name them so.
fn is_office(promise: Promise) -> bool {
    matches!(
        promise,
        Promise::Readable(
            Converter::Doc
                | Converter::Docx
                | Converter::Xls
                | Converter::Xlsx
                | Converter::Ppt
                | Converter::Pptx
                | Converter::Rtf
        )
    )
}

/// Whether a text begins with an element of HTML; the text is in small letters.
fn is_piece_of_html(start: &str) -> bool {
    let tag = start.trim_start_matches("<!--").strip_prefix('<').unwrap_or_default();
    let tag: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
    matches!(
        tag.as_str(),
        "table"
            | "meta"
            | "style"
            | "title"
            | "div"
            | "p"
            | "h1"
            | "h2"
            | "h3"
            | "center"
            | "font"
            | "form"
            | "span"
            | "b"
    )
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
fn package<'a>(bytes: &[u8], name: &str) -> Result<Sniffed<'a>, ConvertError> {
    let archive = match zip::ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) => archive,
        Err(error) => {
            return Err(crate::formats::broken_package(&error));
        }
    };
    // Some programs write the separators of Windows, or other cases.
    let names: Vec<String> =
        archive.file_names().flatten().map(|n| n.replace('\\', "/").to_ascii_lowercase()).collect();
    let has = |name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    let starts = |prefix: &str| names.iter().any(|n| n.starts_with(prefix));
    let ends = |ending: &str| names.iter().any(|n| n.ends_with(ending));
    let stated = stated_type(&mut archive.clone());
    if has("[Content_Types].xml") || starts("word/") || starts("xl/") || starts("ppt/") {
        if starts("word/") {
            return Ok(Sniffed::Binary {
                converter: Converter::Docx,
                media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            });
        }
        if has("xl/workbook.bin") {
            return Ok(Sniffed::Binary {
                converter: Converter::Xlsb,
                media_type: "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
            });
        }
        if starts("xl/") {
            return Ok(Sniffed::Binary {
                converter: Converter::Xlsx,
                media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            });
        }
        if starts("ppt/") {
            return Ok(Sniffed::Binary {
                converter: Converter::Pptx,
                media_type: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            });
        }
    }
    if has("[Content_Types].xml")
        && let Some(found) = by_content_types(archive.clone())
    {
        return Ok(found);
    }
    if has("META-INF/container.xml") || stated.contains("epub") && ends(".opf") {
        return Ok(Sniffed::Binary { converter: Converter::Epub, media_type: "application/epub+zip" });
    }
    if has(crate::formats::WHOLE) && has("META-INF/manifest.xml") {
        return Ok(Sniffed::Encrypted);
    }
    let is_stated = stated.contains("opendocument") || stated.contains("vnd.sun.xml");
    if has("content.xml") && (has("META-INF/manifest.xml") || is_stated) {
        return Ok(open_document(&stated));
    }
    if let Promise::Unreadable(format) = promise(name) {
        return Err(unsupported(format));
    }
    if ends(".iwa") || has("index.apxl") || has("buildVersionHistory.plist") {
        return Err(unsupported("Pages, Numbers and Keynote"));
    }
    if starts("visio/") {
        return Err(unsupported("Visio"));
    }
    if ends(".fdseq") {
        return Err(unsupported("XPS"));
    }
    Ok(Sniffed::Binary { converter: Converter::Archive, media_type: "application/zip" })
}

/// The media type of a recording.
pub(crate) fn sound(bytes: &[u8], name: &str) -> Option<&'static str> {
    let named = promise(name) == Promise::Readable(Converter::Audio);
    let head = bytes.get(..4096).unwrap_or(bytes);
    let has = |at: usize, word: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(word));
    let is_frame =
        |pair: &[u8]| matches!(pair, [0xff, second] if second & 0xe0 == 0xe0 && second & 0x06 != 0);
    if has(0, b"fLaC") {
        Some("audio/flac")
    } else if has(0, b"RIFF") && has(8, b"WAVE") {
        Some("audio/wav")
    } else if has(0, b"OggS") && find(head, b"theora").is_none() {
        Some("audio/ogg")
    } else if has(4, b"ftyp") && (named || has(8, b"M4A") || has(8, b"M4B")) {
        Some("audio/mp4")
    } else if named && head.starts_with(&[0xff]) && head.get(1).is_some_and(|b| b & 0xf6 == 0xf0) {
        Some("audio/aac")
    } else if has(0, b"ID3") || named && !looks_like_text(head) && head.windows(2).any(is_frame) {
        Some("audio/mpeg")
    } else {
        infer::get(bytes).filter(|kind| kind.mime_type() == "audio/mpeg").map(|_| "audio/mpeg")
    }
}

/// Which kind of mail begins like this. A name that promises something else is believed.
fn mail(bytes: &[u8], name: &str) -> Option<(Converter, &'static str)> {
    let promised = promise(name);
    let named = |converter| promised == Promise::Readable(converter);
    let of_office = is_office(promised) || named(Converter::Html);
    if !matches!(promised, Promise::Unknown)
        && !of_office
        && ![Converter::Mail, Converter::Mailbox, Converter::WebArchive].into_iter().any(named)
    {
        return None;
    }
    let head = crate::formats::narrow(bytes.get(..64 << 10).unwrap_or(bytes));
    let head = String::from_utf8_lossy(&head);
    let head = head.trim_start_matches(['\u{feff}', '\r', '\n']);
    let head = head.split("\n\n").next().unwrap_or_default().split("\r\n\r\n").next().unwrap_or_default();
    let mailbox = head.starts_with("From ");
    // Mail of one program begins with a line that counts its bytes.
    let counted =
        head.lines().next().is_some_and(|l| !l.is_empty() && l.trim().bytes().all(|b| b.is_ascii_digit()));
    let mut lines =
        head.lines().skip(usize::from(mailbox || counted)).filter(|l| !l.starts_with([' ', '\t'])).take(100);
    let mut known = 0;
    let well_formed = lines.by_ref().all(|line| {
        let field = line.split_once(':').map_or("", |(field, _)| field.trim_end());
        let field = field.to_ascii_lowercase();
        known += usize::from(matches!(
            field.as_str(),
            "from"
                | "to"
                | "subject"
                | "date"
                | "message-id"
                | "received"
                | "return-path"
                | "mime-version"
                | "content-type"
                | "delivered-to"
                | "sender"
                | "cc"
                | "reply-to"
        ));
        !field.is_empty() && field.bytes().all(|b| b.is_ascii_graphic())
    });
    let found = if named(Converter::Mail) || named(Converter::Mailbox) || named(Converter::WebArchive) {
        known > 0
    } else {
        well_formed && known >= 3
    };
    let lower = head.to_ascii_lowercase();
    if of_office {
        // Programs save pages with their pictures in one file, and name it as a document.
        let web = well_formed && lower.contains("mime-version:");
        let web = web && (lower.contains("multipart/related") || lower.contains("text/html"));
        return web.then_some((Converter::WebArchive, "multipart/related"));
    }
    let archived = || {
        lower.contains("multipart/related") && lower.contains("snapshot-content-location")
            || lower.contains("saved by")
    };
    match found {
        false => None,
        true if mailbox => Some((Converter::Mailbox, "application/mbox")),
        true if named(Converter::WebArchive) || archived() => {
            Some((Converter::WebArchive, "multipart/related"))
        }
        true => Some((Converter::Mail, "message/rfc822")),
    }
}

/// What the types of the parts say, where the parts lie in unusual folders.
fn by_content_types<'a>(mut archive: zip::ZipArchive<Cursor<&[u8]>>) -> Option<Sniffed<'a>> {
    let mut types = Vec::new();
    archive.by_name("[Content_Types].xml").ok()?.take(1 << 20).read_to_end(&mut types).ok()?;
    let has = |kind: &str| find(&types, kind.as_bytes()).is_some();
    let (converter, media_type) = if has("ms-excel.sheet.binary") {
        (Converter::Xlsb, "application/vnd.ms-excel.sheet.binary.macroEnabled.12")
    } else if has("spreadsheetml.sheet.main") || has("ms-excel.sheet.macroEnabled.main") {
        (Converter::Xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
    } else if has("wordprocessingml.document.main") || has("ms-word.document.macroEnabled.main") {
        (Converter::Docx, "application/vnd.openxmlformats-officedocument.wordprocessingml.document")
    } else if has("presentationml") {
        (Converter::Pptx, "application/vnd.openxmlformats-officedocument.presentationml.presentation")
    } else {
        return None;
    };
    Some(Sniffed::Binary { converter, media_type })
}

/// What a package says it is: its entry `mimetype`, wherever and however it is packed, or what its manifest says of the whole.
fn stated_type(archive: &mut zip::ZipArchive<Cursor<&[u8]>>) -> String {
    let mut read = |wanted: &str, most: u64| {
        let same = |name: &str| name.replace('\\', "/").eq_ignore_ascii_case(wanted);
        let name = archive.file_names().flatten().find(|name| same(name))?.to_string();
        let mut bytes = Vec::new();
        archive.by_name(&name).ok()?.take(most).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let own = read("mimetype", 256).filter(|kind| !kind.trim().is_empty());
    own.or_else(|| {
        let manifest = read("META-INF/manifest.xml", 1 << 20)?;
        let whole = manifest.split('<').find(|tag| tag.contains("full-path=\"/\""))?;
        Some(whole.to_owned())
    })
    .unwrap_or_default()
}

/// What lies in a package of OpenDocument: its type says so, and where it is not told, it is a text.
fn open_document<'a>(kind: &str) -> Sniffed<'a> {
    let (converter, media_type) = if kind.contains("spreadsheet") || kind.contains("xml.calc") {
        (Converter::Ods, "application/vnd.oasis.opendocument.spreadsheet")
    } else if kind.contains("presentation") || kind.contains("xml.impress") {
        (Converter::Odp, "application/vnd.oasis.opendocument.presentation")
    } else if kind.contains("graphics") {
        (Converter::Odp, "application/vnd.oasis.opendocument.graphics")
    } else {
        (Converter::Odt, "application/vnd.oasis.opendocument.text")
    };
    Sniffed::Binary { converter, media_type }
}

/// OpenDocument as one XML file.
fn flat(text: &str) -> (Converter, &'static str) {
    if text.contains("<office:spreadsheet") {
        (Converter::Ods, "application/vnd.oasis.opendocument.spreadsheet-flat-xml")
    } else if text.contains("<office:presentation") || text.contains("<office:drawing") {
        (Converter::Odp, "application/vnd.oasis.opendocument.presentation-flat-xml")
    } else {
        (Converter::Odt, "application/vnd.oasis.opendocument.text-flat-xml")
    }
}

/// What lies in an OLE compound file: the directory names its streams in UTF-16.
fn ole<'a>(bytes: &[u8]) -> Result<Sniffed<'a>, ConvertError> {
    // Embedded documents bring streams of their own: those of the root say what it is.
    let file = crate::formats::compound_file(bytes).ok();
    let has = |name: &str| match &file {
        Some(file) => file.is_stream(name),
        None => {
            let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
            find(bytes, &wide).is_some()
        }
    };
    let (converter, media_type) = if has("__properties_version1.0") {
        (Converter::Outlook, "application/vnd.ms-outlook")
    } else if has("EncryptedPackage") {
        return Ok(Sniffed::Encrypted);
    } else if has("WordDocument") {
        (Converter::Doc, "application/msword")
    } else if has("PowerPoint Document") {
        (Converter::Ppt, "application/vnd.ms-powerpoint")
    } else if has("Workbook") || has("WORKBOOK") || has("Book") {
        (Converter::Xls, "application/vnd.ms-excel")
    } else {
        return Err(unsupported(known::compound(has)));
    };
    Ok(Sniffed::Binary { converter, media_type })
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
