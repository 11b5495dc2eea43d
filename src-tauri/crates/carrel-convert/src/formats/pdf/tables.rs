//! Tables with drawn lines: the lines make a grid, and glyphs fall into its cells.
//!
//! A form, in whose frames rows stand that no line parts, is taken apart again: see [`super::forms`].

use super::columns::parted;
use super::lines::{Line, Lines};
use super::read::{Drawn, Glyph, RawPage, Rule};
use super::upright::Upright;
use super::words::{Compounds, join};

/// Lines closer than this are one.
pub(super) const TOLERANCE: f32 = 2.5;
/// A cell without an outer border is at least this wide.
const BORDERLESS: f32 = 12.0;
/// So many plain rows between shaded ones are no rows of one cell.
const MIN_STRIPES: usize = 3;
const MAX_ROWS: usize = 500;
const MAX_COLUMNS: usize = 60;
/// Lines below each other in a cell that may be rows of their own.
pub(super) const UNPARTED: usize = 3;
/// More comparisons than this are a drawing.
const MAX_PAIRS: usize = 4_000_000;

/// A table of a page, in upright coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) bounds: Rule,
    pub(super) rows: Vec<Row>,
    /// The size of most of its text.
    pub(super) size: f32,
}

/// A row of a table, with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) cells: Vec<String>,
    pub(super) place: Rule,
}

/// The lines of a band of a grid, cell by cell: rows of the grid that no cell joins with others.
pub(super) struct Band {
    pub(super) rows: Vec<Vec<Vec<Line>>>,
    /// The edges of its rows, one more than there are rows.
    edges: Vec<f32>,
}

/// A grid that waits for its glyphs.
pub(super) struct Grid {
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// For each cell the one that it is part of (cells without a line between them are one).
    owner: Vec<usize>,
    cells: Vec<Lines>,
    /// How many glyphs stand in each cell.
    counts: Vec<usize>,
    /// The cell that took the last glyph.
    last: usize,
}

/// A cell that holds more glyphs than this, and most of its grid's, is a frame round the text of a page.
const FRAMED: usize = 600;

/// The grids of a page in which the cells of a table stand. Frames and boxes round other text are none.
pub(super) fn grids(page: &RawPage, upright: &Upright) -> Vec<Grid> {
    let mut grids = drawn(&page.drawn, upright);
    if grids.is_empty() {
        return grids;
    }
    for glyph in page.glyphs.iter().filter(|g| !g.generated && !g.c.is_whitespace()) {
        let Some(glyph) = upright.glyph(glyph) else { continue };
        if let Some(grid) = grids.iter_mut().find(|grid| grid.holds(&glyph)) {
            grid.count(&glyph);
        }
    }
    grids.retain(Grid::is_table);
    grids
}

/// The grids that lines make.
fn drawn(drawn: &Drawn, upright: &Upright) -> Vec<Grid> {
    let (mut across, mut down) = (Vec::new(), Vec::new());
    for rule in drawn.rules.iter().chain(&drawn.edges).filter(|r| r.is_placed()).map(|r| upright.rect(*r)) {
        if rule.right - rule.left >= rule.bottom - rule.top { across.push(rule) } else { down.push(rule) }
    }
    let across = joined(across, |r| (f32::midpoint(r.top, r.bottom), r.left, r.right));
    let down = joined(down, |r| (f32::midpoint(r.left, r.right), r.top, r.bottom));
    if across.len() < 2 || down.len() < 2 || across.len() * down.len() > MAX_PAIRS {
        return Vec::new();
    }
    // Lines that are drawn, not the edges of shaded cells.
    let ruled: Vec<Rule> = drawn.rules.iter().filter(|r| r.is_placed()).map(|r| upright.rect(*r)).collect();
    let ruled: Vec<Rule> = ruled
        .into_iter()
        .filter(|r| r.bottom - r.top > r.right - r.left && r.bottom - r.top > BORDERLESS)
        .collect();
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
    groups.into_iter().filter_map(|(_, across, down)| Grid::new(&across, &down, &ruled)).collect()
}

/// Lines drawn in pieces, row by row or cell by cell, as one. `ends` says where a line runs, from and to.
fn joined(mut lines: Vec<Rule>, ends: fn(&Rule) -> (f32, f32, f32)) -> Vec<Rule> {
    let key = |line: &Rule| (ends(line).0.round() as i32, ends(line).1);
    lines.sort_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
    let mut out: Vec<Rule> = Vec::with_capacity(lines.len());
    for line in lines {
        match out.last_mut() {
            Some(last) if key(last).0 == key(&line).0 && ends(&line).1 <= ends(last).2 + TOLERANCE => {
                *last = last.around(&line);
            }
            _ => out.push(line),
        }
    }
    out
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
    fn new(across: &[Rule], down: &[Rule], ruled: &[Rule]) -> Option<Self> {
        let mut ys = stops(across.iter().map(|r| f32::midpoint(r.top, r.bottom)));
        let mut xs = stops(down.iter().map(|r| f32::midpoint(r.left, r.right)));
        // Where lines go on beyond the outermost ones across them, the outer cells have no border.
        extend(&mut xs, &across.iter().map(|r| (r.left, r.right)).collect::<Vec<_>>());
        extend(&mut ys, &down.iter().map(|r| (r.top, r.bottom)).collect::<Vec<_>>());
        let (rows, columns) = (ys.len().checked_sub(1)?, xs.len().checked_sub(1)?);
        if rows < 2 || columns < 2 || rows > MAX_ROWS || columns > MAX_COLUMNS {
            return None;
        }
        let stripes = stripes(&xs, &ys, down, ruled);
        let mut owner: Vec<usize> = (0..rows * columns).collect();
        for row in 0..rows {
            for column in 0..columns {
                let (x0, x1) = (*xs.get(column)?, *xs.get(column + 1)?);
                let (y0, y1) = (*ys.get(row)?, *ys.get(row + 1)?);
                let (x, y) = (f32::midpoint(x0, x1), f32::midpoint(y0, y1));
                let here = row * columns + column;
                let left_open = column > 0
                    && stripes.get(row) != Some(&true)
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
        Some(Self { xs, ys, owner, cells, counts: vec![0; rows * columns], last: 0 })
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

    /// Takes a blank behind the glyph that it took last, or another letter of its word.
    pub(super) fn take_on(&mut self, g: &Glyph) {
        if let Some(cell) = self.cells.get_mut(self.last) {
            cell.push(g);
        }
    }

    /// Counts a glyph that [`Grid::holds`].
    fn count(&mut self, g: &Glyph) {
        let owner = self.owner_of(g);
        if let Some(count) = self.counts.get_mut(owner) {
            *count += 1;
        }
    }

    /// Whether text stands in two rows and two columns at least, and most of it not in one cell.
    fn is_table(&self) -> bool {
        let columns = self.xs.len() - 1;
        let filled = || self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(at, _)| at);
        let several = |place: fn(usize, usize) -> usize| {
            let mut places = filled().map(|at| place(at, columns));
            places.next().is_some_and(|first| places.any(|other| other != first))
        };
        let all: usize = self.counts.iter().sum();
        let largest = self.counts.iter().max().copied().unwrap_or(0);
        let framed = largest > FRAMED && largest * 2 > all;
        !framed && several(|at, columns| at / columns) && several(|at, columns| at % columns)
    }

    /// Takes a glyph that [`Grid::holds`].
    pub(super) fn take(&mut self, g: &Glyph) {
        let owner = self.owner_of(g);
        self.last = owner;
        if let Some(cell) = self.cells.get_mut(owner) {
            cell.push(g);
        }
    }

    /// The cell in which a glyph stands.
    fn owner_of(&self, g: &Glyph) -> usize {
        let (x, y) = center(g);
        let column = self.xs.partition_point(|s| *s <= x).clamp(1, self.xs.len() - 1) - 1;
        let row = self.ys.partition_point(|s| *s <= y).clamp(1, self.ys.len() - 1) - 1;
        let at = row * (self.xs.len() - 1) + column;
        self.owner.get(at).copied().unwrap_or(at)
    }

    /// What stands in it, band by band from the top.
    pub(super) fn bands(self) -> Vec<Band> {
        let columns = self.xs.len() - 1;
        let mut bands: Vec<Band> = Vec::new();
        let mut cells = self.cells.into_iter();
        for (at, edges) in self.ys.windows(2).enumerate() {
            let row: Vec<Vec<Line>> = cells.by_ref().take(columns).map(Lines::finish).collect();
            let row = parted(row, &self.xs);
            let goes_on =
                self.owner.iter().skip(at * columns).take(columns).any(|owner| *owner < at * columns);
            match bands.last_mut() {
                Some(band) if goes_on => {
                    band.rows.push(row);
                    band.edges.extend(edges.get(1));
                }
                _ => bands.push(Band { rows: vec![row], edges: edges.to_vec() }),
            }
        }
        bands
    }
}

impl Band {
    /// All its lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.cells().flatten()
    }

    /// The lines of each of its cells.
    pub(super) fn cells(&self) -> impl Iterator<Item = &Vec<Line>> {
        self.rows.iter().flatten()
    }
}

/// Bands as a table, in coordinates that may be mirrored; `None` where too little stands in them to be one.
pub(super) fn table(bands: Vec<Band>, bounds: Rule, upright: &Upright) -> Option<Table> {
    let size = usual_size(bands.iter().flat_map(Band::lines));
    let bounds = upright.mirror(bounds);
    let mut rows: Vec<Row> = Vec::new();
    for band in bands {
        for (row, edges) in band.rows.into_iter().zip(band.edges.windows(2)) {
            let [top, bottom] = edges else { continue };
            let parts = split(row);
            let alone = parts.len() == 1;
            for cells in parts {
                let place = match around(cells.iter().flatten()) {
                    Some(text) if !alone => Rule { top: text.top, bottom: text.bottom, ..bounds },
                    _ => Rule { top: *top, bottom: *bottom, ..bounds },
                };
                let mut cells: Vec<String> = cells.iter().map(|lines| text_of(lines)).collect();
                if upright.mirrored {
                    cells.reverse();
                }
                rows.push(Row { cells, place });
            }
        }
    }
    rows.retain(|row| row.cells.iter().any(|cell| !cell.is_empty()));
    // Columns that hold nothing come from double lines.
    let columns = rows.first().map_or(0, |row| row.cells.len());
    let used: Vec<bool> = (0..columns)
        .map(|c| rows.iter().any(|r| r.cells.get(c).is_some_and(|cell| !cell.is_empty())))
        .collect();
    for row in &mut rows {
        let mut keep = used.iter();
        row.cells.retain(|_| keep.next().copied().unwrap_or(false));
    }
    let width = used.iter().filter(|u| **u).count();
    (rows.len() >= 2 && width >= 2).then_some(Table { bounds, rows, size })
}

/// The lines of a cell as one text.
pub(super) fn text_of(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        join(&mut text, &line.text, &Compounds::default());
    }
    text
}

/// The box round lines.
pub(super) fn around<'a>(mut lines: impl Iterator<Item = &'a Line>) -> Option<Rule> {
    let first = lines.next()?.place();
    Some(lines.fold(first, |all, line| all.around(&line.place())))
}

/// The size of most letters, to half a point.
pub(super) fn usual_size<'a>(lines: impl Iterator<Item = &'a Line>) -> f32 {
    let mut sizes: std::collections::BTreeMap<i32, usize> = std::collections::BTreeMap::new();
    for line in lines {
        *sizes.entry((line.size * 2.0).round() as i32).or_default() += line.chars();
    }
    sizes.into_iter().max_by_key(|(_, chars)| *chars).map_or(0.0, |(size, _)| size as f32 / 2.0)
}

/// Rows that no line parts, where figures stand below each other in a row of the grid: one for each line of its fullest cell.
fn split(row: Vec<Vec<Line>>) -> Vec<Vec<Vec<Line>>> {
    let lines = || row.iter().flatten();
    let figures = lines().filter(|line| is_figure(&line.text)).count();
    let filled = row.iter().filter(|cell| cell.len() >= UNPARTED).count();
    if filled < 2 || figures * 5 < lines().count() * 2 {
        return vec![row];
    }
    // The baselines of the cell that has most of them.
    let baselines = |cell: &Vec<Line>| {
        let mut found: Vec<f32> = cell.iter().map(|line| line.baseline).collect();
        found.sort_by(f32::total_cmp);
        found.dedup_by(|next, kept| (*next - *kept).abs() <= TOLERANCE);
        found
    };
    let stops = row.iter().map(baselines).max_by_key(Vec::len).unwrap_or_default();
    let at = |line: &Line| stops.iter().position(|stop| (stop - line.baseline).abs() <= TOLERANCE);
    if stops.len() < UNPARTED || lines().filter(|line| at(line).is_some()).count() * 10 < lines().count() * 9
    {
        return vec![row];
    }
    let mut out: Vec<Vec<Vec<Line>>> = vec![vec![Vec::new(); row.len()]; stops.len()];
    for (column, cell) in row.into_iter().enumerate() {
        let mut last = 0;
        for line in cell {
            last = at(&line).unwrap_or(last);
            if let Some(cell) = out.get_mut(last).and_then(|row| row.get_mut(column)) {
                cell.push(line);
            }
        }
    }
    out
}

/// A number with what belongs to it: signs, a currency, a percentage.
pub(super) fn is_figure(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    (digits > 0 && letters <= 1) || matches!(text.trim(), "-" | "–" | "—" | "(X)" | "X" | "..." | "n/a")
}

fn center(g: &Glyph) -> (f32, f32) {
    (f32::midpoint(g.left, g.right), f32::midpoint(g.top, g.bottom))
}

/// Adds a stop on each side where at least two lines reach well beyond the outermost one.
fn extend(stops: &mut Vec<f32>, lines: &[(f32, f32)]) {
    let (Some(first), Some(last)) = (stops.first().copied(), stops.last().copied()) else { return };
    let from = lines.iter().map(|(from, _)| *from).fold(f32::MAX, f32::min);
    let to = lines.iter().map(|(_, to)| *to).fold(f32::MIN, f32::max);
    let reach = |at: f32, end: fn((f32, f32)) -> f32| {
        lines.iter().filter(|line| (end(**line) - at).abs() <= TOLERANCE).count() >= 2
    };
    if from < first - BORDERLESS && reach(from, |line| line.0) {
        stops.insert(0, from);
    }
    if to > last + BORDERLESS && reach(to, |line| line.1) {
        stops.push(to);
    }
}

/// The plain rows of a table whose every other row is shaded cell by cell: no line parts them, and their columns are those of the
/// shaded rows. `ruled` are the lines down the page that are drawn as lines.
fn stripes(xs: &[f32], ys: &[f32], down: &[Rule], ruled: &[Rule]) -> Vec<bool> {
    let inner = xs.get(1..xs.len().saturating_sub(1)).unwrap_or_default();
    let parted = |lines: &[Rule], y: f32| {
        let on = |x: f32, line: &Rule| {
            (f32::midpoint(line.left, line.right) - x).abs() <= TOLERANCE && line.top <= y && y <= line.bottom
        };
        inner.iter().filter(|x| lines.iter().any(|line| on(**x, line))).count()
    };
    let rows: Vec<(usize, usize, f32)> = ys
        .windows(2)
        .filter_map(|edges| match edges {
            [top, bottom] => Some((f32::midpoint(*top, *bottom), bottom - top)),
            _ => None,
        })
        .map(|(y, height)| (parted(down, y), parted(ruled, y), height))
        .collect();
    let is_shaded = |(all, ruled, _): &(usize, usize, f32)| *all >= 2 && *ruled == 0;
    let plain: Vec<bool> = rows
        .iter()
        .enumerate()
        .map(|(at, (all, ..))| {
            let above = at.checked_sub(1).and_then(|at| rows.get(at));
            *all == 0 && above.is_some_and(is_shaded) && rows.get(at + 1).is_none_or(is_shaded)
        })
        .collect();
    let count = plain.iter().filter(|plain| **plain).count();
    // Names of groups of shaded rows are fewer.
    let first = plain.iter().position(|plain| *plain).unwrap_or_default();
    let (mut white, mut all) = (0.0, 0.0);
    for ((.., height), plain) in rows.iter().zip(&plain).skip(first) {
        white += if *plain { *height } else { 0.0 };
        all += height;
    }
    if count >= MIN_STRIPES && white * 3.0 >= all { plain } else { Vec::new() }
}

/// Sorted places, those within the tolerance as one.
fn stops(places: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut places: Vec<f32> = places.collect();
    places.sort_by(f32::total_cmp);
    places.dedup_by(|next, kept| (*next - *kept).abs() <= TOLERANCE);
    places
}
