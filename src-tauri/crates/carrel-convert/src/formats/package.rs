//! Zip packages of office files, with limits: names are labels, nothing is written to disk, sizes are counted while inflating.

use super::xml::Tree;
use carrel_engine::seams::ConvertError;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Entries, bytes of one part, bytes of all parts, and how many times larger than the file they may be.
const MAX_ENTRIES: usize = 10_000;
const MAX_PART: u64 = 128 << 20;
const MAX_TOTAL: u64 = 512 << 20;
const MAX_RATIO: u64 = 200;
/// Below this size no ratio is a bomb.
const RATIO_FROM: u64 = 10 << 20;

/// An open package.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    read: u64,
    size: u64,
}

impl<'a> Package<'a> {
    /// Opens it, and refuses what its directory already shows to be too large.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ConvertError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| ConvertError::Damaged {
            detail: format!("the zip package cannot be opened: {error}"),
        })?;
        let size = bytes.len() as u64;
        let stated = archive.decompressed_size().unwrap_or_default();
        if archive.len() > MAX_ENTRIES
            || stated > u128::from(MAX_TOTAL)
            || exceeds(u64::try_from(stated).unwrap_or(u64::MAX), size)
        {
            return Err(ConvertError::LimitExceeded { limit: "size" });
        }
        Ok(Self { archive, read: 0, size })
    }

    /// The bytes of a part, `None` where there is none of that name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ConvertError> {
        let name = name.trim_start_matches('/');
        let Ok(file) = self.archive.by_name(name) else { return Ok(None) };
        let allowed = MAX_PART.min(MAX_TOTAL - self.read.min(MAX_TOTAL));
        let mut bytes = Vec::new();
        let damaged =
            |error| ConvertError::Damaged { detail: format!("its part {name} cannot be unpacked: {error}") };
        file.take(allowed + 1).read_to_end(&mut bytes).map_err(damaged)?;
        self.read += bytes.len() as u64;
        if bytes.len() as u64 > allowed || exceeds(self.read, self.size) {
            return Err(ConvertError::LimitExceeded { limit: "size" });
        }
        Ok(Some(bytes))
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

fn exceeds(unpacked: u64, packed: u64) -> bool {
    unpacked > RATIO_FROM && unpacked / packed.max(1) > MAX_RATIO
}
