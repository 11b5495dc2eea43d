//! From candidates to hits: everything shown is read again from the ledger.

use super::legs::{Candidate, Ranking, View};
use super::snippet::Marker;
use super::{Hit, Leg, SearchRequest};
use crate::cancel::Cancel;
use crate::domain::{Document, DocumentId, Passage, PassageId};
use crate::error::Result;
use crate::ledger::{listing, passages};
use std::collections::HashMap;

/// What one snapshot of a library's ledger holds of some candidates.
#[derive(Default)]
pub(super) struct Read {
    pub(super) passages: HashMap<PassageId, Passage>,
    pub(super) documents: HashMap<DocumentId, Document>,
}

/// What is shown.
#[derive(Default)]
pub(super) struct Shown {
    /// Best first.
    pub(super) hits: Vec<Hit>,
    /// Terms of the question's content that stand in the text of each.
    pub(super) content: Vec<Vec<String>>,
    /// How many were left out for being far ([`SearchRequest::only_near`]).
    pub(super) far: usize,
}

/// The first candidates that the ledger holds now and whose file is there, as many as asked for. Those that are gone are passed over.
pub(super) fn hits(
    views: &[View<'_>],
    ranking: &Ranking,
    request: &SearchRequest,
    marker: &Marker,
    cancel: &Cancel,
) -> Result<Shown> {
    let n = request.n;
    let mut shown = Shown::default();
    let mut current: HashMap<(usize, DocumentId), bool> = HashMap::new();
    let mut rest = ranking.candidates.as_slice();
    while shown.hits.len() < n && !rest.is_empty() {
        cancel.check()?;
        let (batch, later) = rest.split_at((n - shown.hits.len()).min(rest.len()));
        rest = later;
        let mut of_library: Vec<Read> =
            views.iter().enumerate().map(|(at, view)| read(view, at, batch)).collect::<Result<_>>()?;
        for candidate in batch {
            let at = candidate.key.library;
            let library = views[at].library;
            let read = &mut of_library[at];
            let Some(passage) = read.passages.remove(&candidate.key.passage) else { continue };
            let Some(document) = read.documents.get(&passage.document) else { continue };
            let is_current =
                *current.entry((at, document.id)).or_insert_with(|| library.hit_is_current(document));
            if !is_current {
                continue;
            }
            let marked = marker.mark(&passage.text, document.is_code());
            let has_word = candidate.lexical.is_some() || has_word(candidate) || !marked.words.is_empty();
            if request.only_near && !candidate.is_near && !has_word {
                shown.far += 1;
                continue;
            }
            shown.content.push(marked.content);
            shown.hits.push(Hit {
                rank: shown.hits.len() + 1,
                score: candidate.score,
                score_kind: ranking.kind,
                library: library.id(),
                document: document.clone(),
                passage,
                lexical: candidate.lexical,
                dense: candidate.dense,
                fused: candidate.fused,
                fused_rank: candidate.fused_rank,
                rerank: candidate.rerank,
                expanded: candidate.expanded.clone(),
                named: candidate.named.clone(),
                matched_terms: marked.words,
                snippet: marked.snippet,
            });
        }
    }
    Ok(shown)
}

/// Whether a word of another wording stands in it.
fn has_word(candidate: &Candidate) -> bool {
    candidate.expanded.iter().any(|found| found.leg == Leg::Lexical)
}

/// Reads the candidates of one library, with their documents, from one snapshot.
fn read(view: &View<'_>, at: usize, batch: &[Candidate]) -> Result<Read> {
    let ids: Vec<PassageId> = batch.iter().filter(|c| c.key.library == at).map(|c| c.key.passage).collect();
    of(view, &ids)
}

/// Reads passages of one library, with their documents, from one snapshot. What is gone is not in it.
pub(super) fn of(view: &View<'_>, ids: &[PassageId]) -> Result<Read> {
    if ids.is_empty() {
        return Ok(Read::default());
    }
    let shared = &view.library.shared;
    shared.reads.with(|conn| {
        let mut read = Read::default();
        for passage in passages::live(conn, &shared.contents, ids)? {
            if !read.documents.contains_key(&passage.document)
                && let Some(document) = listing::by_id(conn, passage.document)?
            {
                read.documents.insert(document.id, document);
            }
            read.passages.insert(passage.id, passage);
        }
        Ok(read)
    })
}
