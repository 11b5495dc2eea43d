//! The gate's threshold of a library, found by asking it questions about nothing in it and questions made of its own sentences.
//!
//! What two unrelated texts have in common depends on the embedder, the languages and what a library is about, so that no fixed
//! number is right for all. Kept in the ledger with the embedding space, and found anew when that or the size of the library changes.

use crate::cancel::Cancel;
use crate::domain::PassageId;
use crate::error::Result;
use crate::ledger::{self, generations, passages};
use crate::library::Library;
use crate::retrieve::{self, Evidence, Judged, Rerank, SearchRequest};
use crate::seams::ModelProvider;
use crate::text::{ANALYZER, sentences};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Questions that hardly any library answers; that it does answer some moves a quantile little.
const UNRELATED: [&str; 2] = [
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/gate/unrelated.en.txt")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets/gate/unrelated.zh.txt")),
];

/// Passages that questions are made of.
const SAMPLED: usize = 40;
/// Bytes of a sentence that a question is made of.
const SENTENCE: std::ops::Range<usize> = 30..400;
/// Share of the sentence that is asked.
const ASKED: f64 = 0.6;
/// Of the unrelated questions this share stays below the threshold, of the others at least this share reaches it.
const BELOW: f64 = 0.95;
const REACHES: f64 = 0.9;
/// Of the way between the two kinds, where they are apart: questions of people are harder than sentences of the library.
const BETWEEN: f32 = 0.1;
/// Questions of each kind that a reranker is asked, and candidates that it judges for each: it reads each pair, which takes seconds. The
/// best of a few is nearly always the best of many.
const RERANKED_QUESTIONS: usize = 16;
const RERANKED_DEPTH: usize = 4;
/// Rerankers whose thresholds are kept.
const RERANKERS: usize = 8;
/// Key of the ledger.
const KEY: &str = "gate";

/// Thresholds, and what they were found with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Calibration {
    /// Key of the embedding space; none where there are no vectors.
    space: Option<String>,
    analyzer: String,
    passages: usize,
    /// Where both legs took part.
    pub(super) both: Option<f32>,
    /// By words alone.
    pub(super) words: f32,
    /// Where a reranker judged, by its key.
    #[serde(default)]
    pub(super) reranked: BTreeMap<String, f32>,
}

/// The thresholds of a library, with that of these rerankers; found now where there are none that fit.
pub(super) fn of(
    library: &Arc<Library>,
    judged: Option<&Judged>,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<Calibration> {
    let set = library.shared.index_set();
    let space = set.generation.space.as_ref().map(crate::domain::EmbeddingSpace::key);
    let passages = set.lexical().snapshot().len();
    let known = library.shared.reads.with(|conn| ledger::meta(conn, KEY))?;
    let known = known.and_then(|json| serde_json::from_str::<Calibration>(&json).ok());
    let known = known.filter(|known| {
        known.space == space
            && known.analyzer == ANALYZER
            && (known.passages / 2..=known.passages * 2 + 10).contains(&passages)
    });
    let lacks =
        |known: &Calibration| judged.filter(|judged| !known.reranked.contains_key(&judged.key)).cloned();
    let (mut found, missing) = match known {
        Some(known) => match lacks(&known) {
            None => return Ok(known),
            missing => (known, missing),
        },
        None => {
            let (both, words) = thresholds(library, models, cancel)?;
            let reranked = BTreeMap::new();
            let found = Calibration { space, analyzer: ANALYZER.to_owned(), passages, both, words, reranked };
            (found, judged.cloned())
        }
    };
    if let Some(judged) = missing {
        // Those of other rerankers are found again when they are used again.
        if found.reranked.len() >= RERANKERS {
            found.reranked.clear();
        }
        if let Some(least) = reranked(library, &judged, models, cancel)? {
            found.reranked.insert(judged.key, least);
        }
    }
    if let Ok(json) = serde_json::to_string(&found) {
        let kept = library.shared.writer.run(move |tx| ledger::set_meta(tx, KEY, &json));
        if let Err(error) = kept {
            tracing::warn!(%error, "what the gate of a library found was not kept");
        }
    }
    Ok(found)
}

fn thresholds(
    library: &Arc<Library>,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<(Option<f32>, f32)> {
    let mut unrelated = Scores::default();
    for question in UNRELATED.iter().flat_map(|questions| questions.lines()) {
        unrelated.add(ask(library, question, models, cancel)?);
    }
    let mut own = Scores::default();
    for question in questions_of(library)? {
        own.add(ask(library, &question, models, cancel)?);
    }
    Ok((
        between(&mut unrelated.both, &mut own.both),
        between(&mut unrelated.words, &mut own.words).unwrap_or(0.0),
    ))
}

/// The threshold of rerankers; `None` where they judged nothing now.
fn reranked(
    library: &Arc<Library>,
    judged: &Judged,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<Option<f32>> {
    let ask = |question: &str| -> Result<Option<f32>> {
        let request = SearchRequest {
            rerank: Rerank::By(judged.by.clone()),
            rerank_depth: RERANKED_DEPTH,
            ..SearchRequest::new(question)
        };
        let response = retrieve::search(std::slice::from_ref(library), &request, models, cancel)?;
        // Where one of two failed meanwhile, its score is another.
        let is_same = response.judged.as_ref().is_none_or(|now| now.key == judged.key);
        Ok(if is_same { Some(response.evidence.rerank.unwrap_or(0.0)) } else { None })
    };
    let few = |all: Vec<String>| {
        let step = all.len().div_ceil(RERANKED_QUESTIONS).max(1);
        all.into_iter().step_by(step)
    };
    let unrelated: Vec<String> =
        UNRELATED.iter().flat_map(|questions| questions.lines()).map(str::to_owned).collect();
    let mut scores = [Vec::new(), Vec::new()];
    for (kind, questions) in [unrelated, questions_of(library)?].into_iter().enumerate() {
        for question in few(questions) {
            scores[kind].extend(ask(&question)?);
        }
    }
    let [unrelated, own] = &mut scores;
    Ok(between(unrelated, own))
}

#[derive(Default)]
struct Scores {
    both: Vec<f32>,
    words: Vec<f32>,
}

impl Scores {
    fn add(&mut self, evidence: Evidence) {
        self.both.extend(evidence.dense.map(|_| evidence.score()));
        self.words.push(Evidence { dense: None, ..evidence }.score());
    }
}

fn ask(
    library: &Arc<Library>,
    question: &str,
    models: &dyn ModelProvider,
    cancel: &Cancel,
) -> Result<Evidence> {
    let libraries = std::slice::from_ref(library);
    let request = SearchRequest { rerank: Rerank::Off, ..SearchRequest::new(question) };
    Ok(retrieve::search(libraries, &request, models, cancel)?.evidence)
}

/// A threshold that keeps the one kind below and lets the other through; where they cannot be told apart, it lets through.
fn between(unrelated: &mut [f32], own: &mut [f32]) -> Option<f32> {
    let low = quantile(unrelated, BELOW)?;
    let Some(high) = quantile(own, 1.0 - REACHES) else { return Some(low) };
    Some(if low <= high { low + BETWEEN * (high - low) } else { high })
}

fn quantile(scores: &mut [f32], share: f64) -> Option<f32> {
    scores.sort_unstable_by(f32::total_cmp);
    let last = scores.len().checked_sub(1)?;
    scores.get((last as f64 * share).round() as usize).copied()
}

/// The beginning of a sentence of each of some passages, which lie all over the library.
fn questions_of(library: &Library) -> Result<Vec<String>> {
    let generation = library.shared.index_set().generation.id;
    let texts = library.shared.reads.with(|conn| {
        let ids = sample(conn)?;
        let read = passages::live(conn, &library.shared.contents, &ids)?;
        let active = generations::active(conn)?.id;
        Ok(if active == generation { read } else { Vec::new() })
    })?;
    Ok(texts.iter().filter_map(|passage| question_of(&passage.text)).collect())
}

fn sample(conn: &Connection) -> Result<Vec<PassageId>> {
    let (first, last): (i64, i64) = conn
        .prepare_cached("SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM passage")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut next = conn.prepare_cached("SELECT min(id) FROM passage WHERE id >= ?1")?;
    let mut ids: Vec<PassageId> = Vec::with_capacity(SAMPLED);
    for n in 0..SAMPLED as i64 {
        let from = first + (last - first) * n / SAMPLED as i64;
        if let Some(id) = next.query_row([from], |row| row.get::<_, Option<i64>>(0))? {
            ids.push(PassageId(id));
        }
    }
    ids.dedup();
    Ok(ids)
}

fn question_of(text: &str) -> Option<String> {
    let sentence = sentences(text)
        .into_iter()
        .map(|span| &text[span.start..span.end])
        .filter(|sentence| SENTENCE.contains(&sentence.len()))
        .max_by_key(|sentence| sentence.len())?;
    let mut end = (sentence.len() as f64 * ASKED) as usize;
    while !sentence.is_char_boundary(end) {
        end += 1;
    }
    // A word is left whole.
    let word = sentence[end..].find(char::is_whitespace).filter(|rest| *rest < 20);
    Some(sentence[..end + word.unwrap_or(0)].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_lies_nearer_to_what_is_unrelated() {
        let mut unrelated: Vec<f32> = (0..100).map(|n| n as f32 / 1000.0).collect();
        let mut own: Vec<f32> = (0..40).map(|n| 0.5 + n as f32 / 100.0).collect();
        let least = between(&mut unrelated, &mut own).unwrap();
        assert!(least > 0.09 && least < 0.2, "{least}");
    }

    #[test]
    fn where_nothing_tells_them_apart_it_lets_through() {
        let least = between(&mut [0.5; 20], &mut [0.3; 20]).unwrap();
        assert!((least - 0.3).abs() < 1e-6);
        assert!(between(&mut [], &mut [0.3]).is_none());
        assert_eq!(between(&mut [0.2], &mut []), Some(0.2));
    }

    #[test]
    fn a_question_is_the_beginning_of_a_sentence() {
        let text =
            "Short. The notice period of the flat in the Lindenstraße is three months to the end of a month.";
        let question = question_of(text).unwrap();
        assert!(text.contains(&question) && question.starts_with("The notice period"), "{question}");
        assert!(
            question_of("频道设置在第三页。打开菜单后选择频道列表，可以添加新的频道。默认有十二个频道。")
                .is_some()
        );
        assert!(question_of("No.").is_none());
    }
}
