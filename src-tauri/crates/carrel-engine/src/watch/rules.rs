//! What is never taken from a folder, whatever its ignore files say.
//!
//! Hidden entries, system and package folders, and files that programs write while they work. They are not listed as skipped:
//! nobody looks for them in a library. What a person might look for (links, unreadable files) is.

use crate::domain::Reason;
use crate::seams::ConvertError;
use std::ffi::OsStr;

/// Own ignore files, in the syntax of `.gitignore`.
pub(crate) const IGNORE_FILE: &str = ".carrelignore";

const FOLDERS: &[&str] =
    &["$recycle.bin", "system volume information", "lost+found", "node_modules", "__pycache__", "__macosx"];

const ENDINGS: &[&str] =
    &[".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".swp", ".swx", "~", ".lock", ".lnk"];

const FILES: &[&str] = &["thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r"];

/// Whether an entry of this name is passed over without a word.
pub(crate) fn passed_over(name: &OsStr, folder: bool) -> bool {
    let bytes = name.as_encoded_bytes();
    if bytes.starts_with(b".") {
        return true;
    }
    let name = String::from_utf8_lossy(bytes).to_lowercase();
    if folder {
        return FOLDERS.contains(&name.as_str());
    }
    name.starts_with("~$")
        || FILES.contains(&name.as_str())
        || ENDINGS.iter().any(|ending| name.ends_with(ending) && name.len() > ending.len())
}

/// Whether an entry of this name decides about others.
pub(crate) fn is_ignore_file(name: &OsStr) -> bool {
    name == IGNORE_FILE || name == ".gitignore" || name == ".ignore"
}

/// Why a link is not taken.
pub(crate) fn link() -> Reason {
    Reason {
        code: "symlink".to_owned(),
        message: "links are not followed: add the file or folder that it points to".to_owned(),
        retryable: false,
    }
}

/// Why a file is not taken that no converter reads.
pub(crate) fn unsupported(name: &str) -> Reason {
    let format = name.rsplit_once('.').map_or("such", |(_, ending)| ending).to_owned();
    ConvertError::UnsupportedFormat { format }.reason()
}

/// Why a file above the limit is not taken.
pub(crate) fn too_large(bytes: u64, limit: u64) -> Reason {
    Reason {
        code: "too_large".to_owned(),
        message: format!("the file has {} MB, the limit is {} MB", bytes.div_ceil(1 << 20), limit >> 20),
        retryable: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_people_pass() {
        for name in ["notes.md", "README", "a.lock.md", "tmp", "~notes.md", "My Downloads.txt"] {
            assert!(!passed_over(OsStr::new(name), false), "{name}");
        }
        for name in [".DS_Store", "~$report.docx", "a.txt~", "film.mp4.part", "Thumbs.db", "Cargo.lock"] {
            assert!(passed_over(OsStr::new(name), false), "{name}");
        }
        assert!(passed_over(OsStr::new("node_modules"), true));
        assert!(!passed_over(OsStr::new("notes.tmp"), true));
    }
}
