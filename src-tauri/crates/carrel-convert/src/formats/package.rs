//! Zip packages of office files, with limits: names are labels, nothing is written to disk, sizes are counted while inflating.

use super::Source;
use super::nested::{Budget, Inflate, MAX_ENTRIES};
use super::sealed::Sealed;
use super::xml::Tree;
use crate::build::Draft;
use carrel_engine::seams::ConvertError;
use flate2::read::DeflateDecoder;
use std::io::Cursor;
use zip::ZipArchive;
use zip::result::ZipError;

/// An open package.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    budget: &'a Budget,
    /// What of it is encrypted, once that is known.
    sealed: Option<Sealed>,
    /// Whether a part was nested too deeply to be read as a whole.
    is_cut: bool,
}

impl<'a> Package<'a> {
    /// Opens it, and refuses what its directory already shows to be too large.
    pub(super) fn open(source: &Source<'a>) -> Result<Self, ConvertError> {
        let archive = ZipArchive::new(Cursor::new(source.bytes)).map_err(|error| broken_package(&error))?;
        let stated = archive.decompressed_size().unwrap_or_default();
        if archive.len() > MAX_ENTRIES || stated > u128::from(source.budget.whole()) {
            return Err(ConvertError::LimitExceeded { limit: "size" });
        }
        Ok(Self { archive, budget: source.budget, sealed: None, is_cut: false })
    }

    /// The bytes of a part, `None` where there is none of that name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ConvertError> {
        let name = name.trim_start_matches('/');
        let Some(stored) = self.stored(name) else { return Ok(None) };
        let Ok(file) = self.archive.by_name(&stored) else { return Ok(None) };
        match self.budget.inflate(file) {
            Ok(bytes) => self.opened(name, bytes).map(Some),
            Err(Inflate::TooLarge) => Err(ConvertError::LimitExceeded { limit: "size" }),
            Err(Inflate::Damaged) => {
                Err(ConvertError::Damaged { detail: format!("its part {name} cannot be unpacked") })
            }
        }
    }

    /// Makes ready the parts that the manifest of an OpenDocument calls encrypted, and checks the password by the first of these.
    pub(super) fn unseal(&mut self, password: Option<&str>, check: &str) -> Result<(), ConvertError> {
        let Some(manifest) = self.spare("META-INF/manifest.xml")? else { return Ok(()) };
        self.sealed = Sealed::read(&manifest, password)?;
        if self.sealed.is_some() {
            self.part(check)?;
        }
        Ok(())
    }

    /// The bytes of a part, decrypted and unpacked where it is encrypted.
    fn opened(&self, name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, ConvertError> {
        let Some(opened) = self.sealed.as_ref().and_then(|sealed| sealed.open(name, &bytes)) else {
            return Ok(bytes);
        };
        match self.budget.inflate(DeflateDecoder::new(opened?.as_slice())) {
            Ok(bytes) => Ok(bytes),
            Err(Inflate::TooLarge) => Err(ConvertError::LimitExceeded { limit: "size" }),
            Err(Inflate::Damaged) => {
                Err(ConvertError::Damaged { detail: format!("its part {name} cannot be unpacked") })
            }
        }
    }

    /// The name under which a part is stored: names that differ in small and capital letters alone, or in the separator that Windows
    /// has, are the same.
    fn stored(&self, name: &str) -> Option<String> {
        if self.archive.index_for_name(name).is_some() {
            return Some(name.to_owned());
        }
        let mut names = self.archive.file_names().filter_map(Result::ok);
        let same = |stored: &str| stored.replace('\\', "/").eq_ignore_ascii_case(name);
        names.find(|stored| same(stored)).map(|stored| stored.to_string())
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
        let tree = self.xml(name)?.map(|xml| Tree::parse(&xml, name)).transpose()?;
        self.is_cut |= tree.as_ref().is_some_and(Tree::is_cut);
        Ok(tree)
    }

    /// A part beside the main ones: one that is damaged is as good as none, one beyond the limits is not.
    pub(super) fn spare(&mut self, name: &str) -> Result<Option<Tree>, ConvertError> {
        match self.tree(name) {
            Err(ConvertError::Damaged { .. }) => Ok(None),
            other => other,
        }
    }

    /// Says of a draft where something was nested too deeply to be read.
    pub(super) fn tell(&self, draft: &mut Draft) {
        if self.is_cut {
            draft.missing("too_deep", "what is nested too deeply in it was left out");
        }
    }

    /// Names of all parts.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.archive.file_names().filter_map(|name| Some(name.ok()?.to_string()))
    }
}

/// Why a package or an archive cannot be opened.
pub(crate) fn broken_package(error: &ZipError) -> ConvertError {
    match error {
        ZipError::UnsupportedArchive(_) => {
            ConvertError::UnsupportedFormat { format: "ZIP (of this unusual kind)".into() }
        }
        _ => ConvertError::Damaged {
            detail: "the list of its parts, which stands at its end, is missing or not valid: it may have been cut off; \
                     copy or download it again"
                .into(),
        },
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
