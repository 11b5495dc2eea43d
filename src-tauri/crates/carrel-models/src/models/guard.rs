//! Remembers a load that ended the program.
//!
//! While a model loads and answers for the first time, a file `.loading-<id>.<process>` lies in the folder of models,
//! locked by this process. The lock goes with the process, the file does not: a file that can be locked is a death. The
//! first one may have any cause (the machine lost power, somebody ended the program): it is noted as `.died-<id>`, and the
//! model is tried again. A second one before a load went well is a crash: `.crashed-<id>` stays until the user tests the
//! model or gets it again.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const LOADING: &str = ".loading-";
const DIED: &str = ".died-";
const CRASHED: &str = ".crashed-";

/// The marks of the loads that are under way in this process.
static MARKS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Takes the marks of this process away, before it ends on purpose in the middle of a load.
pub fn leaving() {
    for path in MARKS.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // Whatever fails here, the program ends.
        let _ = std::fs::remove_file(path);
    }
}

/// The mark of one load. Dropping it takes the mark away, as an error of a load is not a crash.
pub(super) struct Guard {
    mark: Option<(PathBuf, File)>,
    /// What an earlier death left, taken away when the load goes well.
    died: PathBuf,
}

impl Guard {
    /// Marks a load. Where the folder cannot be written to, there is nothing to remember.
    pub(super) fn set(folder: &Path, id: &str) -> Self {
        let path = folder.join(format!("{LOADING}{id}.{}", std::process::id()));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).ok();
        let mark = file.filter(|f| f.try_lock().is_ok()).map(|file| (path, file));
        if let Some((path, _)) = &mark {
            MARKS.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        }
        Self { mark, died: folder.join(format!("{DIED}{id}")) }
    }

    /// The model answered.
    pub(super) fn lift(self) {
        // Mostly there is none.
        let _ = std::fs::remove_file(&self.died);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some((path, file)) = self.mark.take() {
            MARKS.lock().unwrap_or_else(PoisonError::into_inner).retain(|mark| *mark != path);
            // Removed before it is unlocked, so that nobody takes it for a crash in between.
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::warn!(%error, path = %path.display(), "the mark of a loaded model cannot be removed");
            }
            drop(file);
        }
    }
}

/// Ids of the models whose loading ended a program twice in a row.
pub(super) fn crashed(folder: &Path) -> HashSet<String> {
    let names = || std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let with = |prefix: &str| -> HashSet<String> {
        names().filter_map(|name| name.to_str()?.strip_prefix(prefix).map(str::to_owned)).collect()
    };
    let (mut crashed, died) = (with(CRASHED), with(DIED));
    for mark in with(LOADING) {
        let Some((id, _process)) = mark.rsplit_once('.') else { continue };
        let path = folder.join(format!("{LOADING}{mark}"));
        if !File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            continue;
        }
        let again = died.contains(id);
        let note = if again { CRASHED } else { DIED };
        // Gone by now means that its process finished well in between.
        if std::fs::rename(&path, folder.join(format!("{note}{id}"))).is_ok() && again {
            crashed.insert(id.to_owned());
        }
    }
    crashed
}

/// Forgets a crash.
pub(super) fn absolve(folder: &Path, id: &str) {
    for note in [CRASHED, DIED] {
        // Mostly there is none.
        let _ = std::fs::remove_file(folder.join(format!("{note}{id}")));
    }
}
