//! Searching.

use super::PassageDto;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Retrieval options, shared by `search` and `ask`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct RetrievalOptions {
    /// `lexical`, `dense`; both when empty.
    #[ts(optional = nullable)]
    pub legs: Vec<String>,
    /// Exact scan.
    #[ts(optional = nullable)]
    pub exact: bool,
    /// On the score of the reranker, or on the dense score where there is none.
    #[ts(optional = nullable)]
    pub min_score: Option<f32>,
    /// `rrf` (ranks), `convex` (scores) or `auto` (what measured best).
    #[ts(optional = nullable)]
    pub fusion: Option<String>,
    /// A second step: passages about what the first hits name.
    #[ts(optional = nullable)]
    pub multi_hop: bool,
    /// How much is done: `fast`, `balanced` (when not given) or `thorough`. What is named besides it wins.
    #[ts(optional = nullable)]
    pub preset: Option<String>,
    /// A question of a chat reworded so that it stands alone: `on`, `off` or `auto`; as the preset says when not given.
    #[ts(optional = nullable)]
    pub rewrite: Option<String>,
    /// Other wordings searched as well: a number, `off` or `auto`.
    #[ts(optional = nullable)]
    pub mqe: Option<String>,
    /// Simpler questions searched as well: `on`, `off` or `auto`.
    #[ts(optional = nullable)]
    pub sub_queries: Option<String>,
    /// A passage as an answer might read, searched by meaning: `on`, `off` or `auto`.
    #[ts(optional = nullable)]
    pub hyde: Option<String>,
    /// A reranker, or two separated by a comma whose rankings are fused; `none`; the chosen one when not given.
    #[ts(optional = nullable)]
    pub rerank: Option<String>,
    /// How many of the best candidates it judges, 1 to 100; 20 when not given.
    #[ts(optional = nullable)]
    pub rerank_depth: Option<u32>,
    /// `key=value` (`type`, `path`, `tag`, `after`, `before`): same key OR, different keys AND.
    #[ts(optional = nullable)]
    pub filters: Vec<String>,
}

/// `search`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchParams {
    /// The question.
    pub query: String,
    /// Which libraries; `default` when empty, `*` for all.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub libraries: Vec<String>,
    /// How many; 10 when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub n: Option<u32>,
    /// How.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub options: RetrievalOptions,
    /// The last word may be unfinished.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub prefix: bool,
    /// Mark matches and give snippets (the window's form).
    #[serde(default)]
    #[ts(optional = nullable)]
    pub snippets: bool,
}

/// The document of a hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HitDocument {
    /// Its id.
    pub id: String,
    /// Where it comes from.
    pub uri: String,
    /// Its title.
    pub title: String,
    /// Its library.
    pub library: String,
    /// The version that answered.
    pub version: u32,
    /// As sniffed.
    pub media_type: String,
}

/// A piece of text for display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunDto {
    /// The text.
    pub text: String,
    /// `text` or `match`.
    pub kind: String,
}

/// A passage found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct HitDto {
    /// From 1.
    pub rank: u32,
    /// Orders the list; compared only within it.
    pub score: f32,
    /// `rerank`, `fused`, `lexical`, `dense`.
    pub score_kind: String,
    /// Its document.
    pub document: HitDocument,
    /// The passage.
    pub passage: PassageDto,
    /// Rank by leg (`lexical:2`: of another wording of the question); `fused` is its place before a reranker changed the order.
    pub ranks: BTreeMap<String, u32>,
    /// Score by leg, `fused`, and `rerank`.
    pub scores: BTreeMap<String, f32>,
    /// The name in a better hit that it was found by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub named: Option<String>,
    /// Words of the question as they stand in the passage.
    pub matched_terms: Vec<String>,
    /// About two lines of it as plain text, matches marked; only with `snippets`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snippet: Vec<RunDto>,
}

/// What one stage did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct StageDto {
    /// Stable name.
    pub name: String,
    /// Milliseconds.
    pub ms: f64,
    /// Candidates it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub candidates: Option<u32>,
    /// The model that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// Tokens that a language model read and wrote for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tokens: Option<u32>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
}

/// What every stage did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TraceDto {
    /// In order.
    pub stages: Vec<StageDto>,
    /// In all.
    pub total_ms: f64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchResult {
    /// As given.
    pub query: String,
    /// Best first.
    pub hits: Vec<HitDto>,
    /// What was done.
    pub trace: TraceDto,
}
