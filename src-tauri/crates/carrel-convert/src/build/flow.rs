//! A flow of paragraphs and tables: the body, a note, a text box.

use super::lists::Lists;
use super::runs::Runs;
use super::table;
use super::writer::Writer;

/// What ends a paragraph says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Paragraph {
    pub(crate) heading: Option<u8>,
    pub(crate) title: bool,
    pub(crate) in_table: bool,
    /// How many tables it stands in, where it stands in one.
    pub(crate) depth: u32,
    /// Level and number.
    pub(crate) item: Option<(u8, Option<u64>)>,
}

enum Block {
    Paragraph(Paragraph, Runs),
    Table(Vec<Vec<String>>),
}

/// A table that is being read.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    cells: Vec<String>,
    /// Paragraphs of the cell.
    texts: Vec<String>,
}

impl Table {
    fn end_cell(&mut self) {
        self.cells.push(std::mem::take(&mut self.texts).join(" "));
    }

    fn end_row(&mut self) {
        if !self.texts.is_empty() {
            self.end_cell();
        }
        if !self.cells.is_empty() {
            self.rows.push(std::mem::take(&mut self.cells));
        }
    }
}

/// The flow.
#[derive(Default)]
pub(crate) struct Flow {
    pub(crate) runs: Runs,
    blocks: Vec<Block>,
    table: Table,
    inner: Table,
    /// Tables that were ended inside cells of the one that is open, and what else follows it.
    after: Vec<Block>,
}

impl Flow {
    /// Puts a label before the paragraph that is open.
    pub(crate) fn label(&mut self, label: &str) {
        let runs = std::mem::take(&mut self.runs);
        self.runs.text(&format!("{} ", label.trim()), false, false);
        self.runs.append(runs);
    }

    /// Ends the paragraph that is open.
    pub(crate) fn end_paragraph(&mut self, paragraph: Paragraph) {
        let runs = std::mem::take(&mut self.runs);
        if paragraph.in_table {
            let table = if paragraph.depth > 1 { &mut self.inner } else { &mut self.table };
            if !runs.is_empty() {
                table.texts.push(runs.line(true));
            }
            return;
        }
        self.end_table();
        if !runs.is_empty() {
            self.blocks.push(Block::Paragraph(paragraph, runs));
        }
    }

    /// Ends a cell, of a table inside a cell where `inner`.
    pub(crate) fn end_cell(&mut self, inner: bool) {
        let depth = 1 + u32::from(inner);
        self.end_paragraph(Paragraph { in_table: true, depth, ..Paragraph::default() });
        if inner {
            self.inner.end_cell();
        } else {
            self.end_inner();
            self.table.end_cell();
        }
    }

    /// Ends a row.
    pub(crate) fn end_row(&mut self, inner: bool) {
        if inner {
            self.inner.end_row();
        } else {
            self.end_inner();
            self.table.end_row();
        }
    }

    fn end_inner(&mut self) {
        self.inner.end_row();
        let rows = std::mem::take(&mut self.inner.rows);
        if !rows.is_empty() {
            self.after.push(Block::Table(rows));
        }
    }

    fn end_table(&mut self) {
        self.end_inner();
        self.table.end_row();
        let rows = std::mem::take(&mut self.table.rows);
        if !rows.is_empty() {
            self.blocks.push(Block::Table(rows));
        }
        self.blocks.append(&mut self.after);
    }

    /// Adds another flow after what is open.
    pub(crate) fn append(&mut self, mut other: Flow, paragraph: Paragraph) {
        other.end_paragraph(Paragraph::default());
        if paragraph.in_table {
            self.after.append(&mut other.blocks);
        } else {
            let runs = std::mem::take(&mut self.runs);
            if !runs.is_empty() {
                self.blocks.push(Block::Paragraph(paragraph, runs));
            }
            self.blocks.append(&mut other.blocks);
        }
    }

    /// All of it as one line of Markdown.
    pub(crate) fn line(mut self) -> String {
        self.end_paragraph(Paragraph::default());
        let texts = self.blocks.into_iter().map(|block| match block {
            Block::Paragraph(_, runs) => runs.line(true),
            Block::Table(rows) => rows.concat().join(" "),
        });
        texts.filter(|t| !t.trim().is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Writes it.
    pub(crate) fn write(mut self, writer: &mut Writer) {
        self.end_paragraph(Paragraph::default());
        let mut lists = Lists::default();
        for block in self.blocks {
            match block {
                Block::Paragraph(Paragraph { item: Some((level, number)), heading: None, .. }, runs) => {
                    lists.item(writer, level, number);
                    writer.paragraph(&runs.markdown(true));
                }
                Block::Paragraph(paragraph, runs) => {
                    lists.end(writer);
                    if paragraph.title {
                        writer.title(&runs.plain());
                    }
                    let heading = if paragraph.title { Some(1) } else { paragraph.heading };
                    match heading {
                        Some(level) => writer.heading(level, &runs.line(false), &runs.plain()),
                        None => writer.paragraph(&runs.markdown(true)),
                    }
                }
                Block::Table(rows) => {
                    lists.end(writer);
                    match rows.as_slice() {
                        [row] if row.len() == 1 => writer.paragraph(&row.concat()),
                        _ => table::write(writer, rows),
                    }
                }
            }
        }
        lists.end(writer);
    }
}
