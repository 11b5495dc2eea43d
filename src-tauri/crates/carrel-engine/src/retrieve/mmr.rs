//! Which hits an answer is written from: the best, less those that say the same again.
//!
//! Maximal marginal relevance (Carbonell and Goldstein 1998). Refuses to order: what is picked keeps the order in which it was found, and
//! search results are never touched.

use super::Hit;
use crate::domain::{LibraryId, PassageId};
use crate::error::Result;
use crate::ledger::vectors;
use crate::library::Library;
use crate::text::tokens;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Share of the relevance; what is new has the rest.
const RELEVANCE: f32 = 0.5;
/// Likeness up to which two passages are only about the same subject, which is no fault: what counts is how far one goes beyond it
/// towards saying the same. So a copy loses against whatever has a tenth of its relevance, and neighbours in a document lose nothing.
const SUBJECT: f32 = 0.7;

/// What a hit is compared by.
struct Content {
    /// Its vector of length one, and the key of its space.
    vector: Option<(Arc<str>, Vec<f32>)>,
    terms: HashSet<String>,
}

/// Picks `n` of `hits`, which are in the order of their scores. Passages are compared by their stored vectors, and by their words where
/// one has none.
pub(crate) fn pick(libraries: &[Arc<Library>], hits: Vec<Hit>, n: usize) -> Result<Vec<Hit>> {
    if hits.len() <= n {
        return Ok(hits);
    }
    let contents = contents(libraries, &hits)?;
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let relevance: Vec<f32> =
        hits.iter().map(|hit| if best > 0.0 { (hit.score / best).max(0.0) } else { 0.0 }).collect();
    let mut nearest = vec![0.0_f32; hits.len()];
    let mut picked = vec![false; hits.len()];
    for _ in 0..n {
        let worth = |at: usize| RELEVANCE * relevance[at] - (1.0 - RELEVANCE) * nearest[at];
        // Of equals, the first.
        let next =
            (0..hits.len()).filter(|&at| !picked[at]).rev().max_by(|&a, &b| worth(a).total_cmp(&worth(b)));
        let Some(next) = next else { break };
        picked[next] = true;
        for at in (0..hits.len()).filter(|&at| !picked[at]) {
            let repeats = (likeness(&contents[at], &contents[next]) - SUBJECT) / (1.0 - SUBJECT);
            nearest[at] = nearest[at].max(repeats);
        }
    }
    Ok(hits.into_iter().zip(picked).filter_map(|(hit, is_picked)| is_picked.then_some(hit)).collect())
}

fn contents(libraries: &[Arc<Library>], hits: &[Hit]) -> Result<Vec<Content>> {
    let mut stored: HashMap<(LibraryId, PassageId), (Arc<str>, Vec<f32>)> = HashMap::new();
    for library in libraries {
        let set = library.shared.index_set();
        let Some(space) = &set.generation.space else { continue };
        let key: Arc<str> = space.key().into();
        let ids: Vec<PassageId> =
            hits.iter().filter(|hit| hit.library == library.id()).map(|hit| hit.passage.id).collect();
        let found = library.shared.reads.with(|conn| vectors::for_index(conn, set.generation.id, &ids))?;
        for (passage, vector) in found {
            let vector = unit(vector.into_iter().map(f32::from).collect());
            stored.insert((library.id(), passage), (key.clone(), vector));
        }
    }
    let content = |hit: &Hit| {
        let mut terms = HashSet::new();
        tokens(&hit.passage.text, &mut |token| {
            terms.insert(token.term.to_owned());
        });
        Content { vector: stored.remove(&(hit.library, hit.passage.id)), terms }
    };
    Ok(hits.iter().map(content).collect())
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in &mut vector {
            *number /= length;
        }
    }
    vector
}

/// Cosine within one space, else the share of common words (Jaccard).
fn likeness(a: &Content, b: &Content) -> f32 {
    if let (Some((space, a)), Some((other, b))) = (&a.vector, &b.vector)
        && space == other
    {
        return a.iter().zip(b).map(|(x, y)| x * y).sum();
    }
    let common = a.terms.intersection(&b.terms).count();
    let all = a.terms.len() + b.terms.len() - common;
    if all == 0 { 0.0 } else { common as f32 / all as f32 }
}
