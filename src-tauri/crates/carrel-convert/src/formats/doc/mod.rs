//! Word 97–2003: the text by its table of pieces, paragraphs and characters by their properties. Of Word 6 and 95 the text alone.
//!
//! Kept are headings, lists, tables, notes, comments, headers and footers once, and text boxes at the end. Deleted and hidden text
//! is left out. Encrypted files say so; no password opens them yet.

mod fib;
mod lists;
mod properties;
mod styles;
mod walk;

use super::ole::{Ole, u16_at};
use super::{Progress, Source};
use crate::build::Draft;
use crate::build::writer::Writer;
use carrel_engine::seams::ConvertError;
use fib::Fib;

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    (source.progress)(Progress { unit: "part", part: 1, of: 1 });
    let mut file = Ole::open(source)?;
    let main = file.needed("WordDocument")?;
    let flags = u16_at(&main, 10).unwrap_or_default();
    if flags & 0x0100 != 0 {
        return Err(match source.password {
            Some(_) => ConvertError::UnsupportedFormat { format: "encrypted Word 97–2003".into() },
            None => ConvertError::NeedsPassword,
        });
    }
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(title) = file.title() {
        writer.title(&title);
    }
    if u16_at(&main, 2).unwrap_or_default() < fib::WORD_97 {
        fib::old_text(&main).write(&mut writer);
        return writer.finish();
    }
    let table = file.needed(if flags & 0x0200 == 0 { "0Table" } else { "1Table" })?;
    let fib = Fib::read(&main, &table)?;
    walk::write(&fib, &mut writer);
    writer.finish()
}
