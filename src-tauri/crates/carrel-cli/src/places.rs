//! Places on the disk: as they are typed, as the API takes them, and as people read them.

use crate::table::plain;
use carrel_api::{file_uri, path_of_uri};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A place as the API takes it: absolute, for the owner works in another folder, and as a URI where it is no Unicode.
pub(crate) fn place(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    if let Some(uri) = word.to_str().filter(|word| path_of_uri(word).is_some()) {
        return uri.to_owned();
    }
    let path = std::path::absolute(word).unwrap_or_else(|_| PathBuf::from(word));
    path.to_str().map_or_else(|| file_uri(&path), str::to_owned)
}

/// Whether a word is an address, of a web page or of what cannot be fetched, rather than a place on this disk.
pub(crate) fn is_address(word: &str) -> bool {
    let Some((scheme, _)) = word.split_once("://") else { return false };
    // A single letter is a drive.
    let named = scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    named && path_of_uri(word).is_none() && (carrel_api::is_url(word) || !Path::new(word).exists())
}

/// A document as the API takes it. What lies on the disk under that name is meant before a title or the end of another's path.
pub(crate) fn document(word: &OsStr) -> String {
    let here = Path::new(word);
    match word.to_str() {
        Some(text) if uuid::Uuid::parse_str(text).is_ok() => text.to_owned(),
        Some(text)
            if !here.starts_with(".") && !here.starts_with("..") && here.symlink_metadata().is_err() =>
        {
            text.to_owned()
        }
        _ => place(word),
    }
}

/// A URI for people: of a file the path, unless that could not be typed again.
pub(crate) fn shown(uri: &str) -> String {
    let path = path_of_uri(uri).and_then(|path| path.to_str().map(str::to_owned));
    path.filter(|path| plain(path) == *path).unwrap_or_else(|| plain(uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_become_absolute() {
        let words =
            ["https://example.org/a", "file:///a/b.md", "text:note", "0198c0de-0000-7000-8000-000000000000"];
        for word in words.into_iter().chain(["gone.md", "notes/gone.md", "A title"]) {
            assert_eq!(document(OsStr::new(word)), word);
        }
        for word in ["Cargo.toml", "./gone.md", "../gone.md"] {
            assert!(Path::new(&document(OsStr::new(word))).is_absolute(), "{word}");
        }
    }

    #[test]
    fn an_address_is_no_place() {
        assert!(["http://a/b", "HTTPS://a", "ftp://a/b"].into_iter().all(is_address));
        assert!(!["a.md", "/a/b", "c://a", "file:///a/b", "my notes://a"].into_iter().any(is_address));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_unicode_can_be_given() {
        use std::os::unix::ffi::OsStrExt;
        let name = OsStr::from_bytes(b"/caf\xe9.md");
        assert_eq!((document(name), place(name)), ("file:///caf%E9.md".into(), "file:///caf%E9.md".into()));
    }

    #[test]
    fn people_read_paths_that_can_be_typed() {
        assert_eq!(shown("file:///a%20b/%C3%BC.md"), "/a b/\u{fc}.md");
        for uri in ["file:///caf%E9.md", "file:///a%0Ab.md", "https://example.org/a%20b", "text:note"] {
            assert_eq!(shown(uri), uri);
        }
    }
}
