//! Pages whose text is read from what they show: scans, and pages whose fonts do not say which characters they show.

use super::read::{Bitmap, Sheet};
use crate::build::Draft;
use crate::build::writer::Writer;
use crate::formats::scan::{self, Doubts};
use crate::formats::{Progress, Source};
use crate::ocr::{self, Model, Reading};
use carrel_engine::domain::Warning;
use carrel_engine::seams::{ConvertError, NEEDS_MODEL};
use image::RgbImage;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Dots to the inch at which a page is read.
const RESOLUTION: f32 = 200.0;

/// What was read so, and with what.
pub(super) struct Scanned<'a> {
    source: &'a Source<'a>,
    /// Looked for when the first page needs it.
    model: OnceCell<Result<Option<Arc<Model>>, ConvertError>>,
    /// What is still to be written, by page, with points for a pixel.
    readings: BTreeMap<u32, (Reading, f32)>,
    /// Pages that were read.
    read: BTreeSet<u32>,
    doubts: Doubts,
    /// Whether there were such pages, and no model to read them.
    needs_model: bool,
}

/// What came of reading a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Its text is what was read.
    Text,
    /// It shows no more text than is known of it.
    NoMore,
    /// It could not be read.
    Unread,
}

impl<'a> Scanned<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        Self {
            source,
            model: OnceCell::new(),
            readings: BTreeMap::new(),
            read: BTreeSet::new(),
            doubts: Doubts::default(),
            needs_model: false,
        }
    }

    /// Reads an open page, this many points wide, of which so many letters are known. A fault on one page costs that page.
    pub(super) fn read(&mut self, sheet: &Sheet<'_>, width: f32, known: usize) -> Seen {
        let model = match self.model.get_or_init(|| scan::model(self.source)) {
            Ok(Some(model)) => Arc::clone(model),
            Ok(None) => {
                self.needs_model = true;
                return Seen::Unread;
            }
            Err(_) => return Seen::Unread,
        };
        (self.source.progress)(Progress { unit: scan::UNIT, part: sheet.number, of: sheet.of });
        let reading = catch_unwind(AssertUnwindSafe(|| {
            let bitmap = (sheet.render)(RESOLUTION)?;
            let scale = width / bitmap.width.max(1) as f32;
            let Bitmap { width, height, rgb } = bitmap;
            let picture = RgbImage::from_raw(width, height, rgb)?;
            Some((ocr::read(&model, &picture.into()).ok()?, scale))
        }));
        let Ok(Some((reading, scale))) = reading else { return Seen::Unread };
        if reading.letters() <= known {
            return Seen::NoMore;
        }
        // Text that the fonts say is not given up for guesses.
        if known > 0 && reading.is_doubtful() {
            return Seen::Unread;
        }
        self.doubts.count(sheet.number, &reading);
        self.read.insert(sheet.number);
        self.readings.insert(sheet.number, (reading, scale));
        Seen::Text
    }

    /// Fails where the model was needed and could not be loaded.
    pub(super) fn check(&self) -> Result<(), ConvertError> {
        match self.model.get() {
            Some(Err(error)) => Err(error.clone()),
            _ => Ok(()),
        }
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
