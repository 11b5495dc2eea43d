//! Which sources a person trusts more, as the settings of the libraries say.

use crate::domain::{LibraryId, SourceId};
use crate::error::Result;
use crate::library::Library;
use crate::retrieve::{Hit, PathRanks};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The order of trust of each library that has one.
pub(super) struct Ranks(HashMap<LibraryId, (PathRanks, HashMap<SourceId, PathBuf>)>);

impl Ranks {
    pub(super) fn of(libraries: &[Arc<Library>]) -> Result<Self> {
        let mut ranks = HashMap::new();
        for library in libraries {
            let trusted = library.trusted()?;
            if trusted.is_empty() {
                continue;
            }
            let patterns: Vec<&str> = trusted.iter().map(String::as_str).collect();
            let roots = library.sources()?.into_iter().map(|source| (source.id, source.root)).collect();
            ranks.insert(library.id(), (PathRanks::new(&patterns)?, roots));
        }
        Ok(Self(ranks))
    }

    /// From 0; `None` where nothing is said of its source.
    pub(super) fn of_hit(&self, hit: &Hit) -> Option<usize> {
        let (ranks, roots) = self.0.get(&hit.library)?;
        ranks.of(roots.get(&hit.document.source)?, &hit.document.path)
    }
}
