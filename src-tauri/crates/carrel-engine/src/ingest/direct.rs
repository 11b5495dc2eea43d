//! Documents that are text already, for evaluation collections: the same chunking, the same ledger, no file.

use super::Core;
use super::commit::take_in;
use super::convert::{Text, cut, text_of};
use crate::error::{EngineError, Result};
use crate::ledger::DocumentRow;
use crate::ledger::documents::Stat;
use crate::library::DirectDocument;
use crate::writer::WriteTx;

/// A text with its passages, ready to be written.
pub(crate) struct DirectText {
    /// Its id in the collection.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    text: Text,
}

impl DirectText {
    /// Cuts a document for the generation that answers.
    pub(crate) fn new(core: &Core, document: DirectDocument) -> Result<Self> {
        let DirectDocument { id, title, converted } = document;
        let generation = core.shared.generation();
        let passages = cut(core, &generation, &text_of(&converted))?;
        let hash = *blake3::hash(converted.markdown.as_bytes()).as_bytes();
        Ok(Self { id, title, text: Text { stat: Stat::default(), hash, converted, passages, generation } })
    }

    /// How many passages it has.
    pub(crate) fn passages(&self) -> usize {
        self.text.passages.len()
    }

    /// Bytes of its text.
    pub(crate) fn bytes(&self) -> usize {
        self.text.converted.markdown.len()
    }

    /// Writes it as a version of a document.
    pub(crate) fn write(&self, tx: &mut WriteTx<'_>, row: DocumentRow) -> Result<()> {
        match take_in(tx, row, &self.text)? {
            Some(_) => Ok(()),
            None => {
                Err(EngineError::Invalid("the library was switched to another embedder meanwhile".to_owned()))
            }
        }
    }
}
