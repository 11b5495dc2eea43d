//! What a reader of PDF says of a page: glyphs and drawn lines with their places, and what the document says of itself.
//!
//! Invariant: places are in points from the top left corner of the page as it is shown.

use super::marks::Annotation;

/// A character on a page, in points from the top left corner of the page as it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that a reader states one by one")]
pub(super) struct Glyph {
    pub(super) c: char,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) bold: bool,
    /// Quarter turns clockwise against the page.
    pub(super) turn: u8,
    /// Made by the reader: a space or line end between glyphs. It has no place.
    pub(super) generated: bool,
    /// All letters of its font are of one width.
    pub(super) mono: bool,
    /// The font does not say which character it is.
    pub(super) unmapped: bool,
    /// Tells fonts apart, and their styles.
    pub(super) font: u32,
    /// Counts the pieces in which the file draws its text.
    pub(super) object: u32,
}

/// A straight line that is drawn along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

/// What the file says of a page.
#[derive(Debug, Default)]
pub(super) struct RawPage {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) glyphs: Vec<Glyph>,
    pub(super) drawn: Drawn,
}

/// What is drawn on a page beside its text.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    pub(super) rules: Vec<Rule>,
    /// The edges of areas that are filled and have no line round them.
    pub(super) edges: Vec<Rule>,
    /// Boxes of curves and slanting lines.
    pub(super) curves: Vec<Rule>,
    /// Boxes of what is drawn as one form: a figure that was set into the page.
    pub(super) forms: Vec<Rule>,
    /// Boxes of areas that are filled.
    pub(super) areas: Vec<Rule>,
    /// The part of the page that its images cover, taken together, from 0 to 1.
    pub(super) images: f32,
    /// Whether there is anything.
    pub(super) any: bool,
}

/// A page as it is seen, in rows from the top, three bytes (red, green, blue) a pixel.
pub(super) struct Bitmap {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) rgb: Vec<u8>,
}

/// A page while its document is open.
pub(super) struct Sheet<'a> {
    /// Counts from 1.
    pub(super) number: u32,
    pub(super) of: u32,
    /// `None` where it cannot be loaded.
    pub(super) raw: Option<RawPage>,
    /// What lies on top of its content.
    pub(super) annotations: Vec<Annotation>,
    /// Draws it at so many dots an inch (fewer where the page is large), where that can be done.
    pub(super) render: &'a dyn Fn(f32) -> Option<Bitmap>,
}

/// What the document says of itself.
pub(super) struct About {
    pub(super) title: String,
    pub(super) pages: u32,
    pub(super) outline: Vec<Entry>,
    pub(super) attached: Vec<Attached>,
    /// Attached files, and form fields and remarks, that were too many to be read.
    pub(super) left_out: (usize, usize),
    /// Whether the simpler reader was used, which keeps less.
    pub(super) simple: bool,
}

/// A file that is attached.
#[derive(Debug, PartialEq)]
pub(super) struct Attached {
    pub(super) name: String,
    /// Its bytes, or why there are none.
    pub(super) content: Result<Vec<u8>, &'static str>,
}

/// An entry of the outline.
pub(super) struct Entry {
    /// Counts from 1.
    pub(super) depth: u8,
    pub(super) title: String,
    pub(super) page: Option<u32>,
}

/// Nothing on a page lies farther away, in points: a page measures 14,400 at most.
const FAR: f32 = 1e6;
/// A drawn line is at most this thick.
const RULE_THICKNESS: f32 = 3.0;

impl Default for Glyph {
    fn default() -> Self {
        Self {
            c: ' ',
            left: 0.0,
            right: 0.0,
            top: 0.0,
            bottom: 0.0,
            baseline: 0.0,
            size: 0.0,
            bold: false,
            turn: 0,
            generated: false,
            mono: false,
            unmapped: false,
            font: 0,
            object: 0,
        }
    }
}

impl Glyph {
    /// Whether its place is in numbers that can be computed with.
    pub(super) fn is_placed(&self) -> bool {
        let Self { left, right, top, bottom, baseline, size, .. } = *self;
        Rule { left, right, top, bottom }.is_placed() && baseline.abs() < FAR && size.abs() < FAR
    }
}

impl Rule {
    /// Whether its place is in numbers that can be computed with.
    pub(super) fn is_placed(&self) -> bool {
        [self.left, self.right, self.top, self.bottom].iter().all(|n| n.abs() < FAR)
    }

    /// The part of a page of this size that it covers.
    pub(super) fn share_of(&self, width: f32, height: f32) -> f32 {
        let side = |from: f32, to: f32, end: f32| (to.min(end) - from.max(0.0)).max(0.0) / end.max(1.0);
        side(self.left, self.right, width) * side(self.top, self.bottom, height)
    }

    /// The box round both.
    pub(super) fn around(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            right: self.right.max(other.right),
            top: self.top.min(other.top),
            bottom: self.bottom.max(other.bottom),
        }
    }

    pub(super) fn is_thin(&self) -> bool {
        let (width, height) = (self.right - self.left, self.bottom - self.top);
        width.min(height) <= RULE_THICKNESS && width.max(height) > RULE_THICKNESS
    }
}

pub(super) type Point = (f32, f32);

/// The visible part of a page in its own coordinates.
pub(super) struct Frame {
    pub(super) left: f32,
    pub(super) bottom: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    /// Quarter turns clockwise by which the page is shown.
    pub(super) rotation: u8,
}

impl Frame {
    pub(super) fn size(&self) -> (f32, f32) {
        let (w, h) = (self.right - self.left, self.top - self.bottom);
        if self.rotation.is_multiple_of(2) { (w, h) } else { (h, w) }
    }

    pub(super) fn point(&self, x: f32, y: f32) -> (f32, f32) {
        match self.rotation {
            0 => (x - self.left, self.top - y),
            1 => (y - self.bottom, x - self.left),
            2 => (self.right - x, y - self.bottom),
            _ => (self.top - y, self.right - x),
        }
    }

    pub(super) fn rect(&self, left: f32, bottom: f32, right: f32, top: f32) -> Rule {
        let (ax, ay) = self.point(left, bottom);
        let (bx, by) = self.point(right, top);
        Rule { left: ax.min(bx), right: ax.max(bx), top: ay.min(by), bottom: ay.max(by) }
    }

    /// The line between two points, where it runs along an axis.
    pub(super) fn line(&self, a: (f32, f32), b: (f32, f32)) -> Option<Rule> {
        let line = self.rect(a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1));
        line.is_thin().then_some(line)
    }

    /// Quarter turns clockwise of text with this matrix, as the page is shown.
    pub(super) fn turn_of(&self, a: f32, b: f32) -> u8 {
        let own = match (a.abs() >= b.abs(), a >= 0.0, b >= 0.0) {
            (true, true, _) => 0,
            (true, false, _) => 2,
            (false, _, true) => 3,
            (false, _, false) => 1,
        };
        (own + self.rotation) % 4
    }
}

pub(super) fn is_bold(font_name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(font_name).to_ascii_lowercase();
    ["bold", "black", "heavy", "demi", "-medi", "cmbx", "sfbx", "ecbx", "lmbx", "tcbx"]
        .iter()
        .any(|word| name.contains(word))
}

pub(super) fn is_mono(font_name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(font_name).to_ascii_lowercase();
    ["courier", "mono", "consol", "menlo", "typewriter", "cmtt", "sftt", "lmtt"]
        .iter()
        .any(|word| name.contains(word))
}

/// Tells fonts apart by their names, without the mark of a part of a font (`ABCDEF+`).
pub(super) fn font_number(font_name: &[u8]) -> u32 {
    let name = match font_name.get(6) {
        Some(b'+') => font_name.get(7..).unwrap_or_default(),
        _ => font_name,
    };
    // FNV-1a.
    name.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
