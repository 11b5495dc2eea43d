//! Questions of a library, the runs over them, and settings tried against each other.

use super::RetrievalOptions;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// What answers a question, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ShownRight {
    /// The document's id.
    pub document: String,
    /// Its title.
    pub title: String,
    /// Where in the version that is searched; nothing for the whole document, or where it is not there.
    #[ts(type = "number | null")]
    pub start: Option<u64>,
    /// Its end.
    #[ts(type = "number | null")]
    pub end: Option<u64>,
}

/// What answers a question, and whether it is still there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuestionRight {
    /// Where.
    #[serde(flatten)]
    pub place: ShownRight,
    /// The words there; empty for the whole document.
    pub quote: String,
    /// `here`, `not_converted`, `gone`.
    pub state: String,
}

/// A question of a library's set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuestionDto {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// `generated` (by a language model, and checked), `made` (by code), `written` (by a person).
    pub kind: String,
    /// A short answer, where one was given.
    pub answer: Option<String>,
    /// What answers it: each of these is wanted.
    pub right: Vec<QuestionRight>,
    /// When it was made.
    pub created: String,
}

/// `quality.questions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuestionList {
    /// Oldest first.
    pub questions: Vec<QuestionDto>,
}

/// A place that a person marks as right.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MarkedRight {
    /// The document: id, URI, path or title.
    pub document: String,
    /// Where in its active version; with neither this nor a quote, the whole document.
    #[serde(default)]
    #[ts(optional = nullable, type = "number | null")]
    pub start: Option<u64>,
    /// Its end.
    #[serde(default)]
    #[ts(optional = nullable, type = "number | null")]
    pub end: Option<u64>,
    /// Words of the document, which are looked up.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub quote: Option<String>,
}

/// `quality.write`: a question by a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuestionWrite {
    /// The library; `default` when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// The question.
    pub text: String,
    /// What answers it.
    pub right: Vec<MarkedRight>,
}

/// `quality.remove`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuestionRefs {
    /// The library; `default` when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// Ids of questions.
    pub ids: Vec<String>,
}

/// `quality.generate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GenerateRequestDto {
    /// The library; `default` when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// How many more, 1 to 50; 30 when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub count: Option<u32>,
}

/// A line while questions are made, asked, or settings are tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum QualityEvent {
    /// How far it is.
    Progress {
        /// Done so far.
        done: u32,
        /// Of so many.
        total: u32,
        /// What is being done, in English.
        note: String,
    },
}

/// What came of making questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GeneratedDto {
    /// The new ones, which are kept.
    pub questions: Vec<QuestionDto>,
    /// Passages that were tried.
    pub tried: u32,
    /// Drafts that did not pass, by what was wrong with them.
    pub refused: BTreeMap<String, u32>,
    /// The language model that was asked; none where code made all.
    pub model: Option<String>,
}

/// A question from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileQuestion {
    /// The question.
    pub question: String,
    /// The document that `quote` stands in; without a quote the whole document is right.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub document: Option<String>,
    /// Words of the document.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub quote: Option<String>,
    /// Whole documents that are right.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub documents: Vec<String>,
}

/// `quality.run`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct QualityRunRequest {
    /// The library; `default` when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// How to retrieve.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub options: RetrievalOptions,
    /// Questions to ask in place of the library's own.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub questions: Vec<FileQuestion>,
    /// Take those into the library's set.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub keep: bool,
}

/// One question of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct QuestionResultDto {
    /// Its id; none for one from a file.
    pub id: Option<String>,
    /// Its text.
    pub text: String,
    /// `found`, or where it was lost: `gone`, `not_converted`, `not_retrieved`, `ranked_low`, `lost_in_fusion`,
    /// `lost_in_reranking`, `gated`.
    pub outcome: String,
    /// Rank of the first right passage among the first ten.
    pub rank: Option<u32>,
    /// Its rank by words alone, where looked up.
    pub lexical: Option<u32>,
    /// Its rank by meaning alone.
    pub dense: Option<u32>,
    /// By name, 0 to 1.
    pub metrics: BTreeMap<String, f64>,
    /// Milliseconds of the search.
    pub ms: f64,
    /// What would have answered it.
    pub right: Vec<ShownRight>,
}

/// A run over questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct EvaluationRun {
    /// Its id.
    pub id: String,
    /// The library.
    pub library: String,
    /// When it began.
    pub created: String,
    /// What it ran with.
    pub settings: BTreeMap<String, String>,
    /// Documents that could be found.
    pub documents: u32,
    /// Passages that were searched.
    pub passages: u32,
    /// Questions that were asked.
    pub questions: u32,
    /// Means over them, by name.
    pub metrics: BTreeMap<String, f64>,
    /// How many questions came to each outcome.
    pub outcomes: BTreeMap<String, u32>,
    /// Milliseconds of a search: half are faster.
    pub query_ms: f64,
    /// Each question; empty in a list of runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<QuestionResultDto>,
}

/// `quality.runs`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct RunList {
    /// Oldest first, without their questions.
    pub runs: Vec<EvaluationRun>,
}

/// A run of a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunRef {
    /// The library; `default` when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// The run's id.
    pub id: String,
}

/// `quality.compare`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunPair {
    /// The library; `default` when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// The run that is compared with.
    pub first: String,
    /// The run that is judged.
    pub second: String,
}

/// The difference of two runs by one metric (paired bootstrap).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct DifferenceDto {
    /// The metric.
    pub metric: String,
    /// Mean of the first.
    pub first: f64,
    /// Mean of the second.
    pub second: f64,
    /// Second minus first.
    pub difference: f64,
    /// The middle 95 % of resamples: from here …
    pub low: f64,
    /// … to here.
    pub high: f64,
    /// How probable such a difference is by chance.
    pub p: f64,
    /// `better`, `worse`, `chance`, `same`, `too_few`.
    pub verdict: String,
}

/// A question that the two runs answered differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangedQuestion {
    /// Its text.
    pub text: String,
    /// Rank in the first run; none where it failed.
    pub first: Option<u32>,
    /// Rank in the second.
    pub second: Option<u32>,
}

/// Two runs side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct ComparisonDto {
    /// The run that is compared with, without its questions.
    pub first: EvaluationRun,
    /// The run that is judged.
    pub second: EvaluationRun,
    /// Questions that both asked.
    pub questions: u32,
    /// Metric by metric.
    pub metrics: Vec<DifferenceDto>,
    /// Questions with another rank, the largest change first.
    pub changed: Vec<ChangedQuestion>,
    /// In one English sentence: whether the difference is real.
    pub verdict: String,
}

/// `quality.tune` and its estimate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TuneRequest {
    /// The library; `default` when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub library: Option<String>,
    /// Ways to cut that are tried; a usual choice when empty. The present one is always among them.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub chunkings: Vec<String>,
    /// Fusions that are tried; all when empty.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub fusions: Vec<String>,
    /// Rerankers that are tried beside the present one: `none`, `late-interaction`, a model, or `all` that are on this machine.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub rerankers: Vec<String>,
}

/// What trying settings will cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TuneEstimate {
    /// Questions that are asked.
    pub questions: u32,
    /// Settings that are tried.
    pub candidates: u32,
    /// Documents that are cut anew.
    pub documents: u32,
    /// Tokens that are embedded at most.
    #[ts(type = "number")]
    pub tokens: u64,
    /// Seconds, by the speed that was measured just now.
    pub seconds: f64,
    /// Bytes on the disk while it runs.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// One setting that was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TuneCandidate {
    /// `chunking`, `fusion`, `rerank`.
    pub settings: BTreeMap<String, String>,
    /// Passages that the library is cut into.
    pub passages: u32,
    /// Means, by name.
    pub metrics: BTreeMap<String, f64>,
    /// Milliseconds of a search: half are faster.
    pub query_ms: f64,
    /// Against the present settings, by nDCG@10; none for those.
    pub difference: Option<DifferenceDto>,
}

/// What came of trying settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TuneDto {
    /// When it was done.
    pub created: String,
    /// Questions that were asked.
    pub questions: u32,
    /// The present settings first, then the best first.
    pub candidates: Vec<TuneCandidate>,
    /// The one that is really better than the present settings; none where no difference is real.
    pub winner: Option<u32>,
    /// In one English sentence.
    pub verdict: String,
}

/// `quality.tuned`: what came of it last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Tuned {
    /// None where settings were never tried.
    pub last: Option<TuneDto>,
}
