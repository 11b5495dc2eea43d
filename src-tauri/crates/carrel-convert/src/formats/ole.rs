//! Compound files of Office 97–2003, and little-endian numbers in their streams.

use carrel_engine::seams::ConvertError;
use cfb::CompoundFile;
use std::io::{Cursor, Read};

/// An open compound file.
pub(super) struct Ole<'a> {
    file: CompoundFile<Cursor<&'a [u8]>>,
    size: u64,
}

impl<'a> Ole<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ConvertError> {
        let file = CompoundFile::open(Cursor::new(bytes)).map_err(|error| ConvertError::Damaged {
            detail: format!("the compound file cannot be opened: {error}"),
        })?;
        Ok(Self { file, size: bytes.len() as u64 })
    }

    /// The bytes of a stream, as far as they can be read: no more than the file has.
    pub(super) fn stream(&mut self, name: &str) -> Option<Vec<u8>> {
        let stream = self.file.open_stream(name).ok()?;
        let mut bytes = Vec::new();
        let mut limited = stream.take(self.size);
        let mut block = [0; 8 << 10];
        // What stands before a damaged sector is kept.
        while let Ok(read @ 1..) = limited.read(&mut block) {
            bytes.extend_from_slice(block.get(..read)?);
        }
        Some(bytes)
    }

    /// The same, of a stream without which there is no document.
    pub(super) fn needed(&mut self, name: &str) -> Result<Vec<u8>, ConvertError> {
        self.stream(name)
            .ok_or_else(|| ConvertError::Damaged { detail: format!("its stream {name} is missing") })
    }

    /// The title in the properties.
    pub(super) fn title(&mut self) -> Option<String> {
        let bytes = self.stream("\u{5}SummaryInformation")?;
        let section = u32_at(&bytes, 44)? as usize;
        let count = u32_at(&bytes, section + 4)?.min(200) as usize;
        let offset = |id: u32| {
            let entries = (0..count).map(|i| section + 8 + 8 * i);
            let mut of = entries.filter(|at| u32_at(&bytes, *at) == Some(id));
            Some(section + u32_at(&bytes, of.next()? + 4)? as usize)
        };
        let page = offset(1).and_then(|at| u16_at(&bytes, at + 4)).unwrap_or(1252);
        let at = offset(2)?;
        let length = u32_at(&bytes, at + 4)? as usize;
        let text = match u32_at(&bytes, at)? {
            // A string of bytes, of wide characters.
            30 => {
                let raw = bytes.get(at + 8..at.checked_add(8)?.checked_add(length)?)?;
                super::rtf::codepage(i32::from(page)).decode_without_bom_handling(raw).0.into_owned()
            }
            31 => wide(bytes.get(at + 8..at.checked_add(8)?.checked_add(length.checked_mul(2)?)?)?),
            _ => return None,
        };
        Some(text.trim_matches(['\0', ' ']).to_owned()).filter(|t| !t.is_empty())
    }
}

pub(super) fn u8_at(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// UTF-16 as text.
pub(super) fn wide(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    String::from_utf16_lossy(&units)
}
