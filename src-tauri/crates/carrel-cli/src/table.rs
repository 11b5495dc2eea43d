//! Aligned columns for people.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    /// Text.
    Left,
    /// Numbers.
    Right,
    /// Text that gives way when the terminal is narrow; the only one that is ever cut.
    Flexible,
}

/// Rows of cells; a cell is its text and how it is painted.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// Colours a text that is already as wide as its column.
type Colour = Box<dyn Fn(&str) -> String>;

/// A cell.
pub(crate) struct Cell {
    text: String,
    paint: Option<Colour>,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: plain(&text.into()), paint: None }
    }
}

impl Cell {
    /// A cell that is painted after it is cut and filled.
    pub(crate) fn painted(text: impl Into<String>, paint: impl Fn(&str) -> String + 'static) -> Self {
        Self { text: plain(&text.into()), paint: Some(Box::new(paint)) }
    }
}

impl Table {
    /// An empty table.
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// Lines no wider than `width`, where the flexible column allows it.
    pub(crate) fn lines(&self, width: usize) -> Vec<String> {
        const GAP: usize = 2;
        let mut widths = vec![0; self.columns.len()];
        for row in &self.rows {
            for (most, cell) in widths.iter_mut().zip(row) {
                *most = (*most).max(cell.text.width());
            }
        }
        let total: usize = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        if let Some(flexible) = self.columns.iter().position(|c| *c == Column::Flexible)
            && total > width
        {
            widths[flexible] = widths[flexible].saturating_sub(total - width).max(12);
        }
        let last = self.columns.len().saturating_sub(1);
        let line = |row: &Vec<Cell>| {
            let mut line = String::new();
            for (i, (cell, column)) in row.iter().zip(&self.columns).enumerate() {
                let text = cut(&cell.text, widths[i]);
                let fill = " ".repeat(widths[i].saturating_sub(text.width()));
                let painted = cell.paint.as_ref().map_or_else(|| text.clone(), |paint| paint(&text));
                match column {
                    Column::Right => line.extend([fill.as_str(), painted.as_str()]),
                    _ if i == last => line.push_str(&painted),
                    _ => line.extend([painted.as_str(), fill.as_str()]),
                }
                if i != last {
                    line.push_str(&" ".repeat(GAP));
                }
            }
            line.truncate(line.trim_end().len());
            line
        };
        self.rows.iter().map(line).collect()
    }
}

/// A line that may come from a document or a model: what would steer the terminal or turn the line round is shown as `�`.
pub(crate) fn plain(text: &str) -> String {
    without(text, steers)
}

/// The same for a text of several lines.
pub(crate) fn plain_lines(text: &str) -> String {
    without(text, |c| steers(c) && !matches!(c, '\n' | '\t'))
}

fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn without(text: &str, unwanted: impl Fn(char) -> bool) -> String {
    text.chars().map(|c| if unwanted(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// `text` in at most `width` columns, its middle left out: both the beginning and the end of a path tell something.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let keep = width.saturating_sub(1);
    let (head, tail) = (keep / 2, keep - keep / 2);
    let start: String = take(text.chars(), head).collect();
    let end: Vec<char> = take(text.chars().rev(), tail).collect();
    start + "…" + &end.into_iter().rev().collect::<String>()
}

fn take(chars: impl Iterator<Item = char>, width: usize) -> impl Iterator<Item = char> {
    let mut used = 0;
    chars.take_while(move |c| {
        used += c.width().unwrap_or(0);
        used <= width
    })
}

/// Bytes as people say them.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if n < 1_000 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1_000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1_000.0;
        unit += 1;
    }
    if value < 10.0 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

/// A count with its noun.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(plain("a\u{1b}[31m\nb\u{202e}c 频道"), "a�[31m�b�c 频道");
        assert_eq!(plain_lines("a\n\tb\u{9b}31m\r\n"), "a\n\tb�31m�\n");
    }

    #[test]
    fn columns_align_by_width_not_by_bytes() {
        let mut table = Table::new(&[Column::Left, Column::Right, Column::Left]);
        table.row(vec!["频道".into(), "7".into(), "x".into()]);
        table.row(vec!["ab".into(), "1204".into(), "y".into()]);
        assert_eq!(table.lines(80), ["频道     7  x", "ab    1204  y"]);
    }

    #[test]
    fn only_the_flexible_column_is_cut() {
        let mut table = Table::new(&[Column::Left, Column::Flexible]);
        table.row(vec!["ready".into(), "/home/ada/Documents/very/long/path/lease.pdf".into()]);
        let lines = table.lines(40);
        assert_eq!(lines[0].width(), 40);
        assert!(lines[0].starts_with("ready  /home") && lines[0].ends_with("lease.pdf"), "{}", lines[0]);
    }

    #[test]
    fn sizes_and_counts_read_well() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1_500), "1.5 KB");
        assert_eq!(bytes(91_000_000), "91 MB");
        assert_eq!(bytes(999_900), "1.0 MB");
        assert_eq!(count(1, "document", "documents"), "1 document");
        assert_eq!(count(12_040, "document", "documents"), "12,040 documents");
    }
}
