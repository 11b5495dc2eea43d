//! A file that says whether native code is running.
//!
//! usearch is C++: a fault in it ends the process where it stands. The marker's one byte is set while a call is under way and
//! cleared after it, so a process that finds it set knows in whose hands the last one died, and does not trust that index
//! again. A kill or a power cut between calls leaves it clear.

use crate::error::{EngineError, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// File name within a library's folder.
const FILE: &str = "dense.in-use";

/// See the module.
pub(crate) struct Marker {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: File,
    calls: usize,
}

impl Marker {
    /// Whether a library was ever opened in this folder.
    pub(crate) fn exists(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Opens the marker of a library. Returns it with whether the last process died within a call.
    pub(crate) fn open(folder: &Path) -> Result<(Self, bool)> {
        let path = folder.join(FILE);
        let io = |e| EngineError::io(&path, e);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        let mut last = Vec::new();
        file.read_to_end(&mut last).map_err(io)?;
        let died = last.first() == Some(&b'1');
        let marker = Self { path: path.clone(), state: Mutex::new(State { file, calls: 0 }) };
        marker.write(b'0');
        Ok((marker, died))
    }

    /// Marks a call for as long as the guard lives.
    pub(super) fn enter(&self) -> Call<'_> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls += 1;
        if state.calls == 1 {
            set(&mut state.file, b'1', &self.path);
        }
        Call(self)
    }

    fn write(&self, byte: u8) {
        set(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).file, byte, &self.path);
    }
}

fn set(file: &mut File, byte: u8, path: &Path) {
    if let Err(e) = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&[byte])) {
        // Without the marker a native fault would not be noticed; everything else works.
        tracing::warn!("{}: {e}", path.display());
    }
}

/// A native call under way.
pub(super) struct Call<'m>(&'m Marker);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls -= 1;
        if state.calls == 0 {
            set(&mut state.file, b'0', &self.0.path);
        }
    }
}
