//! The temporary library in which a measurement runs.

use crate::app::{AppConfig, Wiring};
use crate::events::EventHub;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::library::{Library, Parts};
use carrel_engine::seams::ModelProvider;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A library in a folder of its own that goes with it.
pub(super) struct Workshop {
    pub(super) library: Arc<Library>,
    pub(super) models: Arc<dyn ModelProvider>,
    folder: Folder,
}

impl Workshop {
    /// An empty library. `cache`: where vectors are kept; `settings`: of the library.
    pub(super) fn new(
        config: &AppConfig,
        threads: Option<usize>,
        cache: Option<PathBuf>,
        settings: &BTreeMap<String, String>,
    ) -> Result<Self, Problem> {
        Self::with_models(config, threads, settings, |models| match cache {
            Some(cache) => Arc::new(super::cache::CachedModels::new(models, cache)),
            None => models,
        })
    }

    /// The same with other models around those that there are.
    pub(super) fn with_models(
        config: &AppConfig,
        threads: Option<usize>,
        settings: &BTreeMap<String, String>,
        around: impl FnOnce(Arc<dyn ModelProvider>) -> Arc<dyn ModelProvider>,
    ) -> Result<Self, Problem> {
        let wiring = Wiring::new(config, threads.unwrap_or(0), Arc::new(EventHub::default()));
        let mut parts: Parts = wiring.engine();
        parts.models = around(parts.models);
        let models = parts.models.clone();
        let folder = Folder::new()?;
        let library = Library::create(&folder.0.join("library"), parts)?;
        if !settings.is_empty() {
            library.change_settings(settings)?;
        }
        Ok(Self { library, models, folder })
    }

    /// A copy of a library, to try settings on. `parts`: of the program that has it open.
    pub(super) fn copy_of(library: &Library, parts: Parts, cancel: &Cancel) -> Result<Self, Problem> {
        let models = parts.models.clone();
        let folder = Folder::new()?;
        let library = library.copy_alone(&folder.0.join("library"), parts, cancel)?;
        Ok(Self { library, models, folder })
    }

    /// A place for files, removed with the library.
    pub(super) fn folder(&self) -> &Path {
        &self.folder.0
    }
}

/// A temporary folder, removed when dropped.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new() -> Result<Self, Problem> {
        let path = std::env::temp_dir().join(format!("carrel-measure-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir_all(&path).map_err(|e| carrel_engine::error::EngineError::io(&path, e))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, path = %self.0.display(), "a temporary folder was not removed");
        }
    }
}
