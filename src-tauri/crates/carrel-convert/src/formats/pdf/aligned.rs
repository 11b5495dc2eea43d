//! Tables without drawn lines: rows whose pieces stand below each other.
//!
//! At least three rows in a row must part into the same columns; list markers, code and columns of prose are no tables.

use super::items::is_marker;
use super::lines::Line;
use super::page::Item;
use super::read::Rule;
use super::tables::Table;

/// Rows of several pieces that make a table.
const MIN_ROWS: usize = 3;
/// Longer pieces in every column are prose.
const PROSE: usize = 40;

/// The lines of a page in reading order: rows that make a table as a table, other rows as one line each.
pub(super) fn items(lines: Vec<Line>) -> Vec<Item> {
    let rows = rows(lines);
    let mut out = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    let mut run: Vec<Vec<Line>> = Vec::new();
    while let Some(row) = rows.next() {
        let several = row.len() > 1;
        // A row of one piece goes on inside a table where it stands below a cell and rows of several follow.
        let inside = !several
            && run.len() >= 2
            && run.last().is_some_and(|last| {
                last.len() > 1 && row.first().is_some_and(|piece| stands_below(piece, last))
            })
            && rows.peek().is_some_and(|next| next.len() > 1);
        let near = run.last().is_none_or(|last| distance(last, &row) < 3.5);
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
        line.text.push(' ');
        line.text.push_str(&next.text);
        line.left = line.left.min(next.left);
        line.right = line.right.max(next.right);
        line.top = line.top.min(next.top);
        line.bottom = line.bottom.max(next.bottom);
        line.size = line.size.max(next.size);
        line.bold &= next.bold;
        line.mono &= next.mono;
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

/// Whether the piece stands below one cell of the row other than its first, and close.
fn stands_below(piece: &Line, row: &[Line]) -> bool {
    let below: Vec<usize> =
        row.iter().enumerate().filter(|(_, cell)| cell.overlap_x(piece) > 0.0).map(|(i, _)| i).collect();
    matches!(below.as_slice(), [i] if *i > 0) && distance(row, std::slice::from_ref(piece)) < 1.5
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
    if several < MIN_ROWS || rows.iter().flatten().any(|piece| piece.mono) {
        return None;
    }
    // A header whose cells span columns must not join them.
    let columns = [rows, rows.get(1..)?].into_iter().map(columns).find(|columns| columns.len() >= 2)?;
    if columns.len() > 40 {
        return None;
    }
    let mut cells: Vec<Vec<String>> = Vec::new();
    let mut filled = 0;
    for row in rows {
        let mut line = vec![String::new(); columns.len()];
        for piece in row {
            let middle = f32::midpoint(piece.left, piece.right);
            let at = columns.iter().position(|(_, right)| middle <= *right).unwrap_or(columns.len() - 1);
            if let Some(cell) = line.get_mut(at) {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(piece.text.trim());
            }
        }
        if row.len() > 1 {
            filled += line.iter().filter(|cell| !cell.is_empty()).count();
            cells.push(line);
        } else if let Some(last) = cells.last_mut() {
            // A cell that goes on.
            for (cell, more) in last.iter_mut().zip(line).filter(|(_, more)| !more.is_empty()) {
                cell.push(' ');
                cell.push_str(&more);
            }
        }
    }
    if filled * 10 < several * columns.len() * 6 || !is_tabular(&cells, columns.len()) {
        return None;
    }
    let mut bounds: Option<Rule> = None;
    for piece in rows.iter().flatten() {
        let b = bounds.get_or_insert(Rule {
            left: piece.left,
            right: piece.right,
            top: piece.top,
            bottom: piece.bottom,
        });
        *b = Rule {
            left: b.left.min(piece.left),
            right: b.right.max(piece.right),
            top: b.top.min(piece.top),
            bottom: b.bottom.max(piece.bottom),
        };
    }
    Some(Table { bounds: bounds?, rows: cells })
}

/// Where the pieces of all rows overlap, as intervals from left to right.
fn columns(rows: &[Vec<Line>]) -> Vec<(f32, f32)> {
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
fn is_tabular(cells: &[Vec<String>], columns: usize) -> bool {
    let column = |i: usize| cells.iter().filter_map(move |row| row.get(i)).filter(|cell| !cell.is_empty());
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
        Line {
            text: text.into(),
            left,
            right: left + 5.0 * text.chars().count() as f32,
            top: baseline - 8.0,
            bottom: baseline + 2.0,
            baseline,
            size: 10.0,
            bold: false,
            mono: false,
        }
    }

    fn shown(lines: Vec<Line>) -> Vec<String> {
        let show = |item: Item| match item {
            Item::Line(line) => line.text,
            Item::Table(table) => table.rows.iter().map(|r| r.join(" | ")).collect::<Vec<_>>().join(" / "),
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
    fn lists_with_markers_apart_are_no_tables() {
        let lines = (0..4).flat_map(|row| {
            [piece(&format!("{}.", row + 1), 50.0, row), piece("an item of a list", 80.0, row)]
        });
        assert_eq!(shown(lines.collect()).len(), 4);
    }
}
