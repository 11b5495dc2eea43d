//! A provider of fakes.

use crate::HashEmbedder;
use carrel_engine::seams::{Embedder, LanguageModel, ModelError, ModelProvider, Reranker, Transcriber};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Hands out the embedders and the language model that it was given. Installing and uninstalling is allowed at any time.
#[derive(Default)]
pub struct FakeModels {
    state: Mutex<State>,
    hangs: AtomicBool,
}

#[derive(Default)]
struct State {
    embedders: BTreeMap<String, Arc<HashEmbedder>>,
    default: Option<String>,
    language_model: Option<Arc<dyn LanguageModel>>,
    transcriber: Option<Arc<dyn Transcriber>>,
    rerankers: BTreeMap<String, Arc<dyn Reranker>>,
    reranker: Option<String>,
}

impl FakeModels {
    /// A provider whose default embedder is this one.
    pub fn with_default(embedder: Arc<HashEmbedder>) -> Self {
        let models = Self::default();
        models.lock().default = Some(embedder.space().model.clone());
        models.install(embedder);
        models
    }

    /// Adds an embedder.
    pub fn install(&self, embedder: Arc<HashEmbedder>) {
        self.lock().embedders.insert(embedder.space().model.clone(), embedder);
    }

    /// Takes an embedder away.
    pub fn uninstall(&self, id: &str) {
        self.lock().embedders.remove(id);
    }

    /// Names the embedder for new libraries.
    pub fn set_default(&self, id: Option<&str>) {
        self.lock().default = id.map(str::to_owned);
    }

    /// Sets the language model.
    pub fn set_language_model(&self, model: Option<Arc<dyn LanguageModel>>) {
        self.lock().language_model = model;
    }

    /// Adds a reranker.
    pub fn install_reranker(&self, id: &str, reranker: Arc<dyn Reranker>) {
        self.lock().rerankers.insert(id.to_owned(), reranker);
    }

    /// Names the reranker that is used unless another is named.
    pub fn choose_reranker(&self, id: Option<&str>) {
        self.lock().reranker = id.map(str::to_owned);
    }

    /// While it hangs, whoever asks for an embedder waits, and then gets none: as with an endpoint that says nothing.
    pub fn hang(&self, hangs: bool) {
        self.hangs.store(hangs, Ordering::SeqCst);
    }

    /// Sets the model that transcribes.
    pub fn set_transcriber(&self, model: Option<Arc<dyn Transcriber>>) {
        self.lock().transcriber = model;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelProvider for FakeModels {
    fn default_embedder(&self) -> Option<String> {
        let state = self.lock();
        state.default.clone().filter(|id| state.embedders.contains_key(id))
    }

    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        if self.hangs.load(Ordering::SeqCst) {
            while self.hangs.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            return Err(ModelError::Unreachable { endpoint: id.to_owned(), detail: "it fell silent".into() });
        }
        let found = self.lock().embedders.get(id).cloned();
        found.map(|e| e as Arc<dyn Embedder>).ok_or_else(|| ModelError::NotInstalled { id: id.to_owned() })
    }

    fn default_reranker(&self) -> Option<String> {
        self.lock().reranker.clone()
    }

    fn reranker(&self, id: &str) -> Result<Arc<dyn Reranker>, ModelError> {
        self.lock().rerankers.get(id).cloned().ok_or_else(|| ModelError::Unknown { id: id.to_owned() })
    }

    fn language_model(&self, id: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let missing = || ModelError::NotInstalled { id: id.unwrap_or("language model").to_owned() };
        self.lock().language_model.clone().ok_or_else(missing)
    }

    fn default_transcriber(&self) -> Option<String> {
        self.lock().transcriber.as_ref().map(|model| model.id().to_owned())
    }

    fn transcriber(&self) -> Result<Arc<dyn Transcriber>, ModelError> {
        let missing = || ModelError::NotInstalled { id: "transcriber".to_owned() };
        self.lock().transcriber.clone().ok_or_else(missing)
    }
}
