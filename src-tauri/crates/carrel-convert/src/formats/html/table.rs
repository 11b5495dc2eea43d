//! Tables of HTML: which ones only lay out the page.

use super::elements::{Role, name, role};
use markup5ever_rcdom::Handle;
use std::collections::HashSet;
use std::rc::Rc;

/// The identity of a node while its tree lives.
pub(super) fn key(node: &Handle) -> usize {
    Rc::as_ptr(node) as usize
}

/// Tables that hold other tables, headings, or nowhere two cells side by side: their cells are read as blocks.
pub(super) fn layout_tables(root: &Handle) -> HashSet<usize> {
    enum Step {
        Enter(Handle),
        LeaveTable,
    }
    struct Seen {
        key: usize,
        layout: bool,
        cells: usize,
        widest: usize,
    }
    let mut found = HashSet::new();
    let mut open: Vec<Seen> = Vec::new();
    let mut steps = vec![Step::Enter(root.clone())];
    while let Some(step) = steps.pop() {
        let node = match step {
            Step::Enter(node) => node,
            Step::LeaveTable => {
                if let Some(table) = open.pop()
                    && (table.layout || table.widest.max(table.cells) < 2)
                {
                    found.insert(table.key);
                }
                continue;
            }
        };
        match (name(&node).map(role), open.last_mut()) {
            (Some(Role::Table), outer) => {
                if let Some(outer) = outer {
                    outer.layout = true;
                }
                open.push(Seen { key: key(&node), layout: false, cells: 0, widest: 0 });
                steps.push(Step::LeaveTable);
            }
            (Some(Role::Heading(_)), Some(table)) => table.layout = true,
            (Some(Role::Row), Some(table)) => {
                table.widest = table.widest.max(table.cells);
                table.cells = 0;
            }
            (Some(Role::Cell), Some(table)) => table.cells += 1,
            _ => {}
        }
        steps.extend(node.children.borrow().iter().rev().cloned().map(Step::Enter));
    }
    found
}
