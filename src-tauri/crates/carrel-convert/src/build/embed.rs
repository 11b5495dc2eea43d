//! Makes a draft fit into another one: its headings go below a heading there, its front matter becomes code, its footnotes keep
//! labels of their own. Blocks and locations follow each change.

use super::Draft;
use carrel_engine::domain::{Block, BlockKind, LocatedSpan, Span};
use std::collections::HashSet;
use std::ops::Range;

/// Longer footnote labels are none.
const LONGEST_LABEL: usize = 100;

/// A replaced range of the text; an empty one is an insertion.
type Edit = (Range<usize>, String);

/// The draft with all its headings below `level`, and footnote labels that begin with `mark`.
pub(super) fn below(draft: Draft, level: u8, mark: &str) -> Draft {
    let mut edits = Vec::new();
    let mut highest = 6;
    each(&draft.blocks, &mut |block| {
        if let BlockKind::Heading { level, .. } = block.kind {
            highest = highest.min(level);
        }
    });
    let shift = (level + 1).saturating_sub(highest);
    let mut code = Vec::new();
    each(&draft.blocks, &mut |block| {
        let text = block.span.of(&draft.markdown).unwrap_or_default();
        match &block.kind {
            BlockKind::Heading { level, .. } => edits.extend(deeper(text, block.span.start, *level, shift)),
            BlockKind::Meta => {
                edits.extend(fenced(text, block.span.start));
                code.push(block.span);
            }
            BlockKind::Code { .. } => code.push(block.span),
            _ => {}
        }
    });
    edits.extend(notes(&draft.markdown, &code, mark));
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    edits.dedup_by(|next, before| next.0.start < before.0.end);
    apply(draft, &edits, shift)
}

fn each(blocks: &[Block], visit: &mut impl FnMut(&Block)) {
    for block in blocks {
        visit(block);
        each(&block.children, visit);
    }
}

/// A heading at its new level. One that is underlined is written with marks, since those have more levels.
fn deeper(text: &str, start: usize, level: u8, shift: u8) -> Option<Edit> {
    let wanted = level.saturating_add(shift).min(6);
    if shift == 0 {
        return None;
    }
    if text.starts_with('#') {
        let more = usize::from(wanted.saturating_sub(level));
        return Some((start..start, "#".repeat(more)));
    }
    let (words, _) = text.rsplit_once('\n')?;
    let words = words.split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
    Some((start..start + text.len(), format!("{} {words}", "#".repeat(usize::from(wanted)))))
}

/// Front matter stands only at the beginning of a text: elsewhere it is code.
fn fenced(text: &str, start: usize) -> Vec<Edit> {
    let first = text.find('\n').unwrap_or(text.len());
    let Some(last) = text.rfind('\n').filter(|last| *last > first) else { return Vec::new() };
    let language = if text.starts_with('+') { "toml" } else { "yaml" };
    vec![
        (start..start + first, format!("```{language}")),
        (start + last + 1..start + text.len(), "```".to_owned()),
    ]
}

/// New labels for the footnotes that the text defines.
fn notes(markdown: &str, code: &[Span], mark: &str) -> Vec<Edit> {
    let label = |after: &str| {
        let near = after.get(..after.floor_char_boundary(LONGEST_LABEL)).unwrap_or(after);
        near.split_once(']').map(|(label, _)| label.to_owned())
    };
    let defined: HashSet<String> = markdown
        .lines()
        .filter_map(|line| line.strip_prefix("[^"))
        .filter(|rest| rest.contains("]:"))
        .filter_map(label)
        .collect();
    if defined.is_empty() {
        return Vec::new();
    }
    let in_code = |at: usize| {
        let before = code.partition_point(|span| span.start <= at);
        before.checked_sub(1).and_then(|i| code.get(i)).is_some_and(|span| at < span.end)
    };
    markdown
        .match_indices("[^")
        .filter(|(at, _)| !in_code(*at))
        .filter(|(at, _)| {
            let after = markdown.get(at + 2..).and_then(label);
            after.is_some_and(|label| defined.contains(&label))
        })
        .map(|(at, _)| (at + 2..at + 2, mark.to_owned()))
        .collect()
}

fn apply(draft: Draft, edits: &[Edit], shift: u8) -> Draft {
    if edits.is_empty() {
        return draft;
    }
    let mut markdown = String::with_capacity(draft.markdown.len() + edits.len() * 4);
    // Ends of the edits in the old and in the new text.
    let mut ends = Vec::with_capacity(edits.len());
    let mut from = 0;
    for (range, text) in edits {
        markdown.push_str(draft.markdown.get(from..range.start).unwrap_or_default());
        markdown.push_str(text);
        from = range.end;
        ends.push((range.clone(), markdown.len()));
    }
    markdown.push_str(draft.markdown.get(from..).unwrap_or_default());
    // What begins at an insertion holds it; what begins inside a replaced range begins with it.
    let moved = |at: usize| {
        let before = ends.partition_point(|(range, _)| range.start < at);
        match before.checked_sub(1).and_then(|i| ends.get(i)) {
            Some((range, end)) => end + at.saturating_sub(range.end),
            None => at,
        }
    };
    let span = |span: Span| Span::new(moved(span.start), moved(span.end));
    let blocks = draft.blocks.into_iter().map(|block| rebuilt(block, &span, shift)).collect();
    let mut locations: Vec<LocatedSpan> = Vec::with_capacity(draft.locations.len());
    for located in draft.locations {
        let floor = locations.last().map_or(0, |l| l.span.end);
        let mut moved = span(located.span);
        moved.start = moved.start.max(floor);
        if moved.end > moved.start {
            locations.push(LocatedSpan { span: moved, ..located });
        }
    }
    Draft { markdown, blocks, locations, ..draft }
}

fn rebuilt(block: Block, span: &impl Fn(Span) -> Span, shift: u8) -> Block {
    let kind = match block.kind {
        BlockKind::Heading { level, text } => {
            BlockKind::Heading { level: level.saturating_add(shift).min(6), text }
        }
        BlockKind::Meta => BlockKind::Code { language: Some("yaml".to_owned()) },
        kind => kind,
    };
    let children = block.children.into_iter().map(|child| rebuilt(child, span, shift)).collect();
    Block { kind, span: span(block.span), children }
}
