//! One module per format. Each turns bytes or decoded text into a [`Draft`]; none knows of processes.

mod archive;
mod chart;
mod code;
mod csv;
mod diagram;
mod doc;
mod docx;
mod encrypted;
mod encrypted97;
mod epub;
mod feed;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod html;
mod image;
mod json;
mod mail;
mod markdown;
mod math;
mod mathml;
mod nested;
mod notebook;
mod odf;
mod ole;
mod ooxml;
mod package;
mod pdf;
mod ppt;
mod pptx;
#[cfg(test)]
mod properties;
mod rtf;
pub(crate) mod scan;
mod sealed;
mod sheets;
mod subtitles;
mod text;
pub(crate) mod transcript;
mod webarchive;
mod xml;

use crate::build::Draft;
use crate::catalogue::Converter;
use crate::sniff::{Sniffed, sniff};
use crate::text::decode::Decoded;
use carrel_engine::domain::{Converted, Warning};
use carrel_engine::seams::{ConvertError, Limits};
pub(crate) use mail::narrow;
pub(crate) use nested::Budget;
pub(crate) use ole::compound_file;
pub(crate) use package::broken_package;
pub(crate) use sealed::WHOLE;
use std::path::Path;

/// One file in hand.
pub(crate) struct Source<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) name: &'a str,
    /// The one that is tried.
    pub(crate) password: Option<&'a str>,
    /// All that were given; each file and each part is tried with one after the other.
    pub(crate) passwords: &'a [&'a str],
    pub(crate) limits: &'a Limits,
    /// The PDFium library.
    pub(crate) pdfium: Option<&'a Path>,
    /// The folder of the model that reads images; it need not be there.
    pub(crate) ocr: Option<&'a Path>,
    /// What may still be unpacked of the outermost file.
    pub(crate) budget: &'a Budget,
    /// How many files it lies in.
    pub(crate) depth: u8,
    /// Called with what is being worked on, so that a crash can name it, and how many parts there are.
    pub(crate) progress: &'a dyn Fn(Progress),
}

/// How far a conversion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// `page`, `slide`, `sheet`, `part`, [`scan::UNIT`].
    pub(crate) unit: &'static str,
    /// Counts from 1.
    pub(crate) part: u32,
    pub(crate) of: u32,
}

/// Converts one file.
pub(crate) fn convert(source: &Source<'_>) -> Result<Converted, ConvertError> {
    let Found { draft, converter, media_type } = read(source)?;
    draft.finish(converter.id(), media_type)
}

/// A file as it was read.
struct Found {
    draft: Draft,
    converter: Converter,
    media_type: &'static str,
}

/// Reads one file, with the first password that opens it.
fn read(source: &Source<'_>) -> Result<Found, ConvertError> {
    let mut outcome = read_with(&Source { password: source.passwords.first().copied(), ..*source });
    for password in source.passwords.iter().skip(1) {
        if !matches!(outcome, Err(ConvertError::WrongPassword)) {
            break;
        }
        outcome = read_with(&Source { password: Some(password), ..*source });
    }
    outcome
}

fn read_with(source: &Source<'_>) -> Result<Found, ConvertError> {
    match sniff(source.bytes, source.name)? {
        Sniffed::Text { converter, media_type, decoded } => {
            let mut draft = from_text(converter, source, &decoded)?;
            note_malformed(&mut draft, &decoded);
            Ok(Found { draft, converter, media_type })
        }
        Sniffed::Encrypted => {
            let encrypted::Opened { package, altered } = if source.bytes.starts_with(b"PK") {
                encrypted::Opened { package: sealed::whole(source)?, altered: false }
            } else {
                encrypted::open(source)?
            };
            // An envelope inside an envelope is no document.
            if package.starts_with(b"\xd0\xcf\x11\xe0")
                || matches!(sniff(&package, source.name)?, Sniffed::Encrypted)
            {
                return Err(ConvertError::Damaged { detail: "it is encrypted twice".into() });
            }
            let mut found = read(&Source { bytes: &package, ..*source })?;
            if altered {
                let message = "its checksum is not that of its content: it may have been changed since it was encrypted";
                found.draft.warnings.push(Warning { code: "altered".into(), message: message.into() });
            }
            Ok(found)
        }
        Sniffed::Binary { converter, media_type } => {
            let draft = from_bytes(converter, media_type, source)?;
            Ok(Found { draft, converter, media_type })
        }
    }
}

fn from_bytes(
    converter: Converter,
    media_type: &'static str,
    source: &Source<'_>,
) -> Result<Draft, ConvertError> {
    match converter {
        Converter::Pdf => pdf::convert(source),
        Converter::Xlsx | Converter::Xls | Converter::Xlsb | Converter::Ods => {
            sheets::convert(source, converter)
        }
        Converter::Odt | Converter::Odp => odf::convert(source),
        Converter::Rtf => rtf::convert(source),
        Converter::Doc => doc::convert(source),
        Converter::Ppt => ppt::convert(source),
        Converter::Docx => docx::convert(source),
        Converter::Pptx => pptx::convert(source),
        Converter::Archive => archive::convert(source),
        Converter::Mail => mail::convert(source),
        Converter::Mailbox => mail::mailbox(source),
        Converter::Outlook => mail::outlook(source),
        Converter::WebArchive => webarchive::convert(source),
        Converter::Epub => epub::convert(source),
        Converter::Image => image::convert(source, media_type),
        // What lies in other files is not transcribed: it would take hours where minutes are allowed.
        Converter::Audio => {
            let why = "recordings inside other files are not read: keep it as a file of its own";
            Err(ConvertError::Unreadable(why.into()))
        }
        other => {
            let detail = format!("it was taken for {}, which is text", other.id().id);
            Err(ConvertError::Damaged { detail })
        }
    }
}

fn from_text(
    converter: Converter,
    source: &Source<'_>,
    decoded: &Decoded<'_>,
) -> Result<Draft, ConvertError> {
    let text = decoded.text.as_ref();
    match converter {
        Converter::Markdown => markdown::convert(text, source.limits),
        Converter::Html => html::convert(text, source.limits),
        Converter::Csv => csv::convert(text, source.name, source.limits),
        Converter::Json => json::convert(text, source.name, source.limits),
        Converter::Xml => feed::convert(text, source.name, source.limits),
        Converter::Notebook => notebook::convert(text, source.limits),
        Converter::Subtitles => subtitles::convert(text, source.limits),
        Converter::Code => code::convert(text, source.name, source.limits),
        Converter::Odt | Converter::Odp => odf::convert_flat(source, text),
        Converter::Ods | Converter::Xls => sheets::convert_flat(source, text, converter),
        _ => text::convert(text, source.limits),
    }
}

/// More than one character in a thousand lost is a part lost.
fn note_malformed(draft: &mut Draft, decoded: &Decoded<'_>) {
    let Decoded { malformed, encoding, text } = decoded;
    if *malformed == 0 {
        return;
    }
    let message = format!("{malformed} places could not be decoded as {encoding}");
    if malformed * 1000 > text.len() {
        draft.missing("undecodable", message);
    } else {
        draft.warnings.push(Warning { code: "undecodable".into(), message });
    }
}

/// Refuses text beyond the output limit.
fn within(limits: &Limits, bytes: usize) -> Result<(), ConvertError> {
    if bytes as u64 > limits.output_bytes {
        Err(ConvertError::LimitExceeded { limit: "output" })
    } else {
        Ok(())
    }
}
