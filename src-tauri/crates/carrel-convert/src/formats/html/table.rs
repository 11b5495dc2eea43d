//! Tables of HTML: which ones only lay out the page, and how spans become a grid.

use super::elements::{Role, name, role};
use crate::build::writer::Writer;
use markup5ever_rcdom::{Handle, NodeData};
use std::collections::HashSet;
use std::rc::Rc;

/// More columns than this are no table.
const MAX_COLUMNS: usize = 500;
const MAX_SPAN: usize = 1000;
/// A cell of data holds a few words.
const SHORT_CELL: usize = 120;

/// The identity of a node while its tree lives.
pub(super) fn key(node: &Handle) -> usize {
    Rc::as_ptr(node) as usize
}

/// A table that was entered, and what its own cells hold.
struct Seen {
    key: usize,
    /// It holds a table or a heading.
    layout: bool,
    /// It has a header cell or a caption.
    data: bool,
    rows: usize,
    cells: usize,
    widest: usize,
    all_cells: usize,
    /// Cells of a few words and nothing else.
    short: usize,
    /// Bytes of the cell that is open, and whether it holds more than text.
    cell: Option<(usize, bool)>,
}

impl Seen {
    fn end_cell(&mut self) {
        if let Some((bytes, more)) = self.cell.take() {
            self.all_cells += 1;
            self.short += usize::from(bytes <= SHORT_CELL && !more);
        }
    }

    /// Whether its cells are read as blocks.
    fn is_layout(&mut self) -> bool {
        self.end_cell();
        let widest = self.widest.max(self.cells);
        let regular = self.rows > 1 && self.short * 10 >= self.all_cells * 7;
        widest < 2 || self.layout && !self.data && !regular
    }
}

/// Tables whose cells are read as blocks: those that have nowhere two cells side by side, and those that hold other tables or headings,
/// unless they have header cells or a caption, or their other cells hold a few words each.
pub(super) fn layout_tables(root: &Handle) -> HashSet<usize> {
    enum Step {
        Enter(Handle),
        LeaveTable,
    }
    let mut found = HashSet::new();
    let mut open: Vec<Seen> = Vec::new();
    let mut steps = vec![Step::Enter(root.clone())];
    while let Some(step) = steps.pop() {
        let node = match step {
            Step::Enter(node) => node,
            Step::LeaveTable => {
                if let Some(mut table) = open.pop()
                    && table.is_layout()
                {
                    found.insert(table.key);
                }
                continue;
            }
        };
        if let (NodeData::Text { contents }, Some(table)) = (&node.data, open.last_mut())
            && let Some((bytes, _)) = &mut table.cell
        {
            *bytes += contents.borrow().trim().len();
        }
        match (name(&node).map(role), open.last_mut()) {
            (Some(Role::Table), outer) => {
                if let Some(outer) = outer {
                    outer.layout = true;
                    outer.cell = outer.cell.map(|(bytes, _)| (bytes, true));
                }
                open.push(Seen {
                    key: key(&node),
                    layout: false,
                    data: false,
                    rows: 0,
                    cells: 0,
                    widest: 0,
                    all_cells: 0,
                    short: 0,
                    cell: None,
                });
                steps.push(Step::LeaveTable);
            }
            (Some(Role::Heading(_)), Some(table)) => {
                table.layout = true;
                table.cell = table.cell.map(|(bytes, _)| (bytes, true));
            }
            (Some(Role::Row), Some(table)) => {
                table.rows += 1;
                table.widest = table.widest.max(table.cells);
                table.cells = 0;
            }
            (Some(Role::Cell), Some(table)) => {
                table.end_cell();
                table.cell = Some((0, false));
                table.cells += 1;
                table.data |= name(&node) == Some("th");
            }
            (Some(Role::Block), Some(table)) => table.data |= name(&node) == Some("caption"),
            _ => {}
        }
        steps.extend(node.children.borrow().iter().rev().cloned().map(Step::Enter));
    }
    found
}

/// A table that is being read.
#[derive(Default)]
pub(super) struct Grid {
    rows: Vec<Row>,
    current: Row,
    /// A row was begun; it may have no cells of its own.
    open: bool,
    /// Rows that a cell above still covers, by column, and what is repeated in them.
    covered: Vec<(usize, String)>,
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
    pub(super) fn row(&mut self) {
        if self.open {
            self.end_row();
        }
        self.open = true;
    }

    /// Adds a cell: its text stands in the first of the columns that it spans, and a short one in each of its rows, so that each row
    /// says all.
    pub(super) fn cell(&mut self, text: String, columns: usize, rows: usize) {
        self.skip_covered();
        let rows = rows.clamp(1, MAX_SPAN);
        self.current.own |= rows == 1 && !text.is_empty();
        let repeated = if rows > 1 && text.len() <= SHORT_CELL { text.clone() } else { String::new() };
        let mut text = Some((text, repeated));
        for _ in 0..columns.clamp(1, MAX_SPAN) {
            let column = self.current.cells.len();
            if column >= MAX_COLUMNS {
                break;
            }
            if self.covered.len() <= column {
                self.covered.resize(column + 1, (0, String::new()));
            }
            let (text, repeated) = text.take().unwrap_or_default();
            if let Some(covered) = self.covered.get_mut(column) {
                *covered = (rows, repeated);
            }
            self.current.cells.push(text);
        }
    }

    fn skip_covered(&mut self) {
        while let Some((_, text)) = self.covered.get(self.current.cells.len()).filter(|(rows, _)| *rows > 0) {
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
    pub(super) fn write(mut self, writer: &mut Writer) {
        if self.open || !self.current.cells.is_empty() {
            self.end_row();
        }
        // A row of which the next ones repeat everything says nothing.
        let last = self.rows.len().saturating_sub(1);
        let said = |(at, row): (usize, Row)| (row.own || at == last || row.is_long()).then_some(row.cells);
        let mut rows: Vec<Vec<String>> = self.rows.into_iter().enumerate().filter_map(said).collect();
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        if columns == 0 {
            return;
        }
        writer.open_table();
        for row in &mut rows {
            row.resize(columns, String::new());
            writer.row(row, None);
        }
        writer.close_table();
    }
}
