//! Which passages questions are made of: spread over kinds of documents, languages and documents, in an order that depends on
//! nothing but the library.

use crate::cancel::Cancel;
use crate::domain::{Document, DocumentId, Passage, PassageId};
use crate::error::Result;
use crate::library::Library;
use crate::prompt::Language;
use crate::text::plain_text;
use std::collections::BTreeMap;

/// A passage with its document and language.
#[derive(Clone, Debug)]
pub(super) struct Sampled {
    pub(super) document: Document,
    pub(super) passage: Passage,
    pub(super) language: Language,
    /// For people, without marks.
    pub(super) plain: String,
}

/// Characters of a passage that a question can be made of; Chinese says more with fewer.
const CHARACTERS: std::ops::RangeInclusive<usize> = 80..=4_000;
const CHARACTERS_ZH: std::ops::RangeInclusive<usize> = 50..=2_000;
/// Share of its characters that are letters: less is a table of numbers or a list of links.
const LETTERS: f64 = 0.55;
/// Documents that are looked at, where most of them hold nothing to ask about.
const DOCUMENTS: usize = 2_000;
/// Passages of one document that are taken at most.
const OF_A_DOCUMENT: usize = 4;

/// At most `most` passages, kinds and languages taking turns, and within them documents.
pub(super) fn passages(library: &Library, most: usize, cancel: &Cancel) -> Result<Vec<Sampled>> {
    let mut kinds: BTreeMap<String, Vec<DocumentId>> = BTreeMap::new();
    for (id, kind) in library.texts()? {
        kinds.entry(kind).or_default().push(id);
    }
    for documents in kinds.values_mut() {
        documents.sort_by_cached_key(|id| mixed(id.0.as_bytes()));
    }
    let documents = in_turn(kinds.into_values().collect());
    let mut groups: BTreeMap<(usize, String, &str), Vec<Sampled>> = BTreeMap::new();
    let mut firsts = 0;
    // Where there are few documents, each gives several.
    for id in documents.into_iter().take(most.max(DOCUMENTS)) {
        cancel.check()?;
        let document = library.document(id)?;
        let mut of_document = library.passages(id, None)?;
        of_document.sort_by_cached_key(|passage| mixed(&passage.id.0.to_le_bytes()));
        let fit = of_document.into_iter().filter_map(|passage| Sampled::of(&document, passage));
        for (round, sampled) in fit.take(OF_A_DOCUMENT).enumerate() {
            let group = (round, document.media_type.clone(), sampled.language.code());
            groups.entry(group).or_default().push(sampled);
            firsts += usize::from(round == 0);
        }
        if firsts >= most {
            break;
        }
    }
    // All first passages before any second one.
    let mut rounds: BTreeMap<usize, Vec<Vec<Sampled>>> = BTreeMap::new();
    for ((round, ..), group) in groups {
        rounds.entry(round).or_default().push(group);
    }
    let mut order: Vec<Sampled> = rounds.into_values().flat_map(in_turn).collect();
    order.truncate(most);
    Ok(order)
}

/// Ids of at most `most` passages: see [`passages`].
pub(crate) fn sampled(library: &Library, most: usize, cancel: &Cancel) -> Result<Vec<PassageId>> {
    Ok(passages(library, most, cancel)?.into_iter().map(|sampled| sampled.passage.id).collect())
}

impl Sampled {
    /// `None` where the passage is too short, too long, or mostly no prose.
    fn of(document: &Document, passage: Passage) -> Option<Self> {
        let plain = plain_text(&passage.text, document.is_code());
        let language = Language::of(&plain);
        let characters = plain.chars().count();
        let fits = match language {
            Language::English => CHARACTERS.contains(&characters),
            Language::Chinese => CHARACTERS_ZH.contains(&characters),
        };
        let letters = plain.chars().filter(|c| c.is_alphabetic()).count();
        let prose = letters as f64 >= LETTERS * characters as f64;
        (fits && prose).then(|| Self { document: document.clone(), passage, language, plain })
    }
}

/// A key in whose order neighbours have nothing in common.
fn mixed(bytes: &[u8]) -> [u8; 8] {
    let mut key = [0; 8];
    key.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    key
}

/// One of each list in turn, until all are empty.
fn in_turn<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut order = Vec::new();
    loop {
        let before = order.len();
        order.extend(lists.iter_mut().filter_map(Iterator::next));
        if order.len() == before {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_take_turns() {
        assert_eq!(in_turn(vec![vec![1, 4, 6], vec![2, 5], vec![], vec![3]]), [1, 2, 3, 4, 5, 6]);
        assert!(in_turn::<u8>(Vec::new()).is_empty());
    }
}
