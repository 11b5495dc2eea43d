//! The list of libraries.
//!
//! The list knows each by its folder. The folder holds its name too, so that a copy of it brings its name along.

use super::open::LIBRARIES;
use super::{DataFolder, LibraryEntry};
use crate::cancel::Cancel;
use crate::domain::{DocumentId, LibraryId};
use crate::error::{EngineError, Result};
use crate::ledger::{self, database};
use crate::library::{self, Check, Library};
use crate::seams::Tag;
use rusqlite::{Connection, OptionalExtension, params};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use unicode_normalization::UnicodeNormalization;

/// The library that always exists. The window calls it by a name in people's language.
pub const DEFAULT_LIBRARY: &str = "default";

/// Longest name, in characters.
const LONGEST: usize = 100;

/// How long a removal waits for searches and answers under way.
const PATIENCE: Duration = Duration::from_secs(3);

/// A library's folder while its files are being deleted.
const REMOVED: &str = "removed-";

impl DataFolder {
    /// All libraries, `default` first, then by name.
    pub fn libraries(&self) -> Result<Vec<LibraryEntry>> {
        self.with(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT id, name FROM library ORDER BY folded <> ?1, folded")?;
            let rows = statement.query_map([DEFAULT_LIBRARY], |row| {
                Ok(LibraryEntry { id: LibraryId(uuid::Uuid::from_bytes(row.get(0)?)), name: row.get(1)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Creates a library.
    pub fn create_library(&self, name: &str) -> Result<LibraryEntry> {
        let name = checked(name)?;
        let entry = self.with(|conn| self.insert(conn, &name))?;
        self.emit(Tag::Libraries);
        Ok(entry)
    }

    /// Renames a library; `default` cannot be renamed.
    pub fn rename_library(&self, old: &str, new: &str) -> Result<()> {
        let new = checked(new)?;
        self.with(|conn| {
            let entry = find(conn, old)?;
            refuse_default(&entry, "renamed")?;
            if find(conn, &new).is_ok_and(|other| other.id != entry.id) {
                return Err(EngineError::Exists { kind: "library", name: new.clone() });
            }
            conn.execute(
                "UPDATE library SET name = ?2, folded = ?3 WHERE id = ?1",
                params![entry.id.0.as_bytes().as_slice(), new, folded(&new)],
            )?;
            write_name(&self.folder_of(entry.id), &new)
        })?;
        self.emit(Tag::Libraries);
        Ok(())
    }

    /// Closes a library and deletes its folder; `default` cannot be removed. Waits a little for whoever works with it, and
    /// then refuses.
    pub fn remove_library(&self, name: &str) -> Result<()> {
        let entry = self.with(|conn| find(conn, name))?;
        refuse_default(&entry, "removed")?;
        self.close(&entry)?;
        let folder = self.folder_of(entry.id);
        let aside = self.path.join(LIBRARIES).join(format!("{REMOVED}{}", entry.id));
        if folder.exists() {
            std::fs::rename(&folder, &aside).map_err(|e| EngineError::io(&folder, e))?;
        }
        self.with(|conn| {
            conn.execute("DELETE FROM library WHERE id = ?1", [entry.id.0.as_bytes().as_slice()])?;
            Ok(())
        })?;
        self.emit(Tag::Libraries);
        library::delete_files(&aside)
    }

    /// The open library with this name, opened if need be. At most 8 are open; the least recently used idle one is closed.
    pub fn library(&self, name: &str) -> Result<Arc<Library>> {
        let entry = self.with(|conn| find(conn, name))?;
        let folder = self.folder_of(entry.id);
        self.open.get(entry.id, || {
            if !folder.is_dir() {
                return Err(EngineError::LibraryGone { path: folder.clone() });
            }
            Library::open_or_create(&folder, entry.id, self.parts().clone())
        })
    }

    /// The doctor of a library; see [`Library::doctor`]. With `repair`, what can be read of a damaged ledger is saved into a new
    /// one, and the damaged file is set aside. Returns when the library answers as well as it can.
    pub fn doctor(&self, name: &str, repair: bool, cancel: &Cancel) -> Result<Vec<Check>> {
        let found = self.library(name).and_then(|library| library.doctor(repair));
        let damaged = match &found {
            Ok(checks) => checks.iter().any(|check| check.name == library::LEDGER && !check.ok),
            Err(error) => matches!(error, EngineError::Damaged { .. } | EngineError::LibraryGone { .. }),
        };
        if !(damaged && repair) {
            return found;
        }
        let entry = self.with(|conn| find(conn, name))?;
        self.close(&entry)?;
        let salvage = library::salvage(&self.folder_of(entry.id), entry.id, self.parts().clock.now())?;
        let library = self.library(name)?;
        library.wait_idle(cancel)?;
        let mut checks = library.doctor(repair)?;
        for check in checks.iter_mut().filter(|check| check.name == library::LEDGER && check.ok) {
            check.message = salvage.to_string();
            check.mended = true;
        }
        Ok(checks)
    }

    /// Closes a library. Waits a little for whoever works with it, and then refuses.
    fn close(&self, entry: &LibraryEntry) -> Result<()> {
        let Some(library) = self.open.take(entry.id) else { return Ok(()) };
        let begun = Instant::now();
        while Arc::strong_count(&library) > 1 {
            if begun.elapsed() > PATIENCE {
                self.open.put_back(entry.id, library);
                return Err(EngineError::Invalid(format!(
                    "the library {} is being worked with: stop that first",
                    entry.name
                )));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// The name of a library.
    pub fn library_name(&self, id: LibraryId) -> Result<String> {
        self.with(|conn| {
            conn.prepare_cached("SELECT name FROM library WHERE id = ?1")?
                .query_row([id.0.as_bytes().as_slice()], |row| row.get(0))
                .optional()?
                .ok_or_else(|| EngineError::NotFound { kind: "library", name: id.to_string() })
        })
    }

    /// The library that holds a document, for a citation. One that cannot be read hides no other.
    pub fn find_document(&self, document: DocumentId) -> Result<Option<LibraryEntry>> {
        let mut failed = None;
        for entry in self.libraries()? {
            let path = self.folder_of(entry.id).join(ledger::FILE);
            let held = if let Some(library) = self.open.peek(entry.id) {
                library.shared.reads.with(|conn| holds(conn, document))
            } else if path.is_file() {
                let read = database::open_reader(&path).and_then(|conn| holds(&conn, document));
                read.map_err(database::located(&path))
            } else {
                Ok(false)
            };
            match held {
                Ok(true) => return Ok(Some(entry)),
                Ok(false) => {}
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(None), Err)
    }

    /// Takes in libraries whose folders were copied here, under the name that they bring, and leaves a name with those that have
    /// none yet.
    pub(super) fn take_in(&self) -> Result<()> {
        let known = self.libraries()?;
        for entry in &known {
            let folder = self.folder_of(entry.id);
            if folder.is_dir() && read_name(&folder).is_none() {
                write_name(&folder, &entry.name)?;
            }
        }
        let libraries = self.path.join(LIBRARIES);
        for id in folders(&self.path).into_iter().filter(|id| known.iter().all(|entry| entry.id != *id)) {
            let folder = libraries.join(id.to_string());
            if !folder.join(ledger::FILE).is_file() {
                continue;
            }
            let name = self.with(|conn| {
                let name = free_name(conn, read_name(&folder))?;
                enter(conn, id, &name)?;
                Ok(name)
            })?;
            write_name(&folder, &name)?;
            tracing::info!(name, "a library that was copied here is taken in");
        }
        Ok(())
    }

    pub(super) fn ensure_default(&self) -> Result<()> {
        self.with(|conn| match find(conn, DEFAULT_LIBRARY) {
            Err(EngineError::NotFound { .. }) => self.insert(conn, DEFAULT_LIBRARY).map(|_| ()),
            other => other.map(|_| ()),
        })
    }

    /// Deletes what removals that were cut off have left.
    pub(super) fn finish_removals(&self) {
        let Ok(entries) = std::fs::read_dir(self.path.join(LIBRARIES)) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_prefix(REMOVED)?.parse::<LibraryId>().ok());
            let Some(id) = id else { continue };
            let done = library::delete_files(&entry.path()).and_then(|()| {
                self.with(|conn| {
                    conn.execute("DELETE FROM library WHERE id = ?1", [id.0.as_bytes().as_slice()])?;
                    Ok(())
                })
            });
            if let Err(e) = done {
                tracing::warn!("{e}");
            }
        }
    }

    /// Makes a library: its folder first, for one that is in the list without a folder has lost it.
    fn insert(&self, conn: &Connection, name: &str) -> Result<LibraryEntry> {
        if find(conn, name).is_ok() {
            return Err(EngineError::Exists { kind: "library", name: name.to_owned() });
        }
        let entry = LibraryEntry { id: LibraryId::random(), name: name.to_owned() };
        let folder = self.folder_of(entry.id);
        std::fs::create_dir_all(&folder).map_err(|e| EngineError::io(&folder, e))?;
        write_name(&folder, name)?;
        enter(conn, entry.id, name)?;
        Ok(entry)
    }

    fn folder_of(&self, id: LibraryId) -> PathBuf {
        self.path.join(LIBRARIES).join(id.to_string())
    }
}

/// The name that a library's folder holds.
pub(super) fn read_name(folder: &Path) -> Option<String> {
    let file = File::open(folder.join(library::NAME)).ok()?;
    let mut name = String::new();
    // A name is short; whatever else lies there is none.
    file.take(4 * LONGEST as u64 + 2).read_to_string(&mut name).ok()?;
    checked(&name).ok()
}

fn write_name(folder: &Path, name: &str) -> Result<()> {
    let path = folder.join(library::NAME);
    std::fs::write(&path, format!("{name}\n")).map_err(|e| EngineError::io(&path, e))
}

/// Writes a library into the list.
pub(super) fn enter(conn: &Connection, id: LibraryId, name: &str) -> Result<()> {
    conn.execute(
        "INSERT INTO library (id, name, folded) VALUES (?1, ?2, ?3)",
        params![id.0.as_bytes().as_slice(), name, folded(name)],
    )?;
    Ok(())
}

/// A name that no library has: `wished`, or what is nearest to it, or `default`.
pub(super) fn free_name(conn: &Connection, wished: Option<String>) -> Result<String> {
    let wished = wished.unwrap_or_else(|| DEFAULT_LIBRARY.to_owned());
    let base = if wished == DEFAULT_LIBRARY { "library" } else { &wished };
    let numbered = (2..).map(|n| format!("{base} {n}"));
    for name in std::iter::once(wished.clone()).chain(numbered) {
        match find(conn, &name) {
            Err(EngineError::NotFound { .. }) => return Ok(name),
            other => other.map(|_| ())?,
        }
    }
    Err(EngineError::Internal("there is no free name for a library".into()))
}

/// The libraries whose folders are there, the oldest first: identities begin with a time.
pub(super) fn folders(data: &Path) -> Vec<LibraryId> {
    let entries = std::fs::read_dir(data.join(LIBRARIES)).into_iter().flatten().flatten();
    let mut ids: Vec<LibraryId> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    ids.sort_by_key(|id| id.0);
    ids
}

fn holds(conn: &Connection, document: DocumentId) -> Result<bool> {
    Ok(conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM document WHERE id = ?1)",
        [document.0.as_bytes().as_slice()],
        |row| row.get(0),
    )?)
}

fn find(conn: &Connection, name: &str) -> Result<LibraryEntry> {
    conn.prepare_cached("SELECT id, name FROM library WHERE folded = ?1")?
        .query_row([folded(name.trim())], |row| {
            Ok(LibraryEntry { id: LibraryId(uuid::Uuid::from_bytes(row.get(0)?)), name: row.get(1)? })
        })
        .optional()?
        .ok_or_else(|| EngineError::NotFound { kind: "library", name: name.to_owned() })
}

fn folded(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase()
}

fn checked(name: &str) -> Result<String> {
    let name: String = name.trim().nfc().collect();
    if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
        return Err(EngineError::Invalid(format!(
            "a library needs a name of 1 to {LONGEST} characters, without control characters"
        )));
    }
    Ok(name)
}

fn refuse_default(entry: &LibraryEntry, what: &str) -> Result<()> {
    if entry.name == DEFAULT_LIBRARY {
        return Err(EngineError::Invalid(format!("the library {DEFAULT_LIBRARY} cannot be {what}")));
    }
    Ok(())
}
