//! One page: from glyphs to lines and tables in reading order.

use super::aligned;
use super::lines::{Line, Lines, Upright};
use super::order::{ordered, outermost_first_and_last};
use super::paragraphs::Compounds;
use super::read::{Glyph, RawPage, Rule};
use super::tables::{Grid, Table, grids};
use super::usable::is_undecoded;

/// What stands on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Line(Line),
    Table(Table),
}

impl Item {
    /// Its place, in upright coordinates.
    pub(super) fn bounds(&self) -> Rule {
        match self {
            Self::Line(Line { left, right, top, bottom, .. }) => {
                Rule { left: *left, right: *right, top: *top, bottom: *bottom }
            }
            Self::Table(table) => table.bounds,
        }
    }
}

/// A page in reading order.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) number: u32,
    pub(super) upright: Upright,
    pub(super) height: f32,
    pub(super) items: Vec<Item>,
}

/// Reads the glyphs of a page: all of them, or those alone that the fonts map. `None` where they make no text.
pub(super) fn page(number: u32, raw: &RawPage, mapped_only: bool) -> Option<Page> {
    let upright = Upright::of(raw);
    let (width, height) = upright.page();
    let mut grids: Vec<(Option<usize>, Grid)> = grids(raw, &upright).into_iter().map(|g| (None, g)).collect();
    let mut flow = Lines::default();
    let mut aside = Aside::default();
    let mut in_grid: Option<usize> = None;
    // A place that is no number is none: what the file says may be too large to compute with.
    for glyph in raw.glyphs.iter().filter(|glyph| glyph.generated || glyph.is_placed()) {
        if glyph.generated || glyph.c.is_whitespace() {
            match in_grid.and_then(|i| grids.get_mut(i)) {
                _ if aside.is_last => aside.blank(glyph),
                Some((_, grid)) => grid.take_blank(glyph),
                None => flow.push(glyph),
            }
            continue;
        }
        if mapped_only && (glyph.unmapped || is_undecoded(glyph.c)) {
            continue;
        }
        let Some(glyph) = upright.glyph(glyph) else {
            aside.push(glyph, raw);
            continue;
        };
        aside.is_last = false;
        in_grid = grids.iter().position(|(_, grid)| grid.holds(&glyph));
        match in_grid.and_then(|i| grids.get_mut(i)) {
            Some((at, grid)) => {
                if at.is_none() {
                    flow.end();
                    *at = Some(flow.count());
                }
                grid.take(&glyph);
            }
            None => flow.push(&glyph),
        }
    }
    let mut lines = flow.finish().into_iter().peekable();
    let mut tables: Vec<(usize, Grid)> =
        grids.into_iter().filter_map(|(at, grid)| Some((at?, grid))).collect();
    tables.sort_by_key(|(at, _)| *at);
    let mut items = Vec::new();
    let mut taken = 0;
    for (at, grid) in tables {
        let before: Vec<Line> = lines.by_ref().take(at - taken).collect();
        taken = at;
        items.extend(aligned::items(ordered(before, width)));
        items.extend(grid.finish(&Compounds::default()).map(Item::Table));
    }
    items.extend(aligned::items(ordered(lines.collect(), width)));
    let mut items = outermost_first_and_last(items);
    items.extend(aside.finish(&upright).map(Item::Line));
    (!items.is_empty()).then_some(Page { number, upright, height, items })
}

/// Text that stands otherwise than the rest of the page: for each of the four ways its lines, in their own upright coordinates.
#[derive(Default)]
struct Aside {
    ways: [(Option<Upright>, Lines); 4],
    /// The way of the last glyph.
    turn: u8,
    /// Whether the last glyph of the page is one of them.
    is_last: bool,
}

impl Aside {
    fn push(&mut self, glyph: &Glyph, page: &RawPage) {
        (self.turn, self.is_last) = (glyph.turn, true);
        let Some((own, lines)) = self.ways.get_mut(usize::from(glyph.turn)) else { return };
        let own = own.get_or_insert_with(|| Upright::turned(glyph.turn, page));
        if let Some(glyph) = own.glyph(glyph) {
            lines.push(&glyph);
        }
    }

    /// A blank behind the last of them.
    fn blank(&mut self, glyph: &Glyph) {
        if let Some((_, lines)) = self.ways.get_mut(usize::from(self.turn)) {
            lines.push(glyph);
        }
    }

    /// One line for each way, in coordinates of the page's text. Single letters (axis labels turned one by one) are left out.
    fn finish(self, upright: &Upright) -> impl Iterator<Item = Line> {
        self.ways.into_iter().filter_map(|(own, lines)| {
            let (own, lines) = (own?, lines.finish());
            let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
            let letters: usize = text.iter().map(|t| t.chars().count()).sum();
            if letters < 3 * text.len() && letters < 12 {
                return None;
            }
            let text = text.join(" ");
            let mut places =
                lines.iter().map(|l| Rule { left: l.left, right: l.right, top: l.top, bottom: l.bottom });
            let first = places.next()?;
            let Rule { left, right, top, bottom } =
                upright.rect(own.on_page(places.fold(first, |a, b| a.around(&b))));
            Some(Line { text, left, right, top, bottom, baseline: bottom, ..lines.first()?.clone() })
        })
    }
}
