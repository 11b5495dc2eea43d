//! Pages whose text is read from what they show: scans, and pages whose fonts do not say which characters they show.

use super::page::Mute;
use super::read::RawPage;
use super::render::{Rendered, Wanted, render};
use crate::build::Draft;
use crate::build::writer::Writer;
use crate::formats::scan::{self, Doubts};
use crate::formats::{Progress, Source};
use crate::ocr::{self, Model, Reading};
use carrel_engine::domain::Warning;
use carrel_engine::seams::{ConvertError, NEEDS_MODEL};
use image::DynamicImage;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A page of fewer characters may be a scan with a stamp on it.
const FEW: usize = 20;

/// What was read so.
#[derive(Default)]
pub(super) struct Scanned {
    /// By page, with points for a pixel.
    readings: BTreeMap<u32, (Reading, f32)>,
    /// Pages that were read.
    read: BTreeSet<u32>,
    doubts: Doubts,
    /// Whether there were such pages, and no model to read them.
    needs_model: bool,
}

/// Whether a page holds so few characters that it may be a scan.
pub(super) fn is_sparse(raw: &RawPage) -> bool {
    raw.glyphs.iter().filter(|glyph| !glyph.generated && !glyph.c.is_whitespace()).take(FEW).count() < FEW
}

impl Scanned {
    /// Reads the pages that are mute, and those of a few characters that are images.
    pub(super) fn read(
        source: &Source<'_>,
        library: &Path,
        mute: &[(u32, Mute)],
        sparse: &[u32],
    ) -> Result<Self, ConvertError> {
        let mut scanned = Self::default();
        let silent = mute.iter().filter(|(_, why)| *why != Mute::Broken);
        let mut wanted: Vec<Wanted> =
            silent.map(|(page, _)| Wanted { page: *page, if_image: false }).collect();
        let silent = wanted.len();
        wanted.extend(sparse.iter().map(|page| Wanted { page: *page, if_image: true }));
        wanted.sort_by_key(|wanted| wanted.page);
        if wanted.is_empty() {
            return Ok(scanned);
        }
        let Some(model) = scan::model(source)? else {
            scanned.needs_model = silent > 0;
            return Ok(scanned);
        };
        let of = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
        let mut part = 0;
        render(library, source.bytes, source.password, &wanted, &mut |wanted, rendered| {
            part += 1;
            (source.progress)(Progress { unit: scan::UNIT, part, of });
            if let Some(Rendered { picture, scale }) = rendered {
                scanned.take(&model, wanted.page, &picture, scale);
            }
        })?;
        Ok(scanned)
    }

    /// Reads one page; `scale` is points for a pixel. A fault on one page costs that page.
    fn take(&mut self, model: &Model, page: u32, picture: &DynamicImage, scale: f32) {
        let reading = catch_unwind(AssertUnwindSafe(|| ocr::read(model, picture)));
        let Ok(Ok(reading)) = reading else { return };
        if !reading.paragraphs.is_empty() {
            self.doubts.count(page, &reading);
            self.read.insert(page);
            self.readings.insert(page, (reading, scale));
        }
    }

    /// Whether the text of this page was read so.
    pub(super) fn has(&self, page: u32) -> bool {
        self.read.contains(&page)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.read.is_empty()
    }

    pub(super) fn needs_model(&self) -> bool {
        self.needs_model
    }

    /// Whether a page before this one is still to be written.
    pub(super) fn is_due(&self, page: u32) -> bool {
        self.readings.range(..page).next().is_some()
    }

    /// Writes the pages before this one.
    pub(super) fn write_before(&mut self, page: u32, writer: &mut Writer) {
        let later = self.readings.split_off(&page);
        for (page, (reading, scale)) in std::mem::replace(&mut self.readings, later) {
            scan::write(&reading, page, scale, writer);
        }
    }

    /// Says what is doubtful or missing.
    pub(super) fn tell(&self, pages: u32, draft: &mut Draft) {
        self.doubts.tell(pages, draft);
        if self.needs_model {
            let message = format!(
                "the model that reads scanned pages is missing: get it with `carrel models get {}`",
                ocr::MODEL
            );
            draft.warnings.push(Warning { code: NEEDS_MODEL.into(), message });
        }
    }
}
