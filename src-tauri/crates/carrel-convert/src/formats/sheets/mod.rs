//! Sheets of XLSX, XLSB, XLS and ODS: each is a heading and a table with its first row as header, rows located, comments below.
//!
//! Cells are read one by one where the format allows it: a sheet with one cell in its far corner costs two cells, not the
//! rectangle. Hidden sheets are kept and marked.

mod biff;
mod extras;
pub(super) mod number;
mod ods;
mod office_xml;
mod remarks;
mod xlsb;

use super::ole::Ole;
use super::package::Package;
use super::{Progress, Source, ooxml};
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use crate::catalogue::Converter;
use calamine::{Data, DataRef, Reader, SheetType, SheetVisible, Xls, Xlsx};
use carrel_engine::domain::{Location, joined_cells};
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

/// A sheet that was read.
struct Sheet {
    name: String,
    hidden: bool,
    cells: Cells,
    /// Place and text.
    comments: Vec<(String, String)>,
}

/// Converts the sheets of a file in one of the four formats.
pub(super) fn convert(source: &Source<'_>, format: Converter) -> Result<Draft, ConvertError> {
    let mut writer = Writer::new(source.limits.output_bytes);
    let reader = Cursor::new(source.bytes);
    match format {
        Converter::Ods => {
            let mut package = Package::open(source)?;
            package.unseal(source.password, "content.xml")?;
            let missing = || ConvertError::Damaged { detail: "its part content.xml is missing".into() };
            let content = package.xml("content.xml")?.ok_or_else(missing)?;
            convert_ods(source, &content, &mut writer)?;
        }
        Converter::Xls => match biff::Book::read(source)? {
            Some(book) => {
                let of = book.len() as u32;
                if of > source.limits.pages {
                    return Err(ConvertError::LimitExceeded { limit: "pages" });
                }
                title::<()>(|| Ok(book.title.clone()), &mut writer);
                for (sheet, part) in book.sheets().zip(1..) {
                    (source.progress)(Progress { unit: "sheet", part, of });
                    write(&sheet, &mut writer);
                }
            }
            None => {
                let mut file = Ole::open(source)?;
                title::<()>(|| Ok(file.title()), &mut writer);
                let packed = file.repacked(&["Book", "Workbook"])?;
                let reader = Cursor::new(packed.as_slice());
                let mut book = open(|| Xls::new(reader), |e| matches!(e, calamine::XlsError::Password))?;
                sheets(source, &mut book, &mut writer, false, |book, name, _| {
                    let range = book.worksheet_range(name).map_err(broken)?;
                    let (row, column) = range.start().unwrap_or_default();
                    let mut cells = Cells::default();
                    for (r, c, value) in range.used_cells() {
                        cells.push(row + r as u32, column + c as u32, shown(&reference(value), None));
                    }
                    Ok((cells, Vec::new()))
                })?;
            }
        },
        Converter::Xlsb => {
            let mut package = Package::open(source)?;
            let book = xlsb::Book::read(&mut package)?;
            title(|| ooxml::title(&mut package), &mut writer);
            let of = book.sheets.len() as u32;
            if of > source.limits.pages {
                return Err(ConvertError::LimitExceeded { limit: "pages" });
            }
            for (listed, part) in book.sheets.iter().zip(1..) {
                (source.progress)(Progress { unit: "sheet", part, of });
                let sheet = match book.sheet(&mut package, listed) {
                    Ok(sheet) => Ok(sheet),
                    Err(ConvertError::Damaged { detail }) => Err(detail),
                    Err(error) => return Err(error),
                };
                put(&listed.name, sheet, &mut writer);
            }
        }
        _ => {
            let mut package = Package::open(source)?;
            let mut book = open(|| Xlsx::new(reader), |e| matches!(e, calamine::XlsxError::Password))?;
            title(|| book.workbook_properties().map(|p| p.title), &mut writer);
            let extras = extras::Extras::read(&mut package)?;
            sheets(source, &mut book, &mut writer, true, |book, name, of| {
                if of != SheetType::WorkSheet {
                    return Ok((Cells::default(), extras.of(&mut package, name)));
                }
                let cells = xlsx_cells(book, name)?;
                Ok((cells, extras.of(&mut package, name)))
            })?;
        }
    }
    finish(writer)
}

/// Sheets in one XML file: ODS in its flat form, or what Excel 2002 and 2003 write.
pub(super) fn convert_flat(source: &Source<'_>, xml: &str, format: Converter) -> Result<Draft, ConvertError> {
    let mut writer = Writer::new(source.limits.output_bytes);
    if format == Converter::Ods {
        convert_ods(source, xml, &mut writer)?;
    } else {
        let sheets = office_xml::read(xml, &mut writer)?;
        let of = sheets.len() as u32;
        if of > source.limits.pages {
            return Err(ConvertError::LimitExceeded { limit: "pages" });
        }
        for (sheet, part) in sheets.into_iter().zip(1..) {
            (source.progress)(Progress { unit: "sheet", part, of });
            put(&sheet.name.clone(), Ok(sheet), &mut writer);
        }
    }
    finish(writer)
}

/// The draft; of a workbook in which nothing was written that is said, rather than the names that its sheets were given.
fn finish(writer: Writer) -> Result<Draft, ConvertError> {
    let draft = writer.finish()?;
    if draft.markdown.is_empty() && draft.warnings.is_empty() {
        return Err(ConvertError::NoText { detail: "the sheets of the workbook are empty".into() });
    }
    Ok(draft)
}

fn convert_ods(source: &Source<'_>, xml: &str, writer: &mut Writer) -> Result<(), ConvertError> {
    let mut part = 0;
    let is_cut = ods::read(xml, |sheet| {
        part += 1;
        (source.progress)(Progress { unit: "sheet", part, of: part });
        if part <= source.limits.pages && !writer.is_full() {
            write(&sheet, writer);
        }
        part <= source.limits.pages && !writer.is_full()
    })?;
    if part > source.limits.pages {
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }
    if is_cut {
        writer.missing("too_deep", "what is nested too deeply in it was left out");
    }
    Ok(())
}

/// Opens a workbook. calamine stumbles over some damaged ones.
fn open<B, E>(
    open: impl FnOnce() -> Result<B, E>,
    encrypted: impl Fn(&E) -> bool,
) -> Result<B, ConvertError> {
    match catch_unwind(AssertUnwindSafe(open)) {
        Ok(Ok(book)) => Ok(book),
        Ok(Err(error)) if encrypted(&error) => Err(ConvertError::NeedsPassword),
        Ok(Err(_)) | Err(_) => Err(ConvertError::Damaged {
            detail: "its parts do not fit together; open it in its program and save it again".into(),
        }),
    }
}

/// Says the title; what stumbles over it has none.
fn title<E>(title: impl FnOnce() -> Result<Option<String>, E>, writer: &mut Writer) {
    if let Ok(Ok(Some(title))) = catch_unwind(AssertUnwindSafe(title)) {
        writer.title(&title);
    }
}

/// Cells of a sheet, and its comments.
type Content = (Cells, Vec<(String, String)>);

/// Reads and writes one sheet after the other, those that are charts alone where `charts`.
fn sheets<'a, B: Reader<Cursor<&'a [u8]>>>(
    source: &Source<'_>,
    book: &mut B,
    writer: &mut Writer,
    charts: bool,
    mut read: impl FnMut(&mut B, &str, SheetType) -> Result<Content, String>,
) -> Result<(), ConvertError> {
    let known = |of| of == SheetType::WorkSheet || (charts && of == SheetType::ChartSheet);
    let sheets: Vec<_> = book.sheets_metadata().iter().filter(|s| known(s.typ)).cloned().collect();
    let of = sheets.len() as u32;
    if of > source.limits.pages {
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }
    for (of_sheet, part) in sheets.iter().zip(1..) {
        (source.progress)(Progress { unit: "sheet", part, of });
        if writer.is_full() {
            break;
        }
        let (name, hidden) = (of_sheet.name.clone(), of_sheet.visible != SheetVisible::Visible);
        // A fault in one sheet costs that sheet.
        let content = catch_unwind(AssertUnwindSafe(|| read(book, &of_sheet.name, of_sheet.typ)))
            .unwrap_or_else(|_| Err(IMPOSSIBLE.to_owned()));
        let sheet = content.map(|(cells, comments)| Sheet { name, hidden, cells, comments });
        put(&of_sheet.name, sheet, writer);
    }
    Ok(())
}

/// Writes a sheet, or says why it is missing.
fn put(name: &str, sheet: Result<Sheet, String>, writer: &mut Writer) {
    match sheet {
        Ok(sheet) if !sheet.cells.impossible => write(&sheet, writer),
        other => {
            let why = other.err().unwrap_or_else(|| IMPOSSIBLE.to_owned());
            writer.missing("damaged", format!("sheet {name} could not be read: {why}"));
        }
    }
}

/// The cells of a sheet that hold something, row by row.
#[derive(Default)]
struct Cells {
    /// Number of the row, counting from 1, and its cells by column.
    rows: Vec<(u32, Vec<(u32, String)>)>,
    columns: BTreeSet<u32>,
    count: usize,
    cut: bool,
    impossible: bool,
    /// Cells that repeat another one and were left out.
    repeats: u64,
}

impl Cells {
    /// Adds a cell; false where no more are taken. Row and column count from 0.
    fn push(&mut self, row: u32, column: u32, text: String) -> bool {
        if text.is_empty() {
            return true;
        }
        if self.count >= MAX_CELLS {
            self.cut = true;
            return false;
        }
        if row >= SHEET.0 || column >= SHEET.1 {
            self.impossible = true;
            return false;
        }
        self.count += 1;
        self.columns.insert(column);
        match self.rows.last_mut() {
            Some((last, cells)) if *last == row + 1 => cells.push((column, text)),
            _ => self.rows.push((row + 1, vec![(column, text)])),
        }
        true
    }
}

/// What is said of a sheet in which a reader stumbled.
fn broken<E>(_: E) -> String {
    "its content is not valid".to_owned()
}

fn xlsx_cells(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str) -> Result<Cells, String> {
    let mut reader = book.worksheet_cells_reader(sheet).map_err(broken)?;
    let styles = reader.styles();
    let formats: Vec<Option<String>> =
        styles.iter().map(|s| s.number_format.as_ref().map(|f| f.format_code.clone())).collect();
    let mut cells = Cells::default();
    while let Some((cell, style)) = reader.next_cell_with_style_id().map_err(broken)? {
        let format = formats.get(style).and_then(Option::as_deref);
        let (row, column) = cell.get_position();
        if !cells.push(row, column, shown(cell.get_value(), format)) {
            break;
        }
    }
    Ok(cells)
}

/// A place as sheets name it: `B4`. Row and column count from 0.
fn place(row: u32, column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect::<String>() + &(u64::from(row) + 1).to_string()
}

fn reference(value: &Data) -> DataRef<'_> {
    match value {
        Data::Int(n) => DataRef::Int(*n),
        Data::Float(n) => DataRef::Float(*n),
        Data::String(text) => DataRef::SharedString(text),
        Data::Bool(b) => DataRef::Bool(*b),
        Data::DateTime(moment) => DataRef::DateTime(*moment),
        Data::DateTimeIso(text) => DataRef::DateTimeIso(text.clone()),
        Data::DurationIso(text) => DataRef::DurationIso(text.clone()),
        Data::Error(error) => DataRef::Error(error.clone()),
        Data::Empty => DataRef::Empty,
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

fn write(content: &Sheet, writer: &mut Writer) {
    let Sheet { name: sheet, hidden, cells, comments } = content;
    if cells.rows.is_empty() && comments.is_empty() {
        return;
    }
    let columns: Vec<u32> = cells.columns.iter().copied().take(MAX_COLUMNS).collect();
    let ends = columns.first().copied().zip(columns.last().copied());
    let here = |row: u32| Location {
        sheet: Some(sheet.clone()),
        rows: Some((row, row)),
        cells: ends.map(|(first, last)| joined_cells(&place(row - 1, first), &place(row - 1, last))),
        ..Location::default()
    };
    let first = cells.rows.first().map_or(1, |(row, _)| *row);
    writer.locate(Some(here(first)));
    let name = if *hidden { format!("{sheet} (hidden)") } else { sheet.clone() };
    writer.heading(2, &escaped(&name), &name);
    if cells.columns.len() > MAX_COLUMNS {
        writer.missing(
            "too_wide",
            format!("sheet {sheet}: only its first {MAX_COLUMNS} used columns were read"),
        );
    }
    if cells.cut {
        writer.missing("too_large", format!("sheet {sheet}: only its first {MAX_CELLS} cells were read"));
    }
    if cells.repeats > 0 {
        let message = format!("sheet {sheet}: {} cells that repeat another one were left out", cells.repeats);
        writer.missing("repeated", message);
    }
    write_cells(cells, &columns, &here, writer);
    writer.locate(Some(Location { sheet: Some(sheet.clone()), ..Location::default() }));
    let (shapes, comments): (Vec<_>, Vec<_>) = comments.iter().partition(|(place, _)| place.is_empty());
    for (_, text) in shapes {
        writer.paragraph(&escaped(text));
    }
    if !comments.is_empty() {
        writer.heading(3, "Comments", "Comments");
        for (place, text) in comments {
            writer.paragraph(&escaped(&format!("{place}: {text}")));
        }
    }
}

fn write_cells(cells: &Cells, columns: &[u32], here: &dyn Fn(u32) -> Location, writer: &mut Writer) {
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
