//! Zip packages of office files, with limits: names are labels, nothing is written to disk, sizes are counted while inflating.

use super::Source;
use super::nested::{Budget, Inflate, MAX_ENTRIES};
use super::xml::Tree;
use carrel_engine::seams::ConvertError;
use std::io::Cursor;
use zip::ZipArchive;

/// An open package.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    budget: &'a Budget,
}

impl<'a> Package<'a> {
    /// Opens it, and refuses what its directory already shows to be too large.
    pub(super) fn open(source: &Source<'a>) -> Result<Self, ConvertError> {
        let archive = ZipArchive::new(Cursor::new(source.bytes)).map_err(|error| ConvertError::Damaged {
            detail: format!("the zip package cannot be opened: {error}"),
        })?;
        let stated = archive.decompressed_size().unwrap_or_default();
        if archive.len() > MAX_ENTRIES || stated > u128::from(source.budget.whole()) {
            return Err(ConvertError::LimitExceeded { limit: "size" });
        }
        Ok(Self { archive, budget: source.budget })
    }

    /// The bytes of a part, `None` where there is none of that name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ConvertError> {
        let name = name.trim_start_matches('/');
        let Some(stored) = self.stored(name) else { return Ok(None) };
        let Ok(file) = self.archive.by_name(&stored) else { return Ok(None) };
        match self.budget.inflate(file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Inflate::TooLarge) => Err(ConvertError::LimitExceeded { limit: "size" }),
            Err(Inflate::Damaged(error)) => {
                Err(ConvertError::Damaged { detail: format!("its part {name} cannot be unpacked: {error}") })
            }
        }
    }

    /// The name under which a part is stored: names that differ in small and capital letters alone are the same.
    fn stored(&self, name: &str) -> Option<String> {
        if self.archive.index_for_name(name).is_some() {
            return Some(name.to_owned());
        }
        let mut names = self.archive.file_names().filter_map(Result::ok);
        names.find(|stored| stored.eq_ignore_ascii_case(name)).map(|stored| stored.to_string())
    }

    /// The part as text. A document type with declarations of its own is an attack, and refused.
    pub(super) fn xml(&mut self, name: &str) -> Result<Option<String>, ConvertError> {
        let Some(bytes) = self.part(name)? else { return Ok(None) };
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => crate::text::decode::decode(error.as_bytes(), None).text.into_owned(),
        };
        let declares =
            text.split_once("<!DOCTYPE").is_some_and(|(_, t)| t.split('>').next().unwrap_or(t).contains('['));
        if declares || text.contains("<!ENTITY") {
            return Err(ConvertError::Damaged {
                detail: format!("its part {name} declares a document type"),
            });
        }
        Ok(Some(text))
    }

    /// The part as a tree.
    pub(super) fn tree(&mut self, name: &str) -> Result<Option<Tree>, ConvertError> {
        self.xml(name)?.map(|xml| Tree::parse(&xml, name)).transpose()
    }

    /// A part beside the main ones: one that is damaged is as good as none, one beyond the limits is not.
    pub(super) fn spare(&mut self, name: &str) -> Result<Option<Tree>, ConvertError> {
        match self.tree(name) {
            Err(ConvertError::Damaged { .. }) => Ok(None),
            other => other,
        }
    }

    /// Names of all parts.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.archive.file_names().filter_map(|name| Some(name.ok()?.to_string()))
    }
}

/// What a target in a part of a folder names: it counts from that folder, or from the root.
pub(super) fn resolved(folder: &str, target: &str) -> String {
    let from = if target.starts_with('/') { "" } else { folder };
    let mut path: Vec<&str> = Vec::new();
    for segment in from.split('/').chain(target.split('/')) {
        match segment {
            ".." => {
                path.pop();
            }
            "." | "" => {}
            segment => path.push(segment),
        }
    }
    path.join("/")
}
