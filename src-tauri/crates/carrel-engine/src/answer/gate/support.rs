//! How well one place in a library speaks of what a question asks: of each piece of it, and by its meaning.
//!
//! A place is a sentence with its neighbours, below its headings and title. What the rest of its passage or document says counts a
//! little less. Where the question is in another language than the passages that were found, words say nothing, and meaning is believed.

use super::attributes::Attribute;
use super::question::{Piece, pieces};
use crate::cancel::Cancel;
use crate::domain::EmbeddingSpace;
use crate::error::{EngineError, Result};
use crate::library::Library;
use crate::retrieve::Hit;
use crate::seams::{EmbedKind, ModelError};
use crate::text::{WordLanguage, analyze_query, covered_share, fold_key, is_unspaced, sentences, tokens};
use std::collections::HashSet;
use std::sync::Arc;

/// Hits that are looked at.
const LOOKED_AT: usize = 5;
/// Sentences of a passage that are compared by meaning.
const SENTENCES: usize = 24;
/// What a piece is worth that stands elsewhere in the passage, or in another one that was found of the document.
const IN_PASSAGE: f32 = 0.9;
const IN_DOCUMENT: f32 = 0.8;
/// A character of an unspaced script beside a word, and one that stands there alone.
const UNIT: f32 = 0.5;
const ALONE: f32 = 0.5;
/// An attribute that is asked for and not told speaks twice against an answer.
const ASKED_FOR: f32 = 2.0;
/// How much meaning counts beside the pieces, and what both together must reach. Measured on questions of people about small
/// libraries, answered by them and not (tests/answers).
const MEANING: f32 = 0.65;
const ENOUGH: f32 = 0.86;
/// What the pieces alone must reach where nothing is compared by meaning.
const ENOUGH_BY_WORDS: f32 = 0.7;

/// The best place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Support {
    /// Share of the question's pieces that it speaks of.
    pieces: f32,
    /// How near its sentence is: 0 at the floor of the embedding space, 1 for the same text.
    meaning: Option<f32>,
}

impl Support {
    fn score(self) -> f32 {
        match self.meaning {
            Some(meaning) => self.pieces + MEANING * meaning,
            None => self.pieces,
        }
    }

    pub(super) fn is_enough(self) -> bool {
        self.score() >= if self.meaning.is_some() { ENOUGH } else { ENOUGH_BY_WORDS }
    }

    /// For the trace.
    pub(super) fn note(self) -> String {
        let meaning = self.meaning.map(|meaning| format!(", meaning {meaning:.2}")).unwrap_or_default();
        format!("of what is asked the best place speaks {:.2}{meaning}", self.pieces)
    }
}

/// What a question asks for.
pub(in crate::answer) struct Asked(Vec<Piece>);

impl Asked {
    pub(in crate::answer) fn of(question: &str, languages: &[WordLanguage]) -> Self {
        Self(pieces(question, &analyze_query(question, false, languages)))
    }

    pub(in crate::answer) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of it that some texts speak of together.
    pub(in crate::answer) fn share_in(&self, texts: &[&str]) -> f32 {
        let place = Text::new(texts.iter().copied());
        share(&self.0, &place, &place, &[])
    }
}

/// The best place of the first hits; `None` where the question has no pieces, or its words cannot be compared with what was found.
pub(super) fn of(
    libraries: &[Arc<Library>],
    question: &str,
    hits: &[Hit],
    cancel: &Cancel,
) -> Result<Option<Support>> {
    let hits = &hits[..hits.len().min(LOOKED_AT)];
    let languages: Vec<WordLanguage> = hits
        .iter()
        .map(|hit| WordLanguage::of(&hit.passage.text))
        .collect::<HashSet<_>>()
        .into_iter()
        .collect();
    let asked = Asked::of(question, &languages);
    let comparable = |hit: &&Hit| is_unspaced_text(&hit.passage.text) == is_unspaced_text(question);
    if asked.is_empty() || !hits.iter().any(|hit| comparable(&hit)) {
        return Ok(None);
    }
    let passages: Vec<Text> = hits.iter().map(Text::of_hit).collect();
    let mut best: Option<Support> = None;
    for (at, hit) in hits.iter().enumerate() {
        if !comparable(&hit) {
            // Found by meaning across languages: its words are others.
            if hit.dense.is_some_and(|leg| leg.rank == 1) && is_known(libraries, hit) {
                return Ok(None);
            }
            continue;
        }
        let others: Vec<&Text> = hits
            .iter()
            .zip(&passages)
            .enumerate()
            .filter(|(other, (of, _))| *other != at && belongs(hit, of))
            .map(|(_, (_, text))| text)
            .collect();
        let meaning = meaning(libraries, question, hit, cancel)?;
        let spans = sentences(&hit.passage.text);
        for (sentence, span) in spans.iter().enumerate() {
            let first = spans[sentence.saturating_sub(1)].start;
            let last = spans.get(sentence + 1).unwrap_or(span).end;
            let place = Text::of(&[&hit.passage.text[first..last]], hit);
            let pieces = share(&asked.0, &place, &passages[at], &others);
            let is_heading = hit.passage.text[span.start..span.end].starts_with('#');
            let near = meaning
                .as_ref()
                .map(|near| if is_heading { 0.0 } else { near.get(sentence).copied().unwrap_or(0.0) });
            let support = Support { pieces, meaning: near };
            if best.is_none_or(|best| support.score() > best.score()) {
                best = Some(support);
            }
        }
    }
    Ok(best)
}

/// Whether another hit may complete what one says: of the same document, found by a name in it, or one is named in the other.
fn belongs(hit: &Hit, other: &Hit) -> bool {
    let names = |text: &Hit, named: &Hit| {
        let title = named.document.title.as_str();
        title.chars().count() > 1 && text.passage.text.contains(title)
    };
    hit.library == other.library && hit.document.id == other.document.id
        || hit.named.is_some()
        || other.named.is_some()
        || names(hit, other)
        || names(other, hit)
}

/// Whether much of a text is in scripts without spaces.
pub(super) fn is_unspaced_text(text: &str) -> bool {
    let (unspaced, letters) = text
        .chars()
        .filter(|c| c.is_alphabetic())
        .fold((0, 0), |(unspaced, letters), c| (unspaced + usize::from(is_unspaced(c)), letters + 1));
    unspaced * 4 > letters
}

/// A text as it is compared.
struct Text {
    folded: String,
    terms: HashSet<String>,
}

impl Text {
    fn of(texts: &[&str], hit: &Hit) -> Self {
        let about = hit.passage.heading_path.iter().map(String::as_str).chain([hit.document.title.as_str()]);
        Self::new(texts.iter().copied().chain(about))
    }

    fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut text = Self { folded: String::new(), terms: HashSet::new() };
        for part in texts {
            text.folded.push_str(&fold_key(part));
            text.folded.push('\n');
            tokens(part, &mut |token| {
                text.terms.insert(token.term.to_owned());
            });
        }
        text
    }

    fn of_hit(hit: &Hit) -> Self {
        Self::of(&[&hit.passage.text], hit)
    }

    fn holds(&self, forms: &[String]) -> bool {
        forms.iter().any(|form| self.terms.contains(form))
    }
}

/// The share of the pieces that a place speaks of, with its passage and what belongs to it.
fn share(asked: &[Piece], place: &Text, passage: &Text, others: &[&Text]) -> f32 {
    let (mut held, mut all) = (0.0, 0.0);
    for piece in asked {
        let told = |attribute: &Option<Attribute>| {
            attribute.is_some_and(|attribute| {
                attribute.is_told_by(&place.folded)
                    || attribute.is_told_by_row(&place.folded, &passage.folded)
            })
        };
        let (weight, share, attribute) = match piece {
            Piece::Word { forms, attribute } => {
                let share = if place.holds(forms) {
                    1.0
                } else if passage.holds(forms) {
                    IN_PASSAGE
                } else if others.iter().any(|other| other.holds(forms)) {
                    IN_DOCUMENT
                } else {
                    0.0
                };
                (1.0, share, attribute)
            }
            Piece::Run { units, attribute } => {
                let here = covered(units, &place.folded);
                let around = covered(units, &passage.folded);
                let shares = units.iter().enumerate().map(|(at, _)| {
                    let elsewhere =
                        || others.iter().map(|other| covered(units, &other.folded)[at]).fold(0.0, f32::max);
                    here[at].max(IN_PASSAGE * around[at]).max(IN_DOCUMENT * elsewhere())
                });
                let share = shares.sum::<f32>() / units.len().max(1) as f32;
                (UNIT * units.len() as f32, share, attribute)
            }
        };
        let (weight, share) = match (share < ALONE, told(attribute), attribute) {
            (true, true, _) => (weight, 1.0),
            (true, false, Some(_)) => (weight * ASKED_FOR, share),
            _ => (weight, share),
        };
        all += weight;
        held += weight * share;
    }
    if all > 0.0 { held / all } else { 0.0 }
}

/// For each character of a run whether it stands in a text next to a neighbour that it has in the run (1), or only by itself.
fn covered(units: &[char], text: &str) -> Vec<f32> {
    let single = units.len() == 1;
    let mut shares: Vec<f32> = units
        .iter()
        .map(|&unit| match (text.contains(unit), single) {
            (true, true) => 1.0,
            (true, false) => ALONE / 2.0,
            (false, _) => 0.0,
        })
        .collect();
    for (at, pair) in units.windows(2).enumerate() {
        let pair: String = pair.iter().collect();
        if text.contains(&pair) {
            shares[at..=at + 1].fill(1.0);
        }
    }
    shares
}

/// How near each sentence of a hit's passage is to the question; `None` where that cannot be told.
fn meaning(
    libraries: &[Arc<Library>],
    question: &str,
    hit: &Hit,
    cancel: &Cancel,
) -> Result<Option<Vec<f32>>> {
    let Some(library) = libraries.iter().find(|library| library.id() == hit.library) else { return Ok(None) };
    let Some(space) = library.shared.space().filter(|space| knows(space, question)) else { return Ok(None) };
    let embed = || -> std::result::Result<Vec<f32>, ModelError> {
        let embedder = library.shared.embedder(&space)?;
        let asked = embedder.embed(EmbedKind::Query, &[question], cancel)?;
        let text = &hit.passage.text;
        let window = space.window as usize;
        let spans = sentences(text);
        let mut texts: Vec<&str> = Vec::new();
        for span in spans.iter().take(SENTENCES) {
            let sentence = &text[span.start..span.end];
            let tokenizer = embedder.tokenizer();
            let fits = tokenizer.count(sentence)? + tokenizer.overhead() <= window;
            texts.push(if fits { sentence } else { "" });
        }
        let made = embedder.embed(EmbedKind::Passage, &texts, cancel)?;
        let asked = asked.first().map(Vec::as_slice).unwrap_or_default();
        Ok(made.iter().map(|vector| nearness(asked, vector, space.floor)).collect())
    };
    match embed() {
        Ok(near) => Ok(Some(near)),
        Err(ModelError::Cancelled) => Err(EngineError::Cancelled),
        // The search said why nothing was compared by meaning.
        Err(_) => Ok(None),
    }
}

/// Whether the embedder was trained for the script of a passage: else nothing that it finds there means anything.
fn is_known(libraries: &[Arc<Library>], hit: &Hit) -> bool {
    let library = libraries.iter().find(|library| library.id() == hit.library);
    library.and_then(|library| library.shared.space()).is_some_and(|space| knows(&space, &hit.passage.text))
}

fn knows(space: &EmbeddingSpace, text: &str) -> bool {
    covered_share(text, &space.scripts) > 0.5
}

fn nearness(a: &[f32], b: &[f32], floor: f32) -> f32 {
    let (mut dot, mut aa, mut bb) = (0.0_f32, 0.0_f32, 0.0_f32);
    for (x, y) in a.iter().zip(b) {
        dot += x * y;
        aa += x * x;
        bb += y * y;
    }
    let norm = (aa * bb).sqrt();
    if norm <= 0.0 || floor >= 1.0 { 0.0 } else { ((dot / norm - floor) / (1.0 - floor)).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_counts_with_its_neighbour() {
        let units: Vec<char> = "盖房子花".chars().collect();
        assert_eq!(covered(&units, "他自己盖房子，一共花了二十八元"), [1.0, 1.0, 1.0, 0.25]);
        assert_eq!(covered(&['住'], "他住在湖边"), [1.0]);
        assert_eq!(covered(&units, "湖边"), [0.0; 4]);
    }

    #[test]
    fn nearness_begins_at_the_floor() {
        assert!((nearness(&[1.0, 0.0], &[1.0, 0.0], 0.3) - 1.0).abs() < 1e-6);
        assert!(nearness(&[1.0, 0.0], &[0.0, 1.0], 0.3).abs() < 1e-6);
    }
}
