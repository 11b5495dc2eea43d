//! Tables: merged cells hold their text once, tables inside cells follow the table around them.

use super::Walk;
use super::inline::Run;
use super::styles::Mark;
use crate::build::inline::escaped;
use crate::build::table::{MAX_COLUMNS, write};
use crate::formats::xml::Id;

impl Walk<'_, '_> {
    pub(super) fn table(&mut self, table: Id) {
        let tree = self.tree;
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut nested: Vec<Id> = Vec::new();
        let mut cells = Vec::new();
        let mut breaks = 0;
        let mut hanging = Run::default();
        for row in self.parts(table, "tr") {
            let properties = tree.child(row, "trPr");
            if properties.is_some_and(|p| tree.child(p, "del").is_some()) {
                continue;
            }
            let mut line: Vec<String> = Vec::new();
            let before =
                properties.and_then(|p| tree.val(p, "gridBefore")).and_then(|n| n.parse().ok()).unwrap_or(0);
            line.resize(before.min(MAX_COLUMNS), String::new());
            for cell in self.parts(row, "tc") {
                cells.push(cell);
                let properties = tree.child(cell, "tcPr");
                let span = properties
                    .and_then(|p| tree.val(p, "gridSpan"))
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(1_usize);
                let covered = properties
                    .and_then(|p| tree.child(p, "vMerge"))
                    .is_some_and(|m| tree.attribute(m, "val").is_none_or(|v| v == "continue"));
                // What a merged cell covers is not shown, and does not count.
                let skipped = covered && tree.text_of(cell).trim().is_empty();
                let text = if skipped {
                    String::new()
                } else {
                    self.cell(cell, &mut nested, &mut hanging, &mut breaks)
                };
                line.push(if covered { String::new() } else { text });
                line.resize((line.len() + span.clamp(1, MAX_COLUMNS) - 1).min(MAX_COLUMNS), String::new());
            }
            if line.iter().any(|cell| !cell.is_empty()) {
                rows.push(line);
            }
        }
        self.locate();
        if let [only] = cells.as_slice() {
            // A frame around text, not a table.
            self.blocks(*only);
            self.end_lists();
            self.end_code();
            return;
        }
        if !rows.is_empty() {
            write(&mut self.writer, rows);
        }
        self.page = self.page.map(|page| page + breaks);
        self.hanging(&mut hanging);
        for inner in nested {
            self.table(inner);
        }
    }

    /// Rows of a table or cells of a row, those in content controls and accepted changes among them.
    fn parts(&self, parent: Id, name: &str) -> Vec<Id> {
        let mut found = Vec::new();
        let mut stack: Vec<Id> = self.tree.children(parent).collect();
        stack.reverse();
        while let Some(id) = stack.pop() {
            match self.tree.name(id) {
                n if n == name => found.push(id),
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => {
                    let children: Vec<Id> = self.tree.children(id).collect();
                    stack.extend(children.into_iter().rev());
                }
                _ => {}
            }
        }
        found
    }

    /// The text of a cell on one line; items of lists with their labels.
    fn cell(&mut self, cell: Id, nested: &mut Vec<Id>, hanging: &mut Run, breaks: &mut u32) -> String {
        let mut texts: Vec<(Mark, String)> = Vec::new();
        let mut stack: Vec<Id> = self.tree.children(cell).collect();
        stack.reverse();
        while let Some(id) = stack.pop() {
            match self.tree.name(id) {
                "p" => {
                    let style = self.context.styles.of(self.tree, id);
                    let mut runs = Run::default();
                    if !style.hidden {
                        self.runs(id, &mut runs);
                    }
                    *breaks += runs.page_breaks;
                    let mark =
                        style.list.map_or(Mark::None, |(list, level)| self.numbering.next(&list, level));
                    texts.push((mark, runs.runs.line(true)));
                    hanging.charts.append(&mut runs.charts);
                    hanging.diagrams.append(&mut runs.diagrams);
                    hanging.descriptions.append(&mut runs.descriptions);
                    let boxes = std::mem::take(&mut runs.boxes);
                    stack.extend(boxes.into_iter().rev());
                }
                "tbl" => nested.push(id),
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "txbxContent" => {
                    let children: Vec<Id> = self.tree.children(id).collect();
                    stack.extend(children.into_iter().rev());
                }
                _ => {}
            }
        }
        labelled(texts)
    }
}

/// The paragraphs of a cell on one line. A number stands even where nothing else does: rows are counted so.
fn labelled(mut texts: Vec<(Mark, String)>) -> String {
    let is_empty = texts.iter().all(|(_, text)| text.is_empty());
    texts.retain(|(mark, text)| !text.is_empty() || is_empty && matches!(mark, Mark::Number(..)));
    let alone = texts.len() == 1;
    let line = texts.iter().map(|(mark, text)| match mark {
        Mark::Number(_, label) => format!("{} {text}", escaped(label.trim())),
        // A bullet only parts items.
        Mark::Bullet if !alone => format!("- {text}"),
        _ => text.clone(),
    });
    line.map(|text| text.trim().to_owned()).collect::<Vec<_>>().join(" ")
}
