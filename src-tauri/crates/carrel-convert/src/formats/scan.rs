//! What pictures and scanned pages share: the model, the writing of what was read, and what is said of doubt.

use super::Source;
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use crate::ocr::{self, Model, Reading};
use carrel_engine::domain::{Location, Warning};
use carrel_engine::seams::ConvertError;
use image::DynamicImage;
use std::sync::Arc;

/// The unit of progress of pages that are read as images: each is given time of its own.
pub(crate) const UNIT: &str = "scanned page";

/// The model; `None` where it is not there.
pub(super) fn model(source: &Source<'_>) -> Result<Option<Arc<Model>>, ConvertError> {
    match source.ocr.filter(|folder| ocr::is_there(folder)) {
        Some(folder) => Model::shared(folder).map(Some),
        None => Ok(None),
    }
}

/// What is said where the model is missing.
pub(crate) fn needs_model(detail: &str) -> ConvertError {
    ConvertError::NeedsModel { id: ocr::MODEL.to_owned(), detail: detail.to_owned() }
}

/// Reads an upright or turned page of pixels.
pub(super) fn read(model: &Model, page: &DynamicImage) -> Result<Reading, ConvertError> {
    ocr::read(model, page).map_err(ConvertError::Crashed)
}

/// Writes what stands on a page; `scale` is points for a pixel.
pub(super) fn write(reading: &Reading, page: u32, scale: f32, writer: &mut Writer) {
    let here = |bounds: [f32; 4]| Location {
        page: Some(page),
        boxes: vec![bounds.map(|edge| edge * scale)],
        ..Location::default()
    };
    for paragraph in &reading.paragraphs {
        if writer.is_full() {
            return;
        }
        if let Some(level) = paragraph.heading {
            let text: String = paragraph.parts.iter().map(|part| part.text.as_str()).collect();
            let boxes = paragraph.parts.iter().map(|part| part.bounds.map(|edge| edge * scale)).collect();
            writer.locate(Some(Location { page: Some(page), boxes, ..Location::default() }));
            writer.heading(level, &escaped(&text), &text);
            continue;
        }
        let texts: Vec<String> = paragraph
            .parts
            .iter()
            .map(|part| {
                let text = escaped(&part.text);
                if part.text.ends_with(' ') { text + " " } else { text }
            })
            .collect();
        let parts: Vec<_> = texts
            .iter()
            .zip(&paragraph.parts)
            .map(|(text, part)| (text.as_str(), Some(here(part.bounds))))
            .collect();
        writer.paragraph_parts(&parts);
    }
}

/// What was read with little confidence, over all pages.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    lines: usize,
    doubtful: usize,
    cut: Vec<u32>,
}

impl Doubts {
    pub(super) fn count(&mut self, page: u32, reading: &Reading) {
        self.lines += reading.lines;
        self.doubtful += reading.doubtful;
        if reading.cut {
            self.cut.push(page);
        }
    }

    /// Says it. Where more than half is doubtful, the text is not whole.
    pub(super) fn tell(&self, pages: u32, draft: &mut Draft) {
        for page in &self.cut {
            draft.missing("partial", format!("page {page} of {pages} holds more lines than are read"));
        }
        if self.doubtful == 0 {
            return;
        }
        let Self { lines, doubtful, .. } = self;
        let message = format!("{doubtful} of {lines} lines were read with low confidence");
        if doubtful * 2 > *lines {
            draft.missing("low_confidence", message);
        } else {
            draft.warnings.push(Warning { code: "low_confidence".into(), message });
        }
    }
}
