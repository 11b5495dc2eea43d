//! One module per format. Each turns bytes or decoded text into a [`Draft`]; none knows of processes.

mod code;
mod csv;
mod docx;
mod html;
mod image;
mod markdown;
mod package;
mod pdf;
#[cfg(test)]
mod properties;
pub(crate) mod scan;
mod text;
mod xlsx;
mod xml;

use crate::build::Draft;
use crate::catalogue::Converter;
use crate::sniff::{Found, sniff};
use crate::text::decode::Decoded;
use carrel_engine::domain::Converted;
use carrel_engine::seams::{ConvertError, Limits};
use std::path::Path;

/// One file in hand.
pub(crate) struct Source<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) name: &'a str,
    pub(crate) password: Option<&'a str>,
    pub(crate) limits: &'a Limits,
    /// The PDFium library.
    pub(crate) pdfium: Option<&'a Path>,
    /// The folder of the model that reads images; it need not be there.
    pub(crate) ocr: Option<&'a Path>,
    /// Called with what is being worked on, so that a crash can name it, and how many parts there are.
    pub(crate) progress: &'a dyn Fn(Progress),
}

/// How far a conversion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// `page`, `sheet`, [`scan::UNIT`].
    pub(crate) unit: &'static str,
    /// Counts from 1.
    pub(crate) part: u32,
    pub(crate) of: u32,
}

/// Converts one file.
pub(crate) fn convert(source: &Source<'_>) -> Result<Converted, ConvertError> {
    match sniff(source.bytes, source.name)? {
        Found::Text { converter, media_type, decoded } => {
            let mut draft = from_text(converter, source, &decoded)?;
            note_malformed(&mut draft, &decoded);
            draft.finish(converter.id(), media_type)
        }
        Found::Binary { converter, media_type } => {
            let draft = match converter {
                Converter::Pdf => pdf::convert(source)?,
                Converter::Xlsx => xlsx::convert(source)?,
                Converter::Docx => docx::convert(source)?,
                Converter::Image => image::convert(source, media_type)?,
                other => {
                    let detail = format!("it was taken for {}, which is text", other.id().id);
                    return Err(ConvertError::Damaged { detail });
                }
            };
            draft.finish(converter.id(), media_type)
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
        Converter::Code => code::convert(text, source.name, source.limits),
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
        draft.warnings.push(carrel_engine::domain::Warning { code: "undecodable".into(), message });
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
