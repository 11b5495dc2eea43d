//! Models behind endpoints: language models, embedders and rerankers.
//!
//! An endpoint is contacted only when a question is asked, passages are embedded, a test is run, or its model's name or the length of its
//! vectors must be looked up. The key is read from the named environment variable for each request and appears in no message.

mod chat;
mod connection;
mod embedder;
mod estimate;
mod reranker;

pub(crate) use chat::RemoteLanguageModel;
pub(crate) use embedder::RemoteEmbedder;
use estimate::estimate;
pub(crate) use reranker::RemoteReranker;

use crate::catalogue::ModelRole;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::ModelError;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// Where a model answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Its id; also the id of its model.
    pub id: String,
    /// Base URL, such as `http://localhost:11434/v1`.
    pub url: String,
    /// What its model does: a language model, an embedder or a reranker.
    #[serde(default = "language_model")]
    pub role: ModelRole,
    /// Name of the model there; the first that it lists when not given.
    #[serde(default)]
    pub model: Option<String>,
    /// Environment variable that holds the key.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Tokens that the model reads at once; a size that every usual one has where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
}

fn language_model() -> ModelRole {
    ModelRole::LanguageModel
}

impl Endpoint {
    /// What an endpoint can be.
    pub const ROLES: [ModelRole; 3] = [ModelRole::LanguageModel, ModelRole::Embedder, ModelRole::Reranker];
}

/// The model of an endpoint.
#[derive(Clone)]
pub(crate) enum Remote {
    LanguageModel(Arc<RemoteLanguageModel>),
    Embedder(Arc<Learning>),
    Reranker(Arc<RemoteReranker>),
}

impl Remote {
    /// Contacts nothing yet.
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        match endpoint.role {
            ModelRole::Embedder => Self::Embedder(Arc::new(Learning { endpoint, learnt: Mutex::new(None) })),
            ModelRole::Reranker => Self::Reranker(Arc::new(RemoteReranker::new(endpoint))),
            ModelRole::LanguageModel | ModelRole::Ocr | ModelRole::Transcriber => {
                Self::LanguageModel(Arc::new(RemoteLanguageModel::new(endpoint)))
            }
        }
    }

    /// The endpoint as it was given.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        match self {
            Self::LanguageModel(model) => model.endpoint(),
            Self::Embedder(model) => &model.endpoint,
            Self::Reranker(model) => model.endpoint(),
        }
    }
}

/// An embedder whose vectors' length one call has told, or will tell.
pub(crate) struct Learning {
    endpoint: Endpoint,
    learnt: Mutex<Option<Arc<RemoteEmbedder>>>,
}

impl Learning {
    /// The embedder. The first time, and until it answers, the endpoint is asked for a vector.
    pub(crate) fn embedder(&self, cancel: &Cancel) -> Result<Arc<RemoteEmbedder>, ModelError> {
        let mut learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(embedder) = &*learnt {
            return Ok(Arc::clone(embedder));
        }
        let embedder = Arc::new(RemoteEmbedder::learn(self.endpoint.clone(), cancel)?);
        *learnt = Some(Arc::clone(&embedder));
        Ok(embedder)
    }
}
