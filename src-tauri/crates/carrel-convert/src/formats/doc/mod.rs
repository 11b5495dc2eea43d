//! Word 97–2003: the text by its table of pieces, paragraphs and characters by their properties. Of Word 6 and 95 the text alone.
//!
//! Kept are headings, lists, tables, notes, comments, headers and footers once, and text boxes at the end. Deleted and hidden text
//! is left out. Encrypted files open with their password.

mod fib;
mod lists;
mod properties;
mod styles;
mod walk;

use super::encrypted97::{Key, unsupported};
use super::ole::{Ole, u16_at};
use super::{Progress, Source};
use crate::build::Draft;
use crate::build::writer::Writer;
use carrel_engine::seams::ConvertError;
use fib::Fib;

/// Flags of the header: encrypted, and in the way of Word 95.
const ENCRYPTED: u16 = 0x0100;
const OBFUSCATED: u16 = 0x8000;
/// Bytes at the start of the main stream that are never encrypted, and of a block with a key of its own.
const PLAIN: usize = 68;
const BLOCK: usize = 512;

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    (source.progress)(Progress { unit: "part", part: 1, of: 1 });
    let mut file = Ole::open(source)?;
    let mut main = file.needed("WordDocument")?;
    let flags = u16_at(&main, 10).unwrap_or_default();
    let is_old = u16_at(&main, 2).unwrap_or_default() < fib::WORD_97;
    let table = if flags & 0x0200 == 0 { "0Table" } else { "1Table" };
    let mut table = if is_old { Vec::new() } else { file.needed(table)? };
    if flags & ENCRYPTED != 0 {
        if is_old || flags & OBFUSCATED != 0 {
            return Err(unsupported("Word", "as Word 95 did"));
        }
        let key = Key::open(&table, source.password, "Word 97–2003")?;
        let head = main.get(..PLAIN).unwrap_or_default().to_vec();
        key.apply(&mut main, BLOCK);
        main.splice(..head.len(), head);
        key.apply(&mut table, BLOCK);
    }
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(title) = file.title() {
        writer.title(&title);
    }
    if is_old {
        fib::old_text(&main).write(&mut writer);
        return writer.finish();
    }
    let fib = Fib::read(&main, &table)?;
    walk::write(&fib, &mut writer);
    writer.finish()
}
