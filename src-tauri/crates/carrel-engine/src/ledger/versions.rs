//! Versions: the content of a document at one time. Written in two phases.

use super::DocumentRow;
use crate::domain::{Converted, GenerationId, NewPassage, VersionId};
use crate::error::Result;
use crate::writer::WriteTx;

/// What became of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionOutcome {
    /// The text is that of the newest version: no new version; hash and converter are updated.
    Unchanged {
        /// The version that has this text.
        version: VersionId,
        /// Passages without a vector.
        missing: usize,
    },
    /// It is active: a first version, or one whose vectors were all there already.
    Active {
        /// The new version.
        version: VersionId,
        /// Passages without a vector.
        missing: usize,
    },
    /// A later version, written beside the active one until its vectors are in.
    Pending {
        /// The new version.
        version: VersionId,
        /// Passages without a vector, at least one.
        missing: usize,
    },
}

/// Writes a conversion as a version with its passages in the active generation, in one go. The document row exists; its
/// state, title and media type are the caller's. A version still pending is replaced.
pub(crate) fn write_version(
    _tx: &mut WriteTx<'_>,
    _document: DocumentRow,
    _converted: &Converted,
    _content_hash: &[u8; 32],
    _passages: &[NewPassage],
    _generation: GenerationId,
) -> Result<VersionOutcome> {
    unimplemented!()
}

/// Adds the passages of a version in another (building) generation.
pub(crate) fn fill(
    _tx: &mut WriteTx<'_>,
    _version: VersionId,
    _passages: &[NewPassage],
    _generation: GenerationId,
) -> Result<()> {
    unimplemented!()
}

/// Makes a pending version the active one; the active one becomes superseded.
pub(crate) fn activate(_tx: &mut WriteTx<'_>, _version: VersionId) -> Result<()> {
    unimplemented!()
}

/// Takes a document out of every index at once and notes when; its rows stay until [`purge`].
pub(crate) fn hide(_tx: &mut WriteTx<'_>, _document: DocumentRow) -> Result<()> {
    unimplemented!()
}

/// Brings a hidden document back; nothing is embedded again.
pub(crate) fn unhide(_tx: &mut WriteTx<'_>, _document: DocumentRow) -> Result<()> {
    unimplemented!()
}

/// Deletes a document with its versions, passages, and what of contents and vectors nothing else uses.
pub(crate) fn purge(_tx: &mut WriteTx<'_>, _document: DocumentRow) -> Result<()> {
    unimplemented!()
}
