//! The models of one folder: what is there, what is loaded, and the engine's [`ModelProvider`].
//!
//! Each model is loaded once, when it is first asked for, and shared. While one loads, only those wait who asked for it.
//! Nothing is fetched but by [`Models::get`]. A model whose loading ended the program twice is not loaded again until the user
//! tests it or gets it again.

mod compute;
mod describe;
mod files;
mod guard;
mod import;
mod loaded;
mod provider;
mod trial;

#[cfg(test)]
mod tests;

use crate::catalogue::{Catalogue, CatalogueModel, ModelFile, ModelRole};
use crate::download::{self, Hub, Progress};
use crate::embed::LocalEmbedder;
use crate::encode::device::{Chosen, Place};
use crate::encode::pool::Pool;
use crate::generate::{Footprint, LocalLanguageModel};
use crate::remote::{Endpoint, Remote};
use crate::rerank::CrossEncoder;
use crate::transcribe::Whisper;
use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{EmbedKind, Embedder, LanguageModel, ModelError, ModelProvider, Reranker};
use guard::Guard;
pub use guard::leaving;
use loaded::Loaded;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What [`Models::open`] needs.
#[derive(Clone, Debug, Default)]
pub struct ModelsConfig {
    /// The folder of models; need not exist.
    pub folder: PathBuf,
    /// Inference workers; 0 for one per core.
    pub threads: usize,
    /// Endpoints that the user added.
    pub endpoints: Vec<Endpoint>,
    /// Id of the language model that the user chose.
    pub chosen_language_model: Option<String>,
    /// Id of the reranker that the user chose.
    pub chosen_reranker: Option<String>,
}

/// Whether a model can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelState {
    /// Its files are there.
    Installed,
    /// It can be fetched.
    Absent,
    /// Its files are wrong; the reason follows.
    Damaged(String),
    /// Loading it ended the program twice in a row.
    LeftOut,
    /// It answers at an endpoint.
    Remote,
}

impl ModelState {
    /// The word that stands in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Absent => "absent",
            Self::Damaged(_) => "damaged",
            Self::LeftOut => "left_out",
            Self::Remote => "remote",
        }
    }
}

/// A model as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// Catalogue, import or endpoint id.
    pub id: String,
    /// For people.
    pub name: String,
    /// What it does.
    pub role: ModelRole,
    /// Whether it can be used.
    pub state: ModelState,
    /// Size of its files.
    pub bytes: u64,
    /// Bytes of memory that it takes while it answers, about; 0 where that is not known.
    pub memory: u64,
    /// SPDX; empty where it is not known.
    pub licence: String,
    /// ISO 639-1 codes; empty for many.
    pub languages: Vec<String>,
    /// What it is good for, in a sentence.
    pub description: String,
    /// Used for its role unless another is named.
    pub chosen: bool,
}

struct Settings {
    endpoints: Vec<Remote>,
    chosen: Option<String>,
    chosen_reranker: Option<String>,
    place: Place,
    /// Models whose loading ended an earlier run of the program.
    unsafe_to_load: HashSet<String>,
}

/// All models of a folder and of the user's endpoints.
pub struct Models {
    folder: PathBuf,
    threads: usize,
    catalogue: &'static Catalogue,
    hub: Hub,
    settings: Mutex<Settings>,
    /// How much memory is free.
    available: fn() -> Option<u64>,
    pool: Mutex<Option<Arc<Pool>>>,
    device: Mutex<Option<Chosen>>,
    embedders: Loaded<LocalEmbedder>,
    rerankers: Loaded<CrossEncoder>,
    generators: Loaded<LocalLanguageModel>,
    transcribers: Loaded<Whisper>,
}

impl Models {
    /// Looks at the folder; loads and fetches nothing. Downloads will go where the environment says ([`Hub::from_env`]).
    pub fn open(config: ModelsConfig) -> Self {
        Self::open_with_hub(config, Hub::from_env())
    }

    /// The same with a hub of the caller's.
    pub fn open_with_hub(config: ModelsConfig, hub: Hub) -> Self {
        let threads = match config.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let settings = Settings {
            endpoints: remotes(config.endpoints),
            chosen: config.chosen_language_model,
            chosen_reranker: config.chosen_reranker,
            place: Place::default(),
            unsafe_to_load: guard::crashed(&config.folder),
        };
        Self {
            folder: config.folder,
            threads,
            catalogue: Catalogue::embedded(),
            hub,
            settings: Mutex::new(settings),
            available: crate::memory::available,
            pool: Mutex::new(None),
            device: Mutex::new(None),
            embedders: Loaded::default(),
            rerankers: Loaded::default(),
            generators: Loaded::default(),
            transcribers: Loaded::default(),
        }
    }

    /// The folder of models.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Inference workers.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Every model that there is, by role, then in the catalogue's order; imported ones after those, endpoints last.
    pub fn list(&self) -> Vec<ModelInfo> {
        let ocr = self.first(ModelRole::Ocr, &ModelState::Installed);
        let chosen = [
            self.default_embedder(),
            self.default_reranker(),
            self.chosen_language_model_id(),
            ocr,
            self.default_transcriber(),
        ];
        let mut list: Vec<ModelInfo> = self
            .known()
            .iter()
            .map(|(model, folder)| ModelInfo {
                id: model.id.clone(),
                name: model.name.clone(),
                role: model.role,
                state: self.state(model, folder),
                bytes: bytes(model, folder),
                memory: model.memory.unwrap_or(0),
                licence: model.licence.clone(),
                languages: model.languages.clone(),
                description: model.description.clone(),
                chosen: false,
            })
            .collect();
        list.extend(self.settings().endpoints.iter().map(|remote| {
            let endpoint = remote.endpoint();
            let host = crate::http::without_secrets(&endpoint.url);
            let goes = match endpoint.role {
                ModelRole::Embedder => "all passages and questions go there",
                _ => "questions and the passages used go there",
            };
            ModelInfo {
                id: endpoint.id.clone(),
                name: endpoint.model.clone().unwrap_or_else(|| host.clone()),
                role: endpoint.role,
                state: ModelState::Remote,
                bytes: 0,
                memory: 0,
                licence: String::new(),
                languages: Vec::new(),
                description: format!("Answers at {host}; {goes}."),
                chosen: false,
            }
        }));
        list.sort_by_key(|m| m.role);
        for model in &mut list {
            model.chosen = chosen.iter().flatten().any(|id| *id == model.id);
        }
        list
    }

    /// One model as it is listed.
    pub fn info(&self, id: &str) -> Result<ModelInfo, ModelError> {
        let model = self.list().into_iter().find(|m| m.id == id);
        model.ok_or_else(|| ModelError::Unknown { id: id.to_owned() })
    }

    /// The embedder of the catalogue that knows most languages, one that is here before one that can be fetched.
    pub fn multilingual_embedder(&self) -> Option<ModelInfo> {
        let known = self.catalogue.models.iter();
        let wide = known.filter(|m| m.role == ModelRole::Embedder && m.languages.is_empty());
        let mut usable: Vec<ModelInfo> = wide.filter_map(|model| self.info(&model.id).ok()).collect();
        usable.retain(|model| matches!(model.state, ModelState::Installed | ModelState::Absent));
        usable.sort_by_key(|model| model.state != ModelState::Installed);
        usable.into_iter().next()
    }

    /// Fetches a model of the catalogue. Blocks. What is there already stays; cancelling keeps what came in.
    pub fn get(
        &self,
        id: &str,
        progress: &mut dyn FnMut(Progress<'_>),
        cancel: &Cancel,
    ) -> Result<ModelInfo, ModelError> {
        let model = self.catalogue.get(id).ok_or_else(|| ModelError::Unknown { id: id.to_owned() })?;
        let folder = download::snapshot(&self.folder, model);
        files::discard_damaged(model, &folder, cancel)?;
        download::fetch(&self.hub, &self.folder, model, progress, cancel)?;
        self.forget(id);
        self.info(id)
    }

    /// Takes over a GGUF file, or a folder with the files of an embedder or a reranker, by copying. Refuses what cannot be run:
    /// the model is loaded and called once before it is kept.
    pub fn import(&self, path: &Path, cancel: &Cancel) -> Result<ModelInfo, ModelError> {
        let id = import::import(self, path, cancel)?;
        self.forget(&id);
        self.info(&id)
    }

    /// Deletes the files of a model, and only those. What is in use keeps working until it is let go.
    pub fn remove(&self, id: &str) -> Result<(), ModelError> {
        let (model, folder) = self.find(id)?;
        self.forget(id);
        files::remove(&self.folder, &model, &folder)
    }

    /// Replaces the endpoints.
    pub fn set_endpoints(&self, endpoints: Vec<Endpoint>) {
        self.settings().endpoints = remotes(endpoints);
    }

    /// Chooses the language model that answers when none is named; `None` for the default one.
    pub fn set_chosen_language_model(&self, id: Option<String>) {
        self.settings().chosen = id;
    }

    /// Chooses the reranker; `None` for the one that is installed, if any.
    pub fn set_chosen_reranker(&self, id: Option<String>) {
        self.settings().chosen_reranker = id;
    }

    /// Id of the language model that answers when none is named, where one can be used.
    pub fn chosen_language_model_id(&self) -> Option<String> {
        let chosen = self.settings().chosen.clone();
        self.chosen_or_first(ModelRole::LanguageModel, chosen)
    }

    /// The chosen model of a role, if it can be used; where none is chosen, the first that is installed, then the first endpoint.
    fn chosen_or_first(&self, role: ModelRole, chosen: Option<String>) -> Option<String> {
        if let Some(chosen) = chosen {
            let usable = self.remote(&chosen).is_some()
                || self
                    .find(&chosen)
                    .is_ok_and(|(m, folder)| self.state(&m, &folder) == ModelState::Installed);
            return usable.then_some(chosen);
        }
        self.first(role, &ModelState::Installed).or_else(|| {
            let settings = self.settings();
            let mut endpoints = settings.endpoints.iter().map(Remote::endpoint);
            endpoints.find(|e| e.role == role).map(|e| e.id.clone())
        })
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remote(&self, id: &str) -> Option<Remote> {
        self.settings().endpoints.iter().find(|e| e.endpoint().id == id).cloned()
    }

    /// Catalogue and imported models with the folders of their files.
    fn known(&self) -> Vec<(CatalogueModel, PathBuf)> {
        let catalogue = self.catalogue.models.iter();
        let mut known: Vec<_> = catalogue.map(|m| (m.clone(), download::snapshot(&self.folder, m))).collect();
        known.extend(import::imported(&self.folder));
        known
    }

    fn find(&self, id: &str) -> Result<(CatalogueModel, PathBuf), ModelError> {
        // Every search asks for its embedder: what the catalogue knows is not looked for among the imported ones.
        if let Some(model) = self.catalogue.get(id) {
            return Ok((model.clone(), download::snapshot(&self.folder, model)));
        }
        let found = import::imported(&self.folder).into_iter().find(|(m, _)| m.id == id);
        found.ok_or_else(|| ModelError::Unknown { id: id.to_owned() })
    }

    /// By presence and size; hashes are checked when files come in and by [`Self::test`].
    fn state(&self, model: &CatalogueModel, folder: &Path) -> ModelState {
        if model.files.is_empty() {
            return ModelState::Absent;
        }
        for file in &model.files {
            // Nothing is there, or a download stopped between two files and goes on where it was.
            let Some(size) = download::size(&folder.join(&file.path)) else { return ModelState::Absent };
            if let Some(detail) = file.wrong_size(size) {
                return ModelState::Damaged(detail);
            }
        }
        if self.settings().unsafe_to_load.contains(&model.id) {
            return ModelState::LeftOut;
        }
        ModelState::Installed
    }

    fn first(&self, role: ModelRole, state: &ModelState) -> Option<String> {
        let is_one = |m: &CatalogueModel, folder: &Path| m.role == role && self.state(m, folder) == *state;
        let mut of_catalogue: Vec<&CatalogueModel> =
            self.catalogue.models.iter().filter(|m| m.role == role).collect();
        of_catalogue.sort_by_key(|m| !m.default);
        let found = of_catalogue.into_iter().find(|m| is_one(m, &download::snapshot(&self.folder, m)));
        found.map(|m| m.id.clone()).or_else(|| {
            let imported = import::imported(&self.folder).into_iter();
            imported
                .map(|(m, folder)| (is_one(&m, &folder), m))
                .find(|(is_one, _)| *is_one)
                .map(|(_, m)| m.id)
        })
    }

    /// The model's folder, if it can be loaded.
    fn usable(&self, id: &str, role: ModelRole) -> Result<(CatalogueModel, PathBuf), ModelError> {
        let (model, folder) = self.find(id)?;
        if model.role != role {
            return Err(ModelError::Unknown { id: id.to_owned() });
        }
        match self.state(&model, &folder) {
            ModelState::Installed | ModelState::Remote => Ok((model, folder)),
            ModelState::Absent => Err(ModelError::NotInstalled { id: id.to_owned() }),
            ModelState::Damaged(detail) => Err(ModelError::Damaged { id: id.to_owned(), detail }),
            ModelState::LeftOut => Err(ModelError::LeftOut { id: id.to_owned() }),
        }
    }

    /// Drops what is loaded and what is held against a model, so that the next call starts afresh.
    fn forget(&self, id: &str) {
        self.embedders.forget(id);
        self.rerankers.forget(id);
        self.generators.forget(id);
        self.transcribers.forget(id);
        self.settings().unsafe_to_load.remove(id);
        guard::absolve(&self.folder, id);
    }

    fn workers(&self) -> Result<Arc<Pool>, ModelError> {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = &*pool {
            return Ok(Arc::clone(pool));
        }
        let started = Pool::start(self.threads)
            .map_err(|e| ModelError::Failed(format!("the inference workers cannot start: {e}")))?;
        let started = Arc::new(started);
        *pool = Some(Arc::clone(&started));
        Ok(started)
    }

    /// The embedder itself, for measuring.
    pub(crate) fn local_embedder(&self, id: &str) -> Result<Arc<LocalEmbedder>, ModelError> {
        let (model, folder) = self.usable(id, ModelRole::Embedder)?;
        self.embedders.get(id, || {
            let guard = Guard::set(&self.folder, id);
            let embedder = self.load_embedder(&model, &folder)?;
            guard.lift();
            Ok(embedder)
        })
    }

    /// The cross-encoder with this id.
    pub(crate) fn cross_encoder(&self, id: &str) -> Result<Arc<CrossEncoder>, ModelError> {
        let (model, folder) = self.usable(id, ModelRole::Reranker)?;
        self.rerankers.get(id, || {
            let guard = Guard::set(&self.folder, id);
            let reranker = self.load_reranker(&model, &folder)?;
            guard.lift();
            Ok(reranker)
        })
    }

    /// The language model with this id, which runs here.
    fn generator(&self, id: &str) -> Result<Arc<LocalLanguageModel>, ModelError> {
        let (model, folder) = self.usable(id, ModelRole::LanguageModel)?;
        self.generators.get(id, || {
            let guard = Guard::set(&self.folder, id);
            let language_model = self.load_language_model(&model, &folder)?;
            guard.lift();
            Ok(language_model)
        })
    }

    /// The same, or the chosen one, for measuring.
    pub(crate) fn local_language_model(
        &self,
        id: Option<&str>,
    ) -> Result<Arc<LocalLanguageModel>, ModelError> {
        let chosen = id.map(str::to_owned).or_else(|| self.chosen_language_model_id());
        let default = || self.catalogue.default_of(ModelRole::LanguageModel).map(|m| m.id.clone());
        self.generator(&chosen.or_else(default).unwrap_or_default())
    }

    /// The transcriber with this id.
    fn whisper(&self, id: &str) -> Result<Arc<Whisper>, ModelError> {
        let (model, folder) = self.usable(id, ModelRole::Transcriber)?;
        self.transcribers.get(id, || {
            let guard = Guard::set(&self.folder, id);
            let whisper = Whisper::open(&model, &folder, self.threads)?;
            guard.lift();
            Ok(whisper)
        })
    }

    fn load_embedder(&self, model: &CatalogueModel, folder: &Path) -> Result<LocalEmbedder, ModelError> {
        let embedding = model.embedding.as_ref().ok_or_else(|| unexplained(model))?;
        let hash = files::hash_of_weights(model, folder)?;
        self.on_device(|device| {
            let embedder = LocalEmbedder::open(model, embedding, folder, &hash, self.workers()?, device)?;
            embedder.embed(EmbedKind::Query, &["first"], &Cancel::new())?;
            Ok(embedder)
        })
    }

    fn load_reranker(&self, model: &CatalogueModel, folder: &Path) -> Result<CrossEncoder, ModelError> {
        let reranking = model.reranking.as_ref().ok_or_else(|| unexplained(model))?;
        let hash = files::hash_of_weights(model, folder)?;
        self.on_device(|device| {
            let reranker = CrossEncoder::open(model, reranking, folder, &hash, self.workers()?, device)?;
            reranker.score("first", &["first"], &Cancel::new())?;
            Ok(reranker)
        })
    }

    fn load_language_model(
        &self,
        model: &CatalogueModel,
        folder: &Path,
    ) -> Result<LocalLanguageModel, ModelError> {
        let file = model.files.first().ok_or_else(|| ModelError::Unknown { id: model.id.clone() })?;
        let path = folder.join(&file.path);
        let needed = Footprint::read(&model.id, &path)?.working();
        if let Some(available) = (self.available)().filter(|available| needed > *available) {
            return Err(ModelError::NoMemory { id: model.id.clone(), needed, available });
        }
        let language_model = LocalLanguageModel::open(model, &path, self.threads)?;
        language_model.generate(&trial::one_word("Hi", 1), &Cancel::new(), &mut |_| {})?;
        Ok(language_model)
    }
}

fn remotes(endpoints: Vec<Endpoint>) -> Vec<Remote> {
    endpoints.into_iter().map(Remote::new).collect()
}

fn unexplained(model: &CatalogueModel) -> ModelError {
    let detail = "the catalogue does not say how to use it".to_owned();
    ModelError::Damaged { id: model.id.clone(), detail }
}

/// The size of a model's files: what the catalogue says, or what lies there.
fn bytes(model: &CatalogueModel, folder: &Path) -> u64 {
    let size = |file: &ModelFile| file.bytes.or_else(|| download::size(&folder.join(&file.path)));
    model.files.iter().filter_map(size).sum()
}
