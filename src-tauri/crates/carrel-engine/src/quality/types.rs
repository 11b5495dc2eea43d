//! Questions, and what came of asking them, in the form in which the ledger keeps them.

use crate::domain::{DocumentId, QuestionId, RunId, Span};
use crate::evaluate::Difference;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Who made a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// A language model, checked by code.
    Generated,
    /// Code alone, from headings, definitions and sentences.
    Made,
    /// A person.
    Written,
}

/// What answers a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Right {
    /// The document. It may be gone.
    pub document: DocumentId,
    /// Its title when the question was made, for when it is gone.
    pub title: String,
    /// The version in which `span` was true.
    pub version: u32,
    /// Where; `None` for the whole document.
    pub span: Option<Span>,
    /// The text of the span, by which it is found again in a later version. Empty for the whole document.
    pub quote: String,
}

/// A question with what answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its identity.
    pub id: QuestionId,
    /// As a person would ask it.
    pub text: String,
    /// Who made it.
    pub kind: QuestionKind,
    /// A short answer, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What answers it: each of these is wanted.
    pub right: Vec<Right>,
    /// When it was made.
    pub created: Timestamp,
}

/// A question, and whether what answers it is still there.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionStatus {
    /// The question.
    pub question: Question,
    /// Of each span that answers it.
    pub places: Vec<super::Place>,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A right span is among the first hits, and an answer would be tried.
    Found,
    /// What answers it is not in the library any more.
    Gone,
    /// The document is there, but not its text.
    NotConverted,
    /// No leg has it among its candidates.
    NotRetrieved,
    /// A leg has it among its candidates, and too far down.
    RankedLow,
    /// A leg had it among its first hits, and the fusion put it behind.
    LostInFusion,
    /// It was among the first hits, and the reranker put it behind.
    LostInReranking,
    /// It was found, and the gate would refuse to answer.
    Gated,
}

impl Outcome {
    /// Every outcome, the good one first.
    pub const ALL: [Self; 8] = [
        Self::Found,
        Self::Gone,
        Self::NotConverted,
        Self::NotRetrieved,
        Self::RankedLow,
        Self::LostInFusion,
        Self::LostInReranking,
        Self::Gated,
    ];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Gone => "gone",
            Self::NotConverted => "not_converted",
            Self::NotRetrieved => "not_retrieved",
            Self::RankedLow => "ranked_low",
            Self::LostInFusion => "lost_in_fusion",
            Self::LostInReranking => "lost_in_reranking",
            Self::Gated => "gated",
        }
    }
}

/// What answers a question, as it stood in the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The document.
    pub document: DocumentId,
    /// Its title.
    pub title: String,
    /// Where in the version that was searched; `None` for the whole document, or where it is not there.
    pub span: Option<Span>,
}

/// One question of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionResult {
    /// The question of the set; `None` for one from a file.
    pub question: Option<QuestionId>,
    /// Its text, by which runs are paired.
    pub text: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Rank of the first right passage, from 1; `None` beyond the hits that were asked for.
    pub rank: Option<usize>,
    /// Its rank by words alone, as deep as was looked; of questions that failed always, of others where that leg had it.
    pub lexical: Option<usize>,
    /// The same by meaning alone.
    pub dense: Option<usize>,
    /// By name, each between 0 and 1.
    pub metrics: BTreeMap<String, f64>,
    /// Milliseconds of the search.
    pub ms: f64,
    /// What would have answered it.
    pub right: Vec<Shown>,
}

/// A run over the questions of a library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its identity.
    pub id: RunId,
    /// When it began.
    pub created: Timestamp,
    /// What it ran with: settings of the library and of the search, for people.
    pub settings: BTreeMap<String, String>,
    /// Documents that could be found.
    pub documents: usize,
    /// Passages that were searched.
    pub passages: usize,
    /// Means over the questions.
    pub metrics: BTreeMap<String, f64>,
    /// Each question.
    pub results: Vec<QuestionResult>,
}

impl Run {
    /// Milliseconds of a search: half were faster.
    pub fn query_ms(&self) -> f64 {
        let mut times: Vec<f64> = self.results.iter().map(|result| result.ms).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(0.0)
    }

    /// How many questions came to each outcome.
    pub fn outcomes(&self) -> BTreeMap<Outcome, usize> {
        let mut counts = BTreeMap::new();
        for result in &self.results {
            *counts.entry(result.outcome).or_default() += 1;
        }
        counts
    }
}

/// One metric of two runs over the questions that both asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Its name.
    pub metric: String,
    /// Mean of the first run.
    pub first: f64,
    /// Mean of the second.
    pub second: f64,
    /// The second against the first.
    pub difference: Difference,
}
