//! Looking at a folder: which files are there, without reading any.
//!
//! Follows no link and crosses no permission. Invariant: what could not be looked at is named in `unreadable`; nothing below it may
//! be taken for deleted.

use super::paths;
use super::rules;
use crate::cancel::{Cancel, Cancelled};
use crate::ledger::documents::Stat;
use ignore::WalkBuilder;
use std::collections::{BTreeSet, HashSet};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Relative to the root.
    pub(crate) path: Vec<u8>,
    /// For the cheap check.
    pub(crate) stat: Stat,
    /// It is a link: listed, not followed.
    pub(crate) link: bool,
}

/// What a walk saw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    /// Files and links.
    pub(crate) files: Vec<Found>,
    /// Places that could not be looked at, relative to the root, with what the system said.
    pub(crate) unreadable: Vec<(Vec<u8>, String)>,
    /// The root itself is gone.
    pub(crate) absent: bool,
    /// Device of the root, where the platform has one.
    pub(crate) device: Option<u64>,
}

/// Which part of a source is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of it.
    All,
    /// These places, relative to the root, with everything below them.
    Places(BTreeSet<Vec<u8>>),
    /// These single files, which may be new.
    Files(BTreeSet<Vec<u8>>),
}

impl Scope {
    /// Whether a stored path lies in it.
    pub(crate) fn holds(&self, path: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Places(places) | Self::Files(places) => ancestors(path).any(|above| places.contains(above)),
        }
    }

    /// Whether a folder must be entered to reach it.
    fn reaches(&self, path: &[u8]) -> bool {
        self.holds(path)
            || match self {
                Self::All => true,
                Self::Places(places) | Self::Files(places) => {
                    let Some((from, to)) = paths::range_below(path) else { return true };
                    places.range(from..to).next().is_some()
                }
            }
    }
}

/// A path and everything above it, the root (empty) last.
fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut next = Some(path);
    std::iter::from_fn(move || {
        let current = next?;
        next = match current.iter().rposition(|&b| b == b'/') {
            Some(at) => Some(&current[..at]),
            None if current.is_empty() => None,
            None => Some(&[][..]),
        };
        Some(current)
    })
}

/// Lists the files of a folder within `scope`. `apart` are folders that belong to others: sources of their own, Carrel's data.
pub(crate) fn walk(
    root: &Path,
    scope: &Scope,
    apart: &HashSet<PathBuf>,
    cancel: &Cancel,
) -> Result<Listing, Cancelled> {
    let mut listing = Listing::default();
    match std::fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() => listing.device = device(&metadata),
        _ => {
            listing.absent = true;
            return Ok(listing);
        }
    }
    let (own_root, scope, apart) = (root.to_owned(), Arc::new(scope.clone()), Arc::new(apart.clone()));
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .git_ignore(true)
        .ignore(true)
        .require_git(false)
        .parents(false)
        .follow_links(false)
        .add_custom_ignore_filename(rules::IGNORE_FILE)
        .filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if rules::passed_over(entry.file_name(), folder) || (folder && apart.contains(entry.path())) {
                return false;
            }
            let Some(path) = paths::relative(&own_root, entry.path()) else { return false };
            if folder { scope.reaches(&path) } else { scope.holds(&path) }
        })
        .build();
    for entry in walk {
        cancel.check()?;
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                if let Some((path, detail)) = unreadable(root, &error) {
                    listing.unreadable.push((path, detail));
                }
                continue;
            }
        };
        let Some(kind) = entry.file_type() else { continue };
        if entry.depth() == 0 || !(kind.is_file() || kind.is_symlink()) {
            continue;
        }
        let Some(path) = paths::relative(root, entry.path()) else { continue };
        match entry.metadata() {
            Ok(metadata) => {
                listing.files.push(Found { path, stat: stat_of(&metadata), link: kind.is_symlink() });
            }
            Err(error) => match error.io_error() {
                Some(io) if io.kind() == ErrorKind::NotFound => {}
                Some(io) => listing.unreadable.push((path, system_words(io))),
                None => listing.unreadable.push((path, error.to_string())),
            },
        }
    }
    Ok(listing)
}

/// Looks at single files, given with the ids they had; those that are gone are left out.
pub(crate) fn look<'p>(
    files: impl Iterator<Item = (&'p [u8], Option<[u8; 16]>)>,
    cancel: &Cancel,
) -> Result<Listing, Cancelled> {
    let mut listing = Listing::default();
    for (bytes, id) in files {
        cancel.check()?;
        let path = paths::path_of(bytes);
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() || metadata.is_symlink() => listing.files.push(Found {
                path: bytes.to_vec(),
                stat: stat_of(&metadata),
                link: metadata.is_symlink(),
            }),
            Ok(_) => {}
            Err(error) => {
                let gone = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                if !gone || disk_absent(&path, id) {
                    listing.unreadable.push((bytes.to_vec(), error.to_string()));
                }
            }
        }
    }
    Ok(listing)
}

/// Whether the disk that held a file is not there: what is left of its path lies on another device.
pub(crate) fn disk_absent(file: &Path, id: Option<[u8; 16]>) -> bool {
    match file.ancestors().skip(1).find_map(|above| std::fs::metadata(above).ok()) {
        None => true,
        Some(above) => match (device(&above), id) {
            (Some(now), Some(id)) => now != device_of(id),
            _ => false,
        },
    }
}

/// Size, modification time and id.
pub(crate) fn stat_of(metadata: &Metadata) -> Stat {
    let modified = metadata.modified().ok().map(|time| match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    });
    Stat { bytes: metadata.len(), modified_ns: modified, file_id: file_id(metadata) }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other platforms have none")]
fn file_id(metadata: &Metadata) -> Option<[u8; 16]> {
    use std::os::unix::fs::MetadataExt;
    let mut id = [0; 16];
    id[..8].copy_from_slice(&metadata.dev().to_le_bytes());
    id[8..].copy_from_slice(&metadata.ino().to_le_bytes());
    Some(id)
}

#[cfg(not(unix))]
fn file_id(_: &Metadata) -> Option<[u8; 16]> {
    None
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other platforms have none")]
fn device(metadata: &Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.dev())
}

#[cfg(not(unix))]
fn device(_: &Metadata) -> Option<u64> {
    None
}

/// The device in a file id.
pub(crate) fn device_of(id: [u8; 16]) -> u64 {
    let mut device = [0; 8];
    device.copy_from_slice(&id[..8]);
    u64::from_le_bytes(device)
}

fn unreadable(root: &Path, error: &ignore::Error) -> Option<(Vec<u8>, String)> {
    let (mut inner, mut place) = (error, None);
    loop {
        match inner {
            ignore::Error::WithPath { path, err } => {
                place = paths::relative(root, path);
                inner = err;
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => inner = err,
            ignore::Error::Io(io) if io.kind() == ErrorKind::NotFound => return None,
            ignore::Error::Io(io) => return Some((place?, system_words(io))),
            _ => return None,
        }
    }
}

/// What the system said, without what the library that walks puts around it.
fn system_words(error: &std::io::Error) -> String {
    let mut said: &dyn std::error::Error = error;
    while let Some(inner) = said.source() {
        said = inner;
    }
    said.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(root: &Path, scope: &Scope) -> Vec<String> {
        let listing = walk(root, scope, &HashSet::new(), &Cancel::new()).unwrap();
        let mut paths: Vec<_> =
            listing.files.iter().map(|f| String::from_utf8_lossy(&f.path).into_owned()).collect();
        paths.sort();
        paths
    }

    #[test]
    fn ignore_rules_hidden_and_system_folders_hold_in_every_scope() {
        let root = tempfile::tempdir().unwrap();
        for path in [
            "a.md",
            "sub/b.md",
            "sub/deep/c.md",
            "drafts/d.md",
            "node_modules/x.md",
            ".git/config",
            "sub/~$b.docx",
            "e.log",
        ] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        std::fs::write(root.path().join(rules::IGNORE_FILE), "drafts/\n").unwrap();
        std::fs::write(root.path().join(".gitignore"), "*.log\n").unwrap();
        assert_eq!(listed(root.path(), &Scope::All), ["a.md", "sub/b.md", "sub/deep/c.md"]);
        let scope = |places: &[&str]| Scope::Places(places.iter().map(|p| p.as_bytes().to_vec()).collect());
        assert_eq!(listed(root.path(), &scope(&["sub/deep"])), ["sub/deep/c.md"]);
        assert_eq!(listed(root.path(), &scope(&["sub/b.md", "drafts/d.md"])), ["sub/b.md"]);
        assert_eq!(listed(root.path(), &scope(&["gone"])), Vec::<String>::new());
        assert!(
            walk(&root.path().join("none"), &Scope::All, &HashSet::new(), &Cancel::new()).unwrap().absent
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_listed_and_not_followed() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("real")).unwrap();
        std::fs::write(root.path().join("real/a.md"), "x").unwrap();
        std::os::unix::fs::symlink("real", root.path().join("link")).unwrap();
        let listing = walk(root.path(), &Scope::All, &HashSet::new(), &Cancel::new()).unwrap();
        let mut seen: Vec<_> = listing.files.iter().map(|f| (f.path.as_slice(), f.link)).collect();
        seen.sort_unstable();
        assert_eq!(seen, [(b"link".as_slice(), true), (b"real/a.md".as_slice(), false)]);
    }
}
