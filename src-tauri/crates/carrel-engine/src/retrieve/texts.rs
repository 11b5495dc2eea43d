//! Texts of the versions that hits were cut from, each read once for one question.

use super::Hit;
use crate::domain::{DocumentId, LibraryId};
use crate::error::{EngineError, Result};
use crate::library::{Library, VersionText};
use std::collections::HashMap;
use std::sync::Arc;

/// Reads texts and keeps them as long as it lives.
pub struct Texts<'a> {
    libraries: &'a [Arc<Library>],
    read: HashMap<(LibraryId, DocumentId, u32), Option<VersionText>>,
}

impl<'a> Texts<'a> {
    /// Of these libraries; nothing is read yet.
    pub fn new(libraries: &'a [Arc<Library>]) -> Self {
        Self { libraries, read: HashMap::new() }
    }

    /// The text that a hit is cut from; `None` where it was removed since.
    pub fn of(&mut self, hit: &Hit) -> Result<Option<&VersionText>> {
        let key = (hit.library, hit.document.id, hit.passage.version);
        if !self.read.contains_key(&key) {
            let library = self.library(hit.library);
            let text = match library.map(|l| l.version_text(hit.document.id, Some(hit.passage.version))) {
                Some(Ok(text)) => Some(text),
                None | Some(Err(EngineError::NotFound { .. })) => None,
                Some(Err(error)) => return Err(error),
            };
            self.read.insert(key, text);
        }
        Ok(self.read.get(&key).and_then(Option::as_ref))
    }

    pub(crate) fn libraries(&self) -> &'a [Arc<Library>] {
        self.libraries
    }

    pub(crate) fn library(&self, id: LibraryId) -> Option<&'a Arc<Library>> {
        self.libraries.iter().find(|l| l.id() == id)
    }
}
