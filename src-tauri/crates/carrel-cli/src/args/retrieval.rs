//! Retrieval options, shared by `search`, `ask` and `eval`.

use carrel_api::dto::RetrievalOptions;
use clap::Args;

/// How to retrieve.
#[derive(Debug, Args)]
#[command(next_help_heading = "Retrieval options")]
pub(crate) struct Retrieval {
    /// Which legs run
    #[arg(long, value_delimiter = ',', value_name = "lexical,dense")]
    pub(crate) legs: Vec<String>,
    /// Compare with every vector instead of using the index
    #[arg(long)]
    pub(crate) exact: bool,
    /// Drop hits whose score is below: that of the reranker, or of the dense leg where there is none
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) min_score: Option<f32>,
    /// How legs are joined
    #[arg(long, value_name = "rrf|convex|auto")]
    pub(crate) fusion: Option<String>,
    /// How much is done: legs and fusion; with the chosen reranker; with a second step and other wordings, too
    #[arg(long, value_name = "fast|balanced|thorough")]
    preset: Option<String>,
    /// Look up what the first hits name, too: for questions that no single passage answers
    #[arg(long)]
    multi_hop: bool,
    /// Judge the best hits again by this model, or by two (M1,M2); the chosen reranker when not given
    #[arg(long, value_name = "M|none")]
    rerank: Option<String>,
    /// How many of the best it judges; 20 when not given, at most 100
    #[arg(long, value_name = "N")]
    rerank_depth: Option<u32>,
    /// `type=pdf`, `path=GLOB`, `tag=T`, `after=2025-01-01`, `before=…`; the same key again is OR, another key is AND
    #[arg(long = "filter", value_name = "KEY=VALUE")]
    pub(crate) filters: Vec<String>,
    /// Say why each hit ranks where it does, and what every stage did
    #[arg(long)]
    pub(crate) explain: bool,

    /// Let the language model reword a question of a chat so that it stands alone
    #[arg(long, value_name = "on|off|auto", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    rewrite: Option<String>,
    /// Search N other wordings of the question as well, or where it has words that are nowhere
    #[arg(long, value_name = "N|off|auto")]
    mqe: Option<String>,
    /// Search simpler questions as well, into which the language model divides this one
    #[arg(long, value_name = "on|off|auto", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    sub_queries: Option<String>,
    /// Search by meaning what an answer might read like, as well
    #[arg(long, value_name = "on|off|auto", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    hyde: Option<String>,
}

/// A number that a score can be compared with.
fn finite(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err("it must be a finite number".into()),
        Err(error) => Err(error.to_string()),
    }
}

impl Retrieval {
    /// As the API takes them.
    pub(crate) fn options(&self) -> RetrievalOptions {
        RetrievalOptions {
            legs: self.legs.clone(),
            exact: self.exact,
            min_score: self.min_score,
            fusion: self.fusion.clone(),
            multi_hop: self.multi_hop,
            preset: self.preset.clone(),
            rewrite: self.rewrite.clone(),
            mqe: self.mqe.clone(),
            sub_queries: self.sub_queries.clone(),
            hyde: self.hyde.clone(),
            rerank: self.rerank.clone(),
            rerank_depth: self.rerank_depth,
            filters: self.filters.clone(),
        }
    }
}
