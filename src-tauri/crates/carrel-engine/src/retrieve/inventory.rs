//! All documents that fit, not the best of them: by what the ledger knows of them, and by every passage that holds certain words.
//!
//! Refuses to rank and to leave out: whoever counts needs all. Invariant: what is given stands in the ledger now, and how many documents were
//! looked at, and how many could not be, is given with it.

use super::Filter;
use super::filter::{holding, let_through};
use crate::cancel::Cancel;
use crate::domain::{Document, DocumentId, DocumentState, LibraryId, PassageId, Span};
use crate::error::Result;
use crate::library::{DocumentQuery, IndexState, Library};
use crate::text::{WordLanguage, analyze_query, fold_key, is_unspaced};
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What documents must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sought<'a> {
    /// Anything.
    Any,
    /// These words next to each other in one passage.
    Together(&'a str),
    /// Each of these words anywhere in text, headings or title.
    Each(&'a str),
}

/// A document that fits.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) library: LibraryId,
    pub(crate) document: Document,
    /// The passage that holds most of the words; `None` where only the title does, or none were sought.
    pub(crate) passage: Option<PassageId>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inventory {
    /// By library and path.
    pub(crate) held: Vec<Held>,
    /// Documents that were looked at.
    pub(crate) of: usize,
    /// Documents that hold something which could not be read, so that nobody knows.
    pub(crate) unread: usize,
    /// Whether the index of words lags behind.
    pub(crate) is_behind: bool,
}

/// The documents that fit, of those that `scope` lets through; `filter` narrows them, and counts as a thing that is asked for.
pub(crate) fn inventory(
    libraries: &[Arc<Library>],
    scope: &Filter,
    filter: &Filter,
    sought: Sought<'_>,
    cancel: &Cancel,
) -> Result<Inventory> {
    let mut found = Inventory::default();
    for library in libraries {
        cancel.check()?;
        let set = library.shared.index_set();
        let snapshot = set.lexical().snapshot();
        found.is_behind |= set.lexical_state().0 != IndexState::Current;
        let generation = set.generation.id;
        let (in_scope, fitting) = library.shared.reads.with(|conn| {
            Ok((let_through(conn, generation, scope)?, let_through(conn, generation, filter)?))
        })?;
        let all = DocumentQuery { limit: usize::MAX, ..DocumentQuery::default() };
        let documents: Vec<Document> = library
            .documents(&all)?
            .0
            .into_iter()
            .filter(|document| in_scope.as_ref().is_none_or(|ids| ids.contains(&document.id)))
            .filter(|document| document.state != DocumentState::Skipped)
            .collect();
        let parts = parts(sought, snapshot.languages());
        let mut holding_part: Vec<HashMap<DocumentId, PassageId>> = Vec::new();
        let mut places: HashMap<DocumentId, HashMap<PassageId, usize>> = HashMap::new();
        for part in &parts {
            cancel.check()?;
            let passages = holding(&snapshot, part)?.unwrap_or_default();
            let of_document = library.shared.reads.with(|conn| documents_of(conn, &passages))?;
            let mut first: HashMap<DocumentId, PassageId> = HashMap::new();
            for (passage, document) in of_document {
                *places.entry(document).or_default().entry(passage).or_default() += 1;
                first.entry(document).or_insert(passage);
            }
            holding_part.push(first);
        }
        for document in documents {
            if !document.state.is_searchable() {
                found.unread += 1;
                continue;
            }
            found.of += 1;
            let fits = fitting.as_ref().is_none_or(|ids| ids.contains(&document.id));
            let title = fold_key(&document.title);
            let in_title = |part: &str| matches!(sought, Sought::Each(_)) && is_word_of(&title, part);
            let holds = parts
                .iter()
                .zip(&holding_part)
                .all(|(part, holding)| holding.contains_key(&document.id) || in_title(part));
            // Words that were sought and are none stand nowhere.
            let sought_nothing = parts.is_empty() && sought != Sought::Any;
            if fits && holds && !sought_nothing {
                let best = places.get(&document.id).and_then(|places| {
                    places
                        .iter()
                        .max_by_key(|(passage, count)| (**count, std::cmp::Reverse(**passage)))
                        .map(|(passage, _)| *passage)
                });
                found.held.push(Held { library: library.id(), document, passage: best });
            }
        }
    }
    Ok(found)
}

/// What has to be held one by one: words, and runs of unspaced scripts whole.
fn parts(sought: Sought<'_>, languages: &[WordLanguage]) -> Vec<String> {
    match sought {
        Sought::Any => Vec::new(),
        Sought::Together(words) => vec![words.to_owned()],
        Sought::Each(words) => {
            let mut parts: Vec<String> = words
                .split(|c: char| !is_unspaced(c))
                .filter(|run| !run.is_empty())
                .map(str::to_owned)
                .collect();
            let content: HashSet<String> = analyze_query(words, false, languages)
                .content
                .into_iter()
                .filter_map(|term| term.forms.into_iter().next())
                .collect();
            for word in words.split(|c: char| {
                c.is_whitespace() || matches!(c, ',' | ';' | '“' | '”' | '"') || is_unspaced(c)
            }) {
                let is_content = analyze_query(word, false, languages)
                    .content
                    .iter()
                    .any(|term| term.forms.first().is_some_and(|form| content.contains(form)));
                if is_content && !word.trim().is_empty() && !parts.iter().any(|part| part == word) {
                    parts.push(word.to_owned());
                }
            }
            parts
        }
    }
}

/// Whether a title holds a word, in any of its forms that only an ending tells apart.
fn is_word_of(title: &str, part: &str) -> bool {
    let part = fold_key(part);
    if part.chars().any(is_unspaced) {
        return title.contains(&part);
    }
    let terms = |text: &str| -> HashSet<String> {
        analyze_query(text, false, &[]).content.into_iter().flat_map(|term| term.forms).collect()
    };
    let wanted = terms(&part);
    !wanted.is_empty() && wanted.is_subset(&terms(title))
}

/// The documents of passages of active versions, by passage.
fn documents_of(conn: &Connection, passages: &HashSet<PassageId>) -> Result<Vec<(PassageId, DocumentId)>> {
    let ids: Vec<i64> = passages.iter().map(|id| id.0).collect();
    let wanted = serde_json::json!(ids).to_string();
    let mut statement = conn.prepare_cached(
        "SELECT p.id, d.id FROM passage p JOIN version v ON v.id = p.version AND v.state = 'active' \
         JOIN document d ON d.row = v.document AND d.hidden_ns IS NULL \
         WHERE p.id IN (SELECT value FROM json_each(?1)) ORDER BY p.id",
    )?;
    let rows = statement.query_map([wanted], |row| {
        Ok((PassageId(row.get(0)?), DocumentId(uuid::Uuid::from_bytes(row.get(1)?))))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Where in a text most of the sought words stand: a sentence of it.
pub(crate) fn telling(text: &str, sought: Sought<'_>) -> Option<Span> {
    let words = match sought {
        Sought::Any => "",
        Sought::Together(words) | Sought::Each(words) => words,
    };
    let query = analyze_query(words, false, &[WordLanguage::of(text)]);
    let held = |sentence: &str| {
        let mut found = HashSet::new();
        crate::text::tokens(sentence, &mut |token| {
            for term in &query.terms {
                if term.forms().any(|form| form == token.term) {
                    found.insert(term.term.clone());
                }
            }
        });
        found.len()
    };
    let spans = crate::text::sentences(text);
    let mut best: Option<(usize, Span)> = None;
    for span in spans {
        let sentence = text.get(span.start..span.end)?;
        // A heading tells less than a sentence that holds as much.
        let score = 2 * held(sentence) + usize::from(!sentence.starts_with('#'));
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, span));
        }
    }
    best.map(|(_, span)| span)
}
