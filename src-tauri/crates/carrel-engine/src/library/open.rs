//! Opening and creating.

use super::shared::Shared;
use super::{Library, Parts, settings};
use crate::chunk::{Chunking, WordsTokenizer};
use crate::domain::LibraryId;
use crate::error::{EngineError, Result, if_there_is_room};
use crate::index::dense::Marker;
use crate::ingest::Ingest;
use crate::ledger::content::Contents;
use crate::ledger::generations::{self, Recipe};
use crate::ledger::salvage::Salvage;
use crate::ledger::{self, ReadPool, database};
use crate::writer::{WriteTx, Writer};
use jiff::Timestamp;
use std::path::Path;
use std::sync::Arc;

impl Library {
    /// Creates the folder with an empty ledger.
    pub fn create(folder: &Path, parts: Parts) -> Result<Arc<Library>> {
        if folder.join(ledger::FILE).exists() {
            return Err(EngineError::Exists { kind: "library", name: folder.display().to_string() });
        }
        std::fs::create_dir_all(folder).map_err(|e| EngineError::io(folder, e))?;
        Self::start(folder, parts, Some(LibraryId::random()))
    }

    /// Opens a library: migrates, checks, replays what the indexes lack, starts writer and ingest. Names and words answer at
    /// once; a damaged index is rebuilt in the background. The rescan of its sources starts by itself.
    pub fn open(folder: &Path, parts: Parts) -> Result<Arc<Library>> {
        Self::start(folder, parts, None)
    }

    /// Opens a library of the data folder, whose list knows its identity; makes it where it was never opened.
    pub(crate) fn open_or_create(folder: &Path, id: LibraryId, parts: Parts) -> Result<Arc<Library>> {
        // Once it was opened, a ledger that is missing or empty is damage.
        let create = (!Marker::exists(folder)).then_some(id);
        Self::start(folder, parts, create)
    }

    fn start(folder: &Path, parts: Parts, create: Option<LibraryId>) -> Result<Arc<Library>> {
        let path = folder.join(ledger::FILE);
        Self::start_at(&path, folder, parts, create).map_err(database::located(&path))
    }

    fn start_at(path: &Path, folder: &Path, parts: Parts, create: Option<LibraryId>) -> Result<Arc<Library>> {
        let (conn, id) = ledger::open(path, create)?;
        if !generations::any(&conn)? {
            let recipe = first_recipe(&parts);
            let transaction = conn.unchecked_transaction()?;
            generations::create_first(&mut WriteTx::new(&transaction, parts.clock.now()), &recipe)?;
            transaction.commit()?;
        }
        let active = generations::active(&conn)?;
        if active.analyzer != crate::text::ANALYZER {
            // Passages do not depend on it: the same generation goes on with another lexical index.
            let set = || {
                let transaction = conn.unchecked_transaction()?;
                let mut tx = WriteTx::new(&transaction, parts.clock.now());
                generations::set_analyzer(&mut tx, active.id, crate::text::ANALYZER)?;
                Ok(transaction.commit()?)
            };
            if_there_is_room(set().map_err(database::located(path)))?;
        }
        let contents = Arc::new(Contents::default());
        let (writer, indexes) = Writer::start(conn, folder, id, &parts, Arc::clone(&contents))?;
        let shared = Arc::new(Shared {
            id,
            folder: folder.to_owned(),
            parts,
            reads: ReadPool::new(path),
            contents,
            writer,
            indexes,
            caches: Arc::default(),
        });
        if_there_is_room(settings::adopt(&shared))?;
        let ingest = Ingest::start(Arc::clone(&shared))?;
        Ok(Arc::new(Library { ingest, shared }))
    }

    /// Its identity.
    pub fn id(&self) -> LibraryId {
        self.shared.id
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.shared.folder
    }
}

/// How a new library makes its passages: by the default embedder where one is installed, by words alone otherwise.
fn first_recipe(parts: &Parts) -> Recipe {
    let embedder = parts.models.default_embedder().and_then(|id| match parts.models.embedder(&id) {
        Ok(embedder) => Some(embedder),
        Err(e) => {
            tracing::warn!("the new library answers by words alone: {e}");
            None
        }
    });
    Recipe {
        chunker: Chunking::default().id(),
        tokenizer: match &embedder {
            Some(embedder) => embedder.tokenizer().id().to_owned(),
            None => WordsTokenizer::ID.to_owned(),
        },
        space: embedder.map(|embedder| embedder.space().clone()),
        analyzer: crate::text::ANALYZER.to_owned(),
        enriched: false,
    }
}

/// Saves what can be read of the damaged ledger of a library that is closed. Its indexes go with the ledger that they followed.
pub(crate) fn salvage(folder: &Path, id: LibraryId, now: Timestamp) -> Result<Salvage> {
    std::fs::create_dir_all(folder).map_err(|e| EngineError::io(folder, e))?;
    let salvage = ledger::salvage::salvage(folder, id, now)?;
    delete_where(folder, is_index)?;
    Ok(salvage)
}

/// Deletes a library's own files, and its folder where nothing else lies in it.
pub(crate) fn delete_files(folder: &Path) -> Result<()> {
    delete_where(folder, |name| {
        let of_ledger = name.strip_prefix(ledger::FILE).is_some_and(|rest| {
            ["", "-wal", "-shm", "-journal"].contains(&rest) || rest.starts_with(ledger::salvage::ASIDE)
        });
        of_ledger || is_index(name) || [NAME, "dense.in-use"].contains(&name)
    })?;
    // What is left is not Carrel's: it stays, with its folder.
    let io = |e| EngineError::io(folder, e);
    if std::fs::read_dir(folder).map_err(io)?.next().is_none() {
        std::fs::remove_dir(folder).map_err(io)?;
    }
    Ok(())
}

/// The file of a library's folder that holds its name.
pub(crate) const NAME: &str = "name";

/// Whether a file or folder of a library is of its indexes, which can be made again from the ledger.
fn is_index(name: &str) -> bool {
    name == "lexical" || name.starts_with("dense-")
}

fn delete_where(folder: &Path, own: impl Fn(&str) -> bool) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(|e| EngineError::io(folder, e))? {
        let entry = entry.map_err(|e| EngineError::io(folder, e))?;
        if own(&entry.file_name().to_string_lossy()) {
            let path = entry.path();
            let removed =
                if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            removed.map_err(|e| EngineError::io(&path, e))?;
        }
    }
    Ok(())
}
