//! Tables whose cells are inline Markdown on one line each.

use super::writer::Writer;

/// More columns than this are no table.
pub(crate) const MAX_COLUMNS: usize = 500;
/// Rows and columns that one cell may span.
const MAX_SPAN: usize = 1000;
/// Cells of one table, empty ones counted: a few spans must not make a large one.
const MAX_CELLS: usize = 2_000_000;

/// Writes rows of whatever length; rows without any text are left out.
pub(crate) fn write(writer: &mut Writer, mut rows: Vec<Vec<String>>) {
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    if columns == 0 {
        return;
    }
    writer.open_table();
    for mut row in rows {
        row.resize(columns, String::new());
        writer.row(&row, None);
    }
    writer.close_table();
}

/// A table whose cells say how many rows and columns they span.
#[derive(Default)]
pub(crate) struct Grid {
    rows: Vec<Vec<String>>,
    current: Vec<String>,
    /// Rows that a cell above still covers, by column.
    covered: Vec<usize>,
    cells: usize,
}

impl Grid {
    /// Begins a row.
    pub(crate) fn row(&mut self) {
        if !self.current.is_empty() {
            self.end_row();
        }
    }

    /// Adds a cell: its text stands in the first of the cells that it spans.
    pub(crate) fn cell(&mut self, text: String, columns: usize, rows: usize) {
        self.skip_covered();
        let mut text = Some(text);
        for _ in 0..columns.clamp(1, MAX_SPAN) {
            let column = self.current.len();
            if column >= MAX_COLUMNS || self.cells >= MAX_CELLS {
                break;
            }
            if self.covered.len() <= column {
                self.covered.resize(column + 1, 0);
            }
            if let Some(covered) = self.covered.get_mut(column) {
                *covered = rows.clamp(1, MAX_SPAN);
            }
            self.cells += 1;
            self.current.push(text.take().unwrap_or_default());
        }
    }

    fn skip_covered(&mut self) {
        while self.covered.get(self.current.len()).is_some_and(|c| *c > 0) {
            self.current.push(String::new());
        }
    }

    fn end_row(&mut self) {
        self.skip_covered();
        for covered in &mut self.covered {
            *covered = covered.saturating_sub(1);
        }
        self.rows.push(std::mem::take(&mut self.current));
    }

    /// Writes the table.
    pub(crate) fn write(mut self, writer: &mut Writer) {
        if !self.current.is_empty() {
            self.end_row();
        }
        write(writer, self.rows);
    }
}
