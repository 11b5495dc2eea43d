//! The writer of blocks: whatever is asked of it in whatever order, it keeps the contract.

use super::{Input, OUTPUT, finished};
use crate::build::flow::{Flow, Paragraph};
use crate::build::inline::{Inline, escaped};
use crate::build::table::Grid;
use crate::build::writer::Writer;
use crate::build::{Draft, page, parse};
use crate::catalogue::Converter;
use crate::text::clean::code;

/// Containers inside each other, more than the writer opens.
const DEPTH: usize = 40;

/// Each byte is a call, what follows are its arguments.
pub(super) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut writer = Writer::new(OUTPUT);
    while !input.is_empty() {
        blocks(&mut input, &mut writer, 0);
    }
    finished(Converter::Html, writer.finish());
}

/// Some blocks, one after the other; what is opened is closed, as every caller does.
fn blocks(input: &mut Input<'_>, writer: &mut Writer, depth: usize) {
    for _ in 0..=input.byte() % 8 {
        match input.byte() % 12 {
            0 => writer.paragraph(&inline(input)),
            1 => {
                let (level, text) = (input.byte(), input.text());
                writer.heading(level, &escaped(&text), &text);
            }
            2 => writer.code(input.one(&[None, Some("rust"), Some("sql")]).flatten(), &input.text()),
            3 => writer.rule(),
            4 if depth < DEPTH => {
                writer.open_quote();
                blocks(input, writer, depth + 1);
                writer.close();
            }
            5 | 6 if depth < DEPTH => list(input, writer, depth),
            7 => table(input, writer),
            8 => flow(input, writer),
            9 => {
                let texts: Vec<String> = (0..input.byte() % 4).map(|_| inline(input)).collect();
                let parts: Vec<_> =
                    texts.iter().zip(1..).map(|(text, number)| (text.as_str(), Some(page(number)))).collect();
                writer.paragraph_parts(&parts);
            }
            // Parts of other files stand between blocks of the top only.
            10 if depth == 0 => {
                let markdown = code(&input.text()).trim().to_owned();
                let blocks = parse::blocks(&markdown);
                let level = input.byte() % 6 + 1;
                writer.append(Draft { markdown, blocks, ..Draft::default() }, level, Some("part"));
            }
            11 => writer.locate(Some(page(u32::from(input.byte()) + 1))),
            _ => writer.title(&input.text()),
        }
    }
}

fn list(input: &mut Input<'_>, writer: &mut Writer, depth: usize) {
    writer.open_list(input.one(&[None, Some(1), Some(7), Some(u64::from(u32::MAX))]).flatten());
    for _ in 0..input.byte() % 4 {
        writer.open_item();
        blocks(input, writer, depth + 1);
        writer.close();
    }
    writer.close();
}

fn inline(input: &mut Input<'_>) -> String {
    const MARKS: &[&str] = &["**", "*", "~~"];
    let mut inline = Inline::default();
    for _ in 0..input.byte() % 8 {
        match input.byte() % 6 {
            0 | 1 => inline.text(&input.text()),
            2 => inline.code(&input.text()),
            3 => inline.open(input.one(MARKS).unwrap_or_default()),
            4 => inline.close(input.one(MARKS).unwrap_or_default()),
            _ => inline.newline(),
        }
    }
    inline.finish()
}

fn table(input: &mut Input<'_>, writer: &mut Writer) {
    let mut grid = Grid::default();
    for _ in 0..input.byte() % 16 {
        if input.byte().is_multiple_of(3) {
            grid.row();
        } else {
            let text = inline(input);
            grid.cell(text, usize::from(input.byte()), usize::from(input.byte()));
        }
    }
    grid.write(writer);
}

fn flow(input: &mut Input<'_>, writer: &mut Writer) {
    let mut flow = Flow::default();
    for _ in 0..input.byte() % 16 {
        match input.byte() % 5 {
            0 => flow.runs.text(&input.text(), input.byte() % 2 == 1, input.byte() % 2 == 1),
            1 => flow.end_cell(input.byte() % 2 == 1),
            2 => flow.end_row(input.byte() % 2 == 1),
            _ => flow.end_paragraph(Paragraph {
                heading: input.one(&[None, Some(1), Some(9)]).flatten(),
                title: input.byte() % 8 == 1,
                in_table: input.byte() % 2 == 1,
                depth: u32::from(input.byte() % 4),
                item: input.one(&[None, None, Some((0, None)), Some((3, Some(7)))]).flatten(),
            }),
        }
    }
    flow.write(writer);
}
