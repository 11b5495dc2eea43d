//! Embedding spaces and generations.

use super::GenerationId;
use serde::{Deserialize, Serialize};

/// How two vectors of a space are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Cosine, on L2-normalised vectors.
    Cosine,
    /// Inner product.
    InnerProduct,
}

/// Everything that decides what a vector means. Vectors of different spaces never meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddingSpace {
    /// Catalogue id of the model.
    pub model: String,
    /// Revision of its repository.
    pub revision: String,
    /// SHA-256 of the weights.
    pub file_hash: String,
    /// Precision it runs in (`f32`, `int8`).
    pub precision: String,
    /// Pooling (`mean`, `cls`, `last`).
    pub pooling: String,
    /// Prefix of a query.
    pub query_prefix: String,
    /// Prefix of a passage.
    pub passage_prefix: String,
    /// Tokens it reads, special ones included.
    pub window: u32,
    /// Length of its vectors.
    pub dimensions: u32,
    /// How vectors are compared.
    pub metric: Metric,
    /// Scripts it was trained for, as ISO 15924 codes (`Latn`, `Hani`); empty for all.
    pub scripts: Vec<String>,
    /// Languages it was trained for (ISO 639-1); empty for many.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Dense score below which nothing in the library answers a question (catalogue value).
    pub floor: f32,
}

impl EmbeddingSpace {
    /// Whether it was trained for a language, by its ISO 639-1 code.
    pub fn knows(&self, language: &str) -> bool {
        self.languages.is_empty() || self.languages.iter().any(|known| known == language)
    }

    /// A short key that differs when any part that changes a vector differs. `scripts`, `languages` and `floor` do not.
    pub fn key(&self) -> String {
        let identity = format!(
            "{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{:?}",
            self.model,
            self.revision,
            self.file_hash,
            self.precision,
            self.pooling,
            self.query_prefix,
            self.passage_prefix,
            self.window,
            self.dimensions,
            self.metric
        );
        blake3::hash(identity.as_bytes()).to_hex()[..32].to_owned()
    }
}

/// Whether a generation answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GenerationState {
    /// It answers.
    Active,
    /// It is being built beside the active one.
    Building,
    /// It answered before; kept until the user drops it.
    Kept,
}

/// How passages were made.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// Its row.
    pub id: GenerationId,
    /// Chunker with its parameters and version (`chunker/2 auto`).
    pub chunker: String,
    /// Tokenizer that counted (`model id` or `words` where no embedder was installed).
    pub tokenizer: String,
    /// Embedding space; `None` where no embedder was installed: words answer alone.
    pub space: Option<EmbeddingSpace>,
    /// Lexical analyzer with its version.
    pub analyzer: String,
    /// Whether a line of context is written for each passage.
    pub enriched: bool,
    /// Whether it answers.
    pub state: GenerationState,
}
