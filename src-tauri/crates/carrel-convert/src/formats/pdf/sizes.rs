//! Sizes and fonts of a document's text, and which lines they set off as headings.

use super::items::{bullet, is_caption};
use super::lines::Line;
use super::page::{Item, Page, lines_of};
use std::collections::{BTreeMap, HashMap};

/// A heading is at least this much larger than the body.
const LARGER: f32 = 1.12;
/// A note is at least this much smaller.
const SMALLER: f32 = 0.95;
/// A heading is not smaller than this part of the body.
const NOT_SMALLER: f32 = 0.93;
/// A font of more of the text than this part sets nothing off.
const RARE: f32 = 0.2;
/// Signs that code is full of, and prose is not.
const CODE: &[char] =
    &['{', '}', '=', '<', '>', '[', ']', '\\', '|', '&', '_', '#', '$', '*', '+', '@', '~', '^'];
const MAX_HEADING: usize = 200;
pub(super) const MAX_HEADING_LINES: usize = 4;
/// Headings of the size of the text are shorter.
const MAX_PLAIN_HEADING: usize = 90;

/// Sizes and fonts of the document's text.
#[derive(Debug)]
pub(super) struct Sizes {
    body: f32,
    /// The font of most of the text of that size.
    font: u32,
    /// The part of the text that is of each font.
    fonts: HashMap<u32, f32>,
    /// Larger sizes, from large to small.
    headings: Vec<f32>,
    /// Whether most of the text is in fonts of one width, as typewriters wrote.
    typed: bool,
    /// Whether bold stands out.
    bold_means: bool,
}

impl Sizes {
    /// Measures all lines, and the text in tables.
    pub(super) fn of(pages: &[Page]) -> Self {
        let mut by_size: BTreeMap<i32, usize> = BTreeMap::new();
        let mut by_font: HashMap<(i32, u32), usize> = HashMap::new();
        let (mut bold, mut mono, mut total) = (0, 0, 0);
        for line in lines_of(pages) {
            let chars = line.chars();
            *by_size.entry(half_points(line.size)).or_default() += chars;
            *by_font.entry((half_points(line.size), line.font)).or_default() += chars;
            total += chars;
            bold += if line.bold { chars } else { 0 };
            mono += if line.mono { chars } else { 0 };
        }
        let mut text = by_size.clone();
        let mut in_tables = 0;
        for item in pages.iter().flat_map(|page| &page.items) {
            if let Item::Table(table) = item {
                let cells = table.rows.iter().flat_map(|row| &row.cells);
                let chars: usize = cells.map(|cell| cell.chars().count()).sum();
                *text.entry(half_points(table.size)).or_default() += chars;
                in_tables += chars;
            }
        }
        let body = text.iter().max_by_key(|(_, chars)| **chars).map_or(20, |(size, _)| *size);
        let near = |size: i32| (size - body).abs() <= 1;
        let mut fonts: HashMap<u32, f32> = HashMap::new();
        let mut of_body: BTreeMap<u32, usize> = BTreeMap::new();
        for ((size, font), chars) in by_font {
            *fonts.entry(font).or_default() += chars as f32 / total.max(1) as f32;
            if near(size) {
                *of_body.entry(font).or_default() += chars;
            }
        }
        let font = of_body.into_iter().max_by_key(|(_, chars)| *chars).map_or(0, |(font, _)| font);
        let body = body as f32 / 2.0;
        let mut headings: Vec<f32> = Vec::new();
        for size in by_size.keys().rev().map(|s| *s as f32 / 2.0).filter(|s| *s >= body * LARGER) {
            // Sizes a hair apart are one.
            if headings.last().is_none_or(|last| last - size > 0.6) {
                headings.push(size);
            }
        }
        let typed = mono * 2 > total + in_tables;
        Self { body, font, fonts, headings, typed, bold_means: bold * 5 < (total + in_tables) * 2 }
    }

    /// Whether a line of this size is larger than the body of the text.
    pub(super) fn is_larger(&self, size: f32) -> bool {
        size >= self.body * LARGER
    }

    /// Whether it is a note: small, in the lower half of the page, behind a number or a sign.
    pub(super) fn is_note(&self, text: &str, line: &Line, page: &Page) -> bool {
        let mark = text.starts_with(|c: char| c.is_numeric() || matches!(c, '*' | '†' | '‡' | '§'));
        mark && line.size < SMALLER * self.body && line.baseline > 0.5 * page.height
    }

    /// Whether it is a line of the text itself.
    pub(super) fn is_body(&self, line: &Line) -> bool {
        line.font == self.font && (line.size - self.body).abs() <= 0.6
    }

    /// Whether lines are to stay as they stand: those of a font of one width. In a typewritten document prose does not.
    pub(super) fn is_code(&self, lines: &[&Line]) -> bool {
        if !lines.first().is_some_and(|line| line.mono) {
            return false;
        }
        let (mut signs, mut digits, mut all) = (0, 0, 0);
        for c in lines.iter().flat_map(|line| line.text.chars()).filter(|c| !c.is_whitespace()) {
            signs += usize::from(CODE.contains(&c));
            digits += usize::from(c.is_ascii_digit());
            all += 1;
        }
        let ends = lines.iter().filter(|line| line.text.trim_end().ends_with(['{', '}', ';'])).count();
        !self.typed || signs * 12 > all || digits * 6 > all || ends * 4 > lines.len() || is_ragged(lines)
    }

    /// Whether the line could head the text below it by its font alone.
    pub(super) fn may_head(&self, line: &Line) -> bool {
        line.font != self.font
            && !line.mono
            && !line.run_in
            && line.size >= 0.97 * self.body
            && self.fonts.get(&line.font).is_none_or(|share| *share < RARE)
            && is_title(&line.text)
    }

    /// The level of a heading of the size of the text, by the number that it begins with.
    pub(super) fn plain_level(&self, text: &str) -> u8 {
        let base = u8::try_from(self.headings.len().min(2) + 1).unwrap_or(3);
        let number = text.split(' ').next().unwrap_or_default().trim_end_matches('.');
        let numbered = number.chars().all(|c| c.is_ascii_digit() || c == '.');
        let depth = if numbered { number.matches('.').count().min(3) } else { 0 };
        (base + u8::try_from(depth).unwrap_or_default()).min(6)
    }

    /// The level of lines that are a heading by their size or weight.
    pub(super) fn heading_level(&self, text: &str, first: &Line, lines: usize) -> Option<u8> {
        if !is_worded(text) || text.chars().count() > MAX_HEADING || lines > MAX_HEADING_LINES {
            return None;
        }
        if let Some(level) = self.level(first.size) {
            let sentence = text.ends_with('.') && text.chars().count() > 60;
            return (!sentence).then_some(level);
        }
        let bold = first.bold && !first.run_in && self.bold_means && first.size >= NOT_SMALLER * self.body;
        (bold && lines <= 2 && is_title(text)).then(|| self.plain_level(text))
    }

    fn level(&self, size: f32) -> Option<u8> {
        if !self.is_larger(size) {
            return None;
        }
        let rank = self.headings.iter().position(|h| size >= h - 0.7)?;
        u8::try_from(rank + 1).ok().map(|level| level.min(5))
    }
}

/// Whether lines end where what they say ends, not where the column does.
fn is_ragged(lines: &[&Line]) -> bool {
    let right = lines.iter().map(|line| line.right).fold(f32::MIN, f32::max);
    let left = lines.iter().map(|line| line.left).fold(f32::MAX, f32::min);
    let full = lines.iter().rev().skip(1).all(|line| line.right > right - 0.3 * (right - left));
    !full || right - left < 14.0 * lines.first().map_or(1.0, |line| line.size)
}

fn half_points(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

/// Whether enough of it is letters, and it is no item.
fn is_worded(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2 && letters * 10 >= text.chars().count() * 4 && bullet(text).is_none()
}

/// Whether it reads like a title: short, not in the middle of a sentence, not the end of one, not below a figure.
fn is_title(text: &str) -> bool {
    let starts = text.trim_start_matches('-').chars().next().is_some_and(|c| {
        (c.is_alphanumeric() && !c.is_lowercase()) || matches!(c, '(' | '「' | '【' | '《' | '“' | '"')
    });
    let ends = text.ends_with(['.', ',', ';', ':', '。', '，', '；']);
    starts && !ends && is_worded(text) && text.chars().count() <= MAX_PLAIN_HEADING && !is_caption(text)
}
