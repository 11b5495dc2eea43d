//! Compound files: Office 97–2003, messages of Outlook, encrypted packages; and little-endian numbers in their streams.
//!
//! What is read of one counts against the budget, since streams may share their sectors.

use super::Source;
use super::nested::Budget;
use crate::text::codepage;
use carrel_engine::seams::ConvertError;
use cfb::CompoundFile;
use encoding_rs::WINDOWS_1252;
use std::borrow::Cow;
use std::io::{self, Cursor, Read, Write};

/// A compound file over its bytes.
pub(crate) type File<'a> = CompoundFile<Cursor<Cow<'a, [u8]>>>;

/// Opens a compound file, also one that is shorter than its allocation table says.
pub(crate) fn compound_file(bytes: &[u8]) -> io::Result<File<'_>> {
    CompoundFile::open(Cursor::new(Cow::Borrowed(bytes))).or_else(|error| match with_all_sectors(bytes) {
        Some(padded) => CompoundFile::open(Cursor::new(Cow::Owned(padded))),
        None => Err(error),
    })
}

/// The file, as long as its allocation table says. Some tools write that table too long, which the reader refuses.
fn with_all_sectors(bytes: &[u8]) -> Option<Vec<u8>> {
    let sector = if u16_at(bytes, 30) == Some(12) { 4096_usize } else { 512 };
    let tables = u32_at(bytes, 44).unwrap_or_default() as usize;
    let stated = tables.saturating_mul(sector / 4).saturating_add(1).saturating_mul(sector);
    // Not more than a table or two too long.
    if stated <= bytes.len() || stated - bytes.len() > 2 * (sector / 4) * sector {
        return None;
    }
    let mut out = bytes.to_vec();
    out.resize(stated, 0);
    Some(out)
}

/// An open compound file.
pub(super) struct Ole<'a> {
    file: File<'a>,
    size: u64,
    budget: &'a Budget,
}

impl<'a> Ole<'a> {
    pub(super) fn open(source: &Source<'a>) -> Result<Self, ConvertError> {
        let file = compound_file(source.bytes).map_err(|_| ConvertError::Damaged {
            detail: "the list of its parts is not valid: it may have been cut off; copy or download it again"
                .into(),
        })?;
        Ok(Self { file, size: source.bytes.len() as u64, budget: source.budget })
    }

    /// Whether there is a storage of this path.
    pub(super) fn is_storage(&self, path: &str) -> bool {
        self.file.is_storage(path)
    }

    /// Paths of the storages in a storage whose names begin so, in order.
    pub(super) fn storages(&self, at: &str, prefix: &str) -> Vec<String> {
        let Ok(entries) = self.file.read_storage(at) else { return Vec::new() };
        let mut found: Vec<String> = entries
            .filter(|e| e.is_storage() && e.name().starts_with(prefix))
            .map(|e| format!("{}/{}", at.trim_end_matches('/'), e.name()))
            .collect();
        found.sort();
        found
    }

    /// The bytes of a stream, as far as they can be read: no more than the file has, and the budget allows.
    pub(super) fn stream(&mut self, name: &str) -> Option<Vec<u8>> {
        let stream = self.file.open_stream(name).ok()?;
        let mut bytes = Vec::new();
        let mut limited = stream.take(self.size.min(self.budget.allowed()));
        let mut block = [0; 8 << 10];
        // What stands before a damaged sector is kept.
        while let Ok(read @ 1..) = limited.read(&mut block) {
            bytes.extend_from_slice(block.get(..read)?);
        }
        self.budget.spend(bytes.len() as u64);
        Some(bytes)
    }

    /// The same, of a stream without which there is no document.
    pub(super) fn needed(&mut self, name: &str) -> Result<Vec<u8>, ConvertError> {
        self.stream(name)
            .ok_or_else(|| ConvertError::Damaged { detail: format!("its stream {name} is missing") })
    }

    /// A sound file with these streams of it alone, for a reader that would stumble over what the file may be.
    pub(super) fn repacked(&mut self, names: &[&str]) -> Result<Vec<u8>, ConvertError> {
        let damaged = |_: io::Error| ConvertError::Damaged { detail: "its parts cannot be read".into() };
        let mut packed = CompoundFile::create(Cursor::new(Vec::new())).map_err(damaged)?;
        for name in names {
            if let Some(bytes) = self.stream(name) {
                packed
                    .create_stream(name)
                    .and_then(|mut stream| stream.write_all(&bytes))
                    .map_err(damaged)?;
            }
        }
        packed.flush().map_err(damaged)?;
        Ok(packed.into_inner().into_inner())
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
                codepage::encoding(u32::from(page))
                    .unwrap_or(WINDOWS_1252)
                    .decode_without_bom_handling(raw)
                    .0
                    .into_owned()
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
