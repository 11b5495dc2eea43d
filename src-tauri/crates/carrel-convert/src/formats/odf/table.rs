//! Tables: a merged cell holds its text once, tables inside cells follow the table around them.

use super::Walk;
use super::styles::style_of;
use crate::build::inline::escaped;
use crate::build::table::{MAX_COLUMNS, write};
use crate::formats::xml::{Id, Tree};

/// What may stand between a table and its rows.
const BETWEEN: &[&str] = &["table-header-rows", "table-rows", "table-row-group"];
/// What may stand between a row and its cells, or a cell and its paragraphs.
const INSIDE: &[&str] = &["section", "index-body", "table-of-content", "text-box"];
/// How often a row that says that it is repeated is written.
const MAX_REPEAT: usize = 100;
/// Cells of a table that are made of repeated rows alone.
const MAX_REPEATED: usize = 50_000;

/// How often a cell or row stands there.
fn repeated(tree: &Tree, id: Id, attribute: &str, most: usize) -> usize {
    tree.attribute(id, attribute).and_then(|n| n.parse().ok()).unwrap_or(1).clamp(1, most)
}

/// Rows of a table, each cell by `text`.
fn rows(tree: &Tree, table: Id, mut text: impl FnMut(Id) -> String) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut left = MAX_REPEATED;
    for row in tree.children_through(table, BETWEEN).filter(|r| tree.name(*r) == "table-row") {
        let mut line: Vec<String> = Vec::new();
        for cell in tree.children(row) {
            let content = match tree.name(cell) {
                "table-cell" => text(cell),
                "covered-table-cell" => String::new(),
                _ => continue,
            };
            let times = repeated(tree, cell, "number-columns-repeated", MAX_COLUMNS);
            for _ in 0..times.min(MAX_COLUMNS - line.len().min(MAX_COLUMNS)) {
                line.push(content.clone());
            }
        }
        while line.last().is_some_and(String::is_empty) {
            line.pop();
        }
        let times = repeated(tree, row, "number-rows-repeated", MAX_REPEAT);
        let times = if line.is_empty() { 1 } else { times.min(1 + left / line.len()) };
        left = left.saturating_sub((times - 1) * line.len());
        for _ in 1..times {
            rows.push(line.clone());
        }
        rows.push(line);
    }
    rows
}

/// A table of plain text, as charts keep it.
pub(super) fn plain(tree: &Tree, table: Id) -> Vec<Vec<String>> {
    rows(tree, table, |cell| {
        let texts = tree.descendants(cell, "p").map(|p| tree.text_of(p)).collect::<Vec<_>>();
        escaped(&texts.join(" "))
    })
}

impl Walk<'_, '_> {
    pub(super) fn table(&mut self, table: Id) {
        let tree = self.tree;
        if self.writer.is_full() || self.styles.hidden("table", style_of(tree, table)) {
            return;
        }
        let cells: Vec<Id> = tree
            .children_through(table, BETWEEN)
            .flat_map(|row| tree.children(row))
            .filter(|c| matches!(tree.name(*c), "table-cell" | "covered-table-cell"))
            .take(2)
            .collect();
        if let [only] = cells.as_slice() {
            // A frame around text, not a table.
            self.blocks(*only);
            return self.end();
        }
        let mut nested = Vec::new();
        let rows = rows(tree, table, |cell| self.cell(cell, &mut nested));
        write(&mut self.writer, rows);
        for inner in nested {
            self.table(inner);
        }
    }

    /// The text of a cell on one line.
    fn cell(&mut self, cell: Id, nested: &mut Vec<Id>) -> String {
        let mut texts = Vec::new();
        self.cell_parts(cell, &mut texts, nested);
        texts.join(" ")
    }

    fn cell_parts(&mut self, parent: Id, texts: &mut Vec<String>, nested: &mut Vec<Id>) {
        let tree = self.tree;
        let mut stack: Vec<Id> = tree.children_through(parent, INSIDE).collect();
        stack.reverse();
        while let Some(id) = stack.pop() {
            match tree.name(id) {
                "p" | "h" => {
                    let (runs, frames) = self.runs_of(id);
                    let line = runs.line(true);
                    if !line.is_empty() {
                        texts.push(line);
                    }
                    for frame in frames.into_iter().rev() {
                        stack.extend(tree.children_through(frame, INSIDE));
                    }
                }
                "list" => self.cell_list(id, 1, "", texts, nested),
                "table" => nested.push(id),
                _ => {}
            }
        }
    }

    /// The items of a list in a cell, with their numbers. The depth of the tree bounds the depth of lists.
    fn cell_list(
        &mut self,
        list: Id,
        level: u8,
        inherited: &str,
        texts: &mut Vec<String>,
        nested: &mut Vec<Id>,
    ) {
        let tree = self.tree;
        let mut counting = self.counting(list, level, inherited);
        for item in self.items(list) {
            self.start_at(item, &mut counting);
            let mut own = Vec::new();
            let mut below = Vec::new();
            for child in tree.children(item) {
                if tree.name(child) == "list" {
                    self.cell_list(
                        child,
                        level.saturating_add(1).min(64),
                        counting.style,
                        &mut below,
                        nested,
                    );
                } else if matches!(tree.name(child), "p" | "h") {
                    let (runs, frames) = self.runs_of(child);
                    own.extend(Some(runs.line(true)).filter(|line| !line.is_empty()));
                    for frame in frames {
                        self.cell_parts(frame, &mut below, nested);
                    }
                }
            }
            let label = if own.is_empty() { None } else { self.count(&mut counting) };
            texts.extend(label.map(|number| format!("{number}.")));
            texts.append(&mut own);
            texts.append(&mut below);
        }
    }
}
