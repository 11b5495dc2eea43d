//! XLSB through an own reader: values cell by cell, numbers in the formats of its styles, comments.
//!
//! Parts are read within the limits of the package. What a record lacks costs that record only.

use super::biff::{boolean, built_in, error, f64_at, short};
use super::extras::Extras;
use super::{Cells, Sheet, number, place};
use crate::formats::ole::{u8_at, u16_at, u32_at, wide};
use crate::formats::ooxml::{self, Relations};
use crate::formats::package::Package;
use carrel_engine::seams::ConvertError;
use std::collections::HashMap;

/// Kinds of records.
mod kind {
    pub(super) const ROW: u32 = 0;
    pub(super) const SHORT_NUMBER: u32 = 2;
    pub(super) const ERROR: u32 = 3;
    pub(super) const BOOLEAN: u32 = 4;
    pub(super) const NUMBER: u32 = 5;
    pub(super) const TEXT: u32 = 6;
    pub(super) const SHARED_TEXT: u32 = 7;
    pub(super) const FORMULA_TEXT: u32 = 8;
    pub(super) const FORMULA_NUMBER: u32 = 9;
    pub(super) const FORMULA_BOOLEAN: u32 = 10;
    pub(super) const FORMULA_ERROR: u32 = 11;
    pub(super) const SHARED: u32 = 19;
    pub(super) const FORMAT: u32 = 44;
    pub(super) const STYLE: u32 = 47;
    pub(super) const RICH_TEXT: u32 = 62;
    pub(super) const BEGIN_CELLS: u32 = 145;
    pub(super) const END_CELLS: u32 = 146;
    pub(super) const BOOK: u32 = 153;
    pub(super) const SHEET: u32 = 156;
    pub(super) const BEGIN_STYLES: u32 = 617;
    pub(super) const END_STYLES: u32 = 618;
    pub(super) const COMMENT: u32 = 635;
    pub(super) const COMMENT_TEXT: u32 = 637;
}

/// A sheet as the workbook lists it.
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) hidden: bool,
    part: String,
    /// Not a chart alone.
    cells: bool,
}

/// A workbook.
pub(super) struct Book {
    pub(super) sheets: Vec<Listed>,
    extras: Extras,
    shared: Vec<String>,
    /// Format by style.
    styles: Vec<Option<String>>,
    from_1904: bool,
}

/// The records of a part.
struct Records<'a>(&'a [u8]);

impl Records<'_> {
    /// A number in at most so many bytes of seven bits.
    fn varying(&mut self, most: u32) -> Option<u32> {
        let mut number = 0;
        for i in 0..most {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u32::from(byte & 0x7f) << (7 * i);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(number)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = self.varying(2)?;
        let length = self.varying(4)? as usize;
        let (data, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some((kind, data))
    }
}

impl Book {
    /// Reads what the sheets share.
    pub(super) fn read(package: &mut Package<'_>) -> Result<Self, ConvertError> {
        let main = ooxml::main_part(package, "xl/workbook.bin")?;
        let missing = || ConvertError::Damaged { detail: format!("its part {main} is missing") };
        let book = package.part(&main)?.ok_or_else(missing)?;
        let relations = Relations::of(package, &main)?;
        let mut beside = |kind: &str| match relations.kind(kind).next() {
            Some(part) => package.part(part).map(Option::unwrap_or_default),
            None => Ok(Vec::new()),
        };
        let shared = shared(&beside("sharedStrings")?);
        let styles = styles(&beside("styles")?);
        let mut sheets = Vec::new();
        let mut from_1904 = false;
        for (kind, data) in Records(&book) {
            match kind {
                kind::BOOK => from_1904 = u32_at(data, 0).is_some_and(|flags| flags & 1 != 0),
                kind::SHEET => sheets.extend(listed(data, &relations)),
                _ => {}
            }
        }
        let parts = sheets.iter().map(|s: &Listed| (s.name.clone(), s.part.clone())).collect();
        Ok(Self { sheets, extras: Extras::new(parts), shared, styles, from_1904 })
    }

    /// Reads one sheet.
    pub(super) fn sheet(&self, package: &mut Package<'_>, listed: &Listed) -> Result<Sheet, ConvertError> {
        let mut cells = Cells::default();
        if listed.cells {
            let missing = || ConvertError::Damaged { detail: format!("its part {} is missing", listed.part) };
            let part = package.part(&listed.part)?.ok_or_else(missing)?;
            cells = self.cells(&part);
        }
        let mut comments = self.extras.of(package, &listed.name);
        let relations = Relations::of(package, &listed.part)?;
        for part in relations.kind("comments") {
            comments.extend(package.part(part)?.map(|part| comments_of(&part)).unwrap_or_default());
        }
        Ok(Sheet { name: listed.name.clone(), hidden: listed.hidden, cells, comments })
    }

    fn cells(&self, part: &[u8]) -> Cells {
        let mut cells = Cells::default();
        let mut row = 0;
        let records = Records(part).skip_while(|(kind, _)| *kind != kind::BEGIN_CELLS);
        for (kind, data) in records.take_while(|(kind, _)| *kind != kind::END_CELLS) {
            if kind == kind::ROW {
                row = u32_at(data, 0).unwrap_or(row);
                continue;
            }
            let style = u32_at(data, 4).unwrap_or_default() & 0x00ff_ffff;
            let text = match kind {
                kind::SHORT_NUMBER => u32_at(data, 8).map(|v| self.number(short(v), style)),
                kind::NUMBER | kind::FORMULA_NUMBER => f64_at(data, 8).map(|v| self.number(v, style)),
                kind::BOOLEAN | kind::FORMULA_BOOLEAN => u8_at(data, 8).map(|v| boolean(v).to_owned()),
                kind::ERROR | kind::FORMULA_ERROR => u8_at(data, 8).map(|v| error(v).to_owned()),
                kind::TEXT | kind::FORMULA_TEXT => text(data, 8),
                kind::RICH_TEXT => text(data, 9),
                kind::SHARED_TEXT => u32_at(data, 8).and_then(|i| self.shared.get(i as usize)).cloned(),
                _ => continue,
            };
            let column = u32_at(data, 0).unwrap_or_default();
            if let Some(text) = text
                && !cells.push(row, column, text.trim().to_owned())
            {
                break;
            }
        }
        cells
    }

    fn number(&self, value: f64, style: u32) -> String {
        let code = self.styles.get(style as usize).and_then(Option::as_deref);
        number::styled(value, code, self.from_1904)
    }
}

fn listed(data: &[u8], relations: &Relations) -> Option<Listed> {
    // Early versions write one number more in front of the names.
    let (at, part) = [8, 12].into_iter().find_map(|at| Some((at, relations.part(&text(data, at)?)?)))?;
    let is = |kind| relations.kind(kind).any(|p| p == part);
    let cells = is("worksheet");
    (cells || is("chartsheet")).then_some(())?;
    let name = text(data, at + 4 + 2 * u32_at(data, at)? as usize)?;
    Some(Listed { name, hidden: u32_at(data, 0)? != 0, part: part.to_owned(), cells })
}

/// Text with the count of its characters in four bytes before it.
fn text(data: &[u8], at: usize) -> Option<String> {
    let length = (u32_at(data, at)? as usize).checked_mul(2)?;
    let from = at.checked_add(4)?;
    data.get(from..from.checked_add(length)?).map(wide)
}

fn shared(part: &[u8]) -> Vec<String> {
    let texts = Records(part).filter(|(kind, _)| *kind == kind::SHARED);
    // Each keeps its place, even where it cannot be read.
    texts.map(|(_, data)| text(data, 1).unwrap_or_default()).collect()
}

fn styles(part: &[u8]) -> Vec<Option<String>> {
    let mut codes: HashMap<u16, String> = HashMap::new();
    let mut styles = Vec::new();
    let mut of_cells = false;
    for (kind, data) in Records(part) {
        match kind {
            kind::FORMAT => codes.extend(u16_at(data, 0).zip(text(data, 2))),
            kind::BEGIN_STYLES => of_cells = true,
            kind::END_STYLES => of_cells = false,
            kind::STYLE if of_cells => {
                let index = u16_at(data, 2).unwrap_or_default();
                styles.push(codes.get(&index).cloned().or_else(|| built_in(index).map(str::to_owned)));
            }
            _ => {}
        }
    }
    styles
}

fn comments_of(part: &[u8]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut at = None;
    for (kind, data) in Records(part) {
        match kind {
            kind::COMMENT => at = u32_at(data, 4).zip(u32_at(data, 12)),
            kind::COMMENT_TEXT => {
                if let (Some((row, column)), Some(text)) = (at.take(), text(data, 1))
                    && !text.trim().is_empty()
                {
                    found.push((place(row, column), text.trim().to_owned()));
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, data: &[u8]) -> Vec<u8> {
        let kind = if kind < 128 { vec![kind as u8] } else { vec![kind as u8 | 0x80, (kind >> 7) as u8] };
        [&kind, &[data.len() as u8][..], data].concat()
    }

    fn counted(text: &str) -> Vec<u8> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let bytes = units.iter().flat_map(|u| u.to_le_bytes());
        (units.len() as u32).to_le_bytes().into_iter().chain(bytes).collect()
    }

    fn cell(column: u32, style: u32, value: &[u8]) -> Vec<u8> {
        [&column.to_le_bytes(), &style.to_le_bytes(), value].concat()
    }

    #[test]
    fn cells_are_shown_in_the_formats_of_their_styles() {
        let style = |format: u16| record(kind::STYLE, &[&[0, 0], &format.to_le_bytes()[..]].concat());
        let part = [
            record(kind::FORMAT, &[&164_u16.to_le_bytes()[..], &counted("#,##0.00\" €\"")].concat()),
            // Styles that cells do not refer to.
            style(9),
            record(kind::BEGIN_STYLES, &[]),
            style(0),
            style(164),
            style(14),
            style(10),
            record(kind::END_STYLES, &[]),
        ]
        .concat();
        let book = Book {
            sheets: Vec::new(),
            extras: Extras::new(HashMap::new()),
            shared: shared(&record(kind::SHARED, &[&[0][..], &counted("知识 ")].concat())),
            styles: styles(&part),
            from_1904: true,
        };
        let day = (((44_197 - 1462) << 2) | 2_u32).to_le_bytes();
        let sheet = [
            record(kind::BEGIN_CELLS, &[]),
            record(kind::ROW, &2_u32.to_le_bytes()),
            record(kind::SHARED_TEXT, &cell(0, 0, &0_u32.to_le_bytes())),
            record(kind::NUMBER, &cell(1, 1, &1234.5_f64.to_le_bytes())),
            record(kind::SHORT_NUMBER, &cell(2, 2, &day)),
            record(kind::FORMULA_NUMBER, &cell(3, 3, &0.125_f64.to_le_bytes())),
            record(kind::FORMULA_TEXT, &cell(4, 0, &counted("so"))),
            record(kind::BOOLEAN, &cell(5, 0, &[1])),
            record(kind::END_CELLS, &[]),
        ]
        .concat();
        let cells = book.cells(&sheet);
        let texts: Vec<&str> = cells.rows.iter().flat_map(|(_, row)| row).map(|(_, t)| t.as_str()).collect();
        assert_eq!(texts, ["知识", "1,234.50 €", "2021-01-01", "12.50%", "so", "TRUE"]);
        assert_eq!(cells.rows.first().map(|(row, _)| *row), Some(3));
        // What is cut off ends the sheet.
        assert_eq!(book.cells(&sheet[..40]).count, 1);
    }
}
