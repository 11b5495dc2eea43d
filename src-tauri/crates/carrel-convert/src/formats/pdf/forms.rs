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

/// The items of a grid, from the top.
pub(super) fn items(grid: Grid, upright: &Upright) -> Vec<Item> {
    let bounds = grid.bounds();
    let bands = grid.bands();
    if !bands.iter().any(is_frame) {
        return table(bands, bounds, upright).map(Item::Table).into_iter().collect();
    }
    let mut out = Vec::new();
    let mut run: Vec<Band> = Vec::new();
    for band in bands {
        if is_frame(&band) {
            end_run(&mut run, bounds, upright, &mut out);
            out.extend(aligned::items(in_rows(&[band], upright)));
        } else {
            run.push(band);
        }
    }
    end_run(&mut run, bounds, upright, &mut out);
    out
}

/// Whether rows stand in one of its cells that no line parts.
fn is_frame(band: &Band) -> bool {
    band.cells().any(|lines| aligned::is_table(lines))
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
        out.extend(aligned::items(in_rows(&bands, upright)));
        return;
    }
    out.extend(
        table(bands, Rule { left: bounds.left, right: bounds.right, ..text }, upright).map(Item::Table),
    );
}

fn in_rows(bands: &[Band], upright: &Upright) -> Vec<Line> {
    let mirrored = |line: &Line| {
        let mut line = line.clone();
        line.put(upright.mirror(line.place()));
        line
    };
    let mut lines: Vec<Line> = bands.iter().flat_map(Band::lines).map(mirrored).collect();
    lines.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    by_rows(lines)
}
