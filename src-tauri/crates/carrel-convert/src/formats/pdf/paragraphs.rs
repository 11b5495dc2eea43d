//! Lines become paragraphs, headings and items, by size, weight, font, distance and indent.

use super::items::{bullet, contents_line, is_drawn, numbered};
use super::lines::Line;
use super::outline::{Match, Outline};
use super::page::{Item, Page};
use super::piece::{Part, Piece, code, location, parts, rows, text_of};
use super::read::Rule;
use super::sequence::{count_items, demote_lone_bold};
use super::sizes::{MAX_HEADING_LINES, Sizes};
use super::words::{Compounds, join};

/// The outline names no longer headings.
const MAX_HEADING: usize = 200;

/// A heading of another font is not further from its text, in sizes.
const HEADS: f32 = 4.0;
/// Nor further to one side of it.
const INDENT: f32 = 2.5;
/// It heads at least so many characters.
const HEADED: usize = 60;

/// A paragraph being gathered.
struct Open<'a> {
    lines: Vec<&'a Line>,
    page: &'a Page,
}

/// All pages as pieces.
pub(super) fn pieces(pages: &[Page], sizes: &Sizes, compounds: &Compounds, outline: Outline) -> Vec<Piece> {
    let mut gathered =
        Gathered { out: Vec::new(), sizes, compounds, outline, first_on_page: true, candidate: None };
    for page in pages {
        let pitch = pitch(page);
        let mut open: Option<Open<'_>> = None;
        gathered.first_on_page = true;
        gathered.candidate = None;
        let mut items = page.items.iter().peekable();
        while let Some(item) = items.next() {
            let line = match item {
                Item::Line(line) => line,
                Item::Table(table) => {
                    gathered.finish(open.take());
                    gathered.out.push(rows(table, page));
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
                gathered.candidate = None;
                gathered.out.push(Piece::Heading { level, text, place });
                gathered.first_on_page = false;
                continue;
            }
            for line in lines {
                match &mut open {
                    Some(o) if continues(&o.lines, line, pitch, sizes) => o.lines.push(line),
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
fn continues(lines: &[&Line], next: &Line, pitch: f32, sizes: &Sizes) -> bool {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return false };
    let size = last.size.max(next.size).max(1.0);
    if (last.size - next.size).abs() > 0.08 * size
        || (last.bold != next.bold && !is_opening(last, next))
        || (next.run_in && (last.run_in || ends_sentence(&last.text)))
        || contents_line(&last.text).is_some()
        || (is_drawn(&last.text) != is_drawn(&next.text) && !(last.mono && sizes.is_code(lines)))
        || bullet(&next.text).is_some()
        || numbered(&next.text)
        || (lines.len() == 1 && heads(last, next, sizes))
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
    if ended && sizes.is_body(last) && sizes.may_head(next) && next.right < widest - size {
        return false;
    }
    !(ended && last.right < widest - 0.2 * width)
}

/// Whether one of two lines holds bold words and the other does not because the text goes on behind or before them.
fn is_opening(last: &Line, next: &Line) -> bool {
    if last.bold {
        // An opening may be longer than its first line.
        let longer = next.run_in && !last.run_in && last.right > next.right - 2.0 * next.size;
        return (last.run_in && !next.run_in) || longer;
    }
    next.run_in && !last.run_in && !ends_sentence(&last.text) && last.right > next.right - 2.0 * next.size
}

/// Whether a line of another font heads the text that goes on below it: it ends before the text does, or is larger.
fn heads(line: &Line, next: &Line, sizes: &Sizes) -> bool {
    let below = next.baseline > line.baseline && next.baseline - line.baseline < HEADS * line.size;
    let beside = (line.left - next.left).abs() < INDENT * line.size;
    let set_off = line.right < next.right - 0.8 * line.size || line.size > 1.03 * next.size;
    below && beside && set_off && sizes.is_body(next) && sizes.may_head(line)
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
    /// A paragraph of one line that heads the next one if it is of the font of the text.
    candidate: Option<(usize, Line)>,
}

impl Gathered<'_> {
    fn finish(&mut self, open: Option<Open<'_>>) {
        let Some(Open { lines, page }) = open else { return };
        let Some(first) = lines.first() else { return };
        let mut parts = parts(&lines, page, self.compounds);
        let text = text_of(&parts);
        let was_first = std::mem::replace(&mut self.first_on_page, false);
        let candidate = self.candidate.take();
        if lines.len() > 1 && self.sizes.is_code(&lines) {
            self.out.push(Piece::Code(code(&lines), location(page, &boxes(&lines))));
        } else if let Some((title, number)) = contents_line(&text) {
            let text = format!("{title} … {number}");
            let parts = vec![Part { text, place: location(page, &boxes(&lines)) }];
            self.out.push(Piece::Item { left: first.left, number: None, parts });
        } else if let Some(level) = self.sizes.heading_level(&text, first, lines.len()) {
            self.out.push(Piece::Heading { level, text, place: location(page, &boxes(&lines)) });
        } else if bullet(&text).is_some() {
            match parts.first().and_then(|part| bullet(&part.text)).map(str::to_owned) {
                Some(rest) => parts.iter_mut().take(1).for_each(|part| part.text.clone_from(&rest)),
                // The sign has a line of its own.
                None => drop(parts.drain(..1)),
            }
            self.out.push(Piece::Item { left: first.left, number: None, parts });
        } else if self.sizes.is_note(&text, first, page) {
            self.out.push(Piece::Note(parts));
        } else {
            self.promote(candidate, &lines, &text);
            if lines.len() == 1 && self.sizes.may_head(first) {
                self.candidate = Some((self.out.len(), (*first).clone()));
            }
            if !was_first || !self.goes_on(&text, &mut parts) {
                self.out.push(Piece::Paragraph(parts));
            }
        }
    }

    /// Makes a heading of the line before these, if it heads them.
    fn promote(&mut self, candidate: Option<(usize, Line)>, lines: &[&Line], text: &str) {
        let (Some((at, line)), [next, ..]) = (candidate, lines) else { return };
        if !heads(&line, next, self.sizes) || (lines.len() == 1 && text.chars().count() < HEADED) {
            return;
        }
        if let Some(piece) = self.out.get_mut(at)
            && let Piece::Paragraph(parts) = piece
            && let [part] = parts.as_mut_slice()
        {
            let (text, place) = (std::mem::take(&mut part.text), std::mem::take(&mut part.place));
            *piece = Piece::Heading { level: self.sizes.plain_level(&text), text, place };
        }
    }

    /// Adds a text to the paragraph that the page before left open, if it goes on with it.
    fn goes_on(&mut self, text: &str, parts: &mut Vec<Part>) -> bool {
        let last = self.out.iter_mut().rev().find(|piece| !matches!(piece, Piece::Note(_)));
        let Some(Piece::Paragraph(before) | Piece::Item { parts: before, .. }) = last else { return false };
        let Some(last) = before.last_mut().filter(|last| flows_on(&last.text, text)) else { return false };
        if !last.text.ends_with('-') {
            last.text.push(' ');
        } else if !self.compounds.keep(&last.text, text) {
            last.text.pop();
        }
        before.append(parts);
        true
    }
}

fn boxes(lines: &[&Line]) -> Vec<Rule> {
    lines.iter().map(|line| line.place()).collect()
}
