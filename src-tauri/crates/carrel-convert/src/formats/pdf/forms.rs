//! What stands in a grid: a table, or the frames of a form.
//!
//! In a form lines are drawn round groups of fields, and the fields stand in rows below each other that no line parts. A band
//! that holds such rows in one cell gives them as a table of their own; the other bands stay what they are.

use super::aligned;
use super::lines::Line;
use super::order::by_rows;
use super::page::Item;
use super::read::Rule;
use super::tables::{Band, Grid, around, table};
use super::upright::Upright;

/// A frame takes up this part of the width at least.
const WIDE: f32 = 0.45;

/// The items of a grid, from the top.
pub(super) fn items(grid: Grid, upright: &Upright) -> Vec<Item> {
    let bounds = grid.bounds();
    let bands = grid.bands();
    if !bands.iter().any(|band| is_frame(band, bounds)) {
        return table(bands, bounds, upright).map(Item::Table).into_iter().collect();
    }
    let mut out = Vec::new();
    let mut run: Vec<Band> = Vec::new();
    for band in bands {
        if is_frame(&band, bounds) {
            end_run(&mut run, bounds, upright, &mut out);
            frame(&band, upright, &mut out);
        } else {
            run.push(band);
        }
    }
    end_run(&mut run, bounds, upright, &mut out);
    out
}

/// Whether rows stand in one of its cells that no line parts: a wide one, or one among cells whose lines go on with its rows.
/// Another cell of a row may hold a table of its own.
fn is_frame(band: &Band, bounds: Rule) -> bool {
    let width = WIDE * (bounds.right - bounds.left);
    let wide = |lines: &Vec<Line>| around(lines.iter()).is_some_and(|text| text.right - text.left >= width);
    band.cells().any(|lines| aligned::is_table(lines) && (wide(lines) || fits(band, lines)))
}

/// Whether the lines of the other cells stand on the rows of one, and are as many.
fn fits(band: &Band, cell: &[Line]) -> bool {
    let beside = || band.lines().filter(|line| !cell.contains(line));
    let mut rows: Vec<f32> = cell.iter().map(|line| line.baseline).collect();
    rows.dedup_by(|next, kept| (*next - *kept).abs() < 1.0);
    let on = beside().filter(|line| cell.iter().any(|other| other.same_row(line))).count();
    on >= rows.len() && on * 10 >= beside().count() * 9
}

/// A band in rows over all its cells, where the cells beside the one that holds rows go on with them; otherwise cell by cell.
fn frame(band: &Band, upright: &Upright, out: &mut Vec<Item>) {
    let (with_rows, others): (Vec<&Vec<Line>>, Vec<&Vec<Line>>) =
        band.cells().filter(|lines| !lines.is_empty()).partition(|lines| aligned::is_table(lines));
    let (inside, beside): (Vec<&Line>, Vec<&Line>) =
        (with_rows.iter().copied().flatten().collect(), others.iter().copied().flatten().collect());
    let shared = |lines: &[&Line], rows: &[&Line], of_ten: usize| {
        let on = lines.iter().filter(|line| rows.iter().any(|other| other.same_row(line))).count();
        on * 10 >= lines.len() * of_ten
    };
    // Names of groups stand beside no figure, and figures beside a name each.
    let goes_on = shared(&beside, &inside, 7) || shared(&inside, &beside, 9);
    // Tables side by side are not one; the columns of one are.
    let apart = with_rows.windows(2).any(|pair| match pair {
        [a, b] => {
            let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
            few.iter().filter(|line| many.iter().any(|other| other.same_row(line))).count() * 10
                < few.len() * 7
        }
        _ => false,
    });
    if goes_on && !apart {
        out.extend(aligned::items(in_rows(band.lines(), upright)));
        return;
    }
    let mut cells: Vec<&Vec<Line>> = with_rows.into_iter().chain(others).collect();
    let left = |lines: &Vec<Line>| around(lines.iter()).map_or(0.0, |place| upright.mirror(place).left);
    cells.sort_by(|a, b| left(a).total_cmp(&left(b)));
    for cell in cells {
        out.extend(aligned::items(in_rows(cell.iter(), upright)));
    }
}

/// Bands between frames: a table, or their lines where they are none.
fn end_run(run: &mut Vec<Band>, bounds: Rule, upright: &Upright, out: &mut Vec<Item>) {
    let bands = std::mem::take(run);
    let columns =
        |band: &Band| band.rows.iter().map(|row| row.iter().filter(|cell| !cell.is_empty()).count()).max();
    let is_table =
        bands.len() > 1 && bands.iter().filter(|band| columns(band) > Some(1)).count() * 2 >= bands.len();
    let Some(text) = around(bands.iter().flat_map(Band::lines)) else { return };
    if !is_table {
        out.extend(aligned::items(in_rows(bands.iter().flat_map(Band::lines), upright)));
        return;
    }
    out.extend(
        table(bands, Rule { left: bounds.left, right: bounds.right, ..text }, upright).map(Item::Table),
    );
}

/// Lines row by row, in coordinates that may be mirrored.
fn in_rows<'a>(lines: impl Iterator<Item = &'a Line>, upright: &Upright) -> Vec<Line> {
    let mirrored = |line: &Line| {
        let mut line = line.clone();
        line.put(upright.mirror(line.place()));
        line
    };
    let mut lines: Vec<Line> = lines.map(mirrored).collect();
    lines.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    by_rows(lines)
}
