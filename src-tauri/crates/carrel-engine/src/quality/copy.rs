//! A copy of a library to try settings on: the texts and vectors as they are, and nothing that follows files.

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::ledger;
use crate::library::{Library, Parts};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::path::Path;
use std::sync::Arc;

/// Pages that are copied between two looks at whether to stop.
const PAGES: i32 = 2_000;
/// The documents stay under their ids, with their names and texts, as if each had been pasted: no file is looked at.
const ALONE: &str = "
    UPDATE source SET kind = 'texts', root = CAST('copy ' || id AS BLOB), watched = 0, needs_confirmation = 0;
    UPDATE document SET queued = 0;
    DELETE FROM exclusion;
    DELETE FROM meta WHERE key LIKE 'run.%' OR key LIKE 'question.%';
";

impl Library {
    /// Copies the ledger into `folder`, which is made, and opens it as a library of its own. Its indexes are made anew from it,
    /// without a model; the library itself goes on as before.
    pub fn copy_alone(&self, folder: &Path, parts: Parts, cancel: &Cancel) -> Result<Arc<Library>> {
        std::fs::create_dir_all(folder).map_err(|e| EngineError::io(folder, e))?;
        let path = folder.join(ledger::FILE);
        let mut copy = Connection::open(&path)?;
        // One state of the ledger, whatever is written meanwhile.
        self.shared.reads.with(|conn| {
            ledger::meta(conn, ledger::LIBRARY_ID)?;
            let backup = Backup::new(conn, &mut copy)?;
            while backup.step(PAGES)? != StepResult::Done {
                cancel.check()?;
            }
            Ok(())
        })?;
        copy.execute_batch(ALONE)?;
        copy.close().map_err(|(_, error)| error)?;
        Library::open(folder, parts)
    }
}
