//! Tables as text: the delimiter is found by which one parts most lines alike; rows are located.

use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use crate::text::clean::scrub;
use carrel_engine::domain::Location;
use carrel_engine::seams::{ConvertError, Limits};

/// Lines looked at to find the delimiter.
const SAMPLE_LINES: usize = 50;

pub(super) fn convert(text: &str, name: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let text = scrub(text);
    let tabs = crate::catalogue::extension(name).is_some_and(|e| e == "tsv" || e == "tab");
    // Excel writes the delimiter on a first line of its own.
    let (text, stated) = match text.strip_prefix("sep=") {
        Some(rest) if rest.len() > 1 && rest.is_char_boundary(1) => {
            (rest.get(1..).unwrap_or_default().trim_start_matches('\n'), rest.bytes().next())
        }
        _ => (text.as_ref(), None),
    };
    let delimiter = stated.unwrap_or_else(|| delimiter(text, tabs));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let widest = widest(text, delimiter);
    let mut writer = Writer::new(limits.output_bytes);
    writer.open_table();
    let mut record = csv::StringRecord::new();
    let mut row = 0;
    let mut headed = false;
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(_) => {
                writer.missing("bad_rows", format!("the table could not be read after row {row}"));
                break;
            }
        }
        row += 1;
        if writer.is_full() {
            break;
        }
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let mut cells: Vec<String> = record.iter().map(escaped).collect();
        if !std::mem::replace(&mut headed, true) && widest <= cells.len().saturating_mul(2).saturating_add(10)
        {
            cells.resize(widest.max(cells.len()), String::new());
        }
        writer.row(&cells, Some(Location { rows: Some((row, row)), ..Location::default() }));
    }
    writer.close_table();
    writer.finish()
}

/// Columns of the widest row: a header with fewer would hide the others from a reader of the table.
fn widest(text: &str, delimiter: u8) -> usize {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut record = csv::ByteRecord::new();
    let mut widest = 0;
    while let Ok(true) = reader.read_byte_record(&mut record) {
        widest = widest.max(record.len());
    }
    widest
}

/// The delimiter that parts most lines of the sample into the same number of columns, more than one.
fn delimiter(text: &str, tabs: bool) -> u8 {
    let fallback = if tabs { b'\t' } else { b',' };
    let mut best = (0.0_f64, fallback);
    for candidate in [fallback, b',', b';', b'\t', b'|'] {
        let counts: Vec<usize> = csv::ReaderBuilder::new()
            .delimiter(candidate)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes())
            .into_byte_records()
            .take(SAMPLE_LINES)
            .map_while(Result::ok)
            .map(|record| record.len())
            .collect();
        let Some(first) = counts.first().copied().filter(|c| *c > 1) else { continue };
        let alike = counts.iter().filter(|c| **c == first).count() as f64 / counts.len() as f64;
        let score = alike + (first as f64).ln() / 100.0;
        if score > best.0 {
            best = (score, candidate);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> Draft {
        convert(text, "x.csv", &Limits::default()).unwrap()
    }

    #[test]
    fn delimiters_are_found() {
        for text in
            ["a,b\n1,\"2,5\"\n", "a;b\n1;2,5\n", "a\tb\n1\t2,5\n", "a|b\n1|2,5\n", "sep=;\na;b\n1;2,5\n"]
        {
            assert_eq!(markdown(text).markdown, "| a | b |\n| --- | --- |\n| 1 | 2,5 |", "{text:?}");
        }
    }

    #[test]
    fn a_short_header_is_as_wide_as_its_rows() {
        assert_eq!(markdown("a,b\n1,2,3\n").markdown, "| a | b | |\n| --- | --- | --- |\n| 1 | 2 | 3 |");
    }

    #[test]
    fn pipes_newlines_and_short_rows() {
        let d = markdown("a,b\n\"x|y\",\"l1\nl2\"\n\nz\n");
        assert_eq!(d.markdown, "| a | b |\n| --- | --- |\n| x\\|y | l1 l2 |\n| z | |");
        let rows: Vec<_> = d.locations.iter().map(|l| l.location.rows.unwrap()).collect();
        assert_eq!(rows, [(1, 1), (2, 2), (3, 3)]);
    }
}
