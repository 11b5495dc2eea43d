//! The catalogue of models that Carrel knows, embedded in the program from `assets/models.json`.
//!
//! It says for each model where its files come from, what they must hash to, and everything that decides what
//! its output means. A model that is not in it can still be imported by the user (see [`crate::Models`]).

use carrel_engine::domain::Metric;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

const EMBEDDED: &str = include_str!("../../../../assets/models.json");

/// What a model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// Turns texts into vectors.
    Embedder,
    /// Judges passages by reading them with the question.
    Reranker,
    /// Generates text.
    LanguageModel,
    /// Reads what stands in images. It runs where documents are converted, not here.
    Ocr,
    /// Writes down what is said in recordings.
    Transcriber,
}

impl ModelRole {
    /// The word that stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embedder => "embedder",
            Self::Reranker => "reranker",
            Self::LanguageModel => "language_model",
            Self::Ocr => "ocr",
            Self::Transcriber => "transcriber",
        }
    }
}

/// One file of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFile {
    /// Its path inside the repository and the snapshot folder.
    pub path: String,
    /// Its size; where it is missing, it is as the hub says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// SHA-256 of its content in hex; where it is missing, the hub's own statement is checked and kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Python packages that carry the same file, for machines that reach no hub: one, or its parts in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<Packed>,
}

impl ModelFile {
    /// What is wrong with a file of this size, if anything.
    pub(crate) fn wrong_size(&self, size: u64) -> Option<String> {
        let wanted = self.bytes.filter(|bytes| *bytes != size)?;
        Some(format!("{} has {size} bytes instead of {wanted}", self.path))
    }
}

/// A file in a Python package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// The package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where the file lies in it.
    pub path: String,
}

/// How an embedder is used: everything that decides what its vectors mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// Tokens it reads, special ones included.
    pub window: u32,
    /// Length of its vectors.
    pub dimensions: u32,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Folders of the dense layers behind that, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dense: Vec<String>,
    /// Whether vectors are brought to length 1.
    pub normalise: bool,
    /// Put in front of a query.
    #[serde(default)]
    pub query_prefix: String,
    /// Put in front of a passage.
    #[serde(default)]
    pub passage_prefix: String,
    /// How vectors are compared.
    pub metric: Metric,
    /// Scripts it was trained for (ISO 15924); empty for all.
    #[serde(default)]
    pub scripts: Vec<String>,
    /// Dense score below which nothing in a library answers a question. Measured on the best passage of `SciFact`: for MiniLM
    /// 99 % of the collection's own questions reach 0.36, of 2Wiki's and `CoSQA`'s unrelated ones 1 and 3 % reach 0.35.
    /// For multilingual E5, on 350 passages: 98 % of `SciFact`'s own questions and all of CMRC's reach 0.82, of the other collections' unrelated
    /// ones none to 5 %; but half of `CoSQA`'s on `SciFact` and nearly all of DRCD's on CMRC do, which are of its kind.
    pub floor: f32,
}

/// How token vectors become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Mean of all tokens.
    Mean,
    /// The first token.
    Cls,
    /// The last token.
    Last,
}

impl Pooling {
    /// The word that stands in the embedding space.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::Last => "last",
        }
    }
}

/// How a reranker is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reranking {
    /// Tokens of question and passage that it reads at once, special ones included.
    pub window: u32,
}

/// Tokens of document text that a language model is given where nothing was measured: beyond that, answers get worse.
pub(crate) const READS_TOKENS: usize = 2_500;

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CatalogueModel {
    /// Stable id.
    pub id: String,
    /// For people.
    pub name: String,
    /// What it does.
    pub role: ModelRole,
    /// The model of its role that is used when nothing is chosen.
    #[serde(default)]
    pub default: bool,
    /// SPDX.
    pub licence: String,
    /// ISO 639-1 codes; empty for many.
    #[serde(default)]
    pub languages: Vec<String>,
    /// What it is good for, in a sentence.
    pub description: String,
    /// Address of the hub that has it, where that is not the usual one; a hub that the user names holds for all models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// `organisation/name` on the hub.
    pub repository: String,
    /// Commit of the repository.
    pub revision: String,
    /// Its files; the first holds the weights.
    pub files: Vec<ModelFile>,
    /// For language models: bytes that one takes while it answers, about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// For language models: tokens of document text that it reads well, measured; given more, it answers worse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_tokens: Option<usize>,
    /// For language models: whether searches gain by questions that it rewords, measured; taken for true where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewords: Option<bool>,
    /// For embedders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Embedding>,
    /// For rerankers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reranking: Option<Reranking>,
}

impl CatalogueModel {
    /// Size of all its files, as far as it is known.
    pub fn bytes(&self) -> u64 {
        self.files.iter().filter_map(|f| f.bytes).sum()
    }
}

/// All models that the program knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Catalogue {
    /// In the order in which they are offered.
    pub models: Vec<CatalogueModel>,
}

impl Catalogue {
    /// The catalogue that the program was built with.
    pub fn embedded() -> &'static Catalogue {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| {
            // A test reads the same constant, so a broken file never leaves the build.
            serde_json::from_str(EMBEDDED).unwrap_or_else(|error| {
                tracing::error!(%error, "the embedded model catalogue cannot be read");
                Catalogue::default()
            })
        })
    }

    /// The model with this id.
    pub fn get(&self, id: &str) -> Option<&CatalogueModel> {
        self.models.iter().find(|m| m.id == id)
    }

    /// The default model of a role.
    pub fn default_of(&self, role: ModelRole) -> Option<&CatalogueModel> {
        self.models.iter().find(|m| m.role == role && m.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_embedded_catalogue_is_whole() {
        let catalogue: Catalogue = serde_json::from_str(EMBEDDED).unwrap();
        let ids: HashSet<_> = catalogue.models.iter().map(|m| &m.id).collect();
        assert_eq!(ids.len(), catalogue.models.len(), "ids are unique");
        for role in [ModelRole::Embedder, ModelRole::LanguageModel, ModelRole::Ocr, ModelRole::Transcriber] {
            assert_eq!(catalogue.models.iter().filter(|m| m.role == role && m.default).count(), 1);
        }
        for model in &catalogue.models {
            assert!(!model.files.is_empty() && !model.licence.is_empty() && !model.description.is_empty());
            assert_eq!(model.embedding.is_some(), model.role == ModelRole::Embedder, "{}", model.id);
            assert_eq!(model.reranking.is_some(), model.role == ModelRole::Reranker, "{}", model.id);
            assert_eq!(model.memory.is_some(), model.role == ModelRole::LanguageModel, "{}", model.id);
            for file in &model.files {
                assert!(file.bytes != Some(0) && (file.bytes.is_some() || file.sha256.is_none()));
                assert!(!file.path.starts_with('/') && !file.path.contains(".."));
                if let Some(hash) = &file.sha256 {
                    assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()));
                }
            }
        }
    }
}
