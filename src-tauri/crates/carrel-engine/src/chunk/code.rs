//! Source files: whole functions and classes. What does not fit becomes a section of its own under its signature, which stands in
//! front of each of its passages as a heading does; the imports of the file stand there too, as the header of a table does.

use super::boundaries::trim;
use super::outline::{Section, sound};
use super::weight::Weights;
use crate::domain::{Block, BlockKind, CodePart, Span};

/// Scopes in scopes are followed to this depth.
const MAX_DEPTH: usize = 16;

/// The sections of a file. `most`: units of text that a passage without a heading holds.
pub(super) fn sections<'b>(text: &str, file: &'b Block, weights: &Weights, most: usize) -> Vec<Section<'b>> {
    let mut walk = Walk { text, weights, most, sections: Vec::new() };
    walk.scope(&[], Span::new(0, text.len()), &file.children, MAX_DEPTH);
    walk.sections
}

/// The first imports of a file, as many whole lines as cost at most `units`.
pub(super) fn imports(text: &str, file: &Block, weights: &Weights, units: usize) -> Option<Span> {
    let imports = sound(text, file.span, &file.children)
        .find(|part| matches!(part.kind, BlockKind::Part { part: CodePart::Import, .. }))?;
    let start = imports.span.start;
    let lines = imports.span.of(text)?.split_inclusive('\n').scan(start, |end, line| {
        *end += line.len();
        Some(*end)
    });
    let end = lines.take_while(|end| weights.units(Span::new(start, *end)) <= units).last()?;
    trim(text, Span::new(start, end))
}

struct Walk<'t, 'b> {
    text: &'t str,
    weights: &'t Weights,
    most: usize,
    sections: Vec<Section<'b>>,
}

impl<'b> Walk<'_, 'b> {
    fn scope(&mut self, path: &[&'b str], span: Span, parts: &'b [Block], depth: usize) {
        let mut open = Section::of_code(path, span.start);
        for part in sound(self.text, span, parts) {
            let BlockKind::Part { signature, .. } = &part.kind else {
                open.blocks.push(part);
                continue;
            };
            if depth == 0 || signature.is_empty() || self.fits(part.span, path) {
                open.blocks.push(part);
                continue;
            }
            // What stands between parts (fences, braces) belongs to the part after it here, and to the one before it below.
            let start = if open.blocks.is_empty() {
                open.span.start
            } else {
                open.span.end = part.span.start;
                self.sections.push(open);
                part.span.start
            };
            let inner: Vec<&'b str> = path.iter().copied().chain([signature.as_str()]).collect();
            let whole = Span::new(start, part.span.end);
            if part.children.is_empty() {
                let mut alone = Section::of_code(&inner, start);
                (alone.span, alone.blocks) = (whole, vec![part]);
                self.sections.push(alone);
            } else {
                self.scope(&inner, whole, &part.children, depth - 1);
            }
            open = Section::of_code(path, part.span.end);
        }
        open.span.end = span.end;
        match self.sections.last_mut() {
            Some(last) if open.blocks.is_empty() => last.span.end = span.end,
            _ => self.sections.push(open),
        }
    }

    /// Whether a part fits a passage under its path.
    fn fits(&self, part: Span, path: &[&str]) -> bool {
        let path: usize = path.iter().map(|signature| signature.len() / 3 + 2).sum();
        self.weights.units(part) + super::pack::tokens(path) <= self.most
    }
}
