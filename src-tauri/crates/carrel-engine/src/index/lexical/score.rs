//! BM25 (Robertson and Zaragoza 2009), term by term: k1 = 1.2, b = 0.75, exact lengths.

use super::plan::{Group, Key, LexicalQuery, Statistics};
use super::schema::Fields;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// A passage of a segment with its score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) doc: DocId,
    pub(super) score: f32,
}

/// Scores every passage of a segment, deleted ones included; those without a term of the query get nothing. The sum is made in the
/// order of the query's terms, so that it is the same whatever segment a passage lies in.
pub(super) fn score_segment(
    segment: &SegmentReader,
    fields: &Fields,
    lengths: &[u32],
    query: &LexicalQuery,
    statistics: &Statistics,
    scores: &mut Vec<f32>,
) -> tantivy::Result<()> {
    scores.clear();
    scores.resize(segment.max_doc() as usize, 0.0);
    let mean = statistics.mean_length();
    let gain = |frequency: f32, doc: DocId| {
        let length = lengths[doc as usize] as f32;
        frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * length / mean))
    };
    for group in &query.groups {
        let weight = group.weight * group_idf(group, statistics);
        if weight == 0.0 {
            continue;
        }
        if let [key] = group.terms.as_slice() {
            let bonus = exact_bonus(group, statistics);
            each_posting(segment, fields, key, |doc, frequency| {
                scores[doc as usize] += weight * gain(frequency as f32, doc) + bonus;
            })?;
            continue;
        }
        let mut frequencies = vec![0u32; scores.len()];
        for key in &group.terms {
            each_posting(segment, fields, key, |doc, frequency| frequencies[doc as usize] += frequency)?;
        }
        for (doc, &frequency) in frequencies.iter().enumerate().filter(|(_, f)| **f > 0) {
            scores[doc] += weight * gain(frequency as f32, doc as DocId);
        }
    }
    for phrase in &query.phrases {
        let bonus: f32 =
            phrase.iter().map(|(_, key)| (K1 + 1.0) * statistics.idf(statistics.count(key))).sum();
        each_with_phrase(segment, fields, phrase, |doc| scores[doc as usize] += bonus)?;
    }
    Ok(())
}

/// The `n` best of a segment's scores for which `keep` holds, in no order, and all that tie with the last of them. None that is zero.
pub(super) fn best(scores: &[f32], n: usize, keep: &dyn Fn(DocId) -> bool) -> Vec<Scored> {
    /// Scores that are looked at together: most runs of so many hold nothing that counts.
    const RUN: usize = 64;
    /// Kept before the worst of them go.
    const LEAST_KEPT: usize = 512;
    let mut least = f32::MIN_POSITIVE;
    let mut most = LEAST_KEPT.max(2 * n);
    let mut kept: Vec<Scored> = Vec::with_capacity(most);
    let cut = |kept: &mut Vec<Scored>, least: &mut f32| {
        if kept.len() > n {
            let (_, last, _) = kept.select_nth_unstable_by(n - 1, |a, b| b.score.total_cmp(&a.score));
            *least = last.score;
            kept.retain(|s| s.score >= *least);
        }
    };
    for (run, start) in scores.chunks(RUN).zip((0..).step_by(RUN)) {
        // Counted instead of asked for the first, which would not become vector code.
        if run.iter().filter(|score| **score >= least).count() == 0 {
            continue;
        }
        for (doc, &score) in (start..).zip(run) {
            if score >= least && keep(doc) {
                kept.push(Scored { doc, score });
            }
        }
        if kept.len() >= most {
            cut(&mut kept, &mut least);
            // Where nearly all tie, they are not looked through again and again.
            most = LEAST_KEPT.max(2 * kept.len());
        }
    }
    cut(&mut kept, &mut least);
    kept
}

fn group_idf(group: &Group, statistics: &Statistics) -> f32 {
    statistics.idf(group.terms.iter().map(|key| statistics.count(key)).sum())
}

/// What a passage with a code gains beyond BM25: more than all parts of it could ever give to one without the code.
fn exact_bonus(group: &Group, statistics: &Statistics) -> f32 {
    if !group.is_exact {
        return 0.0;
    }
    group.weight
        * (K1 + 1.0)
        * group.exact.iter().map(|key| statistics.idf(statistics.count(key))).sum::<f32>()
}

fn term(fields: &Fields, key: &Key) -> Term {
    Term::from_field_text(if key.1 { fields.units } else { fields.words }, &key.0)
}

fn each_posting(
    segment: &SegmentReader,
    fields: &Fields,
    key: &Key,
    mut each: impl FnMut(DocId, u32),
) -> tantivy::Result<()> {
    let term = term(fields, key);
    let inverted = segment.inverted_index(term.field())?;
    let Some(mut block) = inverted.read_block_postings(&term, IndexRecordOption::WithFreqs)? else {
        return Ok(());
    };
    while !block.docs().is_empty() {
        for (&doc, &frequency) in block.docs().iter().zip(block.freqs()) {
            each(doc, frequency);
        }
        block.advance();
    }
    Ok(())
}

/// Calls with each passage that holds the terms at their distances. Single characters of unspaced scripts have no place: each alone.
pub(super) fn each_with_phrase(
    segment: &SegmentReader,
    fields: &Fields,
    phrase: &[(u32, Key)],
    mut each: impl FnMut(DocId),
) -> tantivy::Result<()> {
    if let [(_, key @ (_, true))] = phrase {
        return each_posting(segment, fields, key, |doc, _| each(doc));
    }
    let inverted = segment.inverted_index(fields.words)?;
    let mut lists: Vec<(u32, SegmentPostings)> = Vec::with_capacity(phrase.len());
    for (offset, key) in phrase {
        match inverted.read_postings(&term(fields, key), IndexRecordOption::WithFreqsAndPositions)? {
            Some(postings) => lists.push((*offset, postings)),
            None => return Ok(()),
        }
    }
    let Some(((first_offset, first), rest)) = lists.split_first_mut() else { return Ok(()) };
    let (mut starts, mut positions) = (Vec::new(), Vec::new());
    let mut doc = first.doc();
    while doc != TERMINATED {
        let everywhere = rest.iter_mut().all(|(_, p)| {
            let at = p.doc();
            if at < doc { p.seek(doc) == doc } else { at == doc }
        });
        if everywhere {
            first.positions(&mut starts);
            for (offset, postings) in rest.iter_mut() {
                postings.positions(&mut positions);
                let distance = *offset - *first_offset;
                starts.retain(|start| positions.binary_search(&(start + distance)).is_ok());
            }
            if !starts.is_empty() {
                each(doc);
            }
        }
        doc = first.advance();
    }
    Ok(())
}
