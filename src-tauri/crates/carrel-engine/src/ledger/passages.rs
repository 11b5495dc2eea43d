//! Passages: spans of a version in a generation.

use super::content::Contents;
use crate::domain::{Passage, PassageId};
use crate::error::Result;
use rusqlite::Connection;

/// Re-reads passages of active versions of visible documents in the active generation, in the order given; those that
/// are gone are left out.
pub(crate) fn live(_conn: &Connection, _contents: &Contents, _ids: &[PassageId]) -> Result<Vec<Passage>> {
    unimplemented!()
}
