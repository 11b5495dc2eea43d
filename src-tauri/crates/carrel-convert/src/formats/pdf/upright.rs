//! How the text of a page stands on it, and the way to coordinates in which it stands upright and is read from the left.

use super::read::{Glyph, RawPage, Rule};
use crate::text::is_cjk;

/// How the text of a page stands on it, and the way to coordinates in which it stands upright.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Upright {
    /// Quarter turns clockwise of the text.
    turn: u8,
    /// Lines run from top to bottom, from right to left.
    pub(super) vertical: bool,
    /// Its text runs from the right: places are counted from the right edge, so that what is read first stands left.
    pub(super) mirrored: bool,
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
        Self { turn, vertical, mirrored: false, width: page.width, height: page.height }
    }

    /// Coordinates in which text of this turn stands upright.
    pub(super) fn turned(turn: u8, page: &RawPage) -> Self {
        Self { turn, vertical: false, mirrored: false, width: page.width, height: page.height }
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
        self.mirror(self.turn_back(r))
    }

    /// A box counted from the other side of the page, where it is mirrored.
    pub(super) fn mirror(&self, r: Rule) -> Rule {
        if !self.mirrored {
            return r;
        }
        let (width, _) = self.page();
        Rule { left: width - r.right, right: width - r.left, ..r }
    }

    fn turn_back(&self, r: Rule) -> Rule {
        let Self { turn, vertical, width: w, height: h, .. } = *self;
        match (turn, vertical) {
            (0, false) => r,
            (1, _) | (0, true) => Rule { left: r.top, right: r.bottom, top: w - r.right, bottom: w - r.left },
            (2, _) => Rule { left: w - r.right, right: w - r.left, top: h - r.bottom, bottom: h - r.top },
            _ => Rule { left: h - r.bottom, right: h - r.top, top: r.left, bottom: r.right },
        }
    }

    /// An upright box in coordinates of the page.
    pub(super) fn on_page(&self, r: Rule) -> Rule {
        let Self { turn, vertical, width: w, height: h, .. } = *self;
        let r = self.mirror(r);
        match (turn, vertical) {
            (0, false) => r,
            (1, _) | (0, true) => Rule { left: w - r.bottom, right: w - r.top, top: r.left, bottom: r.right },
            (2, _) => Rule { left: w - r.right, right: w - r.left, top: h - r.bottom, bottom: h - r.top },
            _ => Rule { left: r.top, right: r.bottom, top: h - r.right, bottom: h - r.left },
        }
    }

    /// A glyph in upright coordinates, never mirrored; `None` where it stands otherwise than the rest (a stamp at the margin).
    pub(super) fn glyph(&self, g: &Glyph) -> Option<Glyph> {
        if g.turn != self.turn {
            return None;
        }
        let place = self.turn_back(Rule { left: g.left, right: g.right, top: g.top, bottom: g.bottom });
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
