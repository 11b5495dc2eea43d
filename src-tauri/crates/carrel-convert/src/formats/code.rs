//! Source code and its like: one fenced block with its language, located by lines, with its parts by syntax where the language has a
//! grammar.

mod grammar;
mod syntax;
#[cfg(test)]
mod tests;

use crate::build::Draft;
use crate::build::inline::longest_run;
use crate::catalogue::language_of;
use crate::text::clean;
use carrel_engine::domain::{Block, BlockKind, LocatedSpan, Location, Span};
use carrel_engine::seams::{ConvertError, Limits};

/// A located span covers at most this many lines.
const LINES_A_SPAN: usize = 10;

pub(super) fn convert(text: &str, name: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    fenced(text, language_of(name), limits)
}

/// A whole text as one block of code.
pub(super) fn fenced(text: &str, language: Option<&str>, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let code = clean::code(text);
    // Blank lines in front go with their count, so that lines stay right.
    let body = code.trim_start_matches('\n').trim_end();
    if body.trim().is_empty() {
        return Ok(Draft::default());
    }
    let skipped = code.len() - code.trim_start_matches('\n').len();
    let fence = "`".repeat(longest_run(body, '`').max(2) + 1);
    let opening = format!("{fence}{}\n", language.unwrap_or_default());
    let markdown = format!("{opening}{body}\n{fence}");

    let mut children = language.and_then(|language| syntax::parts(language, body)).unwrap_or_default();
    for part in &mut children {
        shift(part, opening.len());
    }
    let kind = BlockKind::Code { language: language.map(str::to_owned) };
    let locations = locate(&markdown, body, opening.len(), skipped as u32 + 1);
    let blocks = vec![Block { kind, span: Span::new(0, markdown.len()), children }];
    Ok(Draft { markdown, blocks, locations, ..Draft::default() })
}

/// Moves a part with those in it.
fn shift(part: &mut Block, by: usize) {
    part.span = Span::new(part.span.start + by, part.span.end + by);
    for inner in &mut part.children {
        shift(inner, by);
    }
}

/// Groups of lines, each by its first; the fences go by the first and the last line.
fn locate(markdown: &str, body: &str, opening: usize, first: u32) -> Vec<LocatedSpan> {
    let at = |start, end, line| LocatedSpan {
        span: Span::new(start, end),
        location: Location { line: Some(line), ..Location::default() },
    };
    let mut locations = vec![at(0, opening, first)];
    let (mut start, mut line) = (opening, first);
    for lines in Groups(body) {
        let end = start + lines.len();
        let end = if end == opening + body.len() { markdown.len() } else { end };
        locations.push(at(start, end, line));
        start = end;
        line += lines.matches('\n').count() as u32;
    }
    locations
}

/// Groups of lines, newlines included: a new group begins after a blank line or after enough lines.
struct Groups<'a>(&'a str);

impl<'a> Iterator for Groups<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let mut end = self.0.len();
        let mut line_start = 0;
        for (count, (i, _)) in self.0.match_indices('\n').enumerate() {
            let blank = self.0.get(line_start..i).is_some_and(|l| l.trim().is_empty());
            line_start = i + 1;
            if (blank && count > 0) || count + 1 == LINES_A_SPAN {
                end = i + 1;
                break;
            }
        }
        let (group, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(group)
    }
}
