//! One page: from glyphs to lines and tables in reading order.

use super::lines::{Line, Lines, is_rtl, with_both_directions};
use super::numbering::without_numbers;
use super::order::{ordered, outermost_first_and_last};
use super::read::{Glyph, RawPage, Rule};
use super::tables::{Grid, Table, grids};
use super::upright::Upright;
use super::usable::is_undecoded;
use super::{aligned, figures, forms};

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
            Self::Line(line) => line.place(),
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

/// The lines of pages that stand in no table.
pub(super) fn lines_of(pages: &[Page]) -> impl Iterator<Item = &Line> {
    pages.iter().flat_map(|p| &p.items).filter_map(|item| match item {
        Item::Line(line) => Some(line),
        Item::Table(_) => None,
    })
}

/// Reads the glyphs of a page: all of them, or those alone that the fonts map. `None` where they make no text.
pub(super) fn page(number: u32, raw: &RawPage, mapped_only: bool) -> Option<Page> {
    let upright = Upright::of(raw);
    let (width, height) = upright.page();
    let mut grids: Vec<(Option<usize>, Grid)> = grids(raw, &upright).into_iter().map(|g| (None, g)).collect();
    let mut flow = Lines::default();
    let mut aside = Aside::default();
    let mut in_grid: Option<usize> = None;
    let mut last: Option<Glyph> = None;
    // A place that is no number is none: what the file says may be too large to compute with.
    for glyph in raw.glyphs.iter().filter(|glyph| glyph.generated || glyph.is_placed()) {
        if glyph.generated || glyph.c.is_whitespace() {
            last = None;
            match in_grid.and_then(|i| grids.get_mut(i)) {
                _ if aside.is_last => aside.blank(glyph),
                Some((_, grid)) => grid.take_on(glyph),
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
        // A line through a word does not part it.
        if last.replace(glyph).is_some_and(|last| is_one_word(&last, &glyph))
            && let Some((_, grid)) = in_grid.and_then(|at| grids.get_mut(at))
        {
            grid.take_on(&glyph);
            continue;
        }
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
    let mut lines = flow.runs();
    if grids.is_empty() {
        lines = without_numbers(lines);
    }
    let marks = figures::marks(&raw.drawn, &upright);
    let forms: Vec<Rule> = raw.drawn.forms.iter().map(|form| upright.rect(*form)).collect();
    let charts = figures::labels(&lines, &marks, &forms, (width, height));
    let mut labels = vec![false; lines.len()];
    for at in charts.iter().flatten() {
        if let Some(label) = labels.get_mut(*at) {
            *label = true;
        }
    }
    let mut upright = upright;
    if runs_from_the_right(raw) {
        upright.mirrored = true;
        for line in &mut lines {
            line.put(upright.mirror(line.place()));
        }
    }
    let charts: Vec<Line> = charts
        .iter()
        .filter_map(|chart| {
            let labels: Vec<Line> = chart.iter().filter_map(|at| lines.get(*at)).cloned().collect();
            figures::one_line(&labels)
        })
        .collect();
    let mut lines = lines.into_iter().zip(labels);
    let mut tables: Vec<(usize, Grid)> =
        grids.into_iter().filter_map(|(at, grid)| Some((at?, grid))).collect();
    tables.sort_by_key(|(at, _)| *at);
    let mut items = Vec::new();
    let mut taken = 0;
    for (at, grid) in tables {
        let before = without_labels(lines.by_ref().take(at - taken));
        taken = at;
        items.extend(aligned::items(ordered(with_both_directions(before), width, upright.mirrored)));
        items.extend(forms::items(grid, &upright));
    }
    items.extend(aligned::items(ordered(
        with_both_directions(without_labels(lines)),
        width,
        upright.mirrored,
    )));
    let mut items = outermost_first_and_last(items);
    for chart in charts {
        figures::put(chart, &mut items);
    }
    items.extend(aside.finish(&upright).map(Item::Line));
    (!items.is_empty()).then_some(Page { number, upright, height, items })
}

/// Lines without those that are labels of a chart.
fn without_labels(lines: impl Iterator<Item = (Line, bool)>) -> Vec<Line> {
    lines.filter(|(_, is_label)| !is_label).map(|(line, _)| line).collect()
}

/// Whether a letter is drawn right behind another.
fn is_one_word(last: &Glyph, next: &Glyph) -> bool {
    let size = last.size.max(next.size);
    last.object == next.object
        && (next.baseline - last.baseline).abs() < 0.1 * size
        && (next.left - last.right).abs() < 0.1 * size
        && last.c.is_alphabetic()
        && next.c.is_alphabetic()
}

/// Whether most of its letters are of a script that runs from the right.
fn runs_from_the_right(raw: &RawPage) -> bool {
    let letters = || raw.glyphs.iter().filter(|g| g.c.is_alphabetic());
    letters().filter(|g| is_rtl(g.c)).count() * 2 > letters().count()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A word of one letter for each of these, drawn from the right.
    fn word(letter: char, count: u8, right: f32, baseline: f32) -> Vec<Glyph> {
        (0..count)
            .map(|i| {
                let right = right - 6.0 * f32::from(i);
                let (left, top, bottom) = (right - 6.0, baseline - 8.0, baseline + 2.0);
                Glyph { c: letter, left, right, top, bottom, baseline, size: 10.0, ..Glyph::default() }
            })
            .collect()
    }

    #[test]
    fn columns_of_a_table_that_runs_from_the_right_begin_at_the_right() {
        let mut raw = RawPage { width: 600.0, height: 800.0, ..RawPage::default() };
        for i in 0..4_u8 {
            let y = 100.0 + 20.0 * f32::from(i);
            // The value is drawn first.
            raw.glyphs.extend(word('\u{628}', 3, 200.0, y));
            raw.glyphs.extend(word('\u{627}', 4, 550.0, y));
        }
        let page = page(1, &raw, false).unwrap();
        let [Item::Table(table)] = page.items.as_slice() else { unreachable!("{:?}", page.items) };
        let cells: Vec<char> = table.rows[0].cells.iter().filter_map(|cell| cell.chars().next()).collect();
        assert_eq!(cells, ['\u{627}', '\u{628}']);
        let place = page.upright.on_page(table.rows[0].place);
        assert!(place.left < 190.0 && place.right > 545.0, "on the page nothing is mirrored: {place:?}");
    }
}
