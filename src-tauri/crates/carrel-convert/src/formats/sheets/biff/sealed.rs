//! Encrypted workbooks of Excel 97–2003: the heads of records are plain, and the data of some.

use super::{Records, kind};
use crate::formats::encrypted97::{Key, unsupported};
use crate::formats::ole::u16_at;
use carrel_engine::seams::ConvertError;

/// Bytes with a key of their own.
const BLOCK: usize = 1024;
/// Records whose data are never encrypted: beginnings, the description of the encryption, and those of shared workbooks.
const PLAIN: [u16; 7] = [kind::BEGIN, kind::ENCRYPTED, 0x00e1, 0x0138, 0x0194, 0x0195, 0x0196];

/// Decrypts a workbook in place, where it is encrypted.
pub(super) fn open(stream: &mut [u8], password: Option<&str>) -> Result<(), ConvertError> {
    let until_end = || Records(stream).take_while(|(kind, _)| *kind != kind::END);
    let Some((_, description)) = until_end().find(|(kind, _)| *kind == kind::ENCRYPTED) else {
        return Ok(());
    };
    if description.len() < 6 || u16_at(description, 0) != Some(1) {
        return Err(unsupported("Excel", "as Excel 95 did"));
    }
    let key = Key::open(description.get(2..).unwrap_or_default(), password, "Excel 97–2003")?;
    let mut opened = stream.to_vec();
    key.apply(&mut opened, BLOCK);
    let mut at = 0;
    while let (Some(kind), Some(length)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
        let end = at + 4 + usize::from(length);
        // Where a sheet begins is told in plain.
        let from = at + 4 + if kind == kind::BOUND_SHEET { 4 } else { 0 };
        if !PLAIN.contains(&kind)
            && let (Some(to), Some(from)) = (stream.get_mut(from..end), opened.get(from..end))
        {
            to.copy_from_slice(from);
        }
        at = end;
    }
    Ok(())
}
