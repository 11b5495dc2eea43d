//! From candidates to hits: everything shown is read again from the ledger.

use super::Hit;
use super::legs::{Candidate, Ranking, View};
use super::snippet::Marker;
use crate::cancel::Cancel;
use crate::domain::{Document, DocumentId, Passage, PassageId};
use crate::error::{EngineError, Result};
use std::collections::HashMap;

/// The first `n` candidates that the ledger holds now and whose file is there. Those that are gone are passed over.
pub(super) fn hits(
    views: &[View<'_>],
    ranking: &Ranking,
    n: usize,
    marker: &Marker,
    cancel: &Cancel,
) -> Result<Vec<Hit>> {
    let mut hits = Vec::with_capacity(n);
    let mut documents: HashMap<(usize, DocumentId), Option<Document>> = HashMap::new();
    let mut rest = ranking.candidates.as_slice();
    while hits.len() < n && !rest.is_empty() {
        cancel.check()?;
        let (batch, later) = rest.split_at((n - hits.len()).min(rest.len()));
        rest = later;
        let mut passages = read(views, batch)?;
        for candidate in batch {
            let key = (candidate.key.library, candidate.key.passage);
            let Some(passage) = passages.remove(&key) else { continue };
            let library = views[candidate.key.library].library;
            let document = match documents.entry((candidate.key.library, passage.document)) {
                std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::hash_map::Entry::Vacant(new) => {
                    new.insert(match library.document(passage.document) {
                        Ok(document) => library.hit_is_current(&document).then_some(document),
                        // Removed since the passage was read.
                        Err(EngineError::NotFound { .. }) => None,
                        Err(error) => return Err(error),
                    })
                }
            };
            let Some(document) = document.clone() else { continue };
            let marked = marker.mark(&passage.text);
            hits.push(Hit {
                rank: hits.len() + 1,
                score: candidate.score,
                score_kind: ranking.kind,
                library: library.id(),
                document,
                passage,
                lexical: candidate.lexical,
                dense: candidate.dense,
                fused: candidate.fused,
                matched_terms: marked.words,
                snippet: marked.snippet,
            });
        }
    }
    Ok(hits)
}

fn read(views: &[View<'_>], batch: &[Candidate]) -> Result<HashMap<(usize, PassageId), Passage>> {
    let mut read = HashMap::with_capacity(batch.len());
    for (at, view) in views.iter().enumerate() {
        let ids: Vec<PassageId> =
            batch.iter().filter(|c| c.key.library == at).map(|c| c.key.passage).collect();
        if ids.is_empty() {
            continue;
        }
        read.extend(view.library.live_passages(&ids)?.into_iter().map(|passage| ((at, passage.id), passage)));
    }
    Ok(read)
}
