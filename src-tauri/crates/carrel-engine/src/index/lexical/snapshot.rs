//! An unchanging view of the index, with the exact lengths of its passages.

use super::guard::guarded;
use super::plan::{Key, LexicalQuery, Statistics};
use super::schema::Fields;
use super::score::{best, each_with_phrase, score_segment};
use crate::domain::PassageId;
use crate::seams::IndexError;
use crate::text::{Completion, WordLanguage};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::index::SegmentId;
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, SegmentReader, Term};

/// A passage found by words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LexicalMatch {
    /// The passage.
    pub(crate) passage: PassageId,
    /// Row of its document.
    pub(crate) document_row: i64,
    /// BM25: higher is better. Comparable between libraries scored with the same statistics.
    pub(crate) score: f32,
}

/// What a search sees. It stays as it is while the index goes on.
pub(crate) struct LexicalSnapshot {
    searcher: Searcher,
    fields: Fields,
    lengths: HashMap<SegmentId, Arc<[u32]>>,
    passages: u64,
    length: u64,
    languages: Vec<WordLanguage>,
    /// Room for the scores of the next search: made anew each time, most of its cost is memory that nobody used yet.
    room: Mutex<Vec<f32>>,
}

impl LexicalSnapshot {
    /// Reads the lengths of segments that `previous` does not have.
    pub(super) fn new(searcher: Searcher, fields: Fields, previous: Option<&Self>) -> tantivy::Result<Self> {
        let mut lengths = HashMap::new();
        let (mut passages, mut length) = (0, 0);
        let mut languages = Vec::new();
        for segment in searcher.segment_readers() {
            let id = segment.segment_id();
            let of_segment = match previous.and_then(|p| p.lengths.get(&id)) {
                Some(known) => known.clone(),
                None => {
                    let column = segment.fast_fields().u64("length")?.first_or_default_col(0);
                    (0..segment.max_doc()).map(|doc| column.get_val(doc) as u32).collect()
                }
            };
            passages += u64::from(segment.num_docs());
            length += match segment.alive_bitset() {
                None => of_segment.iter().map(|&l| u64::from(l)).sum::<u64>(),
                Some(alive) => alive.iter_alive().map(|doc| u64::from(of_segment[doc as usize])).sum(),
            };
            lengths.insert(id, of_segment);
            let of_languages = segment.inverted_index(fields.language)?;
            let mut codes = of_languages.terms().stream()?;
            while codes.advance() {
                let language = std::str::from_utf8(codes.key()).ok().and_then(WordLanguage::from_code);
                languages.extend(language.filter(|new| !languages.contains(new)));
            }
        }
        Ok(Self { searcher, fields, lengths, passages, length, languages, room: Mutex::default() })
    }

    /// Passages in it.
    pub(crate) fn len(&self) -> usize {
        self.passages as usize
    }

    /// Languages of its passages besides English, those of deleted ones included until their segment is merged.
    pub(crate) fn languages(&self) -> &[WordLanguage] {
        &self.languages
    }

    /// Whether it holds none.
    pub(crate) fn is_empty(&self) -> bool {
        self.passages == 0
    }

    /// Passages that hold these terms at these distances from each other; none where there are no terms.
    pub(crate) fn holding(&self, terms: &[(u32, Key)]) -> Result<HashSet<PassageId>, IndexError> {
        guarded(|| {
            let mut found = HashSet::new();
            for segment in self.searcher.segment_readers() {
                let passages = segment.fast_fields().u64("passage")?.first_or_default_col(0);
                each_with_phrase(segment, &self.fields, terms, |doc| {
                    found.insert(PassageId(passages.get_val(doc) as i64));
                })?;
            }
            Ok(found)
        })
    }

    /// The `n` best passages for which `keep` holds, given them and the row of their document, best first, ties by passage id.
    pub(crate) fn search(
        &self,
        query: &LexicalQuery,
        statistics: &Statistics,
        n: usize,
        keep: Option<&dyn Fn(PassageId, i64) -> bool>,
    ) -> Result<Vec<LexicalMatch>, IndexError> {
        if n == 0 || query.is_empty() || self.is_empty() {
            return Ok(Vec::new());
        }
        guarded(|| {
            let mut found: Vec<LexicalMatch> = Vec::new();
            let mut scores = std::mem::take(&mut *self.room.lock().unwrap_or_else(PoisonError::into_inner));
            for segment in self.searcher.segment_readers() {
                let Some(lengths) = self.lengths.get(&segment.segment_id()) else { continue };
                score_segment(segment, &self.fields, lengths, query, statistics, &mut scores)?;
                Self::take_best(segment, &scores, n, keep, &mut found)?;
            }
            *self.room.lock().unwrap_or_else(PoisonError::into_inner) = scores;
            found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
            found.truncate(n);
            Ok(found)
        })
    }

    fn take_best(
        segment: &SegmentReader,
        scores: &[f32],
        n: usize,
        keep: Option<&dyn Fn(PassageId, i64) -> bool>,
        found: &mut Vec<LexicalMatch>,
    ) -> tantivy::Result<()> {
        let passages = segment.fast_fields().u64("passage")?.first_or_default_col(0);
        let documents = segment.fast_fields().u64("document")?.first_or_default_col(0);
        let alive = segment.alive_bitset();
        let keep = |doc| {
            alive.is_none_or(|alive| alive.is_alive(doc))
                && keep.is_none_or(|keep| {
                    keep(PassageId(passages.get_val(doc) as i64), documents.get_val(doc) as i64)
                })
        };
        // All that tie with the last place stay until passage ids decide.
        found.extend(best(scores, n, &keep).into_iter().map(|s| LexicalMatch {
            passage: PassageId(passages.get_val(s.doc) as i64),
            document_row: documents.get_val(s.doc) as i64,
            score: s.score,
        }));
        Ok(())
    }

    /// Live passages and the sum of their lengths.
    pub(super) fn totals(&self) -> (u64, u64) {
        (self.passages, self.length)
    }

    /// Live passages that hold the term.
    pub(super) fn frequency(&self, key: &Key) -> Result<u64, IndexError> {
        guarded(|| {
            let field = if key.1 { self.fields.units } else { self.fields.words };
            let term = Term::from_field_text(field, &key.0);
            let mut count = 0;
            for segment in self.searcher.segment_readers() {
                let inverted = segment.inverted_index(field)?;
                count += match segment.alive_bitset() {
                    None => u64::from(inverted.doc_freq(&term)?),
                    Some(alive) => inverted
                        .read_postings(&term, IndexRecordOption::Basic)?
                        .map_or(0, |p| u64::from(p.doc_freq_given_deletes(alive))),
                };
            }
            Ok(count)
        })
    }

    /// Terms that complete an unfinished word, with the passages that hold them (deleted ones included: only the order of
    /// frequency is of use).
    pub(super) fn completions(&self, completion: &Completion) -> Result<Vec<(String, u64)>, IndexError> {
        const READ: usize = 20_000;
        guarded(|| {
            let mut counts: HashMap<String, u64> = HashMap::new();
            for segment in self.searcher.segment_readers() {
                let inverted = segment.inverted_index(self.fields.words)?;
                let mut stream = inverted.terms().range().ge(completion.prefix.as_bytes()).into_stream()?;
                let mut read = 0;
                while stream.advance() && read < READ {
                    read += 1;
                    if !stream.key().starts_with(completion.prefix.as_bytes()) {
                        break;
                    }
                    if let Ok(term) = std::str::from_utf8(stream.key()) {
                        *counts.entry(term.to_owned()).or_default() += u64::from(stream.value().doc_freq);
                    }
                }
                for stem in &completion.stems {
                    let count = inverted.doc_freq(&Term::from_field_text(self.fields.words, stem))?;
                    if count > 0 {
                        *counts.entry(stem.clone()).or_default() += u64::from(count);
                    }
                }
            }
            Ok(counts.into_iter().collect())
        })
    }

    /// Every passage in it with the row of its document and its length in terms, by passage: what a rebuild must equal.
    pub(crate) fn entries(&self) -> Result<Vec<(PassageId, i64, u32)>, IndexError> {
        guarded(|| {
            let mut entries = Vec::with_capacity(self.len());
            for segment in self.searcher.segment_readers() {
                let fast = segment.fast_fields();
                let passages = fast.u64("passage")?.first_or_default_col(0);
                let documents = fast.u64("document")?.first_or_default_col(0);
                let lengths = fast.u64("length")?.first_or_default_col(0);
                for doc in segment.doc_ids_alive() {
                    let passage = PassageId(passages.get_val(doc) as i64);
                    entries.push((passage, documents.get_val(doc) as i64, lengths.get_val(doc) as u32));
                }
            }
            entries.sort_unstable();
            Ok(entries)
        })
    }

    /// The highest passage id in it, deleted ones included.
    pub(super) fn highest_passage(&self) -> i64 {
        let highest = self.searcher.segment_readers().iter().filter_map(|segment| {
            let column = segment.fast_fields().u64("passage").ok()?;
            Some(column.max_value() as i64)
        });
        highest.max().unwrap_or(0)
    }
}
