//! Where everything is in a file of Word 97–2003, and its text.

use crate::build::flow::{Flow, Paragraph};
use crate::formats::ole::{u16_at, u32_at};
use carrel_engine::seams::ConvertError;
use encoding_rs::WINDOWS_1252;

/// The first version with pieces of Unicode.
pub(super) const WORD_97: u16 = 0x00c1;
/// Characters of one document.
const MAX_CHARACTERS: usize = 64 << 20;

/// Parts of the text that follow each other, by the place of their length in the header.
const LENGTHS: [usize; 7] = [0x4c, 0x50, 0x54, 0x58, 0x5c, 0x60, 0x64];

/// A part of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Main = 0,
    Footnotes = 1,
    Headers = 2,
    Comments = 4,
    Endnotes = 5,
    TextBoxes = 6,
}

/// Tables by their number in the header.
pub(super) mod table {
    pub(in super::super) const STYLES: usize = 1;
    pub(in super::super) const FOOTNOTE_MARKS: usize = 2;
    pub(in super::super) const FOOTNOTES: usize = 3;
    pub(in super::super) const COMMENT_MARKS: usize = 4;
    pub(in super::super) const COMMENTS: usize = 5;
    pub(in super::super) const CHARACTERS: usize = 12;
    pub(in super::super) const PARAGRAPHS: usize = 13;
    pub(in super::super) const PIECES: usize = 33;
    pub(in super::super) const COMMENTERS: usize = 36;
    pub(in super::super) const ENDNOTE_MARKS: usize = 46;
    pub(in super::super) const ENDNOTES: usize = 47;
    pub(in super::super) const LISTS: usize = 73;
    pub(in super::super) const LIST_USES: usize = 74;
}

/// A stretch of text that lies together in the file.
struct Piece {
    /// First character.
    start: usize,
    /// Where it lies in the main stream.
    at: usize,
    wide: bool,
}

/// The header, with the text that it leads to.
pub(super) struct Fib<'a> {
    pub(super) main: &'a [u8],
    pub(super) tables: &'a [u8],
    pieces: Vec<Piece>,
    /// All parts of the text.
    pub(super) text: Vec<u16>,
    /// First character of each part, and the end of the last.
    starts: [usize; 8],
}

impl<'a> Fib<'a> {
    pub(super) fn read(main: &'a [u8], tables: &'a [u8]) -> Result<Self, ConvertError> {
        let mut starts = [0; 8];
        let mut sum = 0_usize;
        for (i, at) in LENGTHS.iter().enumerate() {
            sum = sum.saturating_add(u32_at(main, *at).unwrap_or_default() as usize);
            if let Some(start) = starts.get_mut(i + 1) {
                *start = sum;
            }
        }
        let mut fib = Self { main, tables, pieces: Vec::new(), text: Vec::new(), starts };
        fib.read_pieces()
            .ok_or_else(|| ConvertError::Damaged { detail: "its table of pieces is not valid".into() })?;
        Ok(fib)
    }

    /// The bytes of a table.
    pub(super) fn table(&self, number: usize) -> &'a [u8] {
        let at = 0x9a + 8 * number;
        let found = || {
            let start = u32_at(self.main, at)? as usize;
            let length = u32_at(self.main, at + 4)? as usize;
            self.tables.get(start..start.checked_add(length)?)
        };
        found().unwrap_or_default()
    }

    /// The bytes after a table.
    pub(super) fn after(&self, number: usize) -> &'a [u8] {
        let at = 0x9a + 8 * number;
        let end = u32_at(self.main, at).unwrap_or_default() as usize
            + u32_at(self.main, at + 4).unwrap_or_default() as usize;
        self.tables.get(end..).unwrap_or_default()
    }

    fn read_pieces(&mut self) -> Option<()> {
        let mut clx = self.table(table::PIECES);
        // Properties that whole pieces share come first.
        while let Some(1) = clx.first() {
            clx = clx.get(3 + usize::from(u16_at(clx, 1)?)..)?;
        }
        if clx.first() != Some(&2) {
            return None;
        }
        let count = (u32_at(clx, 1)? as usize).checked_sub(4)? / 12;
        let list = clx.get(5..)?;
        let western = WINDOWS_1252;
        for i in 0..count {
            let start = u32_at(list, 4 * i)? as usize;
            let end = u32_at(list, 4 * (i + 1))? as usize;
            let place = u32_at(list, 4 * (count + 1) + 8 * i + 2)?;
            if start != self.text.len() || end < start || end > MAX_CHARACTERS {
                return None;
            }
            let wide = place & 0x4000_0000 == 0;
            let at = (place & 0x3fff_ffff) as usize / if wide { 1 } else { 2 };
            self.pieces.push(Piece { start, at, wide });
            let length = (end - start) * if wide { 2 } else { 1 };
            let bytes = self.main.get(at.min(self.main.len())..(at + length).min(self.main.len()))?;
            if wide {
                self.text.extend(bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)));
            } else {
                self.text.extend(western.decode_without_bom_handling(bytes).0.encode_utf16());
            }
            // A file cut short.
            self.text.resize(end, 0);
        }
        Some(())
    }

    /// Where a character lies in the main stream.
    pub(super) fn place(&self, character: usize) -> u32 {
        let after = self.pieces.partition_point(|p| p.start <= character);
        let Some(piece) = after.checked_sub(1).and_then(|i| self.pieces.get(i)) else { return 0 };
        let offset = (character - piece.start) * if piece.wide { 2 } else { 1 };
        u32::try_from(piece.at + offset).unwrap_or(u32::MAX)
    }

    /// The characters of a part.
    pub(super) fn part(&self, part: Part) -> std::ops::Range<usize> {
        let at = part as usize;
        let start = self.starts.get(at).copied().unwrap_or_default().min(self.text.len());
        let end = self.starts.get(at + 1).copied().unwrap_or_default().min(self.text.len());
        start..end.max(start)
    }
}

/// Characters at which the entries of a table stand, and the bytes of each entry.
pub(super) fn entries(table: &[u8], size: usize) -> Vec<(usize, &[u8])> {
    let count = table.len().saturating_sub(4) / (4 + size);
    (0..count)
        .filter_map(|i| {
            let data = 4 * (count + 1) + size * i;
            Some((u32_at(table, 4 * i)? as usize, table.get(data..data + size)?))
        })
        .collect()
}

/// The text of Word 6 and 95, in one stretch of bytes.
pub(super) fn old_text(main: &[u8]) -> Flow {
    let mut flow = Flow::default();
    let start = u32_at(main, 0x18).unwrap_or_default() as usize;
    let length = u32_at(main, 0x34).unwrap_or_default() as usize;
    let end = start.saturating_add(length).min(main.len());
    let bytes = main.get(start.min(end)..end).unwrap_or_default();
    let mut in_field = false;
    for paragraph in bytes.split(|b| matches!(b, 0x0d | 0x0c | 0x07)) {
        let mut shown = Vec::new();
        for byte in paragraph {
            match byte {
                0x13 => in_field = true,
                0x14 | 0x15 => in_field = false,
                0x09 | 0x0b => shown.push(b' '),
                0..0x20 => {}
                byte if !in_field => shown.push(*byte),
                _ => {}
            }
        }
        let text = WINDOWS_1252.decode_without_bom_handling(&shown).0.into_owned();
        flow.runs.text(&text, false, false);
        flow.end_paragraph(Paragraph::default());
    }
    flow
}
