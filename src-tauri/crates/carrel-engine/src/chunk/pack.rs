//! Puts the atoms of one section together to passages: as full as they get, cut at the best place in their second half.

use super::atoms::{Atom, Keep};
use super::boundaries::{Strength, lines, sentences, trim, words};
use super::weight::{TOKEN, Weights};
use crate::domain::Span;

/// Sizes in units of [`Weights`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Text of a passage, without heading line and special tokens, with lead and overlap.
    pub(super) text: usize,
    /// Most overlap.
    pub(super) overlap: usize,
    /// A passage below this joins a neighbour of its section where it can.
    pub(super) least: usize,
}

/// A passage before its tokens are counted.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) span: Span,
    pub(super) embed_span: Span,
    pub(super) lead: Option<Span>,
}

/// Puts the atoms of the section that is `section` together.
pub(super) fn pack(
    text: &str,
    section: Span,
    mut atoms: Vec<Atom<'_>>,
    weights: &Weights,
    budget: Budget,
) -> Vec<Draft> {
    let mut packer = Packer { text, weights, budget, drafts: Vec::new(), section };
    atoms.reverse();
    packer.run(&mut atoms);
    packer.drafts
}

/// Cuts a span that turned out too large in two, at the best place near its middle; `None` where it is a single character.
pub(super) fn halve(text: &str, weights: &Weights, span: Span) -> Option<(Span, Span)> {
    let half = weights.units(span) / 2;
    // Rows stay whole: a line is tried first.
    let mut parts: Vec<Span> = lines(text, span).into_iter().map(|(line, _)| line).collect();
    let mut atom = Atom::prose(span);
    while parts.len() < 2 {
        if !atom.divisible() {
            return None;
        }
        let mut finer = atom.divide(text, |piece| weights.units(piece) * 2 <= half);
        parts = finer.iter().map(|part| part.span).collect();
        atom = finer.pop()?;
    }
    let cut = parts[1..]
        .iter()
        .map(|part| part.start)
        .find(|&start| weights.units(Span::new(span.start, start)) >= half)
        .unwrap_or(parts[parts.len() - 1].start);
    Some((trim(text, Span::new(span.start, cut))?, trim(text, Span::new(cut, span.end))?))
}

struct Packer<'t> {
    text: &'t str,
    weights: &'t Weights,
    budget: Budget,
    drafts: Vec<Draft>,
    section: Span,
}

impl Packer<'_> {
    /// `waiting` holds the atoms in reverse. Each is taken apart at most once per level, and what goes back after a cut is
    /// less than half a passage: linear.
    fn run(&mut self, waiting: &mut Vec<Atom<'_>>) {
        let end = waiting.first().map_or(self.section.start, |last| last.span.end);
        let mut prose_before = false;
        while let Some(first) = waiting.last() {
            let start = first.span.start;
            let lead = self.lead_of(first);
            let overlaps = prose_before && first.prose && self.budget.overlap > 0;
            let mut room = self.budget.text - lead.map_or(0, |lead| self.weights.units(lead));
            if overlaps {
                room -= self.budget.overlap;
            }
            let rest = self.units(start, end);
            // A last passage that would be too small takes from this one.
            let limit = if rest > room && rest < room + self.budget.least {
                rest.saturating_sub(self.budget.least).max(room / 2)
            } else {
                room
            };
            let taken = self.take(waiting, start, limit);
            let Some(last) = taken.last() else { return };
            prose_before = last.prose;
            self.draft(Span::new(start, last.span.end), lead, overlaps);
        }
    }

    /// Takes atoms until `limit`, then gives back those after the best cut.
    fn take<'b>(&self, waiting: &mut Vec<Atom<'b>>, start: usize, limit: usize) -> Vec<Atom<'b>> {
        let mut taken: Vec<Atom<'b>> = Vec::new();
        while let Some(next) = waiting.pop() {
            let before = taken.last().map_or(0, |last| self.units(start, last.span.end));
            if self.units(start, next.span.end) <= limit {
                let turns = next.after == Strength::Turn;
                taken.push(next);
                let last = taken.last().map_or(start, |last| last.span.end);
                if turns && self.units(start, last) >= self.budget.least {
                    break;
                }
                continue;
            }
            if before < limit && self.divisible_here(&next, before) {
                let small = limit.min(self.budget.text / 2) / 4;
                let mut parts = next.divide(self.text, |piece| self.weights.units(piece) <= small.max(1));
                parts.reverse();
                waiting.append(&mut parts);
                continue;
            }
            if taken.is_empty() {
                taken.push(next);
            } else {
                waiting.push(next);
                self.give_back(waiting, &mut taken, start, limit);
            }
            break;
        }
        taken
    }

    /// A unit that fits a passage of its own stays whole, unless what was taken so far is too small to stand alone.
    fn divisible_here(&self, atom: &Atom<'_>, before: usize) -> bool {
        let lead = self.lead_of(atom).map_or(0, |lead| self.weights.units(lead));
        let overlap = if atom.prose { self.budget.overlap } else { 0 };
        let alone = self.weights.units(atom.span) + lead + overlap <= self.budget.text;
        let kept = match atom.keep {
            Keep::Never => false,
            Keep::Rather => before >= self.budget.least,
            Keep::Code | Keep::Row => true,
        };
        atom.divisible() && !(alone && kept)
    }

    fn give_back<'b>(
        &self,
        waiting: &mut Vec<Atom<'b>>,
        taken: &mut Vec<Atom<'b>>,
        start: usize,
        limit: usize,
    ) {
        let mut best: Option<(Strength, usize)> = None;
        for (i, atom) in taken.iter().enumerate().rev() {
            if i + 1 < taken.len() && self.units(start, atom.span.end) * 2 < limit {
                break;
            }
            if best.is_none_or(|(strength, _)| atom.after > strength) {
                best = Some((atom.after, i));
            }
        }
        let keep = best.map_or(taken.len(), |(_, i)| i + 1);
        waiting.extend(taken.drain(keep..).rev());
    }

    fn draft(&mut self, span: Span, lead: Option<Span>, overlaps: bool) {
        let Some(span) = trim(self.text, span) else { return };
        let start = if overlaps { self.overlap_start(span.start) } else { span.start };
        self.drafts.push(Draft { span, embed_span: Span::new(start, span.end), lead });
    }

    /// Where the overlap in front of `start` begins: at a sentence if one begins there, else at a word.
    fn overlap_start(&self, start: usize) -> usize {
        let floor = self.drafts.last().map_or(self.section.start, |before| before.span.start);
        let from = self.weights.back(start, self.budget.overlap, floor);
        let from = (from..=start).find(|&at| self.text.is_char_boundary(at)).unwrap_or(start);
        // The word that `from` may lie in is left out.
        let context = floor.max(self.text.floor_char_boundary(from.saturating_sub(64)));
        let before = Span::new(context, start);
        let sentence = sentences(self.text, before)
            .into_iter()
            .map(|(piece, _)| piece.start)
            .find(|&at| at >= from && at > context && self.units(at, start) * 3 >= self.budget.overlap);
        let word = || {
            words(self.text, before)
                .into_iter()
                .map(|(piece, _)| piece.start)
                .find(|&at| at >= from && at > context)
        };
        sentence.or_else(word).filter(|&at| trim(self.text, Span::new(at, start)).is_some()).unwrap_or(start)
    }

    fn lead_of(&self, atom: &Atom<'_>) -> Option<Span> {
        atom.lead.filter(|lead| {
            let (lead, own) = (self.weights.units(*lead), self.weights.units(atom.span));
            let whole_without = own <= self.budget.text && own + lead > self.budget.text;
            lead * 2 <= self.budget.text && !(atom.keep == Keep::Code && whole_without)
        })
    }

    fn units(&self, start: usize, end: usize) -> usize {
        self.weights.units(Span::new(start, end))
    }
}

/// Units of so many tokens.
pub(super) fn tokens(n: usize) -> usize {
    n * TOKEN
}
