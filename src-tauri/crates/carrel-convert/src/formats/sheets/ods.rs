//! Sheets of OpenDocument, read as a stream: cells as shown, dates in ISO form, comments.
//!
//! Changes that were tracked lie apart and are not read. A row or cell that says it is repeated is repeated only where it holds
//! something, and within the limit on cells.

use super::{Cells, Sheet};
use crate::formats::xml::character;
use carrel_engine::seams::ConvertError;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::collections::HashSet;

/// What is nested deeper is left out.
const MAX_DEPTH: usize = 256;
/// How often a filled cell or row is repeated.
const MAX_REPEAT: u32 = 1_000;
/// Cells of a sheet that are made of repetition alone.
const MAX_REPEATED: u32 = 100_000;

/// A cell that is being read.
#[derive(Default)]
struct Cell {
    times: u32,
    /// The value, where it is a date.
    date: Option<String>,
    text: String,
    comment: String,
}

/// Reads the sheets and hands each to `sheet`, until that wants no more. Whether something was nested too deeply and left out.
pub(super) fn read(xml: &str, mut sheet: impl FnMut(Sheet) -> bool) -> Result<bool, ConvertError> {
    let damaged = |_: quick_xml::Error| ConvertError::Damaged {
        detail: "its content breaks off or is not valid".into(),
    };
    let mut reader = Reader::from_str(xml);
    let mut hidden_styles: HashSet<String> = HashSet::new();
    let mut style = String::new();
    let mut current: Option<Sheet> = None;
    let mut state = State::default();
    let mut depth = 0_usize;
    // Depth of an element that is passed over with all that it holds.
    let mut skip: Option<usize> = None;
    let mut is_cut = false;
    loop {
        match reader.read_event().map_err(damaged)? {
            Event::Eof => return Ok(is_cut),
            Event::Start(start) => {
                depth += 1;
                if depth > MAX_DEPTH && skip.is_none() {
                    skip = Some(depth);
                    is_cut = true;
                }
                if skip.is_none() {
                    match start.local_name().as_ref() {
                        "tracked-changes" | "shapes" | "frame" | "forms" | "named-expressions" => {
                            skip = Some(depth);
                        }
                        _ => open(&start, &mut style, &mut hidden_styles, &mut current, &mut state),
                    }
                }
            }
            Event::Empty(start) if skip.is_none() => {
                open(&start, &mut style, &mut hidden_styles, &mut current, &mut state);
                let done = close(start.local_name().as_ref(), &mut current, &mut state);
                if done.is_some_and(|done| !sheet(done)) {
                    return Ok(is_cut);
                }
            }
            Event::End(end) => {
                if skip.is_none()
                    && let Some(done) = close(end.local_name().as_ref(), &mut current, &mut state)
                    && !sheet(done)
                {
                    return Ok(is_cut);
                }
                if skip == Some(depth) {
                    skip = None;
                }
                depth = depth.saturating_sub(1);
            }
            Event::Text(text) if skip.is_none() => state.text(&text.xml10_content()),
            Event::CData(text) if skip.is_none() => state.text(&text.xml10_content()),
            Event::GeneralRef(reference) if skip.is_none() => {
                let c = character(&reference);
                state.text(c.map(String::from).as_deref().unwrap_or_default());
            }
            _ => {}
        }
    }
}

/// Where the stream stands.
struct State {
    /// Cells that may still be made of what is said to be repeated.
    repeated: u32,
    row: u32,
    column: u32,
    row_times: u32,
    /// What the row holds: column and text.
    line: Vec<(u32, String)>,
    cell: Option<Cell>,
    in_comment: bool,
    /// Paragraphs that are open.
    paragraph: bool,
    author: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            repeated: MAX_REPEATED,
            row: 0,
            column: 0,
            row_times: 0,
            line: Vec::new(),
            cell: None,
            in_comment: false,
            paragraph: false,
            author: false,
        }
    }
}

impl State {
    fn text(&mut self, text: &str) {
        let Some(cell) = &mut self.cell else { return };
        if self.in_comment && (self.paragraph || self.author) {
            cell.comment.push_str(text);
        } else if self.paragraph {
            cell.text.push_str(text);
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let mut found = attributes.with_checks(false).flatten();
    let found = found.find(|a| a.key.local_name().as_ref() == name)?;
    Some(found.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}

fn count(start: &BytesStart<'_>, name: &str) -> u32 {
    attribute(start, name).and_then(|n| n.parse().ok()).unwrap_or(1).max(1)
}

fn open(
    start: &BytesStart<'_>,
    style: &mut String,
    hidden: &mut HashSet<String>,
    current: &mut Option<Sheet>,
    state: &mut State,
) {
    match start.local_name().as_ref() {
        "style" => *style = attribute(start, "name").unwrap_or_default(),
        "table-properties" if attribute(start, "display").as_deref() == Some("false") => {
            hidden.insert(style.clone());
        }
        // Tables inside cells belong to charts, and repeat what sheets hold.
        "table" if current.is_none() => {
            let is_hidden = attribute(start, "style-name").is_some_and(|s| hidden.contains(&s));
            let name = attribute(start, "name").unwrap_or_default();
            *current = Some(Sheet { name, hidden: is_hidden, cells: Cells::default(), comments: Vec::new() });
            *state = State::default();
        }
        "table-row" => {
            state.row_times = count(start, "number-rows-repeated");
            state.column = 0;
            state.line.clear();
        }
        "table-cell" | "covered-table-cell" => {
            let date = match attribute(start, "value-type").as_deref() {
                Some("date") => attribute(start, "date-value"),
                _ => None,
            };
            state.cell =
                Some(Cell { times: count(start, "number-columns-repeated"), date, ..Cell::default() });
        }
        "annotation" => state.in_comment = true,
        "creator" => state.author = true,
        "date" => {}
        "p" | "h" => {
            state.paragraph = true;
            if let Some(cell) = &mut state.cell {
                let text = if state.in_comment { &mut cell.comment } else { &mut cell.text };
                if !text.is_empty() && !text.ends_with(": ") {
                    text.push(' ');
                }
            }
        }
        "s" | "tab" | "line-break" => state.text(" "),
        _ => {}
    }
}

/// Ends an element; the sheet that it ends.
fn close(name: &str, current: &mut Option<Sheet>, state: &mut State) -> Option<Sheet> {
    match name {
        "table" => return current.take(),
        "table-row" => {
            if let Some(sheet) = current
                && !state.line.is_empty()
            {
                let line = state.line.len() as u32;
                let times = state.row_times.min(MAX_REPEAT).min(1 + state.repeated / line.max(1));
                let left_out = u64::from(state.row_times - times).saturating_mul(u64::from(line));
                sheet.cells.repeats = sheet.cells.repeats.saturating_add(left_out);
                state.repeated = state.repeated.saturating_sub((times - 1).saturating_mul(line));
                'rows: for row in 0..times {
                    for (column, text) in &state.line {
                        if !sheet.cells.push(state.row.saturating_add(row), *column, text.clone()) {
                            break 'rows;
                        }
                    }
                }
            }
            state.row = state.row.saturating_add(state.row_times);
        }
        "table-cell" | "covered-table-cell" => {
            let cell = state.cell.take()?;
            let text = cell.date.map_or(cell.text, |date| shown_date(&date));
            let text = text.trim();
            if !text.is_empty() {
                let times = cell.times.min(MAX_REPEAT).min(1 + state.repeated);
                if let Some(sheet) = current {
                    sheet.cells.repeats = sheet.cells.repeats.saturating_add(u64::from(cell.times - times));
                }
                state.repeated -= times - 1;
                for column in 0..times {
                    state.line.push((state.column.saturating_add(column), text.to_owned()));
                }
            }
            if let Some(sheet) = current
                && !cell.comment.trim().is_empty()
            {
                let place = super::place(state.row, state.column);
                sheet.comments.push((place, cell.comment.trim().to_owned()));
            }
            state.column = state.column.saturating_add(cell.times);
        }
        "annotation" => state.in_comment = false,
        "creator" => {
            state.author = false;
            if state.in_comment
                && let Some(cell) = &mut state.cell
                && !cell.comment.is_empty()
            {
                cell.comment.push_str(": ");
            }
        }
        "p" | "h" => state.paragraph = false,
        _ => {}
    }
    None
}

/// `2021-03-02T00:00:00` is a day; seconds of zero say nothing.
pub(super) fn shown_date(value: &str) -> String {
    let (day, time) = value.split_once('T').unwrap_or((value, ""));
    let time = time.split('.').next().unwrap_or_default();
    let time = time.strip_suffix(":00").filter(|t| t.contains(':')).unwrap_or(time);
    if time.is_empty() || time == "00:00" { day.to_owned() } else { format!("{day} {time}") }
}
