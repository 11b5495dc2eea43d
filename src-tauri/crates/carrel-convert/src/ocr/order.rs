//! From lines to paragraphs in reading order.
//!
//! Lines are seen along their own direction, so the columns of vertical text are lines that follow each other as any do. Columns come
//! one after the other where a gutter parts most lines of a page; what reaches across it parts the columns into those above and below.
//! A list, a form or a table stays a row for a row.

use super::geometry::{Region, Vector, down, median};
use crate::text::is_cjk;

/// A recognised line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    text: String,
    /// Along and across the direction of reading.
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
    /// Left, top, right, bottom on the page.
    bounds: [f32; 4],
}

/// What stands on a page in one piece.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Paragraph {
    /// Level of a heading.
    pub(crate) heading: Option<u8>,
    pub(crate) parts: Vec<Part>,
}

/// A line of a paragraph, with the space that parts it from the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) text: String,
    /// Left, top, right, bottom, in pixels.
    pub(crate) bounds: [f32; 4],
}

/// A column has at least so many lines, which measure so many times their height.
const COLUMN_LINES: usize = 3;
const COLUMN_WIDTH: f32 = 6.0;
/// Share of lines that may reach across a gutter.
const CROSSING: f32 = 0.2;
/// A gap of so many heights inside a row parts cells.
const CELL_GAP: f32 = 2.5;
/// Lines whose heights differ by more are of different type.
const OTHER_TYPE: f32 = 1.45;
/// A line this much larger than most is a heading, or one of the first level.
const HEADING: f32 = 1.5;
const TITLE: f32 = 2.0;
const MAX_HEADING: usize = 120;

impl Line {
    /// A line of a page of this size, seen along `axis`.
    pub(super) fn new(text: String, region: &Region, axis: Vector, (width, height): (u32, u32)) -> Self {
        let [left, top, right, bottom] = region.extent(axis, down(axis));
        // What a line leans across its neighbours is not its height.
        let middle = f32::midpoint(top, bottom);
        let half = (region.thickness / 2.0).min((bottom - top) / 2.0);
        let [l, t, r, b] = region.extent((1.0, 0.0), (0.0, 1.0));
        let (width, height) = (width as f32, height as f32);
        let bounds = [l.clamp(0.0, width), t.clamp(0.0, height), r.clamp(0.0, width), b.clamp(0.0, height)];
        Self { text, left, top: middle - half, right, bottom: middle + half, bounds }
    }

    fn height(&self) -> f32 {
        self.bottom - self.top
    }

    fn middle(&self) -> f32 {
        f32::midpoint(self.top, self.bottom)
    }
}

/// Paragraphs of lines of one direction.
pub(super) fn paragraphs(lines: Vec<Line>) -> Vec<Paragraph> {
    let Some(typical) = median(lines.iter().map(Line::height)) else { return Vec::new() };
    let mut columns = Vec::new();
    part(lines, &mut columns, 0);
    let mut out: Vec<Paragraph> = Vec::new();
    let mut before_across = true;
    for Column { lines, across } in columns {
        let rows = rows(lines);
        // What reaches across columns is none of them, and does not go on in one.
        let was_across = std::mem::replace(&mut before_across, across);
        let mut first = !across && !was_across;
        for group in groups(rows) {
            let next = paragraph(&group, typical);
            match out.last_mut() {
                Some(last) if first && goes_on(last, &next) => join(last, next),
                _ => out.push(next),
            }
            first = false;
        }
    }
    out
}

/// Lines one below the other.
struct Column {
    lines: Vec<Line>,
    /// Whether they reach across the columns above or below them.
    across: bool,
}

/// Parts lines into columns, in reading order.
fn part(lines: Vec<Line>, out: &mut Vec<Column>, depth: usize) {
    // No page has more columns side by side than this allows.
    let Some(gutter) = (depth < 6).then(|| gutter(&lines)).flatten() else {
        return out.push(Column { lines, across: false });
    };
    let mut across: Vec<Line> = Vec::new();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for line in lines {
        if line.right <= gutter.1 {
            before.push(line);
        } else if line.left >= gutter.0 {
            after.push(line);
        } else {
            across.push(line);
        }
    }
    across.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
    let mut bands: Vec<(Vec<Line>, Vec<Line>)> = vec![(Vec::new(), Vec::new()); across.len() + 1];
    for (side, lines) in [before, after].into_iter().enumerate() {
        for line in lines {
            let band = across.partition_point(|a| a.middle() < line.middle());
            if let Some(band) = bands.get_mut(band) {
                if side == 0 { band.0.push(line) } else { band.1.push(line) }
            }
        }
    }
    let mut across = across.into_iter().peekable();
    for (before, after) in bands {
        for lines in [before, after] {
            if !lines.is_empty() {
                part(lines, out, depth + 1);
            }
        }
        // Lines that reach across and follow each other belong together.
        if let Some(line) = across.next() {
            match out.last_mut() {
                Some(last) if last.across => last.lines.push(line),
                _ => out.push(Column { lines: vec![line], across: true }),
            }
        }
    }
}

/// From and to of the space between two columns, where there is one.
fn gutter(lines: &[Line]) -> Option<(f32, f32)> {
    if lines.len() < 2 * COLUMN_LINES {
        return None;
    }
    let height = median(lines.iter().map(Line::height))?;
    let mut edges: Vec<f32> = lines.iter().map(|l| l.right).collect();
    edges.sort_by(f32::total_cmp);
    edges.dedup_by(|a, b| (*a - *b).abs() < 0.25 * height);
    let mut best: Option<(usize, f32, (f32, f32))> = None;
    for edge in edges {
        let before: Vec<&Line> = lines.iter().filter(|l| l.right <= edge + 0.25 * height).collect();
        let after: Vec<&Line> =
            lines.iter().filter(|l| l.left > edge && l.right > edge + 0.25 * height).collect();
        let crossing = lines.len() - before.len() - after.len();
        if before.len().min(after.len()) < COLUMN_LINES || crossing as f32 > CROSSING * lines.len() as f32 {
            continue;
        }
        let to = after.iter().map(|l| l.left).fold(f32::MAX, f32::min);
        let gap = to - edge;
        let width = |lines: &[&Line]| median(lines.iter().map(|l| l.right - l.left));
        let narrow = width(&before)?.min(width(&after)?) < COLUMN_WIDTH * height;
        let (a, b) = (span(&before), span(&after));
        let common = a.1.min(b.1) - a.0.max(b.0);
        let beside = common > 0.5 * (a.1 - a.0).min(b.1 - b.0);
        if gap < 0.7 * height || narrow || !beside || is_tabular(&before, &after, height) {
            continue;
        }
        if best.is_none_or(|(least, widest, _)| (crossing, -gap) < (least, -widest)) {
            best = Some((crossing, gap, (edge, to)));
        }
    }
    best.map(|(_, _, (from, to))| {
        (from.midpoint(to) - 0.1 * (to - from), from.midpoint(to) + 0.1 * (to - from))
    })
}

fn span(lines: &[&Line]) -> (f32, f32) {
    lines.iter().fold((f32::MAX, f32::MIN), |(low, high), l| (low.min(l.top), high.max(l.bottom)))
}

/// Whether what stands side by side are cells of rows: each on the right has its partner on the left, and lines are far from full.
fn is_tabular(before: &[&Line], after: &[&Line], height: f32) -> bool {
    let right = before.iter().map(|l| l.right).fold(f32::MIN, f32::max);
    let left = before.iter().map(|l| l.left).fold(f32::MAX, f32::min);
    let (mut partnered, mut full) = (0_usize, 0_usize);
    for line in after {
        let partner = before.iter().find(|l| (l.middle() - line.middle()).abs() < 0.4 * height);
        partnered += usize::from(partner.is_some());
        full += usize::from(partner.is_some_and(|l| l.right > right - 0.2 * (right - left)));
    }
    partnered * 10 >= after.len() * 9 && full * 2 < after.len()
}

/// Lines at the same height, from left to right.
fn rows(mut lines: Vec<Line>) -> Vec<Vec<Line>> {
    lines.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
    let mut rows: Vec<Vec<Line>> = Vec::new();
    for line in lines {
        let beside = rows.last().is_some_and(|row: &Vec<Line>| {
            row.iter().all(|l| {
                let common = l.bottom.min(line.bottom) - l.top.max(line.top);
                common > 0.5 * l.height().min(line.height())
            })
        });
        match rows.last_mut() {
            Some(row) if beside => row.push(line),
            _ => rows.push(vec![line]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
    }
    rows
}

/// Measures of a row.
struct Measure {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    height: f32,
    cells: bool,
}

impl Measure {
    fn of(row: &[Line]) -> Self {
        let fold = |start: f32, part: fn(&Line) -> f32, choose: fn(f32, f32) -> f32| {
            row.iter().map(part).fold(start, choose)
        };
        let height = median(row.iter().map(Line::height)).unwrap_or(1.0);
        Self {
            left: fold(f32::MAX, |l| l.left, f32::min),
            right: fold(f32::MIN, |l| l.right, f32::max),
            top: fold(f32::MAX, |l| l.top, f32::min),
            bottom: fold(f32::MIN, |l| l.bottom, f32::max),
            height,
            cells: row.windows(2).any(|pair| matches!(pair, [a, b] if b.left - a.right > CELL_GAP * height)),
        }
    }
}

/// Rows of a column that belong together.
fn groups(rows: Vec<Vec<Line>>) -> Vec<Vec<Vec<Line>>> {
    let measures: Vec<Measure> = rows.iter().map(|row| Measure::of(row)).collect();
    let left = measures.iter().map(|m| m.left).fold(f32::MAX, f32::min);
    let right = measures.iter().map(|m| m.right).fold(f32::MIN, f32::max);
    let step = |pair: &[Measure]| match pair {
        [a, b] => b.top.midpoint(b.bottom) - a.top.midpoint(a.bottom),
        _ => 0.0,
    };
    let steps = median(measures.windows(2).map(step));
    let mut groups: Vec<Vec<Vec<Line>>> = Vec::new();
    for ((row, here), before) in
        rows.into_iter().zip(&measures).zip(std::iter::once(None).chain(measures.iter().map(Some)))
    {
        let text = |row: &[Line]| row.first().map(|l| l.text.clone()).unwrap_or_default();
        let parted = before.is_none_or(|before| {
            let last = groups.last().and_then(|g| g.last()).and_then(|r| r.last()).map(|l| l.text.as_str());
            let height = before.height.max(here.height);
            let gap = here.top - before.bottom;
            let ended = last.is_some_and(|text| text.ends_with(ENDINGS));
            let short = right - before.right;
            height > OTHER_TYPE * before.height.min(here.height)
                || gap > 1.2 * height
                || steps.is_some_and(|s| {
                    measures.len() > 3
                        && here.top.midpoint(here.bottom) - before.top.midpoint(before.bottom) > 1.4 * s
                })
                || before.cells
                || here.cells
                || short > 0.35 * (right - left)
                || (ended && short > (0.06 * (right - left)).max(1.5 * height))
                || (here.left - left > height && before.left - left < 0.6 * height)
                || begins_item(&text(&row))
        });
        match groups.last_mut() {
            Some(group) if !parted => group.push(row),
            _ => groups.push(vec![row]),
        }
    }
    groups
}

/// What sentences end with.
const ENDINGS: [char; 14] = ['.', '!', '?', ':', '。', '！', '？', '：', '”', '」', '…', '"', ';', '；'];

/// Whether a line begins an item of a list: a mark or a number, then more.
fn begins_item(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some('•' | '●' | '○' | '▪' | '■' | '◦' | '·' | '–' | '-' | '*') => {
            chars.next().is_some()
        }
        Some(first) if first.is_ascii_digit() => {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = text.len() - rest.len() <= 3;
            number && (rest.starts_with([')', '）', '、']) || rest.starts_with(". "))
        }
        Some('(' | '（') => {
            let inner: String = chars.take_while(|c| !matches!(c, ')' | '）')).collect();
            inner.chars().count() <= 3 && !inner.is_empty() && inner.chars().all(char::is_alphanumeric)
        }
        _ => false,
    }
}

fn paragraph(rows: &[Vec<Line>], typical: f32) -> Paragraph {
    let height = median(rows.iter().flatten().map(Line::height)).unwrap_or(typical);
    let mut parts: Vec<Part> = Vec::new();
    for line in rows.iter().flatten() {
        if let Some(last) = parts.last_mut() {
            glue(&mut last.text, &line.text);
        }
        parts.push(Part { text: line.text.clone(), bounds: line.bounds });
    }
    let letters: usize = parts.iter().map(|p| p.text.chars().filter(|c| c.is_alphabetic()).count()).sum();
    let length: usize = parts.iter().map(|p| p.text.chars().count()).sum();
    let heading = (height >= HEADING * typical && rows.len() <= 2 && letters >= 2 && length <= MAX_HEADING)
        .then_some(if height >= TITLE * typical { 1 } else { 2 });
    Paragraph { heading, parts }
}

/// Whether a paragraph goes on at the head of the next column.
fn goes_on(last: &Paragraph, next: &Paragraph) -> bool {
    let (Some(end), Some(start)) = (
        last.parts.last().and_then(|p| p.text.chars().last()),
        next.parts.first().and_then(|p| p.text.chars().next()),
    ) else {
        return false;
    };
    let running = start.is_lowercase() || (is_cjk(start) && is_cjk(end));
    last.heading.is_none() && next.heading.is_none() && running && !ENDINGS.contains(&end)
}

fn join(last: &mut Paragraph, next: Paragraph) {
    if let (Some(end), Some(start)) = (last.parts.last_mut(), next.parts.first()) {
        glue(&mut end.text, &start.text);
    }
    last.parts.extend(next.parts);
}

/// Ends a line so that the next can follow: a word parted at the end is one again, Chinese and Japanese need no space.
fn glue(line: &mut String, next: &str) {
    let (Some(end), Some(start)) = (line.chars().last(), next.chars().next()) else { return };
    let word = line.strip_suffix(['-', '\u{2010}', '\u{ad}']).and_then(|l| l.chars().last());
    if start.is_lowercase() && word.is_some_and(char::is_alphabetic) {
        line.pop();
    } else if !(is_cjk(end) && is_cjk(start)) {
        line.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of height 20 at these places.
    fn page(lines: &[(&str, f32, f32, f32)]) -> Vec<Line> {
        lines
            .iter()
            .map(|(text, left, top, right)| Line {
                text: (*text).to_owned(),
                left: *left,
                top: *top,
                right: *right,
                bottom: top + 20.0,
                bounds: [*left, *top, *right, top + 20.0],
            })
            .collect()
    }

    fn texts(lines: &[(&str, f32, f32, f32)]) -> Vec<String> {
        let joined = |p: &Paragraph| p.parts.iter().map(|p| p.text.as_str()).collect();
        paragraphs(page(lines)).iter().map(joined).collect()
    }

    #[test]
    fn columns_are_read_one_after_the_other_below_what_reaches_across() {
        let found = texts(&[
            ("A title over both columns of the page", 10.0, 0.0, 790.0),
            ("one begins here and", 10.0, 60.0, 390.0),
            ("alpha begins here and", 410.0, 60.0, 790.0),
            ("goes on for two and a-", 10.0, 90.0, 390.0),
            ("goes on for another", 410.0, 90.0, 790.0),
            ("gain until it ends.", 10.0, 120.0, 390.0),
            ("line until it ends.", 410.0, 120.0, 790.0),
        ]);
        assert_eq!(
            found,
            [
                "A title over both columns of the page",
                "one begins here and goes on for two and again until it ends.",
                "alpha begins here and goes on for another line until it ends.",
            ]
        );
    }

    #[test]
    fn rows_of_a_form_stay_rows() {
        let found = texts(&[
            ("Item", 10.0, 0.0, 60.0),
            ("Price", 700.0, 0.0, 760.0),
            ("Oak desk", 10.0, 40.0, 100.0),
            ("12.00", 700.0, 40.0, 760.0),
            ("Reading lamp", 10.0, 80.0, 140.0),
            ("48.50", 700.0, 80.0, 760.0),
            ("Bookshelf", 10.0, 120.0, 100.0),
            ("310.50", 700.0, 120.0, 760.0),
        ]);
        assert_eq!(found, ["Item Price", "Oak desk 12.00", "Reading lamp 48.50", "Bookshelf 310.50"]);
    }

    #[test]
    fn paragraphs_end_at_a_short_line_an_indent_or_an_item() {
        let found = texts(&[
            ("The first paragraph is long enough to fill", 10.0, 0.0, 600.0),
            ("more than one line.", 10.0, 30.0, 250.0),
            ("The second one follows at once and is as", 10.0, 60.0, 600.0),
            ("long as it must be for this to be seen and", 10.0, 90.0, 598.0),
            ("An indented one begins here and runs", 50.0, 120.0, 600.0),
            ("1. an item of a list", 10.0, 150.0, 590.0),
        ]);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[0], "The first paragraph is long enough to fill more than one line.");
    }

    #[test]
    fn chinese_lines_are_joined_without_a_space() {
        let found = texts(&[("知识库应当能够在本地", 0.0, 0.0, 300.0), ("离线运行。", 0.0, 30.0, 300.0)]);
        assert_eq!(found, ["知识库应当能够在本地离线运行。"]);
    }

    #[test]
    fn a_much_larger_line_is_a_heading() {
        let mut lines = page(&[
            ("Annual report", 10.0, 0.0, 400.0),
            ("The text below is of common size and", 10.0, 80.0, 600.0),
            ("takes two lines.", 10.0, 110.0, 200.0),
        ]);
        lines[0].bottom = 45.0;
        let levels: Vec<_> = paragraphs(lines).iter().map(|p| p.heading).collect();
        assert_eq!(levels, [Some(1), None]);
    }
}
