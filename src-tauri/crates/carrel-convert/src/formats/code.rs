//! Source code and its like: one fenced block with its language, located by lines.

use super::text::LINES_A_SPAN;
use crate::build::Draft;
use crate::build::inline::longest_run;
use crate::catalogue::language_of;
use crate::text::clean;
use carrel_engine::domain::{Block, BlockKind, LocatedSpan, Location, Span};
use carrel_engine::seams::{ConvertError, Limits};

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

    let mut locations = Vec::new();
    let mut start = 0;
    let mut line = skipped as u32 + 1;
    for lines in Groups(body) {
        let end = if start + opening.len() + lines.len() >= opening.len() + body.len() {
            markdown.len()
        } else {
            opening.len() + start + lines.len()
        };
        let from = if start == 0 { 0 } else { opening.len() + start };
        let location = Location { line: Some(line), ..Location::default() };
        locations.push(LocatedSpan { span: Span::new(from, end), location });
        start += lines.len();
        line += lines.matches('\n').count() as u32;
    }
    let kind = BlockKind::Code { language: language.map(str::to_owned) };
    let blocks = vec![Block { kind, span: Span::new(0, markdown.len()), children: Vec::new() }];
    Ok(Draft { markdown, blocks, locations, ..Draft::default() })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fenced_with_language_and_lines() {
        let d = convert("\n\nfn a() {}\n\nfn b() {\n  \"```\";\n}\n", "x.rs", &Limits::default()).unwrap();
        assert_eq!(d.markdown, "````rust\nfn a() {}\n\nfn b() {\n  \"```\";\n}\n````");
        let at = |needle: &str| {
            let start = d.markdown.find(needle).unwrap();
            Location::of_span(Span::new(start, start + needle.len()), &d.locations).line
        };
        assert_eq!((at("fn a"), at("fn b")), (Some(3), Some(5)));
        assert_eq!(d.locations.last().unwrap().span.end, d.markdown.len());
    }
}
