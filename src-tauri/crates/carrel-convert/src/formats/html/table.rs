//! Tables of HTML: which ones only lay out the page.

use super::elements::{Role, name, role};
use crate::build::table::SHORT_CELL;
use markup5ever_rcdom::{Handle, NodeData};
use std::collections::HashSet;
use std::rc::Rc;

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
