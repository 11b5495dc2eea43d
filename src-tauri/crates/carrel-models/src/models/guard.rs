//! Remembers a load that ended the program.
//!
//! While a model loads and answers for the first time, a file `.loading-<id>.<process>` lies in the folder of models,
//! locked by this process. The lock goes with the process, the file does not: a file that can be locked is a crash. It is
//! then renamed to `.crashed-<id>` and stays until the user tests the model or gets it again.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

const LOADING: &str = ".loading-";
const CRASHED: &str = ".crashed-";

/// The mark of one load. Dropping it takes the mark away, as an error of a load is not a crash.
pub(super) struct Guard {
    mark: Option<(PathBuf, File)>,
}

impl Guard {
    /// Marks a load. Where the folder cannot be written to, there is nothing to remember.
    pub(super) fn set(folder: &Path, id: &str) -> Self {
        let path = folder.join(format!("{LOADING}{id}.{}", std::process::id()));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).ok();
        let mark = file.filter(|f| f.try_lock().is_ok()).map(|file| (path, file));
        Self { mark }
    }

    /// The model answered.
    pub(super) fn lift(self) {
        drop(self);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some((path, file)) = self.mark.take() {
            // Removed before it is unlocked, so that nobody takes it for a crash in between.
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::warn!(%error, path = %path.display(), "the mark of a loaded model cannot be removed");
            }
            drop(file);
        }
    }
}

/// Ids of the models whose loading ended a program.
pub(super) fn crashed(folder: &Path) -> HashSet<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return HashSet::new() };
    let mut ids = HashSet::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if let Some(id) = name.strip_prefix(CRASHED) {
            ids.insert(id.to_owned());
        } else if let Some((id, _process)) = name.strip_prefix(LOADING).and_then(|rest| rest.rsplit_once('.'))
            && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
            // Gone by now means that its process finished well in between.
            && std::fs::rename(entry.path(), folder.join(format!("{CRASHED}{id}"))).is_ok()
        {
            ids.insert(id.to_owned());
        }
    }
    ids
}

/// Forgets a crash.
pub(super) fn absolve(folder: &Path, id: &str) {
    let path = folder.join(format!("{CRASHED}{id}"));
    // Mostly there is none.
    let _ = std::fs::remove_file(path);
}
