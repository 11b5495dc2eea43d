//! Reading versions, texts, passages and counts.
#![allow(unused_variables, clippy::unimplemented)] // bodies are being filled

use super::{Library, LibraryStatus, VersionText};
use crate::domain::{DocumentId, Passage, PassageId, Version};
use crate::error::Result;

impl Library {
    /// Counts and states.
    pub fn status(&self) -> Result<LibraryStatus> {
        unimplemented!()
    }

    /// Versions of a document, oldest first.
    pub fn versions(&self, document: DocumentId) -> Result<Vec<Version>> {
        unimplemented!()
    }

    /// The text of a version (`None`: the active one).
    pub fn version_text(&self, document: DocumentId, number: Option<u32>) -> Result<VersionText> {
        unimplemented!()
    }

    /// The passages of a version in the active generation, in order.
    pub fn passages(&self, document: DocumentId, number: Option<u32>) -> Result<Vec<Passage>> {
        unimplemented!()
    }

    /// Re-reads passages of active versions of visible documents, in the order given; those that are gone are left out.
    pub fn live_passages(&self, ids: &[PassageId]) -> Result<Vec<Passage>> {
        unimplemented!()
    }
}
