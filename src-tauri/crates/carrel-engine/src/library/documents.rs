//! Documents: listing, finding, removing.

use super::{DocumentQuery, Folder, Library};
use crate::domain::SourceId;
use crate::domain::{Document, DocumentId, SourceKind};
use crate::error::{EngineError, Result};
use crate::ledger::{documents, listing, sources, versions};
use crate::seams::Tag;
use crate::watch::paths;
use std::path::Path;

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

    /// A document by id, absolute path or URI, if that is unique. A path relative to a folder source is understood too.
    pub fn find_document(&self, name: &str) -> Result<Document> {
        if let Ok(id) = name.parse::<DocumentId>() {
            return self.document(id);
        }
        let mut found = self.shared.reads.with(|conn| {
            let mut found = listing::by_uri(conn, name)?;
            let path = Path::new(name);
            if found.is_empty() && path.is_absolute() {
                found = listing::by_uri(conn, &paths::file_uri(path))?;
                if found.is_empty()
                    && let Ok(canonical) = path.canonicalize()
                {
                    found = listing::by_uri(conn, &paths::file_uri(&canonical))?;
                }
            }
            if found.is_empty() {
                for source in sources::all(conn)? {
                    found.extend(listing::by_path(conn, source.id, &paths::bytes_of(path))?);
                }
            }
            Ok(found)
        })?;
        match (found.pop(), found.is_empty()) {
            (Some(document), true) => Ok(document),
            (None, _) => Err(not_found(name)),
            (Some(last), false) => {
                let candidates =
                    found.into_iter().chain([last]).map(|d| format!("{} ({})", d.uri, d.id)).collect();
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

fn not_found(name: &str) -> EngineError {
    EngineError::NotFound { kind: "document", name: name.to_owned() }
}
