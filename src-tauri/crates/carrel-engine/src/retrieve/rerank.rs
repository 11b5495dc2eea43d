//! The best candidates judged again, by models that read each together with the question (Nogueira and Cho 2019).
//!
//! Refuses to let a failing model cost more than its gain: the fused order stands then, with a note. Invariant: what is judged ranks
//! above what is not, and the rest keeps its order.

use super::cache::{Caches, fingerprint};
use super::fuse::rrf;
use super::legs::{Candidate, Key, Ranking, View};
use super::trace::{Tracer, stage};
use super::{Means, Rerank, ScoreKind, SearchRequest, read};
use crate::domain::{PassageId, Span, embedded_text};
use crate::error::{EngineError, Result};
use crate::library::Library;
use crate::seams::{ModelError, ModelProvider, Reranker};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// Pairs that are judged at most, whatever is asked for.
pub const MOST: usize = 100;

/// Which rerankers judged, and the best score that they gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Ids of the rerankers, as a search takes them.
    pub by: Vec<String>,
    /// Their models and revisions: scores of another key are not comparable.
    pub key: String,
    /// Between 0 and 1.
    pub best: f32,
}

/// The rerankers of a request. That one was named in it which is not there is an error; that one of a setting is not, or that one cannot
/// be used, is told by [`judge`].
pub(crate) fn named(
    request: &SearchRequest,
    libraries: &[Arc<Library>],
    models: &dyn ModelProvider,
) -> Result<Vec<String>> {
    match &request.rerank {
        Rerank::Off => Ok(Vec::new()),
        Rerank::Chosen => Ok(match agreed(libraries)? {
            Rerank::Off => Vec::new(),
            Rerank::Chosen => models.default_reranker().into_iter().collect(),
            Rerank::By(ids) => ids,
        }),
        Rerank::By(ids) => {
            for id in ids {
                if let Err(error @ (ModelError::Unknown { .. } | ModelError::NotInstalled { .. })) =
                    models.reranker(id)
                {
                    return Err(error.into());
                }
            }
            Ok(ids.clone())
        }
    }
}

/// What the settings of all libraries say.
fn agreed(libraries: &[Arc<Library>]) -> Result<Rerank> {
    let all = libraries.iter().map(|library| library.rerank()).collect::<Result<Vec<Rerank>>>()?;
    Ok(all.first().filter(|first| all.iter().all(|one| one == *first)).cloned().unwrap_or_default())
}

/// What the rerankers are given to read.
struct Pairs<'a> {
    query: &'a str,
    keys: Vec<Key>,
    texts: Vec<String>,
}

/// Judges the first candidates and orders them by it. `None` where nothing was judged.
pub(super) fn judge(
    views: &[View<'_>],
    request: &SearchRequest,
    by: &[String],
    ranking: &mut Ranking,
    means: Means<'_>,
    tracer: &mut Tracer,
) -> Result<Option<Judged>> {
    if by.is_empty() || ranking.candidates.is_empty() {
        return Ok(None);
    }
    let depth = request.rerank_depth.clamp(1, MOST);
    let pairs = pairs(views, request, &ranking.candidates[..depth.min(ranking.len())])?;
    let mut judged = Judged { by: Vec::new(), key: String::new(), best: 0.0 };
    let mut verdicts: Vec<Vec<f32>> = Vec::new();
    for id in by {
        let started = Instant::now();
        let scored = means.models.reranker(id).and_then(|model| {
            let scores = score(&model, &pairs, means)?;
            Ok((model.key().to_owned(), scores))
        });
        match scored {
            Ok((key, scores)) => {
                tracer.extend([stage("rerank", started, Some(scores.len()), None).by(id)]);
                judged.by.push(id.clone());
                judged.key.push_str(if judged.key.is_empty() { "" } else { " + " });
                judged.key.push_str(&key);
                verdicts.push(scores);
            }
            Err(ModelError::Cancelled) => return Err(EngineError::Cancelled),
            Err(error) => {
                let note = format!("not reranked: {error}");
                tracer.extend([stage("rerank", started, None, Some(note)).by(id)]);
            }
        }
    }
    if verdicts.is_empty() || pairs.keys.is_empty() {
        return Ok(None);
    }
    judged.best = order(ranking, &pairs.keys, &verdicts);
    Ok(Some(judged))
}

/// The candidates that the ledger holds now, each with its text below its headings.
fn pairs<'a>(views: &[View<'_>], request: &'a SearchRequest, first: &[Candidate]) -> Result<Pairs<'a>> {
    let mut texts: HashMap<Key, String> = HashMap::new();
    for (library, view) in views.iter().enumerate() {
        let ids: Vec<PassageId> =
            first.iter().filter(|c| c.key.library == library).map(|c| c.key.passage).collect();
        for (passage, found) in read::of(view, &ids)?.passages {
            let whole = Span::new(0, found.text.len());
            let text = embedded_text(&found.text, found.context.as_deref(), &found.heading_path, None, whole);
            texts.insert(Key { library, passage }, text);
        }
    }
    let found = first.iter().filter_map(|c| Some((c.key, texts.remove(&c.key)?)));
    let (keys, texts) = found.unzip();
    Ok(Pairs { query: &request.query, keys, texts })
}

/// The score of each pair, by one model; what it judged before is not judged again.
fn score(
    model: &Arc<dyn Reranker>,
    pairs: &Pairs<'_>,
    means: Means<'_>,
) -> std::result::Result<Vec<f32>, ModelError> {
    let prints: Vec<_> =
        pairs.texts.iter().map(|text| fingerprint(&[model.key(), pairs.query, text])).collect();
    let mut scores: Vec<Option<f32>> = match means.kept() {
        Some(caches) => {
            let mut kept = caches.scores();
            prints.iter().map(|print| kept.get(*print)).collect()
        }
        None => vec![None; prints.len()],
    };
    let missing: Vec<usize> = (0..scores.len()).filter(|&at| scores[at].is_none()).collect();
    if !missing.is_empty() {
        let texts: Vec<&str> = missing.iter().map(|&at| pairs.texts[at].as_str()).collect();
        let made = model.score(pairs.query, &texts, means.cancel)?;
        if made.len() != missing.len() || made.iter().any(|score| !score.is_finite()) {
            return Err(ModelError::Failed("it did not give one number for each passage".to_owned()));
        }
        let mut kept = means.kept().map(Caches::scores);
        for (at, score) in missing.into_iter().zip(made) {
            if let Some(kept) = &mut kept {
                kept.put(prints[at], score);
            }
            scores[at] = Some(score);
        }
    }
    Ok(scores.into_iter().flatten().collect())
}

/// Orders what was judged; several verdicts are joined by their ranks, because their scores are of different scales. Returns the best
/// score.
fn order(ranking: &mut Ranking, keys: &[Key], verdicts: &[Vec<f32>]) -> f32 {
    let mean = |at: usize| verdicts.iter().map(|scores| scores[at]).sum::<f32>() / verdicts.len() as f32;
    let means: HashMap<Key, f32> = keys.iter().enumerate().map(|(at, key)| (*key, mean(at))).collect();
    let place: HashMap<Key, usize> = keys.iter().enumerate().map(|(at, key)| (*key, at)).collect();
    let by_score = |scores: &[f32]| {
        let mut ranked: Vec<Key> = keys.to_vec();
        // Of equals, the better fused one is first.
        ranked.sort_by(|a, b| scores[place[b]].total_cmp(&scores[place[a]]));
        ranked
    };
    let judged: HashMap<Key, f32> = match verdicts {
        [_] => means.clone(),
        _ => {
            let lists: Vec<Vec<Key>> = verdicts.iter().map(|scores| by_score(scores)).collect();
            rrf(&lists.iter().map(|list| (1.0, list.as_slice())).collect::<Vec<_>>()).into_iter().collect()
        }
    };
    let lowest = judged.values().copied().fold(f32::INFINITY, f32::min);
    let rest = ranking.candidates.iter().find(|c| !judged.contains_key(&c.key)).map_or(0.0, |c| c.score);
    for (at, candidate) in ranking.candidates.iter_mut().enumerate() {
        candidate.fused_rank = Some(at + 1);
        candidate.rerank = means.get(&candidate.key).copied();
        // The rest is shown on the same scale, below all that was judged.
        let share = if rest > 0.0 { (candidate.score / rest).clamp(0.0, 1.0) } else { 0.0 };
        candidate.score = judged.get(&candidate.key).copied().unwrap_or(lowest * share);
    }
    ranking
        .candidates
        .sort_by(|a, b| b.rerank.is_some().cmp(&a.rerank.is_some()).then(b.score.total_cmp(&a.score)));
    ranking.kind = ScoreKind::Rerank;
    means.values().copied().fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(passage: i64) -> Key {
        Key { library: 0, passage: PassageId(passage) }
    }

    fn ranking(scores: &[f32]) -> Ranking {
        let candidates = scores
            .iter()
            .enumerate()
            .map(|(at, score)| Candidate::named(key(at as i64), *score, String::new()))
            .collect();
        Ranking { candidates, kind: ScoreKind::Fused, by_meaning: true }
    }

    fn passages(ranking: &Ranking) -> Vec<i64> {
        ranking.candidates.iter().map(|c| c.key.passage.0).collect()
    }

    #[test]
    fn what_is_judged_stands_above_the_rest_and_scores_fall() {
        let mut ranking = ranking(&[0.9, 0.8, 0.7, 0.6, 0.5]);
        let best = order(&mut ranking, &[key(0), key(1), key(2)], &[vec![0.1, 0.1, 0.7]]);
        assert!((best - 0.7).abs() < 1e-6);
        assert_eq!(passages(&ranking), [2, 0, 1, 3, 4], "of equals the better fused one is first");
        assert!(ranking.candidates.windows(2).all(|pair| pair[0].score >= pair[1].score));
        assert_eq!(ranking.candidates[0].fused_rank, Some(3));
        assert_eq!(ranking.candidates[4].rerank, None);
    }

    #[test]
    fn two_verdicts_are_joined_by_ranks() {
        let mut ranking = ranking(&[0.9, 0.8, 0.7]);
        // One is sure of everything, the other of nothing: both count alike.
        order(&mut ranking, &[key(0), key(1), key(2)], &[vec![0.99, 0.98, 0.97], vec![0.01, 0.03, 0.02]]);
        assert_eq!(passages(&ranking), [1, 0, 2]);
        assert!((ranking.candidates[0].rerank.unwrap() - 0.505).abs() < 1e-6);
    }
}
