//! Models as the rest of this crate sees them, and the settings that choose among them.

use crate::app::AppConfig;
use crate::dto::CheckDto;
use crate::problem::Problem;
use carrel_convert::{WorkerConfig, WorkerPool};
use carrel_engine::seams::{DocumentConverter, Embedder, LanguageModel, ModelError, ModelProvider};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Setting: id of the chosen language model.
pub(crate) const LANGUAGE_MODEL: &str = "language_model";
/// Setting: endpoints, as JSON.
const ENDPOINTS: &str = "endpoints";

/// Whether a setting is not for surfaces.
pub(crate) fn is_private(key: &str) -> bool {
    key == ENDPOINTS
}

pub(crate) struct Models;
impl ModelProvider for Models {
    fn default_embedder(&self) -> Option<String> {
        None
    }
    fn embedder(&self, id: &str) -> Result<Arc<dyn Embedder>, ModelError> {
        Err(ModelError::NotInstalled { id: id.into() })
    }
    fn language_model(&self, _id: Option<&str>) -> Result<Arc<dyn LanguageModel>, ModelError> {
        Err(ModelError::NotInstalled { id: "x".into() })
    }
}
pub(crate) struct Chosen {
    pub(crate) id: String,
    pub(crate) local: bool,
}
pub(crate) fn open(_path: &Path) -> Result<Arc<Models>, Problem> {
    Ok(Arc::new(Models))
}
pub(crate) fn take_settings(_models: &Models, _settings: &BTreeMap<String, String>) -> Result<(), Problem> {
    Ok(())
}
pub(crate) fn chosen_language_model(_models: &Models) -> Option<Chosen> {
    None
}
pub(crate) fn choose_language_model(_models: &Models, _id: Option<&str>) -> Result<(), Problem> {
    Ok(())
}
pub(crate) fn checks(_models: &Models) -> Vec<CheckDto> {
    vec![]
}

/// The converters, which run in their own program.
pub(crate) fn converter(config: &AppConfig) -> Arc<dyn DocumentConverter> {
    let mut located = WorkerConfig::locate(Some(&config.models));
    if let Some(program) = &config.worker {
        located.program.clone_from(program);
    }
    Arc::new(WorkerPool::new(located))
}
