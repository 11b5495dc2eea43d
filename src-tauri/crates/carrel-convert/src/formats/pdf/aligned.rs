//! Tables without drawn lines: rows whose pieces stand below each other.
//!
//! At least three rows in a row must part into the same columns (two, where one is the head of the other); list markers, code and
//! columns of prose are no tables. Cells may be empty, below a head that names all columns most of them.

use super::items::is_marker;
use super::lines::Line;
use super::order::by_rows;
use super::page::Item;
use super::stacked;
use super::tables::{Row, Table, around, usual_size};

/// Rows of several pieces that make a table.
const MIN_ROWS: usize = 3;
/// Longer pieces in every column are prose.
const PROSE: usize = 40;
/// Longer cells are no figures.
const FIGURE: usize = 20;
/// Rows further apart are not of one table, in sizes.
const FAR: f32 = 3.5;
/// A row of a wide table has so many pieces.
const WIDE: usize = 4;
/// The rest of a cell has so many lines at most.
const REST: usize = 4;
/// Lines of one cell are closer than this.
const CLOSE: f32 = 1.5;

/// The lines of a page in reading order: rows that make a table as a table, other rows as one line each.
pub(super) fn items(lines: Vec<Line>) -> Vec<Item> {
    let mut out = Vec::with_capacity(lines.len());
    for part in stacked::parts(lines) {
        match part {
            stacked::Part::Table(table) => out.push(Item::Table(table)),
            stacked::Part::Lines(lines) => out.extend(by_row(lines)),
        }
    }
    out
}

fn by_row(lines: Vec<Line>) -> Vec<Item> {
    let rows = rows(lines);
    let mut out = Vec::with_capacity(rows.len());
    let mut rows: std::collections::VecDeque<Vec<Line>> = rows.into();
    let mut run: Vec<Vec<Line>> = Vec::new();
    while let Some(row) = rows.pop_front() {
        let several = row.len() > 1;
        // A row of one piece goes on inside a table where it stands below a cell and rows of several follow.
        let inside = !several
            && (rows.front().is_some_and(|next| next.len() > 1 && is_inside(&run, &row, next))
                || is_rest(&run, &row, rows.iter().take(REST)));
        let near = run.last().is_none_or(|last| distance(last, &row) < FAR);
        if (several || inside) && near {
            run.push(row);
            continue;
        }
        end_run(&mut run, &mut out);
        if several { run.push(row) } else { out.extend(joined(row).map(Item::Line)) }
    }
    end_run(&mut run, &mut out);
    out
}

/// Whether the lines of a frame are rows of a table.
pub(super) fn is_table(lines: &[Line]) -> bool {
    if lines.len() < 2 * MIN_ROWS {
        return false;
    }
    let mut lines = lines.to_vec();
    lines.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    items(by_rows(lines)).iter().any(|item| matches!(item, Item::Table(_)))
}

/// Neighbours on one row.
fn rows(lines: Vec<Line>) -> Vec<Vec<Line>> {
    let mut out: Vec<Vec<Line>> = Vec::new();
    for line in lines {
        match out.last_mut() {
            Some(row)
                if row.last().is_some_and(|last| {
                    last.same_row(&line) && line.left >= last.right - 0.5 * last.size
                }) =>
            {
                row.push(line);
            }
            _ => out.push(vec![line]),
        }
    }
    out
}

/// A row as one line.
fn joined(row: Vec<Line>) -> Option<Line> {
    row.into_iter().reduce(|mut line, next| {
        line.append(&next, true);
        line
    })
}

/// Distance of two rows in sizes; far, where the second does not stand below the first.
fn distance(a: &[Line], b: &[Line]) -> f32 {
    match (a.first(), b.first()) {
        (Some(a), Some(b)) if b.baseline > a.baseline => {
            (b.baseline - a.baseline) / a.size.max(b.size).max(1.0)
        }
        _ => f32::MAX,
    }
}

/// Whether a piece alone on its row is of the table above it: the rest of a cell, or a row with one cell.
fn is_inside(run: &[Vec<Line>], row: &[Line], next: &[Line]) -> bool {
    let (Some(first), Some(last), [piece]) = (run.first(), run.last(), row) else { return false };
    let hits = |cells: &[Line]| -> Vec<usize> {
        cells.iter().enumerate().filter(|(_, cell)| cell.overlap_x(piece) > 0.0).map(|(at, _)| at).collect()
    };
    let below = |cells: &[Line]| match hits(cells).as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    let (before, after) = (distance(last, row), distance(row, next));
    // The name of a group of rows.
    let names = hits(next).as_slice() == [0] && next.len() > 2 && next.len() >= last.len() && after < FAR;
    if names
        && last.len() > 1
        && before >= 0.85 * after
        && piece.left <= first.iter().map(|p| p.left).fold(piece.left, f32::min)
    {
        return true;
    }
    if run.len() < 2 {
        return false;
    }
    if before >= CLOSE {
        return first.len() > 2 && below(first).is_some_and(|at| at > 0);
    }
    match below(last) {
        // Below a first cell it may be the first of another row.
        Some(0) => last.len() > 1 && before * 1.3 < after && after < FAR,
        Some(_) => last.len() > 1,
        // A long rest of one cell of several, before a row like the last.
        None => {
            last.len() >= WIDE && next.len() == last.len() && hits(last).first().is_some_and(|at| *at > 0)
        }
    }
}

/// Whether a piece alone on its row is one of several lines of a cell, not the first cell, before a row like the one that the cell is of.
fn is_rest<'a>(run: &[Vec<Line>], row: &[Line], rest: impl Iterator<Item = &'a Vec<Line>>) -> bool {
    let (Some(last), Some(of)) = (run.last(), run.iter().rfind(|row| row.len() > 1)) else { return false };
    let below = |row: &[Line]| match row {
        [piece] => {
            let mut hits = of.iter().enumerate().filter(|(_, cell)| cell.overlap_x(piece) > 0.0);
            let (at, _) = hits.next()?;
            (at > 0 && hits.next().is_none()).then_some(at)
        }
        _ => None,
    };
    let Some(at) = below(row) else { return false };
    let close = of.len() > 2 && run.len() > 1 && distance(last, row) < CLOSE;
    let mut above = row;
    for next in rest {
        if next.len() > 1 {
            return close && next.len() == of.len() && distance(above, next) < FAR;
        }
        if below(next) != Some(at) || distance(above, next) >= CLOSE {
            return false;
        }
        above = next;
    }
    false
}

fn end_run(run: &mut Vec<Vec<Line>>, out: &mut Vec<Item>) {
    let rows = std::mem::take(run);
    match table(&rows) {
        Some(table) => out.push(Item::Table(table)),
        None => out.extend(rows.into_iter().filter_map(joined).map(Item::Line)),
    }
}

fn table(rows: &[Vec<Line>]) -> Option<Table> {
    let several = rows.iter().filter(|row| row.len() > 1).count();
    let enough = several >= MIN_ROWS || matches!(rows, [head, row] if is_head_of(head, row));
    if !enough || rows.iter().flatten().any(|piece| piece.mono) {
        return None;
    }
    // A header whose cells span columns must not join them, nor must one long cell.
    let columns = [rows, rows.get(1..)?].into_iter().map(columns).find(|columns| columns.len() >= 2);
    let columns = fullest(rows, columns.as_ref().map_or(1, Vec::len)).or(columns)?;
    if columns.len() > 40 {
        return None;
    }
    let step = usual_step(rows);
    let mut cells: Vec<Row> = Vec::new();
    let mut filled = 0;
    let mut last: Option<&[Line]> = None;
    for row in rows {
        let mut line = vec![String::new(); columns.len()];
        for piece in row {
            if let Some(cell) = line.get_mut(column_of(piece, &columns)) {
                append(cell, piece.text.trim());
            }
        }
        let place = around(row.iter())?;
        let own = step > CLOSE || matches!(row.as_slice(), [piece] if column_of(piece, &columns) == 0);
        let apart = own && last.is_some_and(|last| distance(last, row) >= 0.85 * step);
        match cells.last_mut() {
            // A cell that goes on.
            Some(last) if row.len() == 1 && !apart => {
                for (cell, more) in last.cells.iter_mut().zip(line).filter(|(_, more)| !more.is_empty()) {
                    append(cell, &more);
                }
                last.place = last.place.around(&place);
            }
            _ => {
                filled += line.iter().filter(|cell| !cell.is_empty()).count();
                cells.push(Row { cells: line, place });
            }
        }
        last = Some(row);
    }
    let named = columns.len() > 2 && rows.first().is_some_and(|head| head.len() == columns.len());
    let least = if named {
        3
    } else if has_column_of_figures(&cells, columns.len()) {
        4
    } else {
        6
    };
    if filled * 10 < cells.len() * columns.len() * least || !is_tabular(&cells, columns.len()) {
        return None;
    }
    let size = usual_size(rows.iter().flatten());
    Some(Table { bounds: around(rows.iter().flatten())?, rows: cells, size })
}

fn append(cell: &mut String, text: &str) {
    if !cell.is_empty() {
        cell.push(' ');
    }
    cell.push_str(text);
}

/// The column in which most of a piece stands, or the nearest.
pub(super) fn column_of(piece: &Line, columns: &[(f32, f32)]) -> usize {
    let overlap = |(left, right): (f32, f32)| piece.right.min(right) - piece.left.max(left);
    let best = columns.iter().enumerate().max_by(|a, b| overlap(*a.1).total_cmp(&overlap(*b.1)));
    best.map_or(0, |(at, _)| at)
}

/// Two rows that are a table: a head of three names or more, and as many values below them, of which half are figures.
fn is_head_of(head: &[Line], row: &[Line]) -> bool {
    let figures =
        |row: &[Line]| row.iter().filter(|piece| piece.text.contains(|c: char| c.is_ascii_digit())).count();
    let below = || head.iter().zip(row).all(|(name, value)| name.overlap_x(value) > 0.0);
    let set_off = head.iter().all(|name| name.bold) && !row.iter().all(|value| value.bold);
    head.len() > 2
        && head.len() == row.len()
        && distance(head, row) < 2.5
        && (figures(row) * 2 >= row.len() || (set_off && figures(row) > 0))
        && (figures(head) == 0 || set_off)
        && below()
}

/// Whether nearly all rows have a figure in one column: names on several levels before it leave cells empty.
fn has_column_of_figures(rows: &[Row], columns: usize) -> bool {
    let figure = |row: &Row, at: usize| {
        row.cells
            .get(at)
            .is_some_and(|cell| cell.contains(|c: char| c.is_ascii_digit()) && cell.len() <= FIGURE)
    };
    (1..columns).any(|at| rows.iter().filter(|row| figure(row, at)).count() * 5 >= rows.len() * 4)
}

/// The usual distance of rows of several pieces, in sizes.
fn usual_step(rows: &[Vec<Line>]) -> f32 {
    let mut steps: Vec<f32> = rows
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] if a.len() > 1 && b.len() > 1 => Some(distance(a, b)),
            _ => None,
        })
        .collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(CLOSE)
}

/// The columns of the rows with most pieces, where they are more than `known`, agree, and nearly all pieces fit into one.
fn fullest(rows: &[Vec<Line>], known: usize) -> Option<Vec<(f32, f32)>> {
    let most = rows.iter().map(Vec::len).max().filter(|most| *most > known)?;
    let full: Vec<Vec<Line>> = rows.iter().filter(|row| row.len() == most).cloned().collect();
    let columns = columns(&full);
    if full.len() < 2 || columns.len() != most {
        return None;
    }
    let (mut all, mut odd) = (0, 0);
    for row in rows {
        let mut taken: Vec<usize> = row.iter().map(|piece| column_of(piece, &columns)).collect();
        all += taken.len();
        taken.dedup();
        odd += row.len() - taken.len();
    }
    (odd * 10 <= all).then_some(columns)
}

/// Where the pieces of all rows overlap, as intervals from left to right.
pub(super) fn columns(rows: &[Vec<Line>]) -> Vec<(f32, f32)> {
    let mut pieces: Vec<&Line> = rows.iter().flatten().collect();
    pieces.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut out: Vec<(f32, f32)> = Vec::new();
    for piece in pieces {
        match out.last_mut() {
            Some((_, right)) if piece.left < *right - 0.1 * piece.size => *right = right.max(piece.right),
            _ => out.push((piece.left, piece.right)),
        }
    }
    out
}

/// Not a list with its markers apart, and not prose in every column.
pub(super) fn is_tabular(rows: &[Row], columns: usize) -> bool {
    let column =
        |i: usize| rows.iter().filter_map(move |row| row.cells.get(i)).filter(|cell| !cell.is_empty());
    let median = |i: usize| {
        let mut lengths: Vec<usize> = column(i).map(|cell| cell.chars().count()).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or(0)
    };
    let markers = columns == 2 && column(0).all(|cell| is_marker(cell));
    !markers && (0..columns).any(|i| median(i) <= PROSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, left: f32, row: u8) -> Line {
        let baseline = 100.0 + 14.0 * f32::from(row);
        Line::sample(text, left, left + 5.0 * text.chars().count() as f32, baseline)
    }

    fn shown(lines: Vec<Line>) -> Vec<String> {
        let show = |item: Item| match item {
            Item::Line(line) => line.text,
            Item::Table(table) => {
                table.rows.iter().map(|r| r.cells.join(" | ")).collect::<Vec<_>>().join(" / ")
            }
        };
        items(lines).into_iter().map(show).collect()
    }

    #[test]
    fn aligned_rows_are_a_table_and_cells_go_on() {
        let mut lines = vec![piece("Before the table", 50.0, 0)];
        for (row, cells) in
            [["Country", "People", "Capital"], ["Austria", "8.9", "Vienna"], ["Belgium", "11.5", "Brussels,"]]
                .iter()
                .zip(2..)
        {
            let (row, cells) = (cells, row);
            lines.extend(cells.iter().zip([50.0, 150.0, 250.0]).map(|(text, left)| piece(text, left, row)));
        }
        lines.push(piece("Bruxelles", 250.0, 5));
        lines.push(piece("Malta", 50.0, 6));
        lines.push(piece("0.5", 160.0, 6));
        lines.push(piece("Valletta", 250.0, 6));
        lines.push(piece("After the table, over all of its columns and more", 50.0, 8));
        assert_eq!(
            shown(lines),
            [
                "Before the table",
                "Country | People | Capital / Austria | 8.9 | Vienna / Belgium | 11.5 | Brussels, Bruxelles / Malta | 0.5 | Valletta",
                "After the table, over all of its columns and more"
            ]
        );
    }

    #[test]
    fn a_cell_of_several_lines_does_not_end_a_table() {
        let row = |row, cells: [&'static str; 3]| {
            cells.into_iter().zip([50.0, 150.0, 300.0]).map(move |(text, left)| piece(text, left, row))
        };
        let mut lines: Vec<Line> = row(0, ["1901", "TRAIN", "92.90"]).collect();
        lines.extend(row(1, ["1902", "AIRFARE FOR A GUEST AND", "81.00"]));
        lines.extend([piece("TWO OTHERS TO KANSAS", 150.0, 2), piece("AND RETURN", 150.0, 3)]);
        lines.extend(row(4, ["1903", "TRAIN", "17.40"]));
        assert_eq!(
            shown(lines),
            [
                "1901 | TRAIN | 92.90 / 1902 | AIRFARE FOR A GUEST AND TWO OTHERS TO KANSAS AND RETURN | 81.00 / 1903 | TRAIN | 17.40"
            ]
        );
    }

    #[test]
    fn lists_with_markers_apart_are_no_tables() {
        let lines = (0..4).flat_map(|row| {
            [piece(&format!("{}.", row + 1), 50.0, row), piece("an item of a list", 80.0, row)]
        });
        assert_eq!(shown(lines.collect()).len(), 4);
    }
}
