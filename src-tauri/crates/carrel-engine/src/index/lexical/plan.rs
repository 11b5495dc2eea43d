//! What is searched, and the statistics that it is scored with.

use super::snapshot::LexicalSnapshot;
use crate::seams::IndexError;
use crate::text::AnalyzedQuery;
use std::collections::HashMap;

/// Terms that an unfinished word is completed to.
const COMPLETIONS: usize = 50;

/// A term of the index: its text and whether it is a single character of an unspaced script.
pub(super) type Key = (String, bool);

/// Terms that count as one: a word, or all completions of an unfinished one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) terms: Vec<Key>,
    pub(super) weight: f32,
    /// Parts that a passage with this code must outrank.
    pub(super) exact: Vec<Key>,
    pub(super) is_exact: bool,
}

/// A question, ready to be scored in any of the libraries it was prepared for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LexicalQuery {
    pub(super) groups: Vec<Group>,
    pub(super) phrases: Vec<Vec<(u32, Key)>>,
}

impl LexicalQuery {
    /// Prepares a question for these snapshots: an unfinished last word is completed to their most frequent terms.
    pub(crate) fn new(query: &AnalyzedQuery, snapshots: &[&LexicalSnapshot]) -> Result<Self, IndexError> {
        let mut groups: Vec<Group> = query
            .terms
            .iter()
            .map(|t| Group {
                terms: t.forms().map(|form| (form.to_owned(), t.unit)).collect(),
                weight: t.weight,
                exact: t.exact.iter().flat_map(|e| &e.parts).map(|p| (p.clone(), false)).collect(),
                is_exact: t.exact.is_some(),
            })
            .collect();
        if let Some(completion) = &query.completion {
            let mut counts: HashMap<String, u64> = HashMap::new();
            for snapshot in snapshots {
                for (term, count) in snapshot.completions(completion)? {
                    *counts.entry(term).or_default() += count;
                }
            }
            let mut terms: Vec<(String, u64)> = counts.into_iter().collect();
            terms.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            terms.truncate(COMPLETIONS);
            if !terms.is_empty() {
                let terms = terms.into_iter().map(|(term, _)| (term, false)).collect();
                groups.push(Group { terms, weight: 1.0, exact: Vec::new(), is_exact: false });
            }
        }
        let phrases = query
            .phrases
            .iter()
            .map(|phrase| phrase.iter().map(|(at, term)| (*at, (term.clone(), false))).collect())
            .collect();
        Ok(Self { groups, phrases })
    }

    /// Whether nothing is searched.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The terms that are searched, completions included.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|g| &g.terms).map(|(term, _)| term.as_str())
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        let groups = self.groups.iter().flat_map(|g| g.terms.iter().chain(&g.exact));
        groups.chain(self.phrases.iter().flatten().map(|(_, key)| key))
    }
}

/// Live passages, their length, and how many hold each term. Those of several libraries add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Statistics {
    pub(super) passages: u64,
    pub(super) length: u64,
    pub(super) frequency: HashMap<Key, u64>,
}

impl Statistics {
    /// The statistics of `query` over all of `snapshots`.
    pub(crate) fn of(query: &LexicalQuery, snapshots: &[&LexicalSnapshot]) -> Result<Self, IndexError> {
        let mut sum = Self::default();
        for snapshot in snapshots {
            let (passages, length) = snapshot.totals();
            sum.passages += passages;
            sum.length += length;
            for key in query.keys() {
                if !sum.frequency.contains_key(key) {
                    sum.frequency.insert(key.clone(), 0);
                }
            }
        }
        for (key, count) in &mut sum.frequency {
            for snapshot in snapshots {
                *count += snapshot.frequency(key)?;
            }
        }
        Ok(sum)
    }

    pub(super) fn mean_length(&self) -> f32 {
        if self.passages == 0 { 1.0 } else { (self.length as f64 / self.passages as f64).max(1.0) as f32 }
    }

    pub(super) fn count(&self, key: &Key) -> u64 {
        self.frequency.get(key).copied().unwrap_or(0)
    }

    /// Passages that hold a term of the question, given by its forms.
    pub(crate) fn passages_with(&self, forms: &[String]) -> u64 {
        let of = |unit| forms.iter().map(|form| self.count(&(form.clone(), unit))).sum::<u64>();
        of(false).max(of(true))
    }

    /// How much a term of the question, given by its forms, says: its idf, and that of a term seen once for one that is nowhere.
    pub(crate) fn rarity(&self, forms: &[String]) -> f32 {
        self.idf(self.passages_with(forms).max(1))
    }

    /// Whether a term of the question, given by its forms, stands in no passage.
    pub(crate) fn is_nowhere(&self, forms: &[String]) -> bool {
        let of = |unit| forms.iter().any(|form| self.count(&(form.clone(), unit)) > 0);
        !of(false) && !of(true)
    }

    /// ln(1 + (N − n + ½) / (n + ½)); 0 for a term that is nowhere.
    pub(super) fn idf(&self, count: u64) -> f32 {
        if count == 0 {
            return 0.0;
        }
        let (all, with) = (self.passages as f64, count.min(self.passages) as f64);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln() as f32
    }
}
