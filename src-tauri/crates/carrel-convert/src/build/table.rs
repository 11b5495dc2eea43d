//! Tables whose cells are inline Markdown on one line each.

use super::writer::Writer;

/// More columns than this are no table.
pub(crate) const MAX_COLUMNS: usize = 500;
/// Bytes of a cell of data, which holds a few words.
pub(crate) const SHORT_CELL: usize = 120;
/// Rows and columns that one cell may span.
const MAX_SPAN: usize = 1000;
/// Cells of one table, empty ones counted: a few spans must not make a large one.
const MAX_CELLS: usize = 2_000_000;

/// Writes rows of whatever length; rows without any text are left out. What stands beyond the last column stands in it.
pub(crate) fn write(writer: &mut Writer, mut rows: Vec<Vec<String>>) {
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    for row in rows.iter_mut().filter(|row| row.len() > MAX_COLUMNS) {
        // One row of very many cells would widen all others.
        let rest = row.split_off(MAX_COLUMNS - 1);
        row.push(rest.into_iter().filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" "));
    }
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
    rows: Vec<Row>,
    current: Row,
    /// A row was begun; it may have no cells of its own.
    open: bool,
    /// Rows that a cell above still covers, by column, and what is repeated in them.
    covered: Vec<(usize, String)>,
    cells: usize,
}

/// A row that is being read.
#[derive(Default)]
struct Row {
    cells: Vec<String>,
    /// It has a cell that only it has.
    own: bool,
}

impl Row {
    /// It has a cell that is too long to be repeated.
    fn is_long(&self) -> bool {
        self.cells.iter().any(|cell| cell.len() > SHORT_CELL)
    }
}

impl Grid {
    /// Begins a row.
    pub(crate) fn row(&mut self) {
        if self.open {
            self.end_row();
        }
        self.open = true;
    }

    /// Adds a cell: its text stands in the first of the columns that it spans, and a short one in each of its rows, so that each row
    /// says all.
    pub(crate) fn cell(&mut self, text: String, columns: usize, rows: usize) {
        self.skip_covered();
        let rows = rows.clamp(1, MAX_SPAN);
        self.current.own |= rows == 1 && !text.is_empty();
        let repeated = if rows > 1 && text.len() <= SHORT_CELL { text.clone() } else { String::new() };
        let mut text = Some((text, repeated));
        for _ in 0..columns.clamp(1, MAX_SPAN) {
            let column = self.current.cells.len();
            if column >= MAX_COLUMNS || self.cells >= MAX_CELLS {
                break;
            }
            if self.covered.len() <= column {
                self.covered.resize(column + 1, (0, String::new()));
            }
            let (text, repeated) = text.take().unwrap_or_default();
            if let Some(covered) = self.covered.get_mut(column) {
                *covered = (rows, repeated);
            }
            self.cells += 1;
            self.current.cells.push(text);
        }
    }

    fn skip_covered(&mut self) {
        while self.cells < MAX_CELLS
            && let Some((_, text)) = self.covered.get(self.current.cells.len()).filter(|(rows, _)| *rows > 0)
        {
            self.cells += 1;
            self.current.cells.push(text.clone());
        }
    }

    fn end_row(&mut self) {
        self.skip_covered();
        for (covered, _) in &mut self.covered {
            *covered = covered.saturating_sub(1);
        }
        self.rows.push(std::mem::take(&mut self.current));
    }

    /// Writes the table.
    pub(crate) fn write(mut self, writer: &mut Writer) {
        if self.open || !self.current.cells.is_empty() {
            self.end_row();
        }
        // A row of which the next ones repeat everything says nothing.
        let last = self.rows.len().saturating_sub(1);
        let said = |(at, row): (usize, Row)| (row.own || at == last || row.is_long()).then_some(row.cells);
        write(writer, self.rows.into_iter().enumerate().filter_map(said).collect());
    }
}
