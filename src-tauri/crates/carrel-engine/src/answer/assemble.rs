//! From hits to what the model reads: passages grown to their sections within the budget.
//!
//! Unless the order is set otherwise, the strongest stand first and last, the weakest in the middle (Liu et al. 2023, "Lost in the
//! Middle"). Invariant: a
//! source's text is exactly a span of an active version, so that anything quoted from it has an offset.

use super::Order;
use crate::domain::{Block, BlockKind, Document, DocumentId, LibraryId, Passage, Span};
use crate::error::{EngineError, Result};
use crate::library::VersionText;
use crate::retrieve::{Cost, Hit, Marker, ScoreKind, Texts, choose, surroundings};
use std::collections::HashSet;

/// Tokens that a source costs besides its text: number, title, place, fences.
const FRAME: usize = 30;

/// Blocks on each side by which a source grows.
const NEIGHBOURS: usize = 8;

/// A piece of a document that the model reads.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The hit that it grew from.
    pub(super) hit: Hit,
    /// Where it stands in the version's Markdown.
    pub(super) span: Span,
    /// That span's text.
    pub(super) text: String,
}

/// Turns hits, best first, into sources of at most `budget` tokens, in the order in which the model reads them. At least the
/// best hit is given, cut to the budget where it alone is larger.
pub(super) fn assemble(
    texts: &mut Texts<'_>,
    hits: &[Hit],
    budget: usize,
    order: Order,
    count: &Cost<'_>,
) -> Result<Vec<Source>> {
    let cost_of = |text: &str| -> Result<usize> { Ok(count(text)? + FRAME) };
    let mut taken: Vec<(Source, usize)> = Vec::new();
    for excerpt in choose(texts, hits, budget, &cost_of)? {
        taken.extend(source(texts, excerpt.hit, excerpt.span)?.map(|source| (source, excerpt.cost)));
    }
    if taken.is_empty() {
        for hit in hits {
            let Some(whole) = source(texts, hit, hit.passage.span)? else { continue };
            let span = cut(&whole.text, whole.span, budget.saturating_sub(FRAME), count)?;
            taken.extend(source(texts, hit, span)?.map(|source| (source, budget)));
            break;
        }
    }
    let mut left = budget.saturating_sub(taken.iter().map(|(_, cost)| cost).sum());
    for at in 0..taken.len() {
        // What is left is shared evenly among those not grown yet, the strongest first.
        let share = left / (taken.len() - at);
        let (source, cost) = &mut taken[at];
        let section = texts.library(source.hit.library).and_then(|library| library.section_tokens());
        let most = (*cost + share).min(section.map_or(usize::MAX, |section| section + FRAME));
        let Some(version) = texts.of(&source.hit)? else { continue };
        for wider in wider(version, source.span).into_iter().rev() {
            let Some(text) = wider.of(&version.markdown) else { continue };
            // A token has hardly more than eight bytes: what is far too long need not be counted.
            if text.len() > most * 8 {
                continue;
            }
            let grown = cost_of(text)?;
            if grown <= most && grown > *cost {
                left -= grown.saturating_sub(*cost);
                source.span = wider;
                source.text = text.to_owned();
                *cost = grown;
                break;
            }
        }
    }
    let sources = merge(texts, taken.into_iter().map(|(source, _)| source).collect())?;
    Ok(match order {
        Order::Ends => strongest_outside(sources),
        Order::Descending => sources,
    })
}

/// A span of the version that a hit is cut from; `None` where it was removed since.
fn source(texts: &mut Texts<'_>, hit: &Hit, span: Span) -> Result<Option<Source>> {
    let Some(version) = texts.of(hit)? else { return Ok(None) };
    let text = span.of(&version.markdown);
    Ok(text.map(|text| Source { hit: hit.clone(), span, text: text.to_owned() }))
}

/// Whole documents that the user named, as long as they fit; `None` where they do not.
pub(super) fn whole(
    texts: &mut Texts<'_>,
    hits: &[Hit],
    budget: usize,
    count: &Cost<'_>,
) -> Result<Option<Vec<Source>>> {
    let mut sources = Vec::new();
    let mut left = budget;
    let mut seen = HashSet::new();
    for hit in hits.iter().filter(|h| seen.insert(h.document.id)) {
        let Some(version) = texts.of(hit)? else { continue };
        if version.markdown.len() > left * 8 {
            return Ok(None);
        }
        let cost = count(&version.markdown)? + FRAME;
        if cost > left {
            return Ok(None);
        }
        left -= cost;
        let span = Span::new(0, version.markdown.len());
        sources.push(Source { hit: hit.clone(), span, text: version.markdown.to_string() });
    }
    Ok(Some(sources))
}

/// The first passages of documents that the user named, as hits without a rank in any leg.
pub(super) fn first_passages(texts: &Texts<'_>, documents: &[DocumentId], n: usize) -> Result<Vec<Hit>> {
    let mut hits = Vec::new();
    for id in documents {
        for library in texts.libraries() {
            let document = match library.document(*id) {
                Ok(document) => document,
                Err(EngineError::NotFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            if document.version.is_none() {
                continue;
            }
            for passage in library.passages(*id, None)?.into_iter().take(n) {
                let rank = hits.len() + 1;
                hits.push(bare_hit(library.id(), document.clone(), passage, rank));
            }
        }
    }
    Ok(hits)
}

/// A passage as a hit without a rank in any leg.
pub(super) fn bare_hit(library: LibraryId, document: Document, passage: Passage, rank: usize) -> Hit {
    let marked = Marker::default().mark(&passage.text, document.is_code());
    Hit {
        rank,
        score: 0.0,
        score_kind: ScoreKind::Lexical,
        library,
        document,
        passage,
        lexical: None,
        dense: None,
        fused: None,
        fused_rank: None,
        rerank: None,
        expanded: Vec::new(),
        named: None,
        matched_terms: marked.words,
        snippet: marked.snippet,
    }
}

/// Spans around `span`, each wider than the one before: the sentences around it, its blocks, their neighbours under the same
/// heading, the text under that heading, the text under the heading above that, and so on.
fn wider(version: &VersionText, span: Span) -> Vec<Span> {
    let blocks = version.blocks.as_slice();
    let headings: Vec<(usize, u8)> = blocks
        .iter()
        .filter_map(|b| match &b.kind {
            BlockKind::Heading { level, .. } => Some((b.span.start, *level)),
            _ => None,
        })
        .collect();
    let end = blocks.last().map_or(span.end, |b| b.span.end).max(span.end);
    let touched = blocks.iter().filter(|b| b.span.overlaps(&span));
    let (start, stop) =
        touched.fold((span.start, span.end), |(s, e), b| (s.min(b.span.start), e.max(b.span.end)));
    let mut spans = vec![surroundings(&version.markdown, blocks, span), Span::new(start, stop)];
    spans.extend(neighbours(blocks, Span::new(start, stop)));
    let mut last = headings.iter().rposition(|(at, _)| *at <= start);
    while let Some(at) = last {
        let (from, level) = headings[at];
        let to = headings[at + 1..].iter().find(|(s, l)| *l <= level && *s >= stop).map_or(end, |(s, _)| *s);
        spans.push(Span::new(from, to.max(stop)));
        last = headings[..at].iter().rposition(|(_, l)| *l < level);
    }
    spans.dedup();
    spans
}

/// `span` with one, two and more blocks on both sides, up to the headings around it.
fn neighbours(blocks: &[Block], span: Span) -> Vec<Span> {
    let text = |block: &&Block| !matches!(block.kind, BlockKind::Heading { .. });
    let first = blocks.partition_point(|block| block.span.end <= span.start);
    let after = blocks.partition_point(|block| block.span.start < span.end);
    let (before, behind) = (blocks.get(..first), blocks.get(after..));
    let mut before = before.unwrap_or_default().iter().rev().take_while(text);
    let mut behind = behind.unwrap_or_default().iter().take_while(text);
    let mut wide = span;
    let mut spans = Vec::new();
    for _ in 0..NEIGHBOURS {
        let grown = Span::new(
            before.next().map_or(wide.start, |block| block.span.start),
            behind.next().map_or(wide.end, |block| block.span.end),
        );
        if grown == wide {
            break;
        }
        wide = grown;
        spans.push(wide);
    }
    spans
}

/// The longest beginning of `text` that fits, cut where words are.
fn cut(text: &str, span: Span, budget: usize, count: &Cost<'_>) -> Result<Span> {
    let ends: Vec<usize> =
        text.match_indices(char::is_whitespace).map(|(at, _)| at).chain([text.len()]).collect();
    let (mut low, mut high) = (0, ends.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        if count(&text[..ends[middle - 1]])? <= budget {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let end = if low == 0 { 0 } else { ends[low - 1] };
    Ok(Span::new(span.start, span.start + end))
}

/// Joins sources of one version that overlap or touch; the better hit stands for both.
fn merge(texts: &mut Texts<'_>, sources: Vec<Source>) -> Result<Vec<Source>> {
    let mut merged: Vec<Source> = Vec::with_capacity(sources.len());
    for source in sources {
        let same = |other: &&mut Source| {
            other.hit.library == source.hit.library
                && other.hit.document.id == source.hit.document.id
                && other.hit.passage.version == source.hit.passage.version
                && other.span.start <= source.span.end
                && source.span.start <= other.span.end
        };
        match merged.iter_mut().find(same) {
            None => merged.push(source),
            Some(other) => {
                other.span =
                    Span::new(other.span.start.min(source.span.start), other.span.end.max(source.span.end));
                if let Some(version) = texts.of(&other.hit)? {
                    other.text = other.span.of(&version.markdown).unwrap_or_default().to_owned();
                }
            }
        }
    }
    Ok(merged)
}

/// Ranks 2, 4, 6, … 5, 3, 1: small models above all answer from what they read last.
fn strongest_outside(sources: Vec<Source>) -> Vec<Source> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for (rank, source) in sources.into_iter().enumerate() {
        if rank % 2 == 0 { back.push(source) } else { front.push(source) }
    }
    front.extend(back.into_iter().rev());
    front
}
