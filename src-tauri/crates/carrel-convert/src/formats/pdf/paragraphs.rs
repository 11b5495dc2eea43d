//! Lines become paragraphs, headings and items, by size, weight, distance and indent.

use super::items::{bullet, contents_line, counted, numbered};
use super::lines::{Line, is_cjk};
use super::outline::{Match, Outline};
use super::page::{Item, Page};
use super::read::Rule;
use super::tables::Table;
use carrel_engine::domain::Location;
use std::collections::HashSet;

/// A piece of the document.
#[derive(Debug)]
pub(super) enum Piece {
    Heading {
        level: u8,
        text: String,
        place: Location,
    },
    Paragraph(Vec<Part>),
    /// A note below the text.
    Note(Vec<Part>),
    /// An item of a list; its number, where it counts; how far it is from the left edge of the page.
    Item {
        left: f32,
        number: Option<u64>,
        parts: Vec<Part>,
    },
    Table(Table, Location),
    /// Lines of a font of one width, as they stand.
    Code(String, Location),
}

/// The part of a paragraph that stands on one page.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) place: Location,
}

/// Sizes of the document's text.
#[derive(Debug)]
pub(super) struct Sizes {
    body: f32,
    /// Larger sizes, from large to small.
    headings: Vec<f32>,
    /// Whether bold stands out.
    bold_means: bool,
}

/// A heading is at least this much larger than the body.
const LARGER: f32 = 1.12;
/// A note is at least this much smaller.
const SMALLER: f32 = 0.95;
const MAX_HEADING: usize = 200;
const MAX_HEADING_LINES: usize = 4;
/// Items of one list begin within this distance, in points.
const SAME_INDENT: f32 = 12.0;
const MAX_BOLD_HEADING: usize = 90;

impl Sizes {
    /// Measures all lines.
    pub(super) fn of(pages: &[Page]) -> Self {
        let mut by_size: std::collections::BTreeMap<i32, usize> = std::collections::BTreeMap::new();
        let (mut bold, mut total) = (0, 0);
        for line in lines_of(pages) {
            let chars = line.chars();
            *by_size.entry(half_points(line.size)).or_default() += chars;
            total += chars;
            bold += if line.bold { chars } else { 0 };
        }
        let body =
            by_size.iter().max_by_key(|(_, chars)| **chars).map_or(10.0, |(size, _)| *size as f32 / 2.0);
        let mut headings: Vec<f32> = Vec::new();
        for size in by_size.keys().rev().map(|s| *s as f32 / 2.0).filter(|s| *s >= body * LARGER) {
            // Sizes a hair apart are one.
            if headings.last().is_none_or(|last| last - size > 0.6) {
                headings.push(size);
            }
        }
        Self { body, headings, bold_means: bold * 5 < total * 2 }
    }

    /// Whether a line of this size is larger than the body of the text.
    pub(super) fn is_larger(&self, size: f32) -> bool {
        size >= self.body * LARGER
    }

    /// Whether it is a note: small, in the lower half of the page, behind a number or a sign.
    fn is_note(&self, text: &str, line: &Line, page: &Page) -> bool {
        let mark = text.starts_with(|c: char| c.is_numeric() || matches!(c, '*' | '†' | '‡' | '§'));
        mark && line.size < SMALLER * self.body && line.baseline > 0.5 * page.height
    }

    fn level(&self, size: f32) -> Option<u8> {
        if !self.is_larger(size) {
            return None;
        }
        let rank = self.headings.iter().position(|h| size >= h - 0.7)?;
        u8::try_from(rank + 1).ok().map(|level| level.min(5))
    }
}

fn half_points(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

fn lines_of(pages: &[Page]) -> impl Iterator<Item = &Line> {
    pages.iter().flat_map(|p| &p.items).filter_map(|item| match item {
        Item::Line(line) => Some(line),
        Item::Table(_) => None,
    })
}

/// Words that the document writes with a hyphen inside a line.
#[derive(Debug, Default)]
pub(super) struct Compounds(HashSet<String>);

impl Compounds {
    /// Gathers them from all lines.
    pub(super) fn of(pages: &[Page]) -> Self {
        let words = lines_of(pages).flat_map(|l| l.text.split(' ')).filter_map(|w| {
            let word = w.trim_matches(|c: char| !c.is_alphanumeric());
            word.contains('-').then(|| word.to_lowercase())
        });
        Self(words.collect())
    }

    /// Whether the parts on both sides of a line's end are one word with a hyphen.
    fn keep(&self, text: &str, next: &str) -> bool {
        let before = text.rsplit(' ').next().unwrap_or_default();
        let after = next.split(' ').next().unwrap_or_default();
        let word = format!("{before}{after}").to_lowercase();
        self.0.contains(word.trim_matches(|c: char| !c.is_alphanumeric()))
    }
}

/// Appends a line: a hyphen of the line's end goes where a small letter follows, unless the document writes the word so;
/// scripts without spaces get none.
pub(super) fn join(text: &mut String, line: &str, compounds: &Compounds) {
    let line = line.trim();
    if line.is_empty() {
        return;
    }
    match (text.chars().next_back(), line.chars().next()) {
        (None, _) => {}
        (Some('-'), Some(next)) => {
            let word = text.trim_end_matches('-').chars().next_back().is_some_and(char::is_alphabetic);
            if word && next.is_lowercase() && !compounds.keep(text, line) {
                text.pop();
            }
        }
        (Some(last), Some(next)) if is_cjk(last) && is_cjk(next) => {}
        _ => text.push(' '),
    }
    text.push_str(line);
}

/// A paragraph being gathered.
struct Open<'a> {
    lines: Vec<&'a Line>,
    page: &'a Page,
}

/// All pages as pieces.
pub(super) fn pieces(pages: &[Page], sizes: &Sizes, compounds: &Compounds, outline: Outline) -> Vec<Piece> {
    let mut gathered = Gathered { out: Vec::new(), sizes, compounds, outline, first_on_page: true };
    for page in pages {
        let pitch = pitch(page);
        let mut open: Option<Open<'_>> = None;
        gathered.first_on_page = true;
        let mut items = page.items.iter().peekable();
        while let Some(item) = items.next() {
            let line = match item {
                Item::Line(line) => line,
                Item::Table(table) => {
                    gathered.finish(open.take());
                    gathered.out.push(Piece::Table(table.clone(), location(page, &[table.bounds])));
                    gathered.first_on_page = false;
                    continue;
                }
            };
            // What the outline names is a heading, alone or with the lines that follow.
            let mut text = line.text.clone();
            let mut lines = vec![line];
            while let Match::Begins = gathered.outline.find(page.number, &text)
                && lines.len() < MAX_HEADING_LINES
                && let Some(Item::Line(next)) = items.peek()
            {
                let mut longer = text.clone();
                join(&mut longer, &next.text, compounds);
                if gathered.outline.find(page.number, &longer) == Match::No {
                    break;
                }
                text = longer;
                lines.push(next);
                items.next();
            }
            if let Match::Is(level) = gathered.outline.find(page.number, &text)
                && text.chars().count() <= MAX_HEADING
            {
                gathered.finish(open.take());
                gathered.outline.strike(page.number, &text);
                let place = location(page, &boxes(&lines));
                gathered.out.push(Piece::Heading { level, text, place });
                gathered.first_on_page = false;
                continue;
            }
            for line in lines {
                match &mut open {
                    Some(o) if continues(&o.lines, line, pitch) => o.lines.push(line),
                    _ => {
                        gathered.finish(open.take());
                        open = Some(Open { lines: vec![line], page });
                    }
                }
            }
        }
        gathered.finish(open.take());
    }
    demote_lone_bold(&mut gathered.out);
    count_items(&mut gathered.out);
    gathered.out
}

/// Paragraphs that count up one after the other are items of a list.
fn count_items(pieces: &mut [Piece]) {
    let count = |piece: &Piece| match piece {
        Piece::Paragraph(parts) => {
            let part = parts.first()?;
            let left = part.place.boxes.first().map(|b| b[0])?;
            counted(&part.text).map(|(number, _)| (number, part.place.page, left))
        }
        _ => None,
    };
    let mut chosen = vec![false; pieces.len()];
    for i in 0..pieces.len() {
        let Some((number, page, left)) = pieces.get(i).and_then(count) else { continue };
        // Bullets below an item belong to it.
        let next =
            pieces.iter().enumerate().skip(i + 1).find(|(_, piece)| !matches!(piece, Piece::Item { .. }));
        if let Some((j, piece)) = next
            && let Some((next, next_page, next_left)) = count(piece)
            && next == number + 1
            && (page != next_page || (left - next_left).abs() <= SAME_INDENT)
        {
            for at in [i, j] {
                if let Some(chosen) = chosen.get_mut(at) {
                    *chosen = true;
                }
            }
        }
    }
    for (piece, _) in pieces.iter_mut().zip(chosen).filter(|(_, chosen)| *chosen) {
        let Some((number, _, left)) = count(piece) else { continue };
        let Piece::Paragraph(parts) = piece else { continue };
        let mut parts = std::mem::take(parts);
        if let Some(part) = parts.first_mut()
            && let Some((_, rest)) = counted(&part.text)
        {
            part.text = rest.to_owned();
        }
        *piece = Piece::Item { left, number: Some(number), parts };
    }
}

/// The usual distance of two lines of a page, in sizes.
fn pitch(page: &Page) -> f32 {
    let mut steps: Vec<f32> = page
        .items
        .windows(2)
        .filter_map(|w| match w {
            [Item::Line(a), Item::Line(b)] if (a.size - b.size).abs() < 0.5 => {
                let step = (b.baseline - a.baseline) / a.size.max(1.0);
                (0.8..2.6).contains(&step).then_some(step)
            }
            _ => None,
        })
        .collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(1.25)
}

/// Whether `next` goes on with the paragraph.
fn continues(lines: &[&Line], next: &Line, pitch: f32) -> bool {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return false };
    let size = last.size.max(next.size).max(1.0);
    if (last.size - next.size).abs() > 0.08 * size
        || last.bold != next.bold
        || contents_line(&last.text).is_some()
        || bullet(&next.text).is_some()
        || numbered(&next.text)
    {
        return false;
    }
    let step = (next.baseline - last.baseline) / size;
    if step <= 0.0 || next.overlap_x(last) <= 0.0 {
        // The top of the next column.
        return step < 0.0 && next.left > last.left && flows_on(&last.text, &next.text);
    }
    let usual = match lines {
        [.., a, b] if b.baseline > a.baseline => ((b.baseline - a.baseline) / size).min(pitch * 1.15),
        _ => pitch,
    };
    if step > usual.max(1.0) * 1.28 {
        return false;
    }
    let ended = ends_sentence(&last.text);
    let indent = 0.9 * size;
    let hanging = bullet(&first.text).is_some() || numbered(&first.text);
    let body_left = lines.get(1).map_or(last.left, |second| second.left);
    if !hanging && next.left > body_left + indent && ended {
        return false;
    }
    if lines.len() > 1 && next.left < body_left - indent && ended {
        return false;
    }
    let widest = lines.iter().map(|l| l.right).fold(next.right, f32::max);
    let width = widest - first.left.min(next.left);
    !(ended && last.right < widest - 0.2 * width)
}

fn ends_sentence(text: &str) -> bool {
    let end = text.trim_end().trim_end_matches(['"', '”', '’', ')', '）', '」', ']']);
    end.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：', '；'])
}

/// Whether a sentence goes on across a column or page.
fn flows_on(last: &str, next: &str) -> bool {
    !ends_sentence(last) && (last.ends_with('-') || next.chars().next().is_some_and(char::is_lowercase))
}

/// The pieces so far, and what is needed to make more.
struct Gathered<'a> {
    out: Vec<Piece>,
    sizes: &'a Sizes,
    compounds: &'a Compounds,
    outline: Outline,
    first_on_page: bool,
}

impl Gathered<'_> {
    fn finish(&mut self, open: Option<Open<'_>>) {
        let Some(Open { lines, page }) = open else { return };
        let Some(first) = lines.first() else { return };
        let mut text = String::new();
        for line in &lines {
            join(&mut text, &line.text, self.compounds);
        }
        let boxes = boxes(&lines);
        let place = location(page, &boxes);
        let was_first = std::mem::replace(&mut self.first_on_page, false);
        if first.mono && lines.len() > 1 {
            self.out.push(Piece::Code(code(&lines), place));
        } else if let Some((title, number)) = contents_line(&text) {
            let text = format!("{title} … {number}");
            self.out.push(Piece::Item { left: first.left, number: None, parts: vec![Part { text, place }] });
        } else if let Some(level) = heading_level(&text, first, lines.len(), self.sizes) {
            self.out.push(Piece::Heading { level, text, place });
        } else if let Some(rest) = bullet(&text) {
            let parts = vec![Part { text: rest.to_owned(), place }];
            self.out.push(Piece::Item { left: first.left, number: None, parts });
        } else if self.sizes.is_note(&text, first, page) {
            self.out.push(Piece::Note(vec![Part { text, place }]));
        } else if !was_first || !self.goes_on(&text, &place) {
            self.out.push(Piece::Paragraph(vec![Part { text, place }]));
        }
    }

    /// Adds a text to the paragraph that the page before left open, if it goes on with it.
    fn goes_on(&mut self, text: &str, place: &Location) -> bool {
        let last = self.out.iter_mut().rev().find(|piece| !matches!(piece, Piece::Note(_)));
        let Some(Piece::Paragraph(parts) | Piece::Item { parts, .. }) = last else { return false };
        let Some(last) = parts.last_mut().filter(|last| flows_on(&last.text, text)) else { return false };
        if !last.text.ends_with('-') {
            last.text.push(' ');
        } else if !self.compounds.keep(&last.text, text) {
            last.text.pop();
        }
        parts.push(Part { text: text.to_owned(), place: place.clone() });
        true
    }
}

/// Lines of code with their indents, and blank lines where they stand apart.
fn code(lines: &[&Line]) -> String {
    let left = lines.iter().map(|l| l.left).fold(f32::MAX, f32::min);
    let widths = lines.iter().map(|l| (l.right - l.left) / l.chars().max(1) as f32);
    let width = widths.fold(f32::MAX, f32::min).max(1.0);
    let mut out = String::new();
    let mut last: Option<&Line> = None;
    for line in lines {
        if let Some(last) = last {
            let blank = line.baseline - last.baseline > 1.9 * line.size;
            out.push_str(if blank { "\n\n" } else { "\n" });
        }
        let indent = ((line.left - left) / width).round().clamp(0.0, 80.0) as usize;
        out.push_str(&" ".repeat(indent));
        out.push_str(&line.text);
        last = Some(line);
    }
    out
}

fn heading_level(text: &str, first: &Line, lines: usize, sizes: &Sizes) -> Option<u8> {
    let chars = text.chars().count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 2
        || letters * 10 < chars * 4
        || chars > MAX_HEADING
        || lines > MAX_HEADING_LINES
        || bullet(text).is_some()
    {
        return None;
    }
    if let Some(level) = sizes.level(first.size) {
        let sentence = text.ends_with('.') && chars > 60;
        return (!sentence).then_some(level);
    }
    // Not in the middle of a sentence.
    let starts = text.chars().next().is_some_and(|c| {
        (c.is_alphanumeric() && !c.is_lowercase()) || matches!(c, '(' | '「' | '【' | '《' | '“' | '"')
    });
    let bold = first.bold && sizes.bold_means && first.size >= 0.93 * sizes.body;
    let ends = text.ends_with(['.', ',', ';', ':', '。', '，', '；']);
    if !bold || !starts || ends || chars > MAX_BOLD_HEADING || lines > 2 {
        return None;
    }
    let base = u8::try_from(sizes.headings.len().min(2) + 1).unwrap_or(3);
    let number = text.split(' ').next().unwrap_or_default().trim_end_matches('.');
    let depth =
        if number.chars().all(|c| c.is_ascii_digit() || c == '.') { number.matches('.').count() } else { 0 };
    Some((base + depth.min(3) as u8).min(6))
}

/// Bold lines that follow each other without text between are no headings but emphasis; the last may head what follows.
fn demote_lone_bold(pieces: &mut [Piece]) {
    for i in 0..pieces.len() {
        let run = pieces.get(i..i + 4).is_some_and(|w| {
            let mut levels = w.iter().map(|p| match p {
                Piece::Heading { level, .. } => Some(*level),
                _ => None,
            });
            let first = levels.next().flatten();
            first.is_some() && levels.all(|l| l == first)
        });
        if run
            && let Some(piece) = pieces.get_mut(i)
            && let Piece::Heading { text, place, .. } = piece
        {
            *piece =
                Piece::Paragraph(vec![Part { text: std::mem::take(text), place: std::mem::take(place) }]);
        }
    }
}

/// One box for the lines of each column.
fn boxes(lines: &[&Line]) -> Vec<Rule> {
    let mut out: Vec<Rule> = Vec::new();
    let mut last: Option<&Line> = None;
    for line in lines {
        let apart = last.is_none_or(|l| line.top < l.top - l.size);
        let place = Rule { left: line.left, right: line.right, top: line.top, bottom: line.bottom };
        match out.last_mut() {
            Some(b) if !apart => {
                b.left = b.left.min(place.left);
                b.right = b.right.max(place.right);
                b.top = b.top.min(place.top);
                b.bottom = b.bottom.max(place.bottom);
            }
            _ => out.push(place),
        }
        last = Some(line);
    }
    out
}

fn location(page: &Page, boxes: &[Rule]) -> Location {
    let round = |v: f32| (v * 10.0).round() / 10.0;
    let boxes = boxes.iter().map(|b| {
        let Rule { left, top, right, bottom } = page.upright.on_page(*b);
        [round(left), round(top), round(right), round(bottom)]
    });
    Location { page: Some(page.number), boxes: boxes.collect(), ..Location::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_join_as_words_do() {
        let known = Compounds(HashSet::from(["chat-optimized".to_owned()]));
        let mut text = String::new();
        for line in [
            "multi-agent conver-",
            "sation is",
            "state-of-the-",
            "Art, 知识库",
            "应当",
            "10-",
            "20 pages, (chat-",
            "optimized) x",
        ] {
            join(&mut text, line, &known);
        }
        assert_eq!(
            text,
            "multi-agent conversation is state-of-the-Art, 知识库应当 10-20 pages, (chat-optimized) x"
        );
    }
}
