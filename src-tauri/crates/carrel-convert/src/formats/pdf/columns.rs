//! Columns of a grid whose lines down the page stand in some of its rows only: those of the head, or of one row in two.

use super::lines::Line;
use super::tables::{TOLERANCE, UNPARTED};

/// A row of cells of which some are one across several columns, for want of lines down the page there: what stands in such a cell
/// goes into the columns that the other rows have, where each piece fits into one of them and several are filled.
pub(super) fn parted(row: Vec<Vec<Line>>, xs: &[f32]) -> Vec<Vec<Line>> {
    let column = |line: &Line| {
        let middle = f32::midpoint(line.left, line.right);
        let at = xs
            .windows(2)
            .position(|edges| matches!(edges, [left, right] if *left <= middle && middle < *right))?;
        let (left, right) = (xs.get(at)?, xs.get(at + 1)?);
        (line.left >= left - TOLERANCE && line.right <= right + TOLERANCE).then_some(at)
    };
    let mut out: Vec<Vec<Line>> = vec![Vec::new(); row.len()];
    for (at, cell) in row.into_iter().enumerate() {
        let columns: Option<Vec<usize>> = cell.iter().map(column).collect();
        let columns = columns.filter(|columns| stands_in_columns(&cell, columns)).unwrap_or_default();
        for (i, line) in cell.into_iter().enumerate() {
            let to = columns.get(i).copied().unwrap_or(at);
            if let Some(cell) = out.get_mut(to) {
                cell.push(line);
            }
        }
    }
    out
}

/// Whether the lines of a cell are pieces of one row, each in a column of its own or below another piece of it.
fn stands_in_columns(cell: &[Line], columns: &[usize]) -> bool {
    let pieces = || cell.iter().zip(columns);
    let rows = |at: usize| pieces().filter(|(_, column)| **column == at).count();
    let fullest = columns.iter().map(|at| rows(*at)).max().unwrap_or(0);
    let beside =
        pieces().any(|(line, column)| pieces().any(|(other, at)| at != column && line.same_row(other)));
    // More lines below each other are rows of their own.
    beside && fullest < UNPARTED
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, left: f32, right: f32, baseline: f32) -> Line {
        Line::sample(text, left, right, baseline)
    }

    fn texts(row: &[Vec<Line>]) -> Vec<&str> {
        row.iter().map(|cell| cell.first().map_or("", |line| line.text.as_str())).collect()
    }

    #[test]
    fn pieces_of_a_row_without_lines_go_into_the_columns_of_the_head() {
        let xs = [50.0, 150.0, 200.0, 250.0];
        let pieces = vec![
            piece("Austria", 52.0, 90.0, 100.0),
            piece("92.9", 160.0, 180.0, 100.0),
            piece("7.1", 210.0, 225.0, 100.0),
        ];
        let row = parted(vec![pieces, Vec::new(), Vec::new()], &xs);
        assert_eq!(texts(&row), ["Austria", "92.9", "7.1"]);
    }

    #[test]
    fn a_name_across_columns_and_lines_below_each_other_stay_in_one_cell() {
        let xs = [50.0, 150.0, 200.0, 250.0];
        let across =
            vec![piece("Members of the Union", 100.0, 220.0, 100.0), piece("*", 240.0, 245.0, 100.0)];
        assert_eq!(
            texts(&parted(vec![across, Vec::new(), Vec::new()], &xs)),
            ["Members of the Union", "", ""]
        );
        let form = [100.0, 112.0, 124.0]
            .into_iter()
            .flat_map(|y| [piece("Name", 52.0, 80.0, y), piece("Ada", 160.0, 180.0, y)]);
        let row = parted(vec![form.collect(), Vec::new(), Vec::new()], &xs);
        assert_eq!(row.iter().map(Vec::len).collect::<Vec<_>>(), [6, 0, 0]);
    }
}
