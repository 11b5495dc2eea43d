//! Documents: listing, finding, removing.

use super::{DocumentQuery, Folder, Library};
use crate::domain::{Document, DocumentId, DocumentState, SourceId, SourceKind};
use crate::error::{EngineError, Result};
use crate::ledger::{documents, listing, sources, versions};
use crate::seams::Tag;
use crate::watch::paths;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

impl Library {
    /// A page of documents, and how many there are in all.
    pub fn documents(&self, query: &DocumentQuery) -> Result<(Vec<Document>, usize)> {
        self.shared.reads.with(|conn| listing::page(conn, query))
    }

    /// The folders directly below `parent` (`None`: the roots of all folder sources).
    pub fn folders(&self, parent: Option<(SourceId, &[u8])>) -> Result<Vec<Folder>> {
        self.shared.reads.with(|conn| {
            let mut folders = Vec::new();
            match parent {
                Some((source, above)) => {
                    for (name, (documents, has_folders)) in listing::folders(conn, source, above)? {
                        let mut path = above.to_vec();
                        if !path.is_empty() {
                            path.push(b'/');
                        }
                        path.extend_from_slice(&name);
                        let name = String::from_utf8_lossy(&name).into_owned();
                        folders.push(Folder { source, path, name, documents, has_folders });
                    }
                }
                None => {
                    for source in sources::all(conn)?.into_iter().filter(|s| s.kind == SourceKind::Folder) {
                        let (documents, has_folders) = listing::count(conn, source.id)?;
                        let name = source.root.file_name().unwrap_or(source.root.as_os_str());
                        let name = name.to_string_lossy().into_owned();
                        folders.push(Folder {
                            source: source.id,
                            path: Vec::new(),
                            name,
                            documents,
                            has_folders,
                        });
                    }
                }
            }
            folders.sort_by_cached_key(|folder| (folder.name.to_lowercase(), folder.path.clone()));
            Ok(folders)
        })
    }

    /// A document by id.
    pub fn document(&self, id: DocumentId) -> Result<Document> {
        self.shared.reads.with(|conn| listing::by_id(conn, id))?.ok_or_else(|| not_found(&id.to_string()))
    }

    /// A document by id, URI or absolute path; else by the end of its path, its file name or its title, if that is unique. One that
    /// is missing is found where no other stands in its place.
    pub fn find_document(&self, name: &str) -> Result<Document> {
        if let Ok(id) = name.parse::<DocumentId>() {
            return self.document(id);
        }
        let mut found = self.shared.reads.with(|conn| {
            let path = paths::path_of_uri(name).unwrap_or_else(|| PathBuf::from(name));
            let mut uris = vec![name.to_owned()];
            if path.is_absolute() {
                uris.push(paths::file_uri(&path));
                uris.extend(path.canonicalize().ok().map(|path| paths::file_uri(&path)));
            }
            for uri in &uris {
                let found = listing::by_uri(conn, uri)?;
                if !found.is_empty() {
                    return Ok(found);
                }
            }
            let mut found = Vec::new();
            for source in sources::all(conn)? {
                found.extend(listing::by_path(conn, source.id, &paths::bytes_of(&path))?);
            }
            if found.is_empty() { called(conn, name, &path, &uris) } else { Ok(found) }
        })?;
        match (found.pop(), found.is_empty()) {
            (Some(document), true) => Ok(document),
            (None, _) => Err(not_found(name)),
            (Some(last), false) => {
                let candidates = found.into_iter().chain([last]).map(|d| d.told_apart(None)).collect();
                Err(EngineError::Ambiguous { name: name.to_owned(), candidates })
            }
        }
    }

    /// Removes a document with its versions; one of a folder is excluded from then on.
    pub fn remove_document(&self, document: DocumentId) -> Result<()> {
        self.shared.writer.run(move |tx| {
            let Some(row) = documents::row_of(tx, document)? else {
                return Err(not_found(&document.to_string()));
            };
            let (source, path): (i64, Vec<u8>) = tx
                .prepare_cached("SELECT source, path FROM document WHERE row = ?1")?
                .query_row([row], |r| Ok((r.get(0)?, r.get(1)?)))?;
            let source = sources::get(tx, SourceId(source))?;
            if source.kind == SourceKind::Folder {
                sources::exclude(tx, source.id, &path)?;
            }
            versions::purge(tx, row)?;
            tx.changed(Tag::Documents);
            Ok(())
        })
    }

    /// Whether the file behind a hit is still there. While the rescan at start is not done, this looks at the disk (one stat);
    /// afterwards the ledger is right. A file on a disk that is absent as a whole counts as there.
    pub fn hit_is_current(&self, document: &Document) -> bool {
        if self.ingest.core.work.is_reconciled() {
            return true;
        }
        let found = self.shared.reads.with(|conn| {
            let source = sources::get(conn, document.source)?;
            let stat = documents::at(conn, document.source, &document.path)?.map(|known| known.stat);
            Ok((source, stat))
        });
        let Ok((source, stat)) = found else { return true };
        let Some(path) = paths::absolute(source.kind, &source.root, &document.path) else { return true };
        if source.kind == SourceKind::Folder && !source.root.is_dir() {
            return true;
        }
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) => metadata.is_file(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                crate::watch::walk::disk_absent(&path, stat.and_then(|stat| stat.file_id))
            }
            // Something is there that cannot be looked at now.
            Err(_) => true,
        }
    }
}

/// Documents, missing ones included, that have one of these URIs; else those whose path ends so or whose title it
/// is; else the same in any case of letters.
fn called(conn: &Connection, name: &str, path: &Path, uris: &[String]) -> Result<Vec<Document>> {
    let last = path.file_name().map_or_else(|| name.into(), |last| last.to_string_lossy());
    let query = DocumentQuery {
        states: DocumentState::ALL.to_vec(),
        name: Some(last.into_owned()),
        limit: usize::MAX,
        ..DocumentQuery::default()
    };
    let mut found = listing::page(conn, &query)?.0;
    if path.is_absolute() {
        found.retain(|d| uris.contains(&d.uri));
        return Ok(found);
    }
    let bytes = paths::bytes_of(path);
    let folded = name.to_lowercase();
    // Of a file all of its path: where its source begins is nothing that people know.
    let whole =
        |d: &Document| paths::path_of_uri(&d.uri).map_or_else(|| d.path.clone(), |p| paths::bytes_of(&p));
    let ends = |path: &[u8], end: &[u8]| {
        path.strip_suffix(end).is_some_and(|above| above.is_empty() || above.ends_with(b"/"))
    };
    let levels: [&dyn Fn(&Document) -> bool; 2] = [&|d| ends(&whole(d), &bytes) || d.title == name, &|d| {
        let path = String::from_utf8_lossy(&whole(d)).to_lowercase();
        ends(path.as_bytes(), folded.as_bytes()) || d.title.to_lowercase() == folded
    }];
    let level = levels.into_iter().find(|level| found.iter().any(level));
    found.retain(|document| level.is_some_and(|level| level(document)));
    Ok(found)
}

fn not_found(name: &str) -> EngineError {
    EngineError::NotFound { kind: "document", name: name.to_owned() }
}
