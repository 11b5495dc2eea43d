//! XLSX through calamine: each sheet is a heading and a table with its first row as header, rows located.
//!
//! Cells are read one by one: a sheet with one cell in its far corner costs two cells, not the rectangle.

mod number;

use super::package::Package;
use super::{Progress, Source};
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use calamine::{DataRef, Reader, SheetType, SheetVisible, Xlsx};
use carrel_engine::domain::Location;
use carrel_engine::seams::ConvertError;
use std::collections::BTreeSet;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Cells of a sheet, and columns of its table; what lies beyond is named in a warning.
const MAX_CELLS: usize = 4_000_000;
const MAX_COLUMNS: usize = 1_000;
/// Rows and columns that a sheet of the format has.
const SHEET: (u32, u32) = (1_048_576, 16_384);
/// Said of a sheet whose cells lie beyond that, and of one that the reader stumbles over: it reckons with addresses unchecked.
const IMPOSSIBLE: &str = "it has cells that no sheet can have, such as an address out of bounds";

type Book<'a> = Xlsx<Cursor<&'a [u8]>>;

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    // Its directory shows whether it is a bomb, before calamine unpacks anything.
    drop(Package::open(source)?);
    let damaged = |error| ConvertError::Damaged { detail: format!("the workbook cannot be read: {error}") };
    let mut book = Book::new(Cursor::new(source.bytes)).map_err(damaged)?;
    let sheets: Vec<_> =
        book.sheets_metadata().iter().filter(|s| s.typ == SheetType::WorkSheet).cloned().collect();
    let of = sheets.len() as u32;
    if of > source.limits.pages {
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Ok(Some(title)) = book.workbook_properties().map(|p| p.title) {
        writer.title(&title);
    }
    for (sheet, part) in sheets.iter().zip(1..) {
        (source.progress)(Progress { unit: "sheet", part, of });
        if writer.is_full() {
            break;
        }
        // A fault in one sheet costs that sheet.
        let cells = catch_unwind(AssertUnwindSafe(|| Cells::read(&mut book, &sheet.name)))
            .unwrap_or_else(|_| Err(IMPOSSIBLE.to_owned()));
        match cells {
            Ok(cells) => write(&cells, &sheet.name, sheet.visible != SheetVisible::Visible, &mut writer),
            Err(error) => {
                writer.missing("damaged", format!("sheet {} could not be read: {error}", sheet.name));
            }
        }
    }
    writer.finish()
}

/// The cells of a sheet that hold something, row by row.
#[derive(Default)]
struct Cells {
    /// Number of the row, counting from 1, and its cells by column.
    rows: Vec<(u32, Vec<(u32, String)>)>,
    columns: BTreeSet<u32>,
    cut: bool,
}

impl Cells {
    fn read(book: &mut Book<'_>, sheet: &str) -> Result<Self, String> {
        let mut reader = book.worksheet_cells_reader(sheet).map_err(|e| e.to_string())?;
        let styles = reader.styles();
        let formats: Vec<Option<String>> =
            styles.iter().map(|s| s.number_format.as_ref().map(|f| f.format_code.clone())).collect();
        let mut cells = Self::default();
        let mut count = 0;
        while let Some((cell, style)) = reader.next_cell_with_style_id().map_err(|e| e.to_string())? {
            let format = formats.get(style).and_then(Option::as_deref);
            let text = shown(cell.get_value(), format);
            if text.is_empty() {
                continue;
            }
            count += 1;
            if count > MAX_CELLS {
                cells.cut = true;
                break;
            }
            let (row, column) = cell.get_position();
            if row >= SHEET.0 || column >= SHEET.1 {
                return Err(IMPOSSIBLE.to_owned());
            }
            cells.columns.insert(column);
            match cells.rows.last_mut() {
                Some((last, row_cells)) if *last == row + 1 => row_cells.push((column, text)),
                _ => cells.rows.push((row + 1, vec![(column, text)])),
            }
        }
        Ok(cells)
    }
}

/// The cell as the sheet shows it; dates in ISO form.
fn shown(value: &DataRef<'_>, format: Option<&str>) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::String(text) => text.trim().to_owned(),
        DataRef::SharedString(text) => text.trim().to_owned(),
        DataRef::Int(number) => number::shown(*number as f64, format),
        DataRef::Float(number) => number::shown(*number, format),
        DataRef::Bool(true) => "TRUE".to_owned(),
        DataRef::Bool(false) => "FALSE".to_owned(),
        DataRef::DateTime(moment) => number::moment(moment, format),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(error) => error.to_string(),
    }
}

fn write(cells: &Cells, sheet: &str, hidden: bool, writer: &mut Writer) {
    if cells.rows.is_empty() {
        return;
    }
    let here =
        |row: u32| Location { sheet: Some(sheet.to_owned()), rows: Some((row, row)), ..Location::default() };
    let first = cells.rows.first().map_or(1, |(row, _)| *row);
    writer.locate(Some(here(first)));
    let name = if hidden { format!("{sheet} (hidden)") } else { sheet.to_owned() };
    writer.heading(2, &escaped(&name), &name);
    let columns: Vec<u32> = cells.columns.iter().copied().take(MAX_COLUMNS).collect();
    if cells.columns.len() > MAX_COLUMNS {
        writer.missing(
            "too_wide",
            format!("sheet {sheet}: only its first {MAX_COLUMNS} used columns were read"),
        );
    }
    if cells.cut {
        writer.missing("too_large", format!("sheet {sheet}: only its first {MAX_CELLS} cells were read"));
    }
    // Titles and remarks above the table stand alone in their rows.
    let above = match (columns.len(), cells.rows.len()) {
        (1, 1) => 1,
        (1, _) => 0,
        _ => cells.rows.iter().take_while(|(_, row)| row.len() == 1).count(),
    };
    let (titles, table) = cells.rows.split_at(above);
    for (row, cells) in titles {
        writer.locate(Some(here(*row)));
        for (_, text) in cells {
            writer.paragraph(&escaped(text));
        }
    }
    if table.is_empty() {
        return;
    }
    writer.open_table();
    for (number, row) in table {
        if writer.is_full() {
            break;
        }
        let mut line = vec![String::new(); columns.len()];
        for (column, text) in row {
            if let Ok(at) = columns.binary_search(column)
                && let Some(cell) = line.get_mut(at)
            {
                *cell = escaped(text);
            }
        }
        writer.row(&line, Some(here(*number)));
    }
    writer.close_table();
}
