//! Tables without drawn lines whose cells have several lines each, drawn cell by cell.
//!
//! The order in which the file draws says what a cell is: its lines stand below each other, and the next cell begins beside it, at
//! its height. At least three such rows of three cells must stand below each other in the same columns. Columns of prose are drawn
//! as few, high cells, and are none.

use super::aligned::{column_of, columns, is_tabular};
use super::lines::Line;
use super::read::Rule;
use super::tables::{Row, Table, around, is_figure, text_of, usual_size};

/// Rows of this many cells make a table.
const MIN_ROWS: usize = 3;
const MIN_CELLS: usize = 3;
const MAX_CELLS: usize = 40;
/// Cells of most columns are shorter, in characters.
const SHORT: usize = 25;
/// A cell with more lines is a column of prose.
const MAX_LINES: usize = 12;
/// Lines of one cell are closer than this, in sizes.
const CLOSE: f32 = 1.6;
/// Rows further apart are not of one table, in sizes.
const FAR: f32 = 3.5;

/// A part of a page's lines.
pub(super) enum Part {
    Lines(Vec<Line>),
    Table(Table),
}

/// The cells of a row, each with its lines.
type Cells = Vec<Vec<Line>>;

/// The lines of a page, and the tables among them.
pub(super) fn parts(lines: Vec<Line>) -> Vec<Part> {
    let mut spans: Vec<(usize, Option<Table>)> = Vec::new();
    let mut rest = lines.as_slice();
    while !rest.is_empty() {
        let (rows, taken) = run(rest);
        let table = table(&rows);
        // Rows that are no table are not looked at line by line again.
        let count = if rows.len() < MIN_ROWS { 1 } else { taken.max(1) };
        rest = rest.get(count..).unwrap_or_default();
        match spans.last_mut() {
            Some((lines, None)) if table.is_none() => *lines += count,
            _ => spans.push((count, table)),
        }
    }
    let mut lines = lines.into_iter();
    spans
        .into_iter()
        .map(|(count, table)| {
            let own: Vec<Line> = lines.by_ref().take(count).collect();
            table.map_or(Part::Lines(own), Part::Table)
        })
        .collect()
}

/// The rows that begin with the first line, and how many lines they are.
fn run(lines: &[Line]) -> (Vec<Cells>, usize) {
    let mut rows: Vec<Cells> = Vec::new();
    let mut taken = 0;
    while let Some(rest) = lines.get(taken..).filter(|rest| !rest.is_empty()) {
        // No cell begins beside what most lines are: text.
        let beside = |first: &Line, line: &Line| line.left >= first.right - 0.2 * line.size;
        let first =
            rest.first().filter(|first| rest.iter().take(MAX_LINES + 1).any(|line| beside(first, line)));
        if first.is_none() {
            break;
        }
        let (cells, count) = row(rest);
        let near = rows.last().is_none_or(|last| is_below(last, &cells));
        if cells.len() < MIN_CELLS || !near || !is_row(&cells) {
            break;
        }
        rows.push(cells);
        taken += count;
    }
    (rows, taken)
}

/// The cells of the row that the first line begins, and how many lines they are.
fn row(lines: &[Line]) -> (Cells, usize) {
    let mut cells: Cells = Vec::new();
    let mut bounds: Option<Rule> = None;
    let mut count = 0;
    for line in lines {
        let place = line.place();
        let full = cells.len() >= MAX_CELLS;
        let (Some(cell), Some(all)) = (cells.last_mut(), bounds) else {
            cells.push(vec![line.clone()]);
            (bounds, count) = (Some(place), 1);
            continue;
        };
        let right = cell.iter().map(|line| line.right).fold(f32::MIN, f32::max);
        let beside = line.left >= right - 0.2 * line.size
            && place.top < all.bottom - 0.3 * line.size
            && place.bottom > all.top + 0.3 * line.size;
        let goes_on = cell.len() < MAX_LINES
            && cell.last().is_some_and(|last| {
                let step = line.baseline - last.baseline;
                step > 0.5 * line.size
                    && step <= CLOSE * last.size.max(line.size)
                    && last.overlap_x(line) > 0.0
            });
        if beside && !full {
            cells.push(vec![line.clone()]);
        } else if goes_on {
            cell.push(line.clone());
        } else {
            break;
        }
        bounds = Some(all.around(&place));
        count += 1;
    }
    (cells, count)
}

/// Whether these are the cells of one row: not figures below each other, which are rows of their own, and not a name that stands above
/// the first cell of its group.
fn is_row(cells: &Cells) -> bool {
    let figures = |cell: &Vec<Line>| {
        cell.len() > 2 && cell.iter().filter(|line| is_figure(&line.text)).count() * 2 >= cell.len()
    };
    let named = match cells.as_slice() {
        [first, second, ..] if first.len() > 1 => {
            first.last().zip(second.first()).is_some_and(|(name, value)| name.same_row(value))
        }
        _ => false,
    };
    !named && !cells.iter().any(figures)
}

/// Whether a row stands right below another.
fn is_below(above: &Cells, row: &Cells) -> bool {
    let (Some(a), Some(b)) = (around(above.iter().flatten()), around(row.iter().flatten())) else {
        return false;
    };
    let size = usual_size(row.iter().flatten()).max(1.0);
    b.top > a.bottom - 0.5 * size && b.top - a.bottom < FAR * size
}

fn table(rows: &[Cells]) -> Option<Table> {
    // Rows of one line each are found by their columns alone.
    let several = rows.iter().filter(|row| row.iter().any(|cell| cell.len() > 1)).count();
    if rows.len() < MIN_ROWS
        || several * 5 < rows.len()
        || rows.iter().flatten().flatten().any(|line| line.mono)
    {
        return None;
    }
    let boxed = |cell: &Vec<Line>| {
        let mut line = cell.first()?.clone();
        line.put(around(cell.iter())?);
        Some(line)
    };
    let boxes: Vec<Vec<Line>> = rows.iter().map(|row| row.iter().filter_map(boxed).collect()).collect();
    // A head whose cells are wider must not join the columns.
    let columns = [boxes.as_slice(), boxes.get(1..)?]
        .into_iter()
        .map(columns)
        .find(|columns| columns.len() >= MIN_CELLS)?;
    let mut cells: Vec<Row> = Vec::new();
    let (mut filled, mut odd) = (0, 0);
    for (row, boxes) in rows.iter().zip(&boxes) {
        let mut texts = vec![String::new(); columns.len()];
        for (lines, place) in row.iter().zip(boxes) {
            let text = texts.get_mut(column_of(place, &columns))?;
            if text.is_empty() {
                filled += 1;
            } else {
                text.push(' ');
                odd += 1;
            }
            text.push_str(&text_of(lines));
        }
        cells.push(Row { cells: texts, place: around(row.iter().flatten())? });
    }
    let sparse = filled * 10 < cells.len() * columns.len() * 6 || odd * 5 > filled;
    if sparse || !is_tabular(&cells, columns.len()) || is_prose(&cells, columns.len()) {
        return None;
    }
    let lines = || rows.iter().flatten().flatten();
    Some(Table { bounds: around(lines())?, rows: cells, size: usual_size(lines()) })
}

/// Whether the cells of most columns are as long as the lines of a column of text.
fn is_prose(rows: &[Row], columns: usize) -> bool {
    let long = (0..columns).filter(|at| {
        let mut lengths: Vec<usize> = rows
            .iter()
            .filter_map(|row| row.cells.get(*at))
            .map(|cell| cell.chars().count())
            .filter(|length| *length > 0)
            .collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).is_some_and(|median| *median > SHORT)
    });
    long.count() * 2 > columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(texts: &[&str], left: f32, top: f32) -> Vec<Line> {
        texts
            .iter()
            .zip(0_u8..)
            .map(|(text, i)| {
                let baseline = top + 8.0 + 12.0 * f32::from(i);
                Line::sample(text, left, left + 5.0 * text.chars().count() as f32, baseline)
            })
            .collect()
    }

    #[test]
    fn cells_of_several_lines_that_are_drawn_one_by_one_are_cells() {
        let mut lines = cell(&["The offences of this list"], 50.0, 50.0);
        for (i, code) in ["1-0173", "1-0322", "2-1138"].iter().enumerate() {
            let top = 100.0 + 40.0 * i as f32;
            lines.extend(cell(&["Abuse and other", "conduct of this", "kind"], 50.0, top));
            lines.extend(cell(&[*code, "1-3802"], 200.0, top));
            lines.extend(cell(&["Felony"], 300.0, top));
        }
        let parts = parts(lines);
        let [Part::Lines(before), Part::Table(table)] = parts.as_slice() else {
            unreachable!("{}", parts.len())
        };
        assert_eq!(before.len(), 1);
        assert_eq!(table.rows.len(), 3);
        assert_eq!(table.rows[2].cells, ["Abuse and other conduct of this kind", "2-1138 1-3802", "Felony"]);
    }

    #[test]
    fn columns_of_prose_are_no_cells() {
        let text = ["The desk stands by the", "window and on it lie the", "papers of a whole life,"];
        let lines: Vec<Line> =
            [50.0, 220.0, 390.0].iter().flat_map(|left| cell(&[text, text].concat(), *left, 100.0)).collect();
        assert!(matches!(parts(lines).as_slice(), [Part::Lines(all)] if all.len() == 18));
    }
}
