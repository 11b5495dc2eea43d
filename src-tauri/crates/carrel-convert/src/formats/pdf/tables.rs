//! Tables with drawn lines: the lines make a grid, and glyphs fall into its cells.

use super::lines::{Lines, Upright};
use super::paragraphs::Compounds;
use super::read::{Glyph, Rule};

/// Lines closer than this are one.
const TOLERANCE: f32 = 2.5;
const MAX_ROWS: usize = 500;
const MAX_COLUMNS: usize = 60;
/// More comparisons than this are a drawing.
const MAX_PAIRS: usize = 4_000_000;

/// A table of a page, in upright coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) bounds: Rule,
    pub(super) rows: Vec<Vec<String>>,
}

/// A grid that waits for its glyphs.
pub(super) struct Grid {
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// For each cell the one that it is part of (cells without a line between them are one).
    owner: Vec<usize>,
    cells: Vec<Lines>,
    /// The cell that took the last glyph.
    last: usize,
}

/// The grids that the drawn lines of a page make.
pub(super) fn grids(rules: &[Rule], upright: &Upright) -> Vec<Grid> {
    let (mut across, mut down) = (Vec::new(), Vec::new());
    for rule in rules.iter().map(|r| upright.rect(*r)) {
        if rule.right - rule.left >= rule.bottom - rule.top { across.push(rule) } else { down.push(rule) }
    }
    if across.len() < 2 || down.len() < 2 || across.len() * down.len() > MAX_PAIRS {
        return Vec::new();
    }
    // Lines that touch belong together.
    let mut parent: Vec<usize> = (0..across.len() + down.len()).collect();
    for (i, a) in across.iter().enumerate() {
        for (j, d) in down.iter().enumerate() {
            let touch = d.left >= a.left - TOLERANCE
                && d.right <= a.right + TOLERANCE
                && a.top >= d.top - TOLERANCE
                && a.bottom <= d.bottom + TOLERANCE;
            if touch {
                let (x, y) = (root(&mut parent, i), root(&mut parent, across.len() + j));
                if let Some(p) = parent.get_mut(x) {
                    *p = y;
                }
            }
        }
    }
    let mut groups: Vec<(usize, Vec<Rule>, Vec<Rule>)> = Vec::new();
    for (i, rule) in across.iter().chain(&down).enumerate() {
        let key = root(&mut parent, i);
        let at = if let Some(at) = groups.iter().position(|g| g.0 == key) {
            at
        } else {
            groups.push((key, Vec::new(), Vec::new()));
            groups.len() - 1
        };
        if let Some((_, a, d)) = groups.get_mut(at) {
            if i < across.len() { a.push(*rule) } else { d.push(*rule) }
        }
        if groups.len() > 1000 {
            return Vec::new();
        }
    }
    groups.into_iter().filter_map(|(_, across, down)| Grid::new(&across, &down)).collect()
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while let Some(&up) = parent.get(i)
        && up != i
    {
        let over = parent.get(up).copied().unwrap_or(up);
        if let Some(p) = parent.get_mut(i) {
            *p = over;
        }
        i = over;
    }
    i
}

impl Grid {
    fn new(across: &[Rule], down: &[Rule]) -> Option<Self> {
        let ys = stops(across.iter().map(|r| f32::midpoint(r.top, r.bottom)));
        let xs = stops(down.iter().map(|r| f32::midpoint(r.left, r.right)));
        let (rows, columns) = (ys.len().checked_sub(1)?, xs.len().checked_sub(1)?);
        if rows < 2 || columns < 2 || rows > MAX_ROWS || columns > MAX_COLUMNS {
            return None;
        }
        let mut owner: Vec<usize> = (0..rows * columns).collect();
        for row in 0..rows {
            for column in 0..columns {
                let (x0, x1) = (*xs.get(column)?, *xs.get(column + 1)?);
                let (y0, y1) = (*ys.get(row)?, *ys.get(row + 1)?);
                let (x, y) = (f32::midpoint(x0, x1), f32::midpoint(y0, y1));
                let here = row * columns + column;
                let left_open = column > 0
                    && !down.iter().any(|d| {
                        (f32::midpoint(d.left, d.right) - x0).abs() <= TOLERANCE
                            && d.top <= y
                            && y <= d.bottom
                    });
                let top_open = row > 0
                    && !across.iter().any(|a| {
                        (f32::midpoint(a.top, a.bottom) - y0).abs() <= TOLERANCE
                            && a.left <= x
                            && x <= a.right
                    });
                if left_open {
                    *owner.get_mut(here)? = owner.get(here - 1).copied()?;
                } else if top_open {
                    *owner.get_mut(here)? = owner.get(here - columns).copied()?;
                }
            }
        }
        let cells = (0..rows * columns).map(|_| Lines::default()).collect();
        Some(Self { xs, ys, owner, cells, last: 0 })
    }

    pub(super) fn bounds(&self) -> Rule {
        Rule {
            left: self.xs.first().copied().unwrap_or_default(),
            right: self.xs.last().copied().unwrap_or_default(),
            top: self.ys.first().copied().unwrap_or_default(),
            bottom: self.ys.last().copied().unwrap_or_default(),
        }
    }

    /// Whether the glyph stands in the grid.
    pub(super) fn holds(&self, g: &Glyph) -> bool {
        let Rule { left, right, top, bottom } = self.bounds();
        let (x, y) = center(g);
        left <= x && x <= right && top <= y && y <= bottom
    }

    /// Takes a blank that follows a glyph of this grid.
    pub(super) fn take_blank(&mut self, g: &Glyph) {
        if let Some(cell) = self.cells.get_mut(self.last) {
            cell.push(g);
        }
    }

    /// Takes a glyph that [`Grid::holds`].
    pub(super) fn take(&mut self, g: &Glyph) {
        let (x, y) = center(g);
        let column = self.xs.partition_point(|s| *s <= x).clamp(1, self.xs.len() - 1) - 1;
        let row = self.ys.partition_point(|s| *s <= y).clamp(1, self.ys.len() - 1) - 1;
        let at = row * (self.xs.len() - 1) + column;
        let owner = self.owner.get(at).copied().unwrap_or(at);
        self.last = owner;
        if let Some(cell) = self.cells.get_mut(owner) {
            cell.push(g);
        }
    }

    /// The table, or `None` where too little stands in the grid to be one.
    pub(super) fn finish(self, compounds: &Compounds) -> Option<Table> {
        let bounds = self.bounds();
        let columns = self.xs.len() - 1;
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut row = Vec::new();
        for cell in self.cells {
            let mut text = String::new();
            for line in cell.finish() {
                super::paragraphs::join(&mut text, &line.text, compounds);
            }
            row.push(text);
            if row.len() == columns {
                rows.push(std::mem::take(&mut row));
            }
        }
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        // Columns that hold nothing come from double lines.
        let used: Vec<bool> = (0..columns)
            .map(|c| rows.iter().any(|r| r.get(c).is_some_and(|cell| !cell.is_empty())))
            .collect();
        for row in &mut rows {
            let mut keep = used.iter();
            row.retain(|_| keep.next().copied().unwrap_or(false));
        }
        let width = used.iter().filter(|u| **u).count();
        (rows.len() >= 2 && width >= 2).then_some(Table { bounds, rows })
    }
}

fn center(g: &Glyph) -> (f32, f32) {
    (f32::midpoint(g.left, g.right), f32::midpoint(g.top, g.bottom))
}

/// Sorted places, those within the tolerance as one.
fn stops(places: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut places: Vec<f32> = places.collect();
    places.sort_by(f32::total_cmp);
    places.dedup_by(|next, kept| (*next - *kept).abs() <= TOLERANCE);
    places
}
