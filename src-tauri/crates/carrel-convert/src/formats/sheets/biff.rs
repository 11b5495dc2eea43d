//! How the numbers of an XLS are shown: calamine reads the values, and of the formats only whether they are dates.

use crate::formats::ole::{Ole, u8_at, u16_at, u32_at, wide};
use std::collections::HashMap;

/// Cells whose format is kept.
const MAX_CELLS: usize = 1_000_000;

/// Kinds of records.
mod kind {
    pub(super) const FORMULA: u16 = 0x0006;
    pub(super) const END: u16 = 0x000a;
    pub(super) const BOUND_SHEET: u16 = 0x0085;
    pub(super) const MANY_NUMBERS: u16 = 0x00bd;
    pub(super) const STYLE: u16 = 0x00e0;
    pub(super) const NUMBER: u16 = 0x0203;
    pub(super) const SHORT_NUMBER: u16 = 0x027e;
    pub(super) const FORMAT: u16 = 0x041e;
    pub(super) const BEGIN: u16 = 0x0809;
}

/// The formats of a workbook.
#[derive(Default)]
pub(super) struct Formats {
    codes: HashMap<u16, String>,
    /// Format by style.
    styles: Vec<u16>,
    /// Where the sheets begin, in their order.
    sheets: Vec<usize>,
    stream: Vec<u8>,
}

/// Formats of the cells of a sheet, by row and column.
pub(super) type Shown<'a> = HashMap<(u32, u32), &'a str>;

/// The records that begin at a place.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = u16_at(self.0, 0)?;
        let length = usize::from(u16_at(self.0, 2)?);
        let data = self.0.get(4..4 + length)?;
        self.0 = self.0.get(4 + length..)?;
        Some((kind, data))
    }
}

impl Formats {
    /// Reads them; of a workbook before Excel 97, or a damaged one, nothing is known.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let Ok(mut file) = Ole::open(bytes) else { return Self::default() };
        let Some(stream) = file.stream("Workbook") else { return Self::default() };
        let mut formats = Self::default();
        for (kind, data) in Records(&stream) {
            match kind {
                kind::END => break,
                kind::BOUND_SHEET => {
                    formats.sheets.push(u32_at(data, 0).map_or(usize::MAX, |at| at as usize));
                }
                kind::STYLE => formats.styles.push(u16_at(data, 2).unwrap_or_default()),
                kind::FORMAT => {
                    if let (Some(index), Some(code)) = (u16_at(data, 0), code(data)) {
                        formats.codes.insert(index, code);
                    }
                }
                _ => {}
            }
        }
        formats.stream = stream;
        formats
    }

    fn code_of(&self, style: u16) -> Option<&str> {
        let index = *self.styles.get(usize::from(style))?;
        self.codes.get(&index).map(String::as_str).or_else(|| built_in(index))
    }

    /// The formats of the numbers on a sheet.
    pub(super) fn of(&self, sheet: usize) -> Shown<'_> {
        let mut shown = Shown::new();
        let start = self.sheets.get(sheet).copied().unwrap_or(usize::MAX);
        let mut note = |row: u16, column: u16, style: Option<u16>| {
            if let Some(code) = style.and_then(|s| self.code_of(s))
                && shown.len() < MAX_CELLS
            {
                shown.insert((u32::from(row), u32::from(column)), code);
            }
        };
        let mut depth = 0;
        for (kind, data) in Records(self.stream.get(start..).unwrap_or_default()) {
            let (row, column) = (u16_at(data, 0).unwrap_or_default(), u16_at(data, 2).unwrap_or_default());
            match kind {
                // Charts lie inside sheets.
                kind::BEGIN => depth += 1,
                kind::END if depth <= 1 => break,
                kind::END => depth -= 1,
                kind::NUMBER | kind::SHORT_NUMBER | kind::FORMULA if depth == 1 => {
                    note(row, column, u16_at(data, 4));
                }
                kind::MANY_NUMBERS if depth == 1 => {
                    for i in 0..data.len().saturating_sub(6) / 6 {
                        note(row, column.saturating_add(i as u16), u16_at(data, 4 + 6 * i));
                    }
                }
                _ => {}
            }
        }
        shown
    }
}

/// The text of a format: a count of characters, whether they are wide, the characters.
fn code(data: &[u8]) -> Option<String> {
    let length = usize::from(u16_at(data, 2)?);
    if u8_at(data, 4)? & 1 == 0 {
        Some(data.get(5..5 + length)?.iter().map(|b| char::from(*b)).collect())
    } else {
        Some(wide(data.get(5..5 + 2 * length)?))
    }
}

/// Formats that every workbook has.
fn built_in(index: u16) -> Option<&'static str> {
    Some(match index {
        1 => "0",
        2 => "0.00",
        3 | 37 | 38 => "#,##0",
        4 | 39 | 40 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        14 => "m/d/yy",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18..=21 => "h:mm:ss",
        22 => "m/d/yy h:mm",
        45 | 47 => "mm:ss",
        46 => "[h]:mm:ss",
        _ => return None,
    })
}
