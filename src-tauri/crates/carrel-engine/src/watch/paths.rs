//! Paths as raw bytes, and the URIs derived from them.
//!
//! A document is found by its source and its path relative to the source's root, with `/` between the parts on every system. Bytes
//! are never changed: names that differ only in normalisation or case are different documents where the disk keeps them apart.

use crate::domain::SourceKind;
use std::path::{Path, PathBuf};

/// The bytes of a path.
#[cfg(unix)]
pub(crate) fn bytes_of(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

/// The bytes of a path.
#[cfg(not(unix))]
pub(crate) fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// The path with these bytes.
#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The path with these bytes.
#[cfg(not(unix))]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// `path` below `root` as stored bytes; `None` where it lies elsewhere. Empty for the root itself.
pub(crate) fn relative(root: &Path, path: &Path) -> Option<Vec<u8>> {
    path.strip_prefix(root).ok().map(bytes_of)
}

/// Where the file of a document lies.
pub(crate) fn absolute(kind: SourceKind, root: &Path, path: &[u8]) -> Option<PathBuf> {
    match kind {
        SourceKind::Folder => Some(root.join(path_of(path))),
        SourceKind::Files => Some(path_of(path)),
        SourceKind::Texts | SourceKind::Pages => None,
    }
}

/// The last part of a stored path, for display.
pub(crate) fn name(kind: SourceKind, path: &[u8]) -> String {
    let last = match kind {
        SourceKind::Folder | SourceKind::Files => path.rsplit(|&b| b == b'/').next().unwrap_or(path),
        SourceKind::Texts | SourceKind::Pages => path,
    };
    String::from_utf8_lossy(last).into_owned()
}

/// `file:///…`, `text:<id>` or the page's URL.
pub(crate) fn uri(kind: SourceKind, root: &Path, path: &[u8]) -> String {
    match kind {
        SourceKind::Texts => format!("text:{}", String::from_utf8_lossy(path)),
        SourceKind::Pages => String::from_utf8_lossy(path).into_owned(),
        SourceKind::Folder | SourceKind::Files => {
            file_uri(&absolute(kind, root, path).unwrap_or_else(|| path_of(path)))
        }
    }
}

/// `file://` and the path, every byte escaped that a URI does not hold as it is.
pub fn file_uri(path: &Path) -> String {
    let bytes = bytes_of(path);
    let mut uri = String::from(if bytes.starts_with(b"/") { "file://" } else { "file:///" });
    for &byte in &bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte));
            }
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                uri.push('%');
                uri.push(char::from(HEX[usize::from(byte >> 4)]));
                uri.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
    uri
}

/// The path of a `file:` URI, written as [`file_uri`] does or with characters that it escapes; `None` for anything else.
pub fn path_of_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://")).and(uri.get(7..))?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    // `/C:/…` is `C:/…` where disks have letters.
    let drive = cfg!(windows) && rest.as_bytes().get(2) == Some(&b':');
    let mut rest = rest.as_bytes().get(usize::from(drive)..)?;
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    Some(path_of(&bytes))
}

/// Whether a stored path is `folder` or lies below it.
pub(crate) fn within(folder: &[u8], path: &[u8]) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// The stored paths below `folder` as a half-open range; `None` for all.
pub(crate) fn range_below(folder: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    if folder.is_empty() {
        return None;
    }
    let mut from = folder.to_vec();
    from.push(b'/');
    let mut to = folder.to_vec();
    to.push(b'/' + 1);
    Some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_escape_bytes_and_keep_names_apart() {
        assert_eq!(file_uri(Path::new("/a b/ü.md")), "file:///a%20b/%C3%BC.md");
        let nfc = uri(SourceKind::Folder, Path::new("/r"), "\u{e9}.md".as_bytes());
        let nfd = uri(SourceKind::Folder, Path::new("/r"), "e\u{301}.md".as_bytes());
        assert_ne!(nfc, nfd);
    }

    #[cfg(unix)]
    #[test]
    fn a_uri_leads_back_to_its_path() {
        for path in [&b"/a b/\xc3\xbc.md"[..], b"/not-unicode-\xff\xfe", b"/100% sure?#x"] {
            let path = path_of(path);
            assert_eq!(path_of_uri(&file_uri(&path)), Some(path));
        }
        assert_eq!(path_of_uri("FILE://localhost/a b/%zz"), Some("/a b/%zz".into()));
        for other in ["/a", "file:a", "file://host/a", "https://example.org/a", "text:a"] {
            assert_eq!(path_of_uri(other), None, "{other}");
        }
    }

    #[test]
    fn a_folder_holds_what_is_below_it_and_not_what_begins_like_it() {
        assert!(within(b"a", b"a/b"));
        assert!(within(b"a", b"a"));
        assert!(within(b"", b"x"));
        assert!(!within(b"a", b"ab/c"));
        let (from, to) = range_below(b"a").unwrap();
        assert!(from.as_slice() < b"a/z".as_slice() && b"a/\xff".as_slice() < to.as_slice());
        assert!(b"a.md".as_slice() < from.as_slice() && b"ab".as_slice() > to.as_slice());
    }
}
