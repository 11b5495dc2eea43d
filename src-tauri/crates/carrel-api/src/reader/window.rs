//! Which part of a document is rendered, and in which pieces it can be parsed by itself.

use carrel_engine::domain::{Block, BlockKind, Span};

/// A piece that parses by itself.
pub(super) struct Piece<'a> {
    /// What a piece of the middle of a table repeats in front: its header.
    pub(super) lead: Option<(usize, &'a str)>,
    /// First byte of `text` in the document.
    pub(super) start: usize,
    /// Markdown.
    pub(super) text: &'a str,
    /// A piece of the middle of a code block: verbatim, with the language of the whole.
    #[expect(clippy::option_option, reason = "code whose language may be unknown, or no code")]
    pub(super) code: Option<Option<&'a str>>,
}

/// The span to show: all of it where it fits, else about `largest` bytes around `at`, cut between blocks or lines.
pub(super) fn choose(markdown: &str, blocks: &[Block], at: usize, largest: usize) -> Span {
    if markdown.len() <= largest {
        return Span::new(0, markdown.len());
    }
    // A third before the place, two thirds after it: reading goes on downwards.
    let start = at.saturating_sub(largest / 3).min(markdown.len() - largest);
    let end = start + largest;
    Span::new(cut(markdown, blocks, start, true), cut(markdown, blocks, end, false))
}

/// The nearest good place to cut at or after `at` (or at or before it when `back`).
fn cut(markdown: &str, blocks: &[Block], at: usize, back: bool) -> usize {
    if at == 0 || at >= markdown.len() {
        return at.min(markdown.len());
    }
    let index = blocks.partition_point(|b| b.span.end <= at);
    match blocks.get(index) {
        Some(block) if block.span.start < at => {
            // Inside a block: its edge if that is near, else the nearest line, else the nearest character.
            let edge = if back { block.span.start } else { block.span.end };
            if edge.abs_diff(at) < 20_000 { edge } else { line(markdown, at, back) }
        }
        _ => line(markdown, at, back),
    }
}

fn line(markdown: &str, at: usize, back: bool) -> usize {
    const FAR: usize = 20_000;
    let bytes = markdown.as_bytes();
    let found = if back {
        bytes[at.saturating_sub(FAR)..at]
            .iter()
            .rposition(|b| *b == b'\n')
            .map(|i| at.saturating_sub(FAR) + i + 1)
    } else {
        bytes[at..(at + FAR).min(bytes.len())].iter().position(|b| *b == b'\n').map(|i| at + i + 1)
    };
    let mut place = found.unwrap_or(at);
    while !markdown.is_char_boundary(place) {
        place -= 1;
    }
    place
}

/// The pieces of `shown`. A block that is cut is a piece of its own; whole blocks between are one.
pub(super) fn pieces<'a>(markdown: &'a str, blocks: &'a [Block], shown: Span) -> Vec<Piece<'a>> {
    let plain =
        |start: usize, end: usize| Piece { lead: None, start, text: &markdown[start..end], code: None };
    let cut_at = |at: usize| {
        let index = blocks.partition_point(|b| b.span.end <= at);
        blocks.get(index).filter(|b| b.span.start < at && at < b.span.end)
    };
    let mut pieces = Vec::new();
    let mut from = shown.start;
    if let Some(block) = cut_at(shown.start) {
        let end = block.span.end.min(shown.end);
        pieces.push(part(markdown, block, from, end));
        from = end;
    }
    let last = cut_at(shown.end).filter(|b| b.span.start >= from);
    let to = last.map_or(shown.end, |b| b.span.start);
    if from < to {
        pieces.push(plain(from, to));
    }
    if let Some(block) = last {
        pieces.push(part(markdown, block, block.span.start, shown.end));
    }
    pieces
}

/// A part of one block.
fn part<'a>(markdown: &'a str, block: &'a Block, start: usize, end: usize) -> Piece<'a> {
    let text = &markdown[start..end];
    match &block.kind {
        BlockKind::Code { language } => Piece { lead: None, start, text, code: Some(language.as_deref()) },
        BlockKind::Table if start > block.span.start => {
            let header =
                block.children.iter().find(|row| matches!(row.kind, BlockKind::Row { header: true }));
            let lead = header.and_then(|row| Some((row.span.start, row.span.of(markdown)?)));
            Piece { lead, start, text, code: None }
        }
        _ => Piece { lead: None, start, text, code: None },
    }
}
