//! Where a text may be cut: sentences, lines, words, graphemes. Every position lies between two grapheme clusters.

use crate::domain::Span;
use unicode_segmentation::UnicodeSegmentation;

/// How good a place for a cut is; higher is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Between graphemes, or between a heading and its text.
    Grapheme,
    /// Between words.
    Word,
    /// Between lines.
    Line,
    /// Between sentences.
    Sentence,
    /// Between rows, items, or parts of a source file.
    Item,
    /// Between blocks.
    Block,
    /// Where the subject changes: a new passage begins.
    Turn,
}

/// `span` without the white space at its ends; `None` where nothing else is in it.
pub(super) fn trim(text: &str, span: Span) -> Option<Span> {
    let part = span.of(text)?;
    // By grapheme: a space that carries a combining mark is not white space.
    let blank = |g: &&str| g.chars().all(char::is_whitespace);
    let head: usize = part.graphemes(true).take_while(blank).map(str::len).sum();
    if head == part.len() {
        return None;
    }
    let tail: usize = part.graphemes(true).rev().take_while(blank).map(str::len).sum();
    Some(Span::new(span.start + head, span.end - tail))
}

/// Sentences of `span`, each with the strength of the cut after it. Lines end a piece too, as a weaker cut.
pub(super) fn sentences(text: &str, span: Span) -> Vec<(Span, Strength)> {
    let part = &text[span.start..span.end];
    let ends = part.split_sentence_bound_indices().map(|(at, piece)| {
        let ended = piece
            .trim_end()
            .trim_end_matches(['"', '\'', ')', ']', '»', '”', '’', '」', '』', '）', '*', '_']);
        let full =
            ended.ends_with(['.', '!', '?', '。', '！', '？', '…', '؟', '।', '｡', ';', '；', ':', '：']);
        (at + piece.len(), if full { Strength::Sentence } else { Strength::Line })
    });
    cut(part, span.start, ends)
}

/// Words of `span` with the white space after them.
pub(super) fn words(text: &str, span: Span) -> Vec<(Span, Strength)> {
    let part = &text[span.start..span.end];
    let mut bounds = part.split_word_bound_indices().peekable();
    let ends = std::iter::from_fn(move || {
        let (at, word) = bounds.next()?;
        let mut end = at + word.len();
        while let Some((at, space)) = bounds.next_if(|(_, next)| next.trim().is_empty()) {
            end = at + space.len();
        }
        Some((end, Strength::Word))
    });
    cut(part, span.start, ends)
}

/// Cells of a table row, each with the bar after it.
pub(super) fn cells(text: &str, span: Span) -> Vec<(Span, Strength)> {
    let part = &text[span.start..span.end];
    let bytes = part.as_bytes();
    let ends = part.match_indices('|').filter(move |(at, _)| *at == 0 || bytes[at - 1] != b'\\');
    cut(part, span.start, ends.map(|(at, _)| (at + 1, Strength::Sentence)))
}

/// Lines of code. A blank line before a line without indentation is the best cut, then a blank line, then a line without
/// indentation.
pub(super) fn lines(text: &str, span: Span) -> Vec<(Span, Strength)> {
    let part = &text[span.start..span.end];
    let mut lines: Vec<(Span, Strength)> = Vec::new();
    let (mut at, mut blank_before) = (span.start, false);
    for line in part.split_inclusive('\n') {
        let blank = line.trim().is_empty();
        let outer = !line.starts_with([' ', '\t', '}', ')', ']']);
        if let Some(last) = lines.last_mut()
            && !blank
        {
            last.1 = match (blank_before, outer) {
                (true, true) => Strength::Block,
                (true, false) => Strength::Item,
                (false, true) => Strength::Sentence,
                (false, false) => Strength::Line,
            };
        }
        match lines.last_mut() {
            Some(last) if blank => last.0.end += line.len(),
            _ => lines.push((Span::new(at, at + line.len()), Strength::Line)),
        }
        at += line.len();
        blank_before = blank;
    }
    lines
}

/// Pieces of whole graphemes for which `fits` holds; a single grapheme for which it does not is cut between characters.
pub(super) fn graphemes(text: &str, span: Span, fits: impl Fn(Span) -> bool) -> Vec<(Span, Strength)> {
    let part = &text[span.start..span.end];
    let mut pieces = Vec::new();
    let mut start = span.start;
    let mut end = span.start;
    let mut push = |start: usize, end: usize| {
        if start < end {
            pieces.push((Span::new(start, end), Strength::Grapheme));
        }
    };
    for grapheme in part.graphemes(true) {
        if !fits(Span::new(start, end + grapheme.len())) {
            push(start, end);
            start = end;
        }
        if fits(Span::new(end, end + grapheme.len())) {
            end += grapheme.len();
            continue;
        }
        for c in grapheme.chars() {
            if end > start && !fits(Span::new(start, end + c.len_utf8())) {
                push(start, end);
                start = end;
            }
            end += c.len_utf8();
        }
    }
    push(start, end);
    pieces
}

/// Cuts `part` at those `ends` that lie between two graphemes. Linear: both run forward once.
fn cut(part: &str, offset: usize, ends: impl Iterator<Item = (usize, Strength)>) -> Vec<(Span, Strength)> {
    let mut pieces = Vec::new();
    let mut graphemes = part.grapheme_indices(true).peekable();
    let mut start = 0;
    for (end, strength) in ends {
        while graphemes.next_if(|(at, _)| *at < end).is_some() {}
        let between = graphemes.peek().map_or(part.len(), |(at, _)| *at) == end;
        if between && end > start {
            pieces.push((Span::new(offset + start, offset + end), strength));
            start = end;
        }
    }
    if start < part.len() {
        pieces.push((Span::new(offset + start, offset + part.len()), Strength::Word));
    }
    pieces
}
