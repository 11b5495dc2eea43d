//! Holding ingest while something else needs the processor.

use super::Library;
use std::sync::Arc;

/// Ingest of these libraries pauses while this lives.
pub(crate) struct Pause<'a>(&'a [Arc<Library>]);

impl<'a> Pause<'a> {
    pub(crate) fn new(libraries: &'a [Arc<Library>]) -> Self {
        for library in libraries {
            library.pause_ingest(true);
        }
        Self(libraries)
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|l| l.pause_ingest(false));
    }
}
