//! Further steps of a question that one search does not answer: passages about what the first hits name.
//!
//! "Where was the director of this film born?" finds the film; who its director is, only the film's passage says. What the first hits
//! and the question name is looked up among the titles of documents and the headings of passages. Without a language model. Where what was
//! found then still says nothing of a part of the question, what that names is looked up in turn, at most [`MOST`] steps. Invariant:
//! what was found before keeps its order; what is added ranks below the hit that named it.

use super::legs::{self, Candidate, Key, Ranking, View};
use super::{Hop, read};
use crate::cancel::Cancel;
use crate::domain::{DocumentId, PassageId};
use crate::error::Result;
use crate::ledger::listing;
use crate::text::{
    AnalyzedQuery, ContentTerm, analyze_query, fold_key, is_unspaced, name_key, names, share_in, tokens,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Steps at most, the first search included.
const MOST: usize = 3;
/// Hits whose names are followed.
const FIRST: usize = 5;
/// Names followed at most in a step; each is a search by words.
const NAMES: usize = 40;
/// Candidates of a name that are looked at.
const LOOKED_AT: usize = 5;
/// Share of the score of the hit that named it which a passage gets, and what the question's own words in it add.
const SHARE: f32 = 0.55;
const OWN_WORDS: f32 = 0.35;
/// Names told of a step.
const TOLD: usize = 3;
/// Characters of a title in an unspaced script that is looked for in what was found.
const TITLE: std::ops::RangeInclusive<usize> = 2..=12;

/// A name with the score of the hit that it stands in.
struct Named {
    name: String,
    score: f32,
}

/// What the steps did.
#[derive(Default)]
pub(super) struct Followed {
    /// One for each step after the first search.
    pub(super) hops: Vec<Hop>,
    /// For the trace.
    pub(super) note: String,
}

/// Adds passages about what the first candidates name, step by step, until the first of them speak of the whole question together.
pub(super) fn follow(
    views: &[View<'_>],
    query_text: &str,
    query: &AnalyzedQuery,
    ranking: &mut Ranking,
    cancel: &Cancel,
) -> Result<Followed> {
    let mut followed = Followed::default();
    let mut known = HashSet::new();
    let mut looked_up = 0;
    let mut added = 0;
    for step in 2..=MOST {
        let missing = missing(views, &query.content, ranking)?;
        // The first look-up costs little, and also lifts what was found already.
        if step > 2 && missing.is_empty() {
            break;
        }
        let question = if step == 2 { query_text } else { "" };
        let found = named(views, question, ranking, &mut known)?;
        if found.is_empty() {
            break;
        }
        looked_up += found.len();
        let lifted = lifted(views, query, &found, cancel)?;
        let (new, told) = take(ranking, lifted);
        added += new;
        if !told.is_empty() {
            let asked: Vec<String> = missing.iter().map(|term| as_asked(query_text, term)).collect();
            let names = told.join(", ");
            let question = if asked.is_empty() { names } else { format!("{names}: {}", asked.join(" ")) };
            followed.hops.push(Hop { number: step, question, passages: new });
        }
        if new == 0 {
            break;
        }
    }
    followed.note = format!("{looked_up} names looked up, {added} passages added");
    Ok(followed)
}

/// Passages about each name, with what they are worth and the name that is worth most.
fn lifted(
    views: &[View<'_>],
    query: &AnalyzedQuery,
    found: &[Named],
    cancel: &Cancel,
) -> Result<HashMap<Key, (f32, String)>> {
    let mut lifted: HashMap<Key, (f32, String)> = HashMap::new();
    for Named { name, score } in found {
        cancel.check()?;
        for (key, share) in about(views, name, query)? {
            let worth = score * (SHARE + OWN_WORDS * share);
            let best = lifted.entry(key).or_insert((0.0, String::new()));
            if worth > best.0 {
                *best = (worth, name.clone());
            }
        }
    }
    Ok(lifted)
}

/// Takes passages into the ranking. Returns how many are new, and the names of those that came or rose, best first.
fn take(ranking: &mut Ranking, lifted: HashMap<Key, (f32, String)>) -> (usize, Vec<String>) {
    let at: HashMap<Key, usize> =
        ranking.candidates.iter().enumerate().map(|(at, candidate)| (candidate.key, at)).collect();
    let mut added = 0;
    let mut came: Vec<(f32, String)> = Vec::new();
    for (key, (worth, name)) in lifted {
        match at.get(&key).and_then(|&at| ranking.candidates.get_mut(at)) {
            Some(candidate) if candidate.score < worth => {
                candidate.score = worth;
                came.push((worth, name.clone()));
                candidate.named = Some(name);
            }
            Some(_) => {}
            None => {
                came.push((worth, name.clone()));
                ranking.candidates.push(Candidate::named(key, worth, name));
                added += 1;
            }
        }
    }
    ranking.candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    came.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut told: Vec<String> = Vec::new();
    for (_, name) in came {
        if told.len() < TOLD && !told.contains(&name) {
            told.push(name);
        }
    }
    (added, told)
}

/// Terms of the question that none of the first candidates holds.
fn missing(views: &[View<'_>], content: &[ContentTerm], ranking: &Ranking) -> Result<Vec<String>> {
    let mut texts = String::new();
    for candidate in ranking.candidates.iter().take(FIRST) {
        let read = read::of(&views[candidate.key.library], &[candidate.key.passage])?;
        let Some(passage) = read.passages.get(&candidate.key.passage) else { continue };
        let title = read.documents.get(&passage.document).map(|document| document.title.as_str());
        let headings = passage.heading_path.iter().map(String::as_str);
        for part in [passage.text.as_str()].into_iter().chain(headings).chain(title) {
            texts.push_str(part);
            texts.push('\n');
        }
    }
    let held =
        |term: &ContentTerm| share_in(std::slice::from_ref(term), &[], [texts.as_str()].into_iter()) > 0.0;
    let missing = content.iter().filter(|term| !held(term)).filter_map(|term| term.forms.first().cloned());
    Ok(missing.collect())
}

/// A term as it stands in the question.
fn as_asked(question: &str, term: &str) -> String {
    let mut written = term.to_owned();
    let mut found = false;
    tokens(question, &mut |token| {
        if !found && token.term == term {
            written = question[token.span.start..token.span.end].to_owned();
            found = true;
        }
    });
    written
}

/// What the question and the first candidates name and was not looked up before, in this order, each once.
fn named(
    views: &[View<'_>],
    question: &str,
    ranking: &Ranking,
    known: &mut HashSet<String>,
) -> Result<Vec<Named>> {
    let mut found = Vec::new();
    let mut take = |names: Vec<String>, score: f32| {
        for name in names {
            if found.len() < NAMES && known.insert(name.clone()) {
                found.push(Named { name, score });
            }
        }
    };
    let best = ranking.candidates.first().map_or(0.0, |candidate| candidate.score);
    take(names(question), best);
    let mut titles: Option<BTreeSet<String>> = None;
    for candidate in ranking.candidates.iter().take(FIRST) {
        let read = read::of(&views[candidate.key.library], &[candidate.key.passage])?;
        let Some(passage) = read.passages.get(&candidate.key.passage) else { continue };
        take(names(&passage.text), candidate.score);
        // Where words have no spaces and names no capitals, the titles that there are tell what is a name.
        if passage.text.chars().any(is_unspaced) {
            let titles = match &titles {
                Some(titles) => titles,
                None => titles.insert(unspaced_titles(views)?),
            };
            take(titles_in(&passage.text, titles), candidate.score);
        }
    }
    Ok(found)
}

/// Titles of documents in unspaced scripts.
fn unspaced_titles(views: &[View<'_>]) -> Result<BTreeSet<String>> {
    let mut titles = BTreeSet::new();
    for view in views {
        let all = view.library.shared.reads.with(listing::titles)?;
        let is_name =
            |title: &String| title.chars().all(is_unspaced) && TITLE.contains(&title.chars().count());
        titles.extend(all.iter().map(|title| name_key(title)).filter(is_name));
    }
    Ok(titles)
}

fn titles_in(text: &str, titles: &BTreeSet<String>) -> Vec<String> {
    let folded = fold_key(text);
    let starts: Vec<usize> =
        folded.char_indices().filter(|(_, c)| is_unspaced(*c)).map(|(at, _)| at).collect();
    let mut found = Vec::new();
    for start in starts {
        for (length, (at, c)) in folded[start..].char_indices().take(*TITLE.end()).enumerate() {
            if !is_unspaced(c) {
                break;
            }
            let candidate = &folded[start..start + at + c.len_utf8()];
            if length + 1 >= *TITLE.start()
                && titles.contains(candidate)
                && !found.iter().any(|name| name == candidate)
            {
                found.push(candidate.to_owned());
            }
        }
    }
    found
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
