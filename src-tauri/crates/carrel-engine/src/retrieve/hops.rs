//! The second step of a question that one search does not answer: passages about what the first hits name.
//!
//! "Where was the director of this film born?" finds the film; who its director is, only the film's passage says. What the first hits
//! and the question name is looked up among the titles of documents and the headings of passages. Without a language model. Invariant:
//! what was found before keeps its order; what is added ranks below the hit that named it.

use super::legs::{self, Candidate, Key, Ranking, View};
use super::read;
use crate::cancel::Cancel;
use crate::domain::{DocumentId, PassageId};
use crate::error::Result;
use crate::text::{AnalyzedQuery, analyze_query, name_key, names, share_in};
use std::collections::{HashMap, HashSet};

/// Hits whose names are followed.
const FIRST: usize = 5;
/// Names followed at most; each is a search by words.
const NAMES: usize = 40;
/// Candidates of a name that are looked at.
const LOOKED_AT: usize = 5;
/// Share of the score of the hit that named it which a passage gets, and what the question's own words in it add.
const SHARE: f32 = 0.55;
const OWN_WORDS: f32 = 0.35;

/// A name with the score of the hit that it stands in.
struct Named {
    name: String,
    score: f32,
}

/// Adds passages about what the first candidates name. Returns what was done, for the trace.
pub(super) fn follow(
    views: &[View<'_>],
    query_text: &str,
    query: &AnalyzedQuery,
    ranking: &mut Ranking,
    cancel: &Cancel,
) -> Result<Option<String>> {
    let found = named(views, query_text, ranking)?;
    let at: HashMap<Key, usize> =
        ranking.candidates.iter().enumerate().map(|(at, candidate)| (candidate.key, at)).collect();
    let mut lifted: HashMap<Key, (f32, String)> = HashMap::new();
    for Named { name, score } in &found {
        cancel.check()?;
        for (key, share) in about(views, name, query)? {
            let worth = score * (SHARE + OWN_WORDS * share);
            let best = lifted.entry(key).or_insert((0.0, String::new()));
            if worth > best.0 {
                *best = (worth, name.clone());
            }
        }
    }
    let mut added = 0;
    for (key, (worth, name)) in lifted {
        match at.get(&key).and_then(|&at| ranking.candidates.get_mut(at)) {
            Some(candidate) if candidate.score < worth => {
                candidate.score = worth;
                candidate.named = Some(name);
            }
            Some(_) => {}
            None => {
                ranking.candidates.push(Candidate::named(key, worth, name));
                added += 1;
            }
        }
    }
    ranking.candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    Ok(Some(format!("{} names looked up, {added} passages added", found.len())))
}

/// What the question and the first candidates name, in this order, each once.
fn named(views: &[View<'_>], query_text: &str, ranking: &Ranking) -> Result<Vec<Named>> {
    let mut known = HashSet::new();
    let mut found = Vec::new();
    let mut take = |text: &str, score: f32| {
        for name in names(text) {
            if found.len() < NAMES && known.insert(name.clone()) {
                found.push(Named { name, score });
            }
        }
    };
    let best = ranking.candidates.first().map_or(0.0, |candidate| candidate.score);
    take(query_text, best);
    for candidate in ranking.candidates.iter().take(FIRST) {
        let read = read::of(&views[candidate.key.library], &[candidate.key.passage])?;
        if let Some(passage) = read.passages.get(&candidate.key.passage) {
            take(&passage.text, candidate.score);
        }
    }
    Ok(found)
}

/// Passages about something: of a document that is called so, or below a heading that is. With the share of the question's content
/// in each. The first passage of a document stands for it.
fn about(views: &[View<'_>], name: &str, query: &AnalyzedQuery) -> Result<Vec<(Key, f32)>> {
    let candidates = legs::by_words(views, &analyze_query(name, false, &legs::languages(views)), LOOKED_AT)?;
    let mut found = Vec::new();
    let mut documents: HashSet<(usize, DocumentId)> = HashSet::new();
    for (library, view) in views.iter().enumerate() {
        let ids: Vec<PassageId> =
            candidates.iter().filter(|(key, _)| key.library == library).map(|(key, _)| key.passage).collect();
        let read = read::of(view, &ids)?;
        for id in ids {
            let Some(passage) = read.passages.get(&id) else { continue };
            let Some(document) = read.documents.get(&passage.document) else { continue };
            let is_about = name_key(&document.title) == *name
                || passage.heading_path.last().is_some_and(|heading| name_key(heading) == *name);
            if is_about && documents.insert((library, document.id)) {
                found.push((
                    Key { library, passage: id },
                    share_in(&query.content, &[], [passage.text.as_str()].into_iter()),
                ));
            }
        }
    }
    Ok(found)
}
