//! Glyphs become lines, in the order in which the file draws them.
//!
//! A line here is a run of glyphs on one baseline without a wide gap: a row of a table or of two columns is several.

use super::items::is_sign;
use super::read::{Glyph, Rule};
use super::symbols;
pub(super) use crate::text::is_cjk;
use unicode_normalization::UnicodeNormalization;

/// Fewer letters than this behind bold ones are a mark, not text that goes on.
const RUN_IN: usize = 3;

/// A run of text on one baseline, in upright coordinates (see [`super::upright::Upright`]).
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
    /// The font of most of its letters, by number.
    pub(super) font: u32,
    /// It begins bold and goes on in letters that are not: the opening of a paragraph.
    pub(super) run_in: bool,
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

    pub(super) fn place(&self) -> Rule {
        Rule { left: self.left, right: self.right, top: self.top, bottom: self.bottom }
    }

    /// The place of its box.
    pub(super) fn put(&mut self, place: Rule) {
        Rule { left: self.left, right: self.right, top: self.top, bottom: self.bottom } = place;
    }

    /// Appends what stands beside it on its row.
    pub(super) fn append(&mut self, next: &Line, blank: bool) {
        self.run_in = if self.bold { !next.bold || next.run_in } else { self.run_in };
        if blank {
            self.text.push(' ');
        }
        self.text.push_str(&next.text);
        if next.size > self.size {
            (self.size, self.baseline) = (next.size, next.baseline);
        }
        self.put(self.place().around(&next.place()));
        self.bold &= next.bold;
        self.mono &= next.mono;
    }
}

#[cfg(test)]
impl Line {
    /// A plain line of 10 points.
    pub(super) fn sample(text: &str, left: f32, right: f32, baseline: f32) -> Self {
        Self {
            text: text.into(),
            left,
            right,
            top: baseline - 8.0,
            bottom: baseline + 2.0,
            baseline,
            size: 10.0,
            bold: false,
            mono: false,
            font: 0,
            run_in: false,
        }
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
    /// Whether the open line begins with a bold letter.
    bold_first: bool,
    /// The letters at its end that are not bold.
    plain_tail: usize,
    gap: bool,
    /// Where the letters of the last glyph begin in the open line.
    ligature: usize,
    /// Whether the first glyph of the open line is of a font of one width.
    first_mono: bool,
    /// The font that most glyphs of the open line are of, and by how many more.
    font: (u32, usize),
    /// A mark that is drawn before the letter that it belongs to.
    mark: Option<Glyph>,
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
        // Not narrow letters side by side, as those that stretch a word in Arabic.
        let shift = (0.15 * size).min(0.4 * (g.right - g.left).max(0.1 * size));
        if !together
            && g.c == last.c
            && (g.left - last.left).abs() < shift
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
        let largest = self.line.as_ref().map_or(size, |line| line.size.max(size));
        if !self.is_on_line(g, largest) || gap > size || (gap < -0.8 * size && !together) {
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

    /// The lines of a text that stands by itself.
    pub(super) fn finish(self) -> Vec<Line> {
        with_both_directions(self.runs())
    }

    /// The lines as they were counted; those of one row with words of the other direction are several.
    pub(super) fn runs(mut self) -> Vec<Line> {
        self.end();
        // A mark that no letter came for is not lost.
        if let (Some(mark), Some(line)) = (self.mark, self.done.last_mut()) {
            line.text.push(mark.c);
        }
        self.done
    }

    /// Ends the line that is open, so that what stands between two glyphs parts them.
    pub(super) fn end(&mut self) {
        if let Some(mut line) = self.line.take() {
            line.bold = self.bold * 2 > self.glyphs;
            line.run_in = self.bold_first && self.plain_tail >= RUN_IN;
            line.font = self.font.0;
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
        if is_mark(g.c) && self.mark.is_none() {
            self.mark = Some(*g);
            return;
        }
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
            font: g.font,
            run_in: false,
        });
        (self.bold, self.glyphs, self.gap, self.first_mono) = (0, 0, false, g.mono);
        (self.bold_first, self.plain_tail) = (g.bold, 0);
        self.font = (g.font, 0);
        self.add(g);
    }

    fn add(&mut self, g: &Glyph) {
        self.gap = false;
        self.last = Some(*g);
        self.glyphs += 1;
        self.bold += usize::from(g.bold);
        if g.bold {
            self.plain_tail = 0;
        } else if g.c.is_alphanumeric() {
            self.plain_tail += 1;
        }
        self.font = match self.font {
            (font, more) if font == g.font => (font, more + 1),
            (_, 0) => (g.font, 1),
            (font, more) => (font, more - 1),
        };
        let Some(line) = &mut self.line else { return };
        let behind_bullet = is_sign(&line.text);
        if g.size > line.size || behind_bullet {
            // A line is as large as its largest glyphs; a small figure or the sign of an item in front does not set it.
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
            '\u{f000}'..='\u{f0ff}' => line.text.push(symbols::sign(g.c)),
            // Ligatures, radicals and letters of formulas stand for letters: the words must be found.
            '\u{fb00}'..='\u{fb06}' | '\u{2e80}'..='\u{2fd5}' | '\u{210e}' | '\u{1d400}'..='\u{1d7ff}' => {
                line.text.extend(std::iter::once(g.c).nfkc());
            }
            c => line.text.push(c),
        }
        if let Some(mark) = self.mark.take_if(|mark| stands_on(mark, g)) {
            line.text.push(mark.c);
        }
    }

    /// Letters of one glyph of a script that runs from the right come in the order in which they are shown, the last first;
    /// those of a letter that stands for both, as lam with alef has one, as they are read.
    fn add_to_ligature(&mut self, g: &Glyph) {
        let Some(line) = &mut self.line else { return };
        let before = line.text.get(self.ligature..).unwrap_or_default();
        let is_read = is_alef(g.c) && before.ends_with(LAM);
        let at = if is_read { line.text.len() } else { self.ligature.min(line.text.len()) };
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

/// Words of the other direction stand in the middle of a row of text: the row is one line, in the order in which it was drawn.
pub(super) fn with_both_directions(lines: Vec<Line>) -> Vec<Line> {
    if !lines.iter().any(|line| line.text.contains(is_rtl)) {
        return lines;
    }
    let mut out: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        if let Some(last) = out.last_mut() {
            let size = last.size.max(line.size).max(1.0);
            let apart = (line.left - last.right).max(last.left - line.right);
            let any_rtl = last.text.contains(is_rtl) || line.text.contains(is_rtl);
            if any_rtl && last.same_row(&line) && (-0.5 * size..size).contains(&apart) {
                // Behind a Latin word the next one begins; a letter before it may be part of it.
                let turns = last.text.ends_with(|c: char| c.is_alphanumeric() && !is_rtl(c))
                    && line.text.starts_with(is_rtl);
                last.append(&line, turns || apart > 0.12 * size);
                continue;
            }
        }
        out.push(line);
    }
    out
}

/// Whether it is a vowel sign of a script that runs from the right.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// Whether a mark stands above or below a letter.
fn stands_on(mark: &Glyph, letter: &Glyph) -> bool {
    let middle = f32::midpoint(mark.left, mark.right);
    letter.left <= middle
        && middle <= letter.right
        && (mark.baseline - letter.baseline).abs() < mark.size.max(letter.size)
}

const LAM: char = '\u{644}';

/// Whether it is an alef, with what may stand above or below it.
fn is_alef(c: char) -> bool {
    matches!(c, '\u{622}' | '\u{623}' | '\u{625}' | '\u{627}' | '\u{671}')
}

/// Whether it is a letter of a script that runs from the right.
pub(super) fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters beside each other, each so wide.
    fn glyphs(text: &str, left: f32, width: f32) -> Vec<Glyph> {
        text.chars()
            .zip(0_u8..)
            .map(|(c, i)| {
                let left = left + width * f32::from(i);
                let (top, bottom, baseline) = (90.0, 102.0, 100.0);
                Glyph {
                    c,
                    left,
                    right: left + width,
                    top,
                    bottom,
                    baseline,
                    size: 10.0,
                    object: 1,
                    ..Glyph::default()
                }
            })
            .collect()
    }

    fn lines(glyphs: &[Glyph]) -> Vec<String> {
        let mut lines = Lines::default();
        for glyph in glyphs {
            lines.push(glyph);
        }
        lines.finish().into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn letters_printed_twice_are_one_and_narrow_ones_side_by_side_are_two() {
        let mut bold = glyphs("no", 50.0, 6.0);
        bold.extend(glyphs("no", 50.5, 6.0).into_iter().map(|g| Glyph { object: 2, ..g }));
        bold.sort_by(|a, b| a.left.total_cmp(&b.left));
        assert_eq!(lines(&bold), ["no"]);
        assert_eq!(lines(&glyphs("ill", 50.0, 1.2)), ["ill"]);
    }

    #[test]
    fn letters_of_one_glyph_keep_their_order_and_marks_stand_behind_their_letter() {
        // Waw, then one glyph that is lam with alef, then yeh; from the right.
        let at = |c: char, left: f32, width: f32| glyphs(&c.to_string(), left, width);
        let mut word = at('\u{648}', 112.0, 6.0);
        word.extend(at('\u{644}', 106.0, 6.0));
        word.extend(at('\u{627}', 106.0, 6.0));
        word.extend(at('\u{64a}', 100.0, 6.0));
        assert_eq!(lines(&word), ["\u{648}\u{644}\u{627}\u{64a}"]);
        // The sign that stands on the last letter is drawn before the word.
        let mut word = at('\u{64b}', 101.0, 3.0);
        word.extend(at('\u{628}', 106.0, 6.0));
        word.extend(at('\u{627}', 100.0, 6.0));
        assert_eq!(lines(&word), ["\u{628}\u{627}\u{64b}"]);
    }

    #[test]
    fn latin_words_stay_in_a_line_that_runs_from_the_right() {
        // Drawn as it is read: a word from the right, a Latin one left of it, and one more.
        let reversed = |text: &str, left: f32| {
            let mut glyphs = glyphs(&text.chars().rev().collect::<String>(), left, 6.0);
            glyphs.reverse();
            glyphs
        };
        let mut row = reversed("\u{644}\u{63a}\u{629}", 200.0);
        row.extend(glyphs("Python", 160.0, 6.0));
        row.extend(reversed("\u{645}\u{646}", 145.0));
        assert_eq!(lines(&row), ["\u{644}\u{63a}\u{629} Python \u{645}\u{646}"]);
    }
}
