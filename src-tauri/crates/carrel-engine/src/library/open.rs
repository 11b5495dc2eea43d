//! Opening and creating.

use super::{Library, Parts};
use crate::domain::LibraryId;
use crate::error::Result;
use std::path::Path;
use std::sync::Arc;

impl Library {
    /// Creates the folder with an empty ledger.
    pub fn create(folder: &Path, parts: Parts) -> Result<Arc<Library>> {
        let _ = (folder, parts);
        unimplemented!()
    }

    /// Opens a library: migrates, checks, replays what the indexes lack, starts writer and ingest. Names and words answer at
    /// once; a damaged index is rebuilt in the background. The rescan of its sources starts by itself.
    pub fn open(folder: &Path, parts: Parts) -> Result<Arc<Library>> {
        let _ = (folder, parts);
        unimplemented!()
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
