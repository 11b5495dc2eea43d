//! The program behind every surface: the open data folder with its models and converters.
//!
//! The only place that wires engine, converters and models. It holds the data folder's lock as long as it lives.

use crate::call::Calls;
use crate::dto::{ConvertRequestDto, ConvertedDto, FilePartDto};
use crate::events::EventHub;
use crate::handlers;
use crate::jobs::{Guard, Jobs};
use crate::models;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::data_folder::{DEFAULT_LIBRARY, DataFolder, LibraryEntry};
use carrel_engine::domain::{Document, LibraryId};
use carrel_engine::error::EngineError;
use carrel_engine::library::{Library, Parts};
use carrel_engine::seams::{Clock, DocumentConverter};
use carrel_models::Models;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Names of libraries by id.
pub(crate) type Names = BTreeMap<LibraryId, String>;

/// A library that was to be opened.
pub(crate) type Opened = Result<Arc<Library>, Problem>;

/// What a host decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppConfig {
    /// The data folder.
    pub data: PathBuf,
    /// Where models lie.
    pub models: PathBuf,
    /// `carrel-worker`; beside the running program when not given.
    pub worker: Option<PathBuf>,
}

impl AppConfig {
    /// The data folder and models that the environment (`CARREL_DATA`, `CARREL_MODELS`) and the platform give; `data` wins.
    pub fn from_environment(data: Option<PathBuf>) -> Result<Self, Problem> {
        let home = platform_data_folder();
        let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let data =
            data.or_else(|| variable("CARREL_DATA")).or_else(|| home.as_ref().map(|h| h.join("carrel")));
        let data = data.ok_or_else(|| {
            Problem::bad_request("this system names no folder for application data")
                .hint("choose one with --data")
        })?;
        let models = variable("CARREL_MODELS")
            .or_else(|| home.map(|h| h.join("carrel").join("models")))
            .unwrap_or_else(|| data.join("models"));
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Ok(Self { data: absolute(data), models: absolute(models), worker: None })
    }
}

/// The platform's folder for application data.
fn platform_data_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|h| h.join("Library/Application Support"))
    } else {
        variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|h| h.join(".local/share")))
    }
}

/// The system's clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The open program. See [`App::call`].
pub struct App {
    pub(crate) config: AppConfig,
    pub(crate) data: DataFolder,
    pub(crate) models: Arc<Models>,
    pub(crate) converter: Arc<dyn DocumentConverter>,
    pub(crate) events: Arc<EventHub>,
    pub(crate) calls: Calls,
    pub(crate) jobs: Jobs,
    paused: AtomicBool,
    opened: Mutex<HashMap<LibraryId, Weak<Library>>>,
}

impl App {
    /// Opens the data folder and takes its lock; `data_folder_locked` when another process has it.
    pub fn open(config: AppConfig) -> Result<Arc<App>, Problem> {
        let events = Arc::new(EventHub::default());
        let parts = Wiring::new(&config, 0, events.clone());
        let data = DataFolder::open(&config.data, parts.engine())?;
        models::take_settings(&parts.models, &data)?;
        Ok(Arc::new(App {
            config,
            data,
            models: parts.models,
            converter: parts.converter,
            events,
            calls: Calls::default(),
            jobs: Jobs::default(),
            paused: AtomicBool::new(false),
            opened: Mutex::default(),
        }))
    }

    /// Makes the list of libraries anew where it is damaged, before the data folder is opened; what is said of it.
    pub fn restore_list(config: &AppConfig) -> Result<Option<String>, Problem> {
        match DataFolder::restore_list(&config.data, jiff::Timestamp::now()) {
            // Whoever has it has opened it.
            Err(EngineError::Locked { .. }) => Ok(None),
            other => Ok(other?),
        }
    }

    /// Its data folder.
    pub fn data_folder(&self) -> &Path {
        &self.config.data
    }

    /// Opens every library, so that watched folders are followed from now on. Blocks; hosts that stay call it on a thread of its
    /// own.
    pub fn follow(&self) -> Vec<Arc<Library>> {
        let each = match self.each() {
            Ok(each) => each,
            Err(error) => {
                tracing::error!(%error, "the list of libraries could not be read");
                return Vec::new();
            }
        };
        let opened = |(name, library): (String, Opened)| {
            library.inspect_err(|error| tracing::error!(%error, name, "a library could not be opened")).ok()
        };
        each.filter_map(opened).collect()
    }

    /// Takes up what changed on disk while no program had these libraries open (`*` for all, none for `default`), `patience` at
    /// most. What cannot be opened is told by the call that follows.
    pub(crate) fn catch_up(&self, libraries: &[String], patience: Duration) {
        let names: Vec<String> = match libraries {
            [] => vec![DEFAULT_LIBRARY.to_owned()],
            names if names.iter().any(|name| name == "*") => {
                self.data.libraries().unwrap_or_default().into_iter().map(|entry| entry.name).collect()
            }
            names => names.to_vec(),
        };
        let begun = Instant::now();
        for library in names.iter().filter_map(|name| self.library(name).ok()) {
            library.catch_up(patience.saturating_sub(begun.elapsed()));
        }
    }

    /// The open library with this name.
    pub(crate) fn library(&self, name: &str) -> Result<Arc<Library>, Problem> {
        let library = self.data.library(name)?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            opened.get(&library.id()).is_some_and(|weak| std::ptr::eq(weak.as_ptr(), Arc::as_ptr(&library)));
        if !known {
            opened.insert(library.id(), Arc::downgrade(&library));
            drop(opened);
            if self.is_paused() {
                library.pause_ingest(true);
            }
        }
        Ok(library)
    }

    /// Libraries that are open now; none is opened for this.
    pub(crate) fn open_libraries(&self) -> Vec<Arc<Library>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open: Vec<_> = opened.values().filter_map(Weak::upgrade).collect();
        drop(opened);
        open.sort_by_key(|l| l.id());
        open
    }

    /// All libraries by name, one opened after the other, or why it cannot be.
    pub(crate) fn each(&self) -> Result<impl Iterator<Item = (String, Opened)>, Problem> {
        let opened = |entry: LibraryEntry| {
            let library = self.library(&entry.name);
            (entry.name, library)
        };
        Ok(self.data.libraries()?.into_iter().map(opened))
    }

    /// The library with this name, or all that can be opened, with their names. One that cannot is told of by `library.list`;
    /// where none can, that is the problem.
    pub(crate) fn scope(&self, name: Option<&str>) -> Result<Vec<(String, Arc<Library>)>, Problem> {
        if let Some(name) = name {
            return Ok(vec![(name.to_owned(), self.library(name)?)]);
        }
        let (mut scope, mut failed) = (Vec::new(), None);
        for (name, library) in self.each()? {
            match library {
                Ok(library) => scope.push((name, library)),
                Err(problem) => failed = Some(problem),
            }
        }
        match failed {
            Some(problem) if scope.is_empty() => Err(problem),
            _ => Ok(scope),
        }
    }

    /// Libraries to search: `default` when none is named, all for `*`; each once.
    pub(crate) fn libraries(&self, names: &[String]) -> Result<Vec<Arc<Library>>, Problem> {
        if names.iter().any(|n| n == "*") {
            return Ok(self.scope(None)?.into_iter().map(|(_, library)| library).collect());
        }
        let mut libraries: Vec<Arc<Library>> = Vec::new();
        let default = [DEFAULT_LIBRARY.to_owned()];
        for name in if names.is_empty() { &default } else { names } {
            let library = self.library(name)?;
            if !libraries.iter().any(|l| l.id() == library.id()) {
                libraries.push(library);
            }
        }
        Ok(libraries)
    }

    /// The names of libraries by their ids.
    pub(crate) fn names(&self, libraries: &[Arc<Library>]) -> Result<Names, Problem> {
        libraries.iter().map(|l| Ok((l.id(), self.data.library_name(l.id())?))).collect()
    }

    /// A document by id, URI, path, file name or title, in one library or in all; several of one name are refused with their ids.
    pub(crate) fn find_document(
        &self,
        name: &str,
        library: Option<&str>,
    ) -> Result<(String, Arc<Library>, Document), Problem> {
        let mut found = Vec::new();
        let mut failed = None;
        let scope = match library {
            Some(name) => vec![(name.to_owned(), self.library(name))],
            None => self.each()?.collect(),
        };
        for (library_name, library) in scope {
            let document = library.and_then(|l| match l.find_document(name) {
                Err(EngineError::NotFound { .. }) => Ok(None),
                found => Ok(Some((found?, l))),
            });
            match document {
                Ok(Some((document, library))) => found.push((library_name, library, document)),
                Ok(None) => {}
                // It may be there: that it is nowhere cannot be said.
                Err(problem) => failed = Some(problem),
            }
        }
        if found.len() > 1 {
            let candidates: Vec<String> = found.iter().map(|(l, _, d)| d.told_apart(Some(l))).collect();
            return Err(EngineError::Ambiguous { name: name.to_owned(), candidates }.into());
        }
        found.pop().ok_or_else(|| failed.unwrap_or_else(|| Problem::not_found("document", name)))
    }

    /// A document by what was kept of it: its id, and the name that its library had. The library may be called otherwise now.
    pub(crate) fn document(
        &self,
        id: &str,
        library: Option<&str>,
    ) -> Result<(String, Arc<Library>, Document), Problem> {
        match self.find_document(id, library) {
            Err(problem) if problem.code == "not_found" && library.is_some() => {
                self.find_document(id, None).map_err(|_| problem)
            }
            found => found,
        }
    }

    /// Begins a job that `cancel` stops.
    pub(crate) fn begin_job(
        &self,
        kind: &str,
        subject: &str,
        library: Option<LibraryId>,
        cancel: &Cancel,
    ) -> Result<Guard<'_>, Problem> {
        self.jobs.begin(&self.data, &self.events, kind, subject, library, cancel)
    }

    /// Stops every running call; they end with `cancelled`.
    pub fn stop_calls(&self) {
        self.calls.cancel_all();
    }

    /// Whether the user paused ingest.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// Sets whether the user paused ingest; `true` when that is new.
    pub(crate) fn set_paused(&self, paused: bool) -> bool {
        self.paused.swap(paused, Ordering::SeqCst) != paused
    }
}

/// Everything that the engine is given, before a data folder is opened.
pub(crate) struct Wiring {
    pub(crate) models: Arc<Models>,
    pub(crate) converter: Arc<dyn DocumentConverter>,
    events: Arc<EventHub>,
}

impl Wiring {
    /// In the engine's form.
    pub(crate) fn engine(&self) -> Parts {
        Parts {
            clock: Arc::new(SystemClock),
            converter: self.converter.clone(),
            models: self.models.clone(),
            events: self.events.clone(),
        }
    }
}

impl Wiring {
    /// Makes models and converters. `threads`: inference workers, 0 for one per core.
    pub(crate) fn new(config: &AppConfig, threads: usize, events: Arc<EventHub>) -> Self {
        let models = Arc::new(models::open(&config.models, threads));
        let converter = models::converter(config, &models);
        Self { models, converter, events }
    }
}

/// Converts a file without any library. `begun` is told each part that is begun.
pub fn convert_file(
    config: &AppConfig,
    request: ConvertRequestDto,
    cancel: &Cancel,
    begun: &mut dyn FnMut(&FilePartDto),
) -> Result<ConvertedDto, Problem> {
    let models = Arc::new(models::open(&config.models, 0));
    handlers::convert_with(&*models::converter(config, &models), request, cancel, begun)
}
