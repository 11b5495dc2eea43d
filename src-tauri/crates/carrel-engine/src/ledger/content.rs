//! Converted content: Markdown and structure, compressed, shared by versions with the same text.

use crate::domain::{Block, LocatedSpan};
use std::sync::Arc;

/// A content, decompressed.
#[derive(Debug, PartialEq)]
pub(crate) struct Content {
    /// The final text.
    pub(crate) markdown: Arc<str>,
    /// Its block tree.
    pub(crate) blocks: Vec<Block>,
    /// Its places in the original.
    pub(crate) locations: Vec<LocatedSpan>,
}

/// Contents decompressed lately, up to a number of bytes.
pub(crate) struct Contents {}
