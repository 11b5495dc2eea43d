//! From hits to what is worth reading of them: until scores fall off, nothing twice, the best with the sentences around them.
//!
//! Refuses to reorder, and to leave out the first few. Invariant: an excerpt is a span of the version that its hit was cut from.

use super::Hit;
use super::texts::Texts;
use crate::domain::{Block, BlockKind, Span};
use crate::error::Result;
use crate::text::sentences;
use std::collections::HashSet;

/// So many hits are read in any case, and with what surrounds them.
const FIRST: usize = 4;
/// A hit with less than this share of the best score is behind. Ranks fused by RRF hardly fall off: there, nothing is.
const BEHIND: f32 = 0.5;
/// How far an excerpt reaches beyond its passage on each side, as a share of the passage: an answer often goes on past a cut.
const REACH: f32 = 0.6;

/// A piece of a document that is worth reading.
#[derive(Clone, Debug)]
pub struct Excerpt<'a> {
    /// The hit that it is taken from.
    pub hit: &'a Hit,
    /// Where it stands in the version's Markdown.
    pub span: Span,
    /// What it costs of the budget.
    pub cost: usize,
}

/// What a text costs, in the unit of the budget.
pub type Cost<'a> = dyn Fn(&str) -> Result<usize> + 'a;

/// Excerpts of hits (best first), in their order, that cost at most `budget` together. Hits whose documents are gone are passed
/// over; one that does not fit makes room for the next.
pub fn excerpts<'a>(
    texts: &mut Texts<'_>,
    hits: &'a [Hit],
    budget: usize,
    cost: &Cost<'_>,
) -> Result<Vec<Excerpt<'a>>> {
    let mut chosen = choose(texts, hits, budget, cost)?;
    let mut left = budget - chosen.iter().map(|excerpt| excerpt.cost).sum::<usize>();
    for excerpt in chosen.iter_mut().take(FIRST) {
        let Some(version) = texts.of(excerpt.hit)? else { continue };
        let wider = surroundings(&version.markdown, &version.blocks, excerpt.span);
        let Some(text) = wider.of(&version.markdown) else { continue };
        let more = cost(text)?.saturating_sub(excerpt.cost);
        if more <= left {
            left -= more;
            excerpt.span = wider;
            excerpt.cost += more;
        }
    }
    Ok(chosen)
}

/// The passages of the hits that are worth reading, as they were found.
pub(crate) fn choose<'a>(
    texts: &mut Texts<'_>,
    hits: &'a [Hit],
    budget: usize,
    cost: &Cost<'_>,
) -> Result<Vec<Excerpt<'a>>> {
    let mut chosen: Vec<Excerpt<'a>> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut left = budget;
    let best = hits.first().map_or(0.0, |hit| hit.score);
    for hit in hits {
        if chosen.len() >= FIRST && hit.score < best * BEHIND {
            break;
        }
        let Some(version) = texts.of(hit)? else { continue };
        let Some(text) = hit.passage.span.of(&version.markdown) else { continue };
        if !seen.insert(text.split_whitespace().collect::<Vec<_>>().join(" ")) {
            continue;
        }
        let cost = cost(text)?;
        if cost <= left {
            left -= cost;
            chosen.push(Excerpt { hit, span: hit.passage.span, cost });
        }
    }
    Ok(chosen)
}

/// `span` with the whole sentences around it within reach, up to the headings before and after it.
pub(crate) fn surroundings(markdown: &str, blocks: &[Block], span: Span) -> Span {
    let reach = (span.len() as f32 * REACH) as usize;
    let headings = || blocks.iter().filter(|block| matches!(block.kind, BlockKind::Heading { .. }));
    let top = headings().map(|block| block.span.end).rfind(|end| *end <= span.start).unwrap_or(0);
    let bottom = headings().map(|block| block.span.start).find(|start| *start >= span.end);
    let bottom = bottom.unwrap_or(markdown.len());

    let from = markdown.ceil_char_boundary(span.start.saturating_sub(reach)).max(top);
    let to = markdown.floor_char_boundary(span.end.saturating_add(reach)).min(bottom);
    let before = Span::new(from.min(span.start), span.start).of(markdown).unwrap_or_default();
    let after = Span::new(span.end, to.max(span.end)).of(markdown).unwrap_or_default();
    // The outermost sentence may be cut off by the reach.
    let begun = |sentence: &&Span| from == top || !before[..sentence.start].trim().is_empty();
    let ended = |sentence: &&Span| to == bottom || !after[sentence.end..].trim().is_empty();
    Span::new(
        sentences(before).iter().find(begun).map_or(span.start, |sentence| from + sentence.start),
        sentences(after).iter().rev().find(ended).map_or(span.end, |sentence| span.end + sentence.end),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "# One\n\nA first sentence. A second one! Here is the passage. And the next. The last.\n\n# Two\n\nOther.";

    fn blocks() -> Vec<Block> {
        let heading = |text: &str| {
            let start = TEXT.find(text).unwrap();
            let kind = BlockKind::Heading { level: 1, text: text.to_owned() };
            Block { kind, span: Span::new(start - 2, start + text.len()), children: Vec::new() }
        };
        vec![heading("One"), heading("Two")]
    }

    fn around(passage: &str) -> &'static str {
        let start = TEXT.find(passage).unwrap();
        surroundings(TEXT, &blocks(), Span::new(start, start + passage.len())).of(TEXT).unwrap()
    }

    #[test]
    fn whole_sentences_within_reach_come_along() {
        assert_eq!(around("Here is the passage."), "Here is the passage.", "its neighbours are out of reach");
        assert_eq!(
            around("A second one! Here is the passage."),
            "A first sentence. A second one! Here is the passage. And the next."
        );
    }

    #[test]
    fn headings_are_not_passed() {
        assert_eq!(around("Other."), "Other.");
        assert_eq!(around("And the next. The last."), "And the next. The last.");
    }

    proptest! {
        #[test]
        fn a_span_only_grows_and_stays_between_characters(text in "[aé頻 .!?\n。]{0,80}", a in 0..80usize, b in 0..80usize) {
            let at = |i: usize| text.floor_char_boundary(i.min(text.len()));
            let span = Span::new(at(a.min(b)), at(a.max(b)));
            let wide = surroundings(&text, &[], span);
            prop_assert!(wide.start <= span.start && wide.end >= span.end);
            prop_assert!(wide.of(&text).is_some());
        }
    }
}
