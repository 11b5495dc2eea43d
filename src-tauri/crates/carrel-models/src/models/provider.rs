//! [`Models`] as the engine sees them.

use super::{ModelState, Models};
use crate::catalogue::ModelRole;
use crate::remote::Remote;
use crate::rerank::{LATE_INTERACTION, LateInteraction};
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{Embedder, LanguageModel, ModelError, ModelProvider, Reranker, Transcriber};
use std::sync::Arc;

impl ModelProvider for Models {
    fn default_embedder(&self) -> Option<String> {
        // Never an endpoint: a library sends its passages away only where its settings name one.
        self.first(ModelRole::Embedder, &ModelState::Installed)
    }

    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        match self.remote(id) {
            Some(Remote::Embedder(remote)) => Ok(remote.embedder(&Cancel::new())?),
            Some(_) => Err(ModelError::Unknown { id: id.to_owned() }),
            None => Ok(self.local_embedder(id)?),
        }
    }

    fn default_reranker(&self) -> Option<String> {
        let chosen = self.settings().chosen_reranker.clone();
        if chosen.as_deref() == Some(LATE_INTERACTION) {
            // It is no model that could be missing, but it needs one.
            return self.first(ModelRole::Embedder, &ModelState::Installed).and(chosen);
        }
        self.chosen_or_first(ModelRole::Reranker, chosen)
    }

    fn reranker(&self, id: &str) -> Result<Arc<dyn Reranker>, ModelError> {
        if id == LATE_INTERACTION {
            let Some(embedder) = self.first(ModelRole::Embedder, &ModelState::Installed) else {
                let default = self.catalogue.default_of(ModelRole::Embedder);
                return Err(ModelError::NotInstalled {
                    id: default.map_or_else(String::new, |m| m.id.clone()),
                });
            };
            return Ok(Arc::new(LateInteraction::new(self.local_embedder(&embedder)?)));
        }
        match self.remote(id) {
            Some(Remote::Reranker(remote)) => Ok(remote),
            Some(_) => Err(ModelError::Unknown { id: id.to_owned() }),
            None => Ok(self.cross_encoder(id)?),
        }
    }

    fn language_model(&self, id: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let chosen = self.settings().chosen.clone();
        let Some(id) = id.map(str::to_owned).or(chosen).or_else(|| self.chosen_language_model_id()) else {
            if let Some(id) = self.first(ModelRole::LanguageModel, &ModelState::LeftOut) {
                return Err(ModelError::LeftOut { id });
            }
            let default = self.catalogue.default_of(ModelRole::LanguageModel);
            return Err(ModelError::NotInstalled { id: default.map_or_else(String::new, |m| m.id.clone()) });
        };
        match self.remote(&id) {
            Some(Remote::LanguageModel(remote)) => return Ok(remote),
            Some(_) => return Err(ModelError::Unknown { id }),
            None => {}
        }
        Ok(self.generator(&id)?)
    }

    fn default_transcriber(&self) -> Option<String> {
        self.first(ModelRole::Transcriber, &ModelState::Installed)
    }

    fn transcriber(&self) -> Result<Arc<dyn Transcriber>, ModelError> {
        if let Some(id) = self.default_transcriber() {
            return Ok(self.whisper(&id)?);
        }
        if let Some(id) = self.first(ModelRole::Transcriber, &ModelState::LeftOut) {
            return Err(ModelError::LeftOut { id });
        }
        let default = self.catalogue.default_of(ModelRole::Transcriber);
        Err(ModelError::NotInstalled { id: default.map_or_else(String::new, |m| m.id.clone()) })
    }
}
