//! Glyphs become lines, in the order in which the file draws them.
//!
//! A line here is a run of glyphs on one baseline without a wide gap: a row of a table or of two columns is several.

use super::read::{Glyph, RawPage, Rule};
pub(super) use crate::text::is_cjk;
use unicode_normalization::UnicodeNormalization;

/// A run of text on one baseline, in upright coordinates (see [`Upright`]).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) bold: bool,
    /// All its letters are of one width.
    pub(super) mono: bool,
}

impl Line {
    /// Whether both stand on one row.
    pub(super) fn same_row(&self, other: &Line) -> bool {
        (self.baseline - other.baseline).abs() <= 0.35 * self.size.max(other.size)
    }

    pub(super) fn overlap_x(&self, other: &Line) -> f32 {
        self.right.min(other.right) - self.left.max(other.left)
    }

    pub(super) fn chars(&self) -> usize {
        self.text.chars().count()
    }
}

/// How the text of a page stands on it, and the way to coordinates in which it stands upright.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Upright {
    /// Quarter turns clockwise of the text.
    turn: u8,
    /// Lines run from top to bottom, from right to left.
    pub(super) vertical: bool,
    width: f32,
    height: f32,
}

impl Upright {
    /// Looks at where most of the glyphs of a page stand.
    pub(super) fn of(page: &RawPage) -> Self {
        let mut turns = [0_usize; 4];
        let (mut pairs, mut down) = (0_usize, 0_usize);
        let mut last: Option<&Glyph> = None;
        for g in page.glyphs.iter().filter(|g| !g.generated && !g.c.is_whitespace()) {
            if let Some(count) = turns.get_mut(usize::from(g.turn)) {
                *count += 1;
            }
            if let Some(l) = last
                && is_cjk(g.c)
                && is_cjk(l.c)
            {
                pairs += 1;
                let step = g.top - l.top;
                let below =
                    (g.left - l.left).abs() < 0.3 * g.size && step > 0.6 * g.size && step < 1.6 * g.size;
                down += usize::from(below);
            }
            last = Some(g);
        }
        let turn = (0..4).max_by_key(|t| (turns.get(usize::from(*t)).copied(), 3 - t)).unwrap_or(0);
        let vertical = turn == 0 && pairs > 20 && down * 2 > pairs;
        Self { turn, vertical, width: page.width, height: page.height }
    }

    /// Coordinates in which text of this turn stands upright.
    pub(super) fn turned(turn: u8, page: &RawPage) -> Self {
        Self { turn, vertical: false, width: page.width, height: page.height }
    }

    /// Size of the page in upright coordinates.
    pub(super) fn page(&self) -> (f32, f32) {
        if self.turn % 2 == 1 || self.vertical {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        }
    }

    /// A box of the page in upright coordinates.
    pub(super) fn rect(&self, r: Rule) -> Rule {
        let Self { turn, vertical, width: w, height: h } = *self;
        match (turn, vertical) {
            (0, false) => r,
            (1, _) | (0, true) => Rule { left: r.top, right: r.bottom, top: w - r.right, bottom: w - r.left },
            (2, _) => Rule { left: w - r.right, right: w - r.left, top: h - r.bottom, bottom: h - r.top },
            _ => Rule { left: h - r.bottom, right: h - r.top, top: r.left, bottom: r.right },
        }
    }

    /// An upright box in coordinates of the page.
    pub(super) fn on_page(&self, r: Rule) -> Rule {
        let Self { turn, vertical, width: w, height: h } = *self;
        match (turn, vertical) {
            (0, false) => r,
            (1, _) | (0, true) => Rule { left: w - r.bottom, right: w - r.top, top: r.left, bottom: r.right },
            (2, _) => Rule { left: w - r.right, right: w - r.left, top: h - r.bottom, bottom: h - r.top },
            _ => Rule { left: r.top, right: r.bottom, top: h - r.right, bottom: h - r.left },
        }
    }

    /// A glyph in upright coordinates; `None` where it stands otherwise than the rest (a stamp at the margin).
    pub(super) fn glyph(&self, g: &Glyph) -> Option<Glyph> {
        if g.turn != self.turn {
            return None;
        }
        let place = self.rect(Rule { left: g.left, right: g.right, top: g.top, bottom: g.bottom });
        let Rule { left, right, top, bottom } = place;
        let baseline = match (self.turn, self.vertical) {
            (0, true) => f32::midpoint(top, bottom),
            (1, _) => self.width - g.baseline,
            (2, _) => self.height - g.baseline,
            _ => g.baseline,
        };
        Some(Glyph { left, right, top, bottom, baseline, ..*g })
    }
}

/// Gathers glyphs into lines.
#[derive(Default)]
pub(super) struct Lines {
    done: Vec<Line>,
    line: Option<Line>,
    last: Option<Glyph>,
    bold: usize,
    glyphs: usize,
    gap: bool,
    /// Where the letters of the last glyph begin in the open line.
    ligature: usize,
    /// Whether the first glyph of the open line is of a font of one width.
    first_mono: bool,
}

impl Lines {
    /// Adds an upright glyph.
    pub(super) fn push(&mut self, g: &Glyph) {
        if g.generated || g.c.is_whitespace() {
            self.gap = true;
            return;
        }
        let Some(last) = self.last else {
            self.begin(g);
            return;
        };
        let size = last.size.max(g.size).max(1.0);
        // The letters of a ligature share one box.
        let together = g.object == last.object && (g.left - last.left).abs() < 0.05 * size;
        if !together
            && g.c == last.c
            && (g.left - last.left).abs() < 0.15 * size
            && (g.baseline - last.baseline).abs() < 0.15 * size
        {
            // Printed twice to look bold.
            self.bold += 1;
            return;
        }
        let gap = if together {
            0.0
        } else if is_rtl(g.c) || is_rtl(last.c) {
            (g.left - last.right).abs().min((last.left - g.right).abs())
        } else {
            g.left - last.right
        };
        if !self.is_on_line(g, size) || gap > size || (gap < -0.8 * size && !together) {
            self.end();
            self.begin(g);
            return;
        }
        let between_cjk = is_cjk(g.c) && is_cjk(last.c);
        if together && (g.right - last.right).abs() < 0.05 * size && is_rtl(g.c) && is_rtl(last.c) {
            self.add_to_ligature(g);
            return;
        }
        if (self.gap && !(between_cjk && gap < 0.6 * size)) || (gap > 0.35 * size && !between_cjk) {
            self.write(' ');
        }
        self.add(g);
    }

    /// The lines.
    pub(super) fn finish(mut self) -> Vec<Line> {
        self.end();
        self.done
    }

    /// Ends the line that is open, so that what stands between two glyphs parts them.
    pub(super) fn end(&mut self) {
        if let Some(mut line) = self.line.take() {
            line.bold = self.bold * 2 > self.glyphs;
            // The bullet of word processors for the second level: a letter of a font of one width.
            if self.first_mono && !line.mono && line.text.starts_with("o ") {
                line.text.replace_range(..1, "◦");
            }
            self.done.push(line);
        }
        self.last = None;
        self.gap = false;
    }

    /// How many lines are done, the open one included.
    pub(super) fn count(&self) -> usize {
        self.done.len() + usize::from(self.line.is_some())
    }

    /// On the line: the same baseline, or raised or lowered as small figures are.
    fn is_on_line(&self, g: &Glyph, size: f32) -> bool {
        let Some(line) = &self.line else { return false };
        let shift = (g.baseline - line.baseline).abs();
        if shift <= 0.25 * size {
            return true;
        }
        let overlap = g.bottom.min(line.bottom) - g.top.max(line.top);
        let smaller = g.size.min(line.size) < 0.9 * g.size.max(line.size);
        smaller && shift <= 0.6 * size && overlap > 0.4 * g.size.min(line.size)
    }

    fn begin(&mut self, g: &Glyph) {
        self.line = Some(Line {
            text: String::new(),
            left: g.left,
            right: g.right,
            top: g.top,
            bottom: g.bottom,
            baseline: g.baseline,
            size: g.size,
            bold: false,
            mono: true,
        });
        (self.bold, self.glyphs, self.gap, self.first_mono) = (0, 0, false, g.mono);
        self.add(g);
    }

    fn add(&mut self, g: &Glyph) {
        self.gap = false;
        self.last = Some(*g);
        self.glyphs += 1;
        self.bold += usize::from(g.bold);
        let Some(line) = &mut self.line else { return };
        if g.size > line.size {
            // A line is as large as its largest glyphs; a small figure in front does not set it.
            line.size = g.size;
            line.baseline = g.baseline;
        }
        line.left = line.left.min(g.left);
        line.right = line.right.max(g.right);
        line.top = line.top.min(g.top);
        line.bottom = line.bottom.max(g.bottom);
        line.mono &= g.mono;
        self.ligature = line.text.len();
        match g.c {
            '\u{ad}' | '\u{2010}' => line.text.push('-'),
            '\u{f0b7}' | '\u{f0a7}' | '\u{f06e}' | '\u{f0d8}' | '\u{f076}' | '\u{f0a8}' | '\u{f0e0}'
            | '\u{f0d2}' | '\u{f0b2}' | '\u{f0fc}' | '\u{f071}' => line.text.push('•'),
            // Ligatures and radicals stand for letters: the words must be found.
            '\u{fb00}'..='\u{fb06}' | '\u{2e80}'..='\u{2fd5}' => {
                line.text.extend(std::iter::once(g.c).nfkc());
            }
            c => line.text.push(c),
        }
    }

    /// Letters of one glyph of a script that runs from the right come in the order in which they are shown, the last first.
    fn add_to_ligature(&mut self, g: &Glyph) {
        let Some(line) = &mut self.line else { return };
        let at = self.ligature.min(line.text.len());
        if line.text.is_char_boundary(at) {
            line.text.insert(at, g.c);
        }
        self.glyphs += 1;
        self.bold += usize::from(g.bold);
        self.gap = false;
    }

    fn write(&mut self, c: char) {
        if let Some(line) = &mut self.line {
            line.text.push(c);
        }
    }
}

fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}
