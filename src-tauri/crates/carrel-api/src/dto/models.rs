//! Models and endpoints.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelDto {
    /// Catalogue or endpoint id.
    pub id: String,
    /// For people.
    pub name: String,
    /// `embedder`, `reranker`, `language_model`, `ocr`, `transcriber`.
    pub role: String,
    /// `installed`, `absent`, `downloading`, `damaged`, `left_out` (loading it ended the program twice), `remote`.
    pub state: String,
    /// Size of its files.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Bytes of memory that it takes while it answers, about; 0 where that is not known.
    #[ts(type = "number")]
    pub memory: u64,
    /// SPDX.
    pub licence: String,
    /// ISO 639-1 codes; empty for many.
    pub languages: Vec<String>,
    /// What it is good for, in a sentence.
    pub description: String,
    /// Chosen for its role.
    pub chosen: bool,
}

/// `models.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelList {
    /// By role, then name.
    pub models: Vec<ModelDto>,
}

/// A model by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelRef {
    /// Its id.
    pub id: String,
}

/// `models.import`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelImport {
    /// Of a folder or a GGUF file: absolute, or a `file:` URI.
    pub path: String,
}

/// `models.test`: one real call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelTest {
    /// It works.
    pub ok: bool,
    /// What it did, or why not.
    pub message: String,
    /// How long it took.
    pub ms: f64,
}

/// A line of `models.get`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum DownloadEvent {
    /// Bytes came in.
    Progress {
        /// The file.
        file: String,
        /// So far, over all files.
        #[ts(type = "number")]
        done: u64,
        /// In all.
        #[ts(type = "number")]
        total: u64,
    },
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EndpointDto {
    /// Its id; also the model's id.
    pub id: String,
    /// Base URL.
    pub url: String,
    /// `language_model`, `embedder`, `reranker`.
    pub role: String,
    /// Name of the model there.
    pub model: Option<String>,
    /// Environment variable that holds the key.
    pub key_env: Option<String>,
    /// Tokens that the model reads at once.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub window: Option<u32>,
}

/// `endpoint.add`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EndpointAdd {
    /// Base URL.
    pub url: String,
    /// `language_model`, `embedder`, `reranker`.
    pub role: String,
    /// Name of the model there; the first that it lists when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub model: Option<String>,
    /// Environment variable that holds the key.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub key_env: Option<String>,
    /// Tokens that the model reads at once; a size that every usual one has when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub window: Option<u32>,
}

/// `endpoint.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EndpointList {
    /// In order of their making.
    pub endpoints: Vec<EndpointDto>,
}
