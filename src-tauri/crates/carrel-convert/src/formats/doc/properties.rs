//! Properties of paragraphs and characters: pages of runs, each with a list of changes to what the style says.

use crate::formats::ole::{u8_at, u16_at, u32_at};

/// A page of runs.
const PAGE: usize = 512;

/// What is read of a paragraph.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that the file states one by one")]
pub(super) struct Paragraph {
    pub(super) style: u16,
    pub(super) outline: Option<u8>,
    pub(super) in_table: bool,
    /// Ends a row.
    pub(super) row_end: bool,
    pub(super) inner_cell: bool,
    pub(super) inner_row_end: bool,
    pub(super) depth: u32,
    /// Use of a list, from 1; 0 takes it out of its style's list.
    pub(super) list: Option<u16>,
    pub(super) level: Option<u8>,
}

/// What is read of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that the file states one by one")]
pub(super) struct Character {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) struck: bool,
    /// Hidden, or deleted under tracked changes.
    pub(super) gone: bool,
    /// Stands for something else than itself.
    pub(super) special: bool,
}

/// Runs by where they begin in the main stream, and where the last ends.
#[derive(Default)]
pub(super) struct Runs<T> {
    runs: Vec<(u32, u32, T)>,
}

impl<T: Copy + Default> Runs<T> {
    /// The properties of what lies there.
    pub(super) fn at(&self, place: u32) -> T {
        let after = self.runs.partition_point(|(start, _, _)| *start <= place);
        let run = after.checked_sub(1).and_then(|i| self.runs.get(i));
        run.filter(|(_, end, _)| place < *end).map(|(_, _, value)| *value).unwrap_or_default()
    }

    /// Reads the pages that a table names; `item` gets a page, the number of the run and of all runs in it.
    fn read(main: &[u8], table: &[u8], item: impl Fn(&[u8], usize, usize) -> Option<T>) -> Self {
        let mut runs = Vec::new();
        let count = table.len().saturating_sub(4) / 8;
        for i in 0..count {
            let Some(number) = u32_at(table, 4 * (count + 1) + 4 * i) else { break };
            let start = (number & 0x003f_ffff) as usize * PAGE;
            let Some(page) = main.get(start..start + PAGE) else { continue };
            let of = usize::from(u8_at(page, PAGE - 1).unwrap_or_default());
            for run in 0..of {
                if let (Some(from), Some(to)) = (u32_at(page, 4 * run), u32_at(page, 4 * (run + 1))) {
                    runs.push((from, to, item(page, run, of).unwrap_or_default()));
                }
            }
        }
        runs.sort_by_key(|(from, _, _)| *from);
        Self { runs }
    }
}

/// The paragraphs of a document.
pub(super) fn paragraphs(main: &[u8], table: &[u8]) -> Runs<Paragraph> {
    Runs::read(main, table, |page, run, of| {
        let at = usize::from(u8_at(page, 4 * (of + 1) + 13 * run)?) * 2;
        if at == 0 {
            return None;
        }
        let words = usize::from(u8_at(page, at)?);
        let (start, length) = match words {
            0 => (at + 2, usize::from(u8_at(page, at + 1)?) * 2),
            words => (at + 1, words * 2 - 1),
        };
        let mut paragraph = Paragraph { style: u16_at(page, start)?, ..Paragraph::default() };
        paragraph.change(page.get(start + 2..(start + length).min(PAGE))?);
        Some(paragraph)
    })
}

/// The characters of a document.
pub(super) fn characters(main: &[u8], table: &[u8]) -> Runs<Character> {
    Runs::read(main, table, |page, run, of| {
        let at = usize::from(u8_at(page, 4 * (of + 1) + run)?) * 2;
        if at == 0 {
            return None;
        }
        let length = usize::from(u8_at(page, at)?);
        let mut character = Character::default();
        for (code, value) in Changes(page.get(at + 1..(at + 1 + length).min(PAGE))?) {
            let on = matches!(value.first(), Some(1 | 0x81));
            match code {
                0x0835 => character.bold = on,
                0x0836 => character.italic = on,
                0x0837 | 0x2a53 => character.struck = on,
                0x083c | 0x0800 if on => character.gone = true,
                0x0855 => character.special = on,
                _ => {}
            }
        }
        Some(character)
    })
}

impl Paragraph {
    /// Applies a list of changes.
    pub(super) fn change(&mut self, changes: &[u8]) {
        for (code, value) in Changes(changes) {
            let byte = value.first().copied().unwrap_or_default();
            match code {
                0x4600 => self.style = u16_at(value, 0).unwrap_or(self.style),
                0x2640 => self.outline = (byte < 9).then_some(byte + 1),
                0x2416 => self.in_table = byte != 0,
                0x2417 => self.row_end = byte != 0,
                0x244b => self.inner_cell = byte != 0,
                0x244c => self.inner_row_end = byte != 0,
                0x6649 => self.depth = u32_at(value, 0).unwrap_or_default(),
                0x460b => self.list = u16_at(value, 0),
                0x260a => self.level = Some(byte.min(8)),
                _ => {}
            }
        }
    }
}

/// A list of changes: code and value each.
struct Changes<'a>(&'a [u8]);

impl<'a> Iterator for Changes<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let code = u16_at(self.0, 0)?;
        let rest = self.0.get(2..)?;
        let (skip, length) = match code >> 13 {
            0 | 1 => (0, 1),
            2 | 4 | 5 => (0, 2),
            3 => (0, 4),
            7 => (0, 3),
            // Of its own length; that of a table is written in two bytes.
            _ if matches!(code, 0xd608 | 0xd606) => (2, usize::from(u16_at(rest, 0)?).saturating_sub(1)),
            _ => (1, usize::from(u8_at(rest, 0)?)),
        };
        let value = rest.get(skip..(skip + length).min(rest.len()))?;
        self.0 = rest.get(skip + length..).unwrap_or_default();
        Some((code, value))
    }
}
