//! XLS of Excel 5, 95, 97 and later through an own reader: values cell by cell, numbers in their format, comments
//! and text in shapes.
//!
//! Of older workbooks it takes none; they are calamine's, which makes a rectangle of every sheet.

mod sealed;

use super::remarks::Remarks;
use super::{Cells, Sheet, number};
use crate::formats::Source;
use crate::formats::ole::{Ole, u8_at, u16_at, u32_at, wide};
use crate::text::codepage;
use carrel_engine::seams::ConvertError;
use encoding_rs::{Encoding, WINDOWS_1252};
use std::collections::HashMap;

/// Kinds of records.
pub(super) mod kind {
    pub(super) const FORMULA: u16 = 0x0006;
    pub(super) const END: u16 = 0x000a;
    pub(in crate::formats::sheets) const NOTE: u16 = 0x001c;
    pub(super) const DATE_MODE: u16 = 0x0022;
    pub(super) const ENCRYPTED: u16 = 0x002f;
    pub(in crate::formats::sheets) const CONTINUE: u16 = 0x003c;
    pub(super) const CODE_PAGE: u16 = 0x0042;
    pub(in crate::formats::sheets) const OBJECT: u16 = 0x005d;
    pub(super) const BOUND_SHEET: u16 = 0x0085;
    pub(super) const MANY_NUMBERS: u16 = 0x00bd;
    pub(super) const RICH_LABEL: u16 = 0x00d6;
    pub(super) const STYLE: u16 = 0x00e0;
    pub(super) const STRINGS: u16 = 0x00fc;
    pub(super) const SHARED_LABEL: u16 = 0x00fd;
    pub(in crate::formats::sheets) const OBJECT_TEXT: u16 = 0x01b6;
    pub(super) const NUMBER: u16 = 0x0203;
    pub(super) const LABEL: u16 = 0x0204;
    pub(super) const BOOL_OR_ERROR: u16 = 0x0205;
    pub(super) const STRING: u16 = 0x0207;
    pub(super) const SHORT_NUMBER: u16 = 0x027e;
    pub(super) const FORMAT: u16 = 0x041e;
    pub(super) const BEGIN: u16 = 0x0809;
}

/// The version of Excel 97 and later.
const VERSION: u16 = 0x0600;
/// That of Excel 5 and 95.
const OLD_VERSION: u16 = 0x0500;

/// A sheet as the workbook lists it.
struct Listed {
    at: usize,
    name: String,
    hidden: bool,
    /// Neither a chart nor a macro.
    cells: bool,
}

/// A workbook.
#[derive(Default)]
pub(super) struct Book {
    stream: Vec<u8>,
    pub(super) title: Option<String>,
    codes: HashMap<u16, String>,
    /// Format by style.
    styles: Vec<u16>,
    strings: Vec<String>,
    sheets: Vec<Listed>,
    from_1904: bool,
    /// How the text of an old workbook is encoded; that of newer ones says it of each text.
    old: Option<&'static Encoding>,
}

/// The records that begin at a place.
pub(super) struct Records<'a>(pub(super) &'a [u8]);

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

impl Book {
    /// Reads what the sheets share; `None` for a workbook that is older, or no such.
    pub(super) fn read(source: &Source<'_>) -> Result<Option<Self>, ConvertError> {
        let Ok(mut file) = Ole::open(source) else { return Ok(None) };
        let Some(mut stream) = file.stream("Workbook").or_else(|| file.stream("Book")) else {
            return Ok(None);
        };
        let old = match (u16_at(&stream, 0), u16_at(&stream, 4)) {
            (Some(kind::BEGIN), Some(VERSION)) => None,
            (Some(kind::BEGIN), Some(OLD_VERSION)) => Some(WINDOWS_1252),
            _ => return Ok(None),
        };
        sealed::open(&mut stream, source.password)?;
        let mut book = Self { title: file.title(), old, ..Self::default() };
        let mut strings: Vec<&[u8]> = Vec::new();
        let mut in_strings = false;
        for (kind, data) in Records(&stream) {
            if kind == kind::CONTINUE {
                if in_strings {
                    strings.push(data);
                }
                continue;
            }
            in_strings = kind == kind::STRINGS;
            match kind {
                kind::END => break,
                kind::STRINGS => strings = vec![data],
                kind::DATE_MODE => book.from_1904 = u16_at(data, 0) == Some(1),
                kind::CODE_PAGE if old.is_some() => {
                    let page = u16_at(data, 0).and_then(|page| codepage::encoding(u32::from(page)));
                    book.old = page.or(old);
                }
                kind::BOUND_SHEET => book.sheets.extend(book.listed(data)),
                kind::STYLE => book.styles.push(u16_at(data, 2).unwrap_or_default()),
                kind::FORMAT => {
                    if let (Some(index), Some(code)) = (u16_at(data, 0), book.code(data)) {
                        book.codes.insert(index, code);
                    }
                }
                _ => {}
            }
        }
        book.strings = Strings { parts: &strings, part: 0, at: 0 }.read();
        book.stream = stream;
        Ok(Some(book))
    }

    /// How many sheets of cells there are.
    pub(super) fn len(&self) -> usize {
        self.sheets.iter().filter(|s| s.cells).count()
    }

    /// The sheets of cells, one after the other.
    pub(super) fn sheets(&self) -> impl Iterator<Item = Sheet> + '_ {
        let mut left = 2 * self.stream.len();
        self.sheets.iter().filter(|s| s.cells).map(move |listed| {
            let (cells, comments) = self.content(listed.at, &mut left);
            Sheet { name: listed.name.clone(), hidden: listed.hidden, cells, comments }
        })
    }

    /// The cells of a sheet; place and text of its comments, and the text of its shapes.
    fn content(&self, start: usize, left: &mut usize) -> (Cells, Vec<(String, String)>) {
        let mut found: Vec<(u16, u16, String)> = Vec::new();
        // The formula whose text follows.
        let mut waiting = None;
        let mut remarks = Remarks::default();
        let mut depth = 0;
        for (kind, data) in Records(self.stream.get(start..).unwrap_or_default()) {
            // More sheets than the stream has room for share their records.
            *left = left.saturating_sub(4 + data.len());
            if *left == 0 {
                break;
            }
            let (row, column) = (u16_at(data, 0).unwrap_or_default(), u16_at(data, 2).unwrap_or_default());
            let style = u16_at(data, 4).unwrap_or_default();
            let text = match kind {
                // Charts lie inside sheets.
                kind::BEGIN => {
                    depth += 1;
                    continue;
                }
                kind::END if depth <= 1 => break,
                kind::END => {
                    depth -= 1;
                    continue;
                }
                _ if depth != 1 || found.len() > super::MAX_CELLS => continue,
                kind::NUMBER => f64_at(data, 6).map(|v| self.number(v, style)),
                kind::SHORT_NUMBER => u32_at(data, 6).map(|v| self.number(short(v), style)),
                kind::MANY_NUMBERS => {
                    for i in 0..data.len().saturating_sub(6) / 6 {
                        if let (Some(style), Some(v)) = (u16_at(data, 4 + 6 * i), u32_at(data, 6 + 6 * i)) {
                            found.push((row, column.saturating_add(i as u16), self.number(short(v), style)));
                        }
                    }
                    continue;
                }
                kind::SHARED_LABEL => {
                    u32_at(data, 6).and_then(|i| self.strings.get(i as usize)).map(|t| t.trim().to_owned())
                }
                kind::LABEL | kind::RICH_LABEL => self.label(data, 6).map(|t| t.trim().to_owned()),
                kind::BOOL_OR_ERROR => {
                    let value = u8_at(data, 6).unwrap_or_default();
                    Some(if u8_at(data, 7) == Some(1) { error(value) } else { boolean(value) }.to_owned())
                }
                kind::FORMULA => match (u16_at(data, 12), u8_at(data, 6), u8_at(data, 8)) {
                    (Some(0xffff), Some(0), _) => {
                        waiting = Some((row, column));
                        continue;
                    }
                    (Some(0xffff), Some(1), Some(value)) => Some(boolean(value).to_owned()),
                    (Some(0xffff), Some(2), Some(value)) => Some(error(value).to_owned()),
                    (Some(0xffff), ..) => None,
                    _ => f64_at(data, 6).map(|v| self.number(v, style)),
                },
                kind::STRING => {
                    if let (Some((row, column)), Some(text)) = (waiting.take(), self.label(data, 0)) {
                        found.push((row, column, text.trim().to_owned()));
                    }
                    continue;
                }
                kind::NOTE if self.old.is_some() => {
                    let length = usize::from(u16_at(data, 4).unwrap_or_default());
                    let text = self.old.and_then(|encoding| bytes(data, 6, length, encoding));
                    remarks.comment(row, column, text.unwrap_or_default());
                    continue;
                }
                kind => {
                    remarks.record(kind, data);
                    continue;
                }
            };
            found.extend(text.map(|text| (row, column, text)));
        }
        // Rows are written in blocks, which need not ascend.
        found.sort_by_key(|(row, column, _)| (*row, *column));
        let mut cells = Cells::default();
        for (row, column, text) in found {
            cells.push(row.into(), column.into(), text);
        }
        (cells, remarks.all())
    }

    fn number(&self, value: f64, style: u16) -> String {
        let index = self.styles.get(usize::from(style)).copied().unwrap_or_default();
        let code = self.codes.get(&index).map(String::as_str).or_else(|| built_in(index));
        number::styled(value, code, self.from_1904)
    }

    fn listed(&self, data: &[u8]) -> Option<Listed> {
        let length = usize::from(u8_at(data, 6)?);
        Some(Listed {
            at: u32_at(data, 0)? as usize,
            hidden: u8_at(data, 4)? & 3 != 0,
            cells: u8_at(data, 5)? == 0,
            name: match self.old {
                Some(encoding) => bytes(data, 7, length, encoding)?,
                None => characters(data, 8, length, u8_at(data, 7)? & 1 != 0)?,
            },
        })
    }

    /// Text with the count of its characters in two bytes before it.
    fn label(&self, data: &[u8], at: usize) -> Option<String> {
        let length = usize::from(u16_at(data, at)?);
        match self.old {
            Some(encoding) => bytes(data, at + 2, length, encoding),
            None => characters(data, at + 3, length, u8_at(data, at + 2)? & 1 != 0),
        }
    }

    /// The code of a format.
    fn code(&self, data: &[u8]) -> Option<String> {
        match self.old {
            Some(encoding) => bytes(data, 3, usize::from(u8_at(data, 2)?), encoding),
            None => self.label(data, 2),
        }
    }
}

/// Text in an encoding; what is cut off is left out.
fn bytes(data: &[u8], at: usize, length: usize, encoding: &'static Encoding) -> Option<String> {
    let own = data.get(at..(at + length).min(data.len()))?;
    Some(encoding.decode_without_bom_handling(own).0.into_owned())
}

/// Characters in one or two bytes each; what is cut off is left out.
pub(super) fn characters(data: &[u8], at: usize, length: usize, is_wide: bool) -> Option<String> {
    let bytes = length * if is_wide { 2 } else { 1 };
    let own = data.get(at..(at + bytes).min(data.len()))?;
    Some(if is_wide { wide(own) } else { own.iter().map(|b| char::from(*b)).collect() })
}

pub(super) fn f64_at(data: &[u8], at: usize) -> Option<f64> {
    Some(f64::from_le_bytes(data.get(at..at + 8)?.try_into().ok()?))
}

/// A number in four bytes: an integer or the head of a float, perhaps times 100.
pub(super) fn short(value: u32) -> f64 {
    let number = if value & 2 == 0 {
        f64::from_bits(u64::from(value & !3) << 32)
    } else {
        f64::from(value.cast_signed() >> 2)
    };
    if value & 1 == 0 { number } else { number / 100.0 }
}

pub(super) fn boolean(value: u8) -> &'static str {
    if value == 0 { "FALSE" } else { "TRUE" }
}

pub(super) fn error(value: u8) -> &'static str {
    match value {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0f => "#VALUE!",
        0x17 => "#REF!",
        0x1d => "#NAME?",
        0x24 => "#NUM!",
        _ => "#N/A",
    }
}

/// The strings that cells share, in a record and those that continue it.
struct Strings<'a> {
    parts: &'a [&'a [u8]],
    part: usize,
    at: usize,
}

impl Strings<'_> {
    fn read(mut self) -> Vec<String> {
        let mut found = Vec::new();
        // The count that the file states may be wrong.
        self.at = 8;
        while let Some(text) = self.string() {
            found.push(text);
        }
        found
    }

    fn byte(&mut self) -> Option<u8> {
        loop {
            let part = self.parts.get(self.part)?;
            if let Some(byte) = part.get(self.at) {
                self.at += 1;
                return Some(*byte);
            }
            (self.part, self.at) = (self.part + 1, 0);
        }
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn string(&mut self) -> Option<String> {
        let length = self.short()?;
        let flags = self.byte()?;
        let rich = if flags & 8 == 0 { 0 } else { usize::from(self.short()?) };
        let more =
            if flags & 4 == 0 { 0 } else { usize::from(self.short()?) | (usize::from(self.short()?) << 16) };
        let mut is_wide = flags & 1 != 0;
        let mut units = Vec::new();
        for _ in 0..length {
            if self.parts.get(self.part)?.len() <= self.at {
                // A record that continues a text says anew how wide it is.
                (self.part, self.at) = (self.part + 1, 0);
                is_wide = self.byte()? & 1 != 0;
            }
            units.push(if is_wide { self.short()? } else { u16::from(self.byte()?) });
        }
        let mut rest = rich.saturating_mul(4).saturating_add(more);
        while rest > 0 {
            let here = self.parts.get(self.part)?.len().saturating_sub(self.at);
            let step = rest.min(here);
            (self.at, rest) = (self.at + step, rest - step);
            if rest > 0 {
                (self.part, self.at) = (self.part + 1, 0);
            }
        }
        Some(String::from_utf16_lossy(&units))
    }
}

/// Formats that every workbook has.
pub(super) fn built_in(index: u16) -> Option<&'static str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_go_on_in_the_next_record() {
        let first = [&[0_u8; 8][..], &[3, 0, 0, b'a', b'b', b'c', 4, 0, 0, b'd', b'e']].concat();
        let second = [1, 0xe5, 0x77, 0xc6, 0x8b];
        let parts: [&[u8]; 2] = [&first, &second];
        let strings = Strings { parts: &parts, part: 0, at: 0 }.read();
        assert_eq!(strings, ["abc", "de知识"]);
    }

    #[test]
    fn sheets_that_share_their_records_are_not_read_again_and_again() {
        let record = |kind: u16, data: &[u8]| {
            [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
        };
        let mut stream = record(kind::BEGIN, &[0; 8]);
        for row in 0_u16..100 {
            let cell = [&row.to_le_bytes()[..], &[0; 4], &1.0_f64.to_le_bytes()].concat();
            stream.extend(record(kind::NUMBER, &cell));
        }
        stream.extend(record(kind::END, &[]));
        let sheets = || Listed { at: 0, name: "same".into(), hidden: false, cells: true };
        let book = Book { stream, sheets: (0..1_000).map(|_| sheets()).collect(), ..Book::default() };
        let cells: Vec<usize> = book.sheets().map(|sheet| sheet.cells.count).collect();
        assert_eq!((cells[0], cells.len()), (100, 1_000));
        assert!(cells.iter().sum::<usize>() <= 200);
    }

    #[test]
    fn short_numbers() {
        let numbers = [0x3ff0_0000, (12_345 << 2) | 3, (5 << 2) | 2].map(|n| short(n).to_string());
        assert_eq!(numbers, ["1", "123.45", "5"]);
    }
}
