//! Which passage says what a sentence of the answer says.
//!
//! A sentence is supported where one span of the sources (a sentence, or two neighbouring ones) holds most of its content by
//! weight of rarity, and every number and date of it, and whose source speaks of what the sentence took from the question: "The
//! deposit is 900 euros" finds no support where 900 euros are a rent. The model's own `[n]` only decides between equals. Refuses to judge sentences
//! without content ("Yes."), headings, questions, and lines that only announce ("Two rules apply:"): they claim nothing.

use super::assemble::Source;
use super::facts::Facts;
use super::refusal;
use crate::domain::Span;
use crate::text::{TokenKind, sentences, tokens};
use std::collections::{HashMap, HashSet};

/// Share of what a sentence took from the question that its sources must speak of.
const ON_SUBJECT: f32 = 0.5;
/// Share of a sentence's content that a span must hold.
const SUPPORTED: f32 = 0.55;
/// The same for two spans together.
const SUPPORTED_BY_TWO: f32 = 0.7;
/// What a second sentence or span must add to be taken.
const WORTH: f32 = 0.2;
/// What a word is worth that stands above a span, in a heading or the title: a sentence seldom says again what it is about.
const ABOVE: f32 = 0.5;
/// What the model's own mark is worth.
const HINT: f32 = 0.05;

/// Terms of agreeing and disagreeing.
const CLAIM_NOTHING: &[&str] = &["yes", "是的", "不是", "对的"];

/// A span of a source that carries a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Support {
    /// Index of the source.
    pub(super) source: usize,
    /// Bytes in the version's Markdown.
    pub(super) span: Span,
}

/// The sources cut into sentences, with what each says.
pub(super) struct Aligner {
    spans: Vec<Piece>,
    /// Terms of each source, with its title and headings.
    subjects: Vec<HashSet<String>>,
    /// What the title and the headings of each say.
    about: Vec<Content>,
    frequency: HashMap<String, u32>,
    question: HashSet<String>,
}

struct Piece {
    source: usize,
    span: Span,
    content: Content,
}

/// Terms of a text, and its numbers and dates.
#[derive(Default)]
struct Content {
    terms: HashSet<String>,
    facts: Facts,
}

impl Content {
    fn of(text: &str) -> Self {
        let mut content = Self::default();
        tokens(text, &mut |t| {
            let word = matches!(t.kind, TokenKind::Word | TokenKind::Part | TokenKind::Pair);
            if word && !t.term.chars().all(|c| c.is_ascii_digit()) {
                content.terms.insert(t.term.to_owned());
            }
        });
        content.facts = Facts::of(text);
        content
    }

    fn joined(&self, other: &Self) -> Self {
        Self {
            terms: self.terms.union(&other.terms).cloned().collect(),
            facts: self.facts.joined(&other.facts),
        }
    }
}

impl Aligner {
    pub(super) fn new(sources: &[Source], question: &str) -> Self {
        let mut spans = Vec::new();
        let mut frequency: HashMap<String, u32> = HashMap::new();
        let mut subjects = Vec::new();
        let mut titles = Vec::new();
        for (source, of) in sources.iter().enumerate() {
            for sentence in sentences(&of.text) {
                let content = Content::of(&of.text[sentence.start..sentence.end]);
                for term in &content.terms {
                    *frequency.entry(term.clone()).or_default() += 1;
                }
                let span = Span::new(of.span.start + sentence.start, of.span.start + sentence.end);
                spans.push(Piece { source, span, content });
            }
            let about = [&of.text, &of.hit.document.title].into_iter().chain(&of.hit.passage.heading_path);
            let headings = [&of.hit.document.title].into_iter().chain(&of.hit.passage.heading_path);
            titles
                .push(headings.fold(Content::default(), |content, text| content.joined(&Content::of(text))));
            subjects.push(about.flat_map(|text| Content::of(text).terms).collect());
        }
        Self { spans, subjects, about: titles, frequency, question: Content::of(question).terms }
    }

    /// The spans that carry a sentence: one, or two where one is not enough. Empty where nothing does; `None` for a sentence
    /// that claims nothing. `hints`: sources that the model named, from 0.
    pub(super) fn align(&self, sentence: &str, hints: &[usize]) -> Option<Vec<Support>> {
        let mut claim = Content::of(sentence);
        claim.terms.retain(|term| !CLAIM_NOTHING.contains(&term.as_str()));
        let no_claim = sentence.starts_with('#')
            || sentence.ends_with([':', '：', '?', '？'])
            || refusal::begins_as_one(sentence);
        if no_claim || claim.terms.is_empty() && claim.facts.is_empty() {
            return None;
        }
        let total: f32 =
            claim.terms.iter().map(|t| self.weight(t)).sum::<f32>() + 2.0 * claim.facts.len() as f32;
        let share = |source: usize, content: &Content| {
            let above = self.about.get(source).map(|about| &about.terms);
            let worth = |term: &&String| match content.terms.contains(*term) {
                true => 1.0,
                false if above.is_some_and(|above| above.contains(*term)) => ABOVE,
                false => 0.0,
            };
            let terms: f32 = claim.terms.iter().map(|term| worth(&term) * self.weight(term)).sum();
            let numbers = 2.0 * claim.facts.held_by(&content.facts) as f32;
            (terms + numbers) / total
        };
        let on_subject = self.on_subject(&claim);
        let facts_hold = |source: usize, content: &Content| self.facts_hold(&claim, &[source], content);
        let mut best: Option<(f32, Support)> = None;
        let mut offer = |score: f32, support: Support| {
            let score = if hints.contains(&support.source) { score + HINT } else { score };
            if best.is_none_or(|(b, _)| score > b + 1e-6) {
                best = Some((score, support));
            }
        };
        for (at, piece) in self.spans.iter().enumerate().filter(|(_, p)| on_subject(&[p.source])) {
            let alone = share(piece.source, &piece.content);
            if alone >= SUPPORTED && facts_hold(piece.source, &piece.content) {
                offer(alone, Support { source: piece.source, span: piece.span });
            }
            if let Some(next) = self.spans.get(at + 1).filter(|n| n.source == piece.source && alone > 0.0) {
                let both = piece.content.joined(&next.content);
                let together = share(piece.source, &both);
                let either =
                    facts_hold(piece.source, &piece.content) || facts_hold(piece.source, &next.content);
                let worth = !either || together >= alone.max(share(next.source, &next.content)) + WORTH;
                if worth && together >= SUPPORTED && facts_hold(piece.source, &both) {
                    // A longer quotation must earn its length.
                    offer(
                        together - WORTH / 2.0,
                        Support { source: piece.source, span: Span::new(piece.span.start, next.span.end) },
                    );
                }
            }
        }
        Some(match best {
            Some((_, support)) => vec![support],
            None => self.two(&claim, share, &on_subject).unwrap_or_default(),
        })
    }

    /// Two spans, from anywhere, that carry a sentence together.
    fn two(
        &self,
        claim: &Content,
        share: impl Fn(usize, &Content) -> f32,
        on_subject: &impl Fn(&[usize]) -> bool,
    ) -> Option<Vec<Support>> {
        let mut order: Vec<(f32, usize)> = self
            .spans
            .iter()
            .enumerate()
            .map(|(i, p)| (share(p.source, &p.content), i))
            .filter(|(s, _)| *s >= WORTH)
            .collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(12);
        let mut best: Option<(f32, [usize; 2])> = None;
        for (i, &(alone, a)) in order.iter().enumerate() {
            for &(other, b) in &order[i + 1..] {
                let both = self.spans[a].content.joined(&self.spans[b].content);
                let together = share(self.spans[a].source, &both).max(share(self.spans[b].source, &both));
                if together >= SUPPORTED_BY_TWO
                    && together >= alone.max(other) + WORTH
                    && self.facts_hold(claim, &[self.spans[a].source, self.spans[b].source], &both)
                    && on_subject(&[self.spans[a].source, self.spans[b].source])
                    && best.is_none_or(|(s, _)| together > s)
                {
                    best = Some((together, [a, b]));
                }
            }
        }
        best.map(|(_, pair)| {
            pair.iter().map(|&i| Support { source: self.spans[i].source, span: self.spans[i].span }).collect()
        })
    }

    /// Whether spans, with what stands above them, state every number and date of a claim.
    fn facts_hold(&self, claim: &Content, sources: &[usize], content: &Content) -> bool {
        let above = sources.iter().filter_map(|&source| self.about.get(source));
        claim.facts.are_held_by(&above.fold(content.facts.clone(), |facts, about| facts.joined(&about.facts)))
    }

    /// The source that has most in common with a sentence.
    pub(super) fn nearest(&self, sentence: &str) -> Option<usize> {
        let claim = Content::of(sentence);
        let common = |piece: &Piece| -> f32 {
            claim.terms.intersection(&piece.content.terms).map(|term| self.weight(term)).sum()
        };
        let best =
            self.spans.iter().map(|piece| (common(piece), piece.source)).max_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|(common, _)| *common > 0.0).map(|(_, source)| source)
    }

    /// Tells whether sources speak together of what a claim took from the question.
    fn on_subject<'a>(&'a self, claim: &'a Content) -> impl Fn(&[usize]) -> bool + 'a {
        let taken: Vec<&String> = claim.terms.intersection(&self.question).collect();
        let needed = ON_SUBJECT * taken.iter().map(|t| self.weight(t)).sum::<f32>();
        move |sources| {
            let held = |term: &String| sources.iter().any(|&s| self.subjects[s].contains(term));
            taken.iter().filter(|t| held(t)).map(|t| self.weight(t)).sum::<f32>() >= needed
        }
    }

    /// How much a term tells. One of the question tells less: any answer repeats it.
    fn weight(&self, term: &str) -> f32 {
        let all = self.spans.len() as f32;
        let with = self.frequency.get(term).copied().unwrap_or(0) as f32;
        let rarity = (1.0 + (all + 1.0) / (with + 1.0)).ln();
        if self.question.contains(term) { rarity * 0.6 } else { rarity }
    }
}
