//! Text in images: PP-OCR on `rten`.
//!
//! A page goes through four steps: the detector says where text stands, sample lines say which way up it is, each line is
//! recognised, and lines become paragraphs in reading order. Refuses to hide doubt: what was read with little confidence is kept
//! and counted. Nothing here depends on how a page came to be pixels.
//!
//! Invariant: every box of a [`Reading`] lies in the image that was given, in its pixels, whichever way its text runs.

mod detect;
mod direction;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
mod geometry;
mod model;
mod order;
mod recognise;
mod strip;

pub use model::FILES;
pub(crate) use model::{Model, is_there};
pub(crate) use order::Paragraph;

use detect::detect;
use direction::{Frame, frames};
use image::DynamicImage;
use order::{Line, paragraphs};
use recognise::recognise;

/// The folder of the model inside the folder of models, as the catalogue lays it.
pub const FOLDER: &str = "models--RapidAI--RapidOCR/snapshots/v3.10.0";
/// The catalogue's id of the model, for those who lack it.
pub const MODEL: &str = "pp-ocrv6-small";

/// Below this confidence a line is doubtful. Lines of clean print reach 0.95 and more.
const DOUBTFUL: f32 = 0.8;
/// Below this, what is no more than two letters is taken for a mark of the picture.
const NO_TEXT: f32 = 0.6;
/// Of what the detector finds beyond this, nothing more is read: a pattern, not a page.
const MAX_LINES: usize = 2_000;

/// What stands on a page.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// In reading order.
    pub(crate) paragraphs: Vec<Paragraph>,
    /// Lines read.
    pub(crate) lines: usize,
    /// Lines read with little confidence.
    pub(crate) doubtful: usize,
    /// Whether there was more than can be read.
    pub(crate) cut: bool,
}

impl Reading {
    /// Its letters and digits.
    pub(crate) fn letters(&self) -> usize {
        let parts = self.paragraphs.iter().flat_map(|paragraph| &paragraph.parts);
        parts.flat_map(|part| part.text.chars()).filter(|c| c.is_alphanumeric()).count()
    }

    /// Whether most of it is doubtful: a script that the model does not know.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.doubtful * 2 > self.lines
    }
}

/// Reads a page. `Err` says how the model failed.
pub(crate) fn read(model: &Model, page: &DynamicImage) -> Result<Reading, String> {
    let Some(pixels) = page.as_rgb8() else { return Err("the page is not in RGB".to_owned()) };
    let mut regions = detect(model, page)?;
    let cut = regions.len() > MAX_LINES;
    regions.truncate(MAX_LINES);
    let mut reading = Reading { cut, ..Reading::default() };
    for Frame { axis, regions } in frames(model, pixels, regions)? {
        let mut lines = Vec::with_capacity(regions.len());
        for region in regions {
            let read = recognise(model, pixels, &region)?;
            let letters = read.text.chars().filter(|c| c.is_alphanumeric()).count();
            if read.text.trim().is_empty() || (read.confidence < NO_TEXT && letters <= 2) {
                continue;
            }
            reading.lines += 1;
            reading.doubtful += usize::from(read.confidence < DOUBTFUL);
            lines.push(Line::new(read.text, &region, axis, pixels.dimensions()));
        }
        reading.paragraphs.extend(paragraphs(lines));
    }
    Ok(reading)
}
