//! Plain text: paragraphs are what blank lines part; each line of them is located.

use crate::build::Draft;
use crate::text::clean::{Lines, Treatment, lines, scrub};
use carrel_engine::domain::{Block, BlockKind, LocatedSpan, Location, Span};
use carrel_engine::seams::{ConvertError, Limits};

pub(super) fn convert(text: &str, limits: &Limits) -> Result<Draft, ConvertError> {
    super::within(limits, text.len())?;
    let lines = lines(&scrub(text), |_| Treatment::Prose);
    let mut blocks = Vec::new();
    let mut start = 0;
    for paragraph in lines.text.split("\n\n") {
        let end = start + paragraph.len();
        if !paragraph.trim().is_empty() {
            blocks.push(Block {
                kind: BlockKind::Paragraph,
                span: Span::new(start, end),
                children: Vec::new(),
            });
        }
        start = end + 2;
    }
    let locations = locate(&lines, &blocks);
    Ok(Draft { markdown: lines.text, blocks, locations, ..Draft::default() })
}

/// Locates each line of the blocks at the top.
pub(super) fn locate(lines: &Lines, blocks: &[Block]) -> Vec<LocatedSpan> {
    let mut located = Vec::with_capacity(blocks.len());
    for block in blocks {
        let mut start = block.span.start;
        let body = block.span.of(&lines.text).unwrap_or_default();
        let ends = body.match_indices('\n').map(|(i, _)| block.span.start + i + 1);
        for end in ends.chain([block.span.end]) {
            if end > start {
                let location = Location { line: Some(lines.line_at(start)), ..Location::default() };
                located.push(LocatedSpan { span: Span::new(start, end), location });
            }
            start = end;
        }
    }
    located
}
