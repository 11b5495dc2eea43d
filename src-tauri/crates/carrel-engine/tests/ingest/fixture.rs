//! A library beside a folder of files.

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{Document, DocumentState, SourceId};
use carrel_engine::library::{AddItem, AddOptions, DocumentQuery, Library, SyncReport};
use carrel_testkit::{Fakes, render_store};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far more than anything here takes; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Fixture {
    pub(crate) fakes: Fakes,
    pub(crate) library: Option<Arc<Library>>,
    store: TempDir,
    files: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with(Fakes::default())
    }

    pub(crate) fn with(fakes: Fakes) -> Self {
        let store = tempfile::tempdir().unwrap();
        let files = tempfile::tempdir().unwrap();
        let library = Library::create(&store.path().join("library"), fakes.parts()).unwrap();
        Self { fakes, library: Some(library), store, files }
    }

    pub(crate) fn library(&self) -> &Library {
        self.library.as_ref().unwrap()
    }

    /// Closes the library.
    pub(crate) fn close(&mut self) {
        let library = self.library.take().unwrap();
        assert!(Arc::into_inner(library).is_some(), "nobody else holds the library");
    }

    /// Opens it again.
    pub(crate) fn open(&mut self) {
        self.library = Some(Library::open(&self.store.path().join("library"), self.fakes.parts()).unwrap());
    }

    pub(crate) fn reopen(&mut self) {
        self.close();
        self.open();
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.files.path().canonicalize().unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn rename(&self, old: &str, new: &str) {
        std::fs::create_dir_all(self.path(new).parent().unwrap()).unwrap();
        std::fs::rename(self.path(old), self.path(new)).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap();
    }

    /// Adds the folder and waits.
    pub(crate) fn add_folder(&self, watch: bool) -> SyncReport {
        self.add(&self.root(), watch)
    }

    pub(crate) fn add(&self, path: &Path, watch: bool) -> SyncReport {
        let item = AddItem::Path { path: path.to_owned(), watch };
        self.library().add(&[item], &AddOptions::default(), true, &Cancel::new()).unwrap()
    }

    pub(crate) fn sync(&self) -> SyncReport {
        self.library().sync(&Cancel::new()).unwrap()
    }

    pub(crate) fn idle(&self) {
        self.library().wait_idle(&Cancel::new()).unwrap();
    }

    pub(crate) fn source(&self) -> SourceId {
        self.library().sources().unwrap()[0].id
    }

    /// All documents, missing ones included.
    pub(crate) fn all(&self) -> Vec<Document> {
        let query = DocumentQuery {
            states: DocumentState::ALL.to_vec(),
            limit: 1_000_000,
            ..DocumentQuery::default()
        };
        self.library().documents(&query).unwrap().0
    }

    /// Names with states, missing ones left out.
    pub(crate) fn shown(&self) -> Vec<(String, DocumentState)> {
        let query = DocumentQuery { limit: 1_000_000, ..DocumentQuery::default() };
        let (documents, total) = self.library().documents(&query).unwrap();
        assert_eq!(documents.len(), total);
        documents.iter().map(|d| (String::from_utf8_lossy(&d.path).into_owned(), d.state)).collect()
    }

    pub(crate) fn ready(&self) -> Vec<String> {
        self.shown()
            .into_iter()
            .filter(|(_, state)| *state == DocumentState::Ready)
            .map(|(name, _)| name)
            .collect()
    }

    pub(crate) fn find(&self, name: &str) -> Document {
        self.library().find_document(self.path(name).to_str().unwrap()).unwrap()
    }

    pub(crate) fn text(&self, document: &Document) -> String {
        self.library().version_text(document.id, None).unwrap().markdown.to_string()
    }

    /// What the indexes hold agrees with the ledger, and holds this text or not.
    pub(crate) fn indexed(&self, text: &str) -> bool {
        // The watcher may be writing between two looks.
        let store = (0..5).map(|_| render_store(self.library()).unwrap()).find(|store| {
            let agrees = !store.contains("STALE");
            if !agrees {
                self.idle();
            }
            agrees
        });
        assert!(store.is_some(), "{}", render_store(self.library()).unwrap());
        let entries = self.library().index_entries().unwrap();
        let passages: Vec<_> = entries.lexical.iter().map(|(id, _, _)| *id).collect();
        self.library().live_passages(&passages).unwrap().iter().any(|passage| passage.text.contains(text))
    }

    /// Waits until `holds`, as a person would.
    pub(crate) fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < PATIENCE, "{what}: {:#?}", self.all());
            std::thread::sleep(Duration::from_millis(25));
        }
        self.idle();
        assert!(holds(self), "{what} did not last");
    }

    /// Waits until `holds`, while work goes on.
    pub(crate) fn until_busy(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < PATIENCE, "{what}: {:#?}", self.all());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The visible documents at a path.
    pub(crate) fn find_all(&self, name: &str) -> Vec<Document> {
        let path = self.path(name);
        self.all()
            .into_iter()
            .filter(|d| {
                d.state != DocumentState::Missing
                    && self.root().join(String::from_utf8_lossy(&d.path).as_ref()) == path
            })
            .collect()
    }

    pub(crate) fn conversions(&self) -> usize {
        self.fakes.converter.conversions()
    }

    pub(crate) fn embedded(&self) -> usize {
        self.fakes.embedder.passages_embedded()
    }
}

pub(crate) fn text_item(id: &str, text: &str) -> AddItem {
    AddItem::Text { id: id.to_owned(), text: text.to_owned() }
}
