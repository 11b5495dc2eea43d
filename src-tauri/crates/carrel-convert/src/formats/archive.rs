//! ZIP archives: each file that can be read stands below a heading with its path.
//!
//! Two entries of one name are both read. Paths are labels; nothing is written anywhere. Sizes are counted while inflating, so a bomb ends where the budget does, and what could be read before and after it stays.

use super::nested::{Inflate, Part, Parts};
mod twins;

use super::package::broken_package;
use super::{Progress, Source};
use crate::build::Draft;
use crate::build::writer::Writer;
use carrel_engine::seams::ConvertError;
use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_8};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Cursor;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

/// Headings of the files in an archive.
const LEVEL: u8 = 2;
/// Why an entry cannot be unpacked.
const DAMAGED: &str = "it is damaged and cannot be unpacked";

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let renamed = twins::renamed(source.bytes);
    let (bytes, twins) = match renamed {
        Some(renamed) => (Cow::Owned(renamed.bytes), renamed.names),
        None => (Cow::Borrowed(source.bytes), HashMap::new()),
    };
    let mut archive = ZipArchive::new(Cursor::new(&*bytes)).map_err(|error| broken_package(&error))?;
    let names = names(&mut archive, &twins);
    let of = names.len() as u32;
    let mut writer = Writer::new(source.limits.output_bytes);
    let mut parts = Parts::new(source);
    let (mut locked, mut opened, mut wrong) = (0_u32, 0_u32, false);
    for ((index, name), part) in names.iter().zip(1..) {
        (source.progress)(Progress { unit: "file", part, of });
        if writer.is_full() {
            break;
        }
        if !source.budget.entry() {
            let left = of - part + 1;
            writer.missing("too_many_parts", format!("{left} files were not read: there are too many"));
            break;
        }
        match unpack(&mut archive, *index, source) {
            Ok(bytes) => {
                opened += 1;
                parts.write(&mut writer, LEVEL, &Part { name, bytes: &bytes });
            }
            Err(Locked::Needs) => {
                locked += 1;
                parts.locked(&mut writer, name, false);
            }
            Err(Locked::Wrong) => {
                locked += 1;
                wrong = true;
                parts.locked(&mut writer, name, true);
            }
            Err(Locked::Other(why)) => parts.unread(&mut writer, name, &why),
        }
    }
    if opened == 0 && locked > 0 {
        return Err(if wrong { ConvertError::WrongPassword } else { ConvertError::NeedsPassword });
    }
    parts.close(&mut writer);
    writer.finish()
}

/// Why an entry has no bytes.
enum Locked {
    Needs,
    Wrong,
    Other(String),
}

fn unpack(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    source: &Source<'_>,
) -> Result<Vec<u8>, Locked> {
    let other = |error: ZipError| match error {
        ZipError::InvalidPassword => Locked::Wrong,
        ZipError::UnsupportedArchive(_) => {
            Locked::Other("it is packed in a way that is not known; pack it as an ordinary ZIP".to_owned())
        }
        _ => Locked::Other(DAMAGED.to_owned()),
    };
    let encrypted = archive.by_index_raw(index).map_err(other)?.encrypted();
    if !encrypted {
        return inflate(archive.by_index(index).map_err(other)?, source);
    }
    let mut outcome = Err(Locked::Needs);
    for password in source.passwords {
        let file = archive.by_index_decrypt(index, password.as_bytes()).map_err(other);
        outcome = file.and_then(|file| inflate(file, source));
        // The check of a password lets one in 256 wrong ones through.
        outcome = outcome.map_err(|why| {
            if matches!(&why, Locked::Other(why) if why == DAMAGED) { Locked::Wrong } else { why }
        });
        if !matches!(outcome, Err(Locked::Wrong)) {
            break;
        }
    }
    outcome
}

fn inflate(file: ZipFile<'_, Cursor<&[u8]>>, source: &Source<'_>) -> Result<Vec<u8>, Locked> {
    let too_large = || Locked::Other("unpacked it is larger than what is allowed".to_owned());
    if file.size() > source.budget.allowed() {
        return Err(too_large());
    }
    match source.budget.inflate(file) {
        Ok(bytes) => Ok(bytes),
        Err(Inflate::TooLarge) => Err(too_large()),
        Err(Inflate::Damaged) => Err(Locked::Other(DAMAGED.to_owned())),
    }
}

/// Index and decoded path of each file, without what operating systems put into archives for themselves.
fn names(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    twins: &HashMap<Vec<u8>, (Vec<u8>, usize)>,
) -> Vec<(usize, String)> {
    let mut raw = Vec::with_capacity(archive.len());
    for index in 0..archive.len() {
        if let Ok(file) = archive.by_index_raw(index)
            && !file.is_dir()
        {
            match twins.get(file.name_raw()) {
                Some((name, number)) => {
                    let stated = String::from_utf8_lossy(name).into_owned();
                    raw.push((index, name.clone(), stated, *number));
                }
                None => {
                    let stated = file.name().map(Cow::into_owned).unwrap_or_default();
                    raw.push((index, file.name_raw().to_vec(), stated, 1));
                }
            }
        }
    }
    let encoding = guess(raw.iter().map(|(_, raw, ..)| raw.as_slice()));
    raw.into_iter()
        .map(|(index, raw, stated, number)| {
            let decoded = match std::str::from_utf8(&raw) {
                Ok(utf8) => utf8.to_owned(),
                Err(_) => encoding.and_then(|e| plausible(e, &raw)).unwrap_or(stated),
            };
            let path = decoded.replace('\\', "/");
            (index, if number > 1 { twins::numbered(&path, number) } else { path })
        })
        .filter(|(_, path)| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let system = path.starts_with("__MACOSX/") || name.starts_with("._");
            !system && !matches!(name, "" | ".DS_Store" | "Thumbs.db" | "desktop.ini")
        })
        .collect()
}

/// The encoding of names that are not UTF-8, where it is one of East Asia; otherwise they are what the archive says (code page 437).
fn guess<'a>(names: impl Iterator<Item = &'a [u8]>) -> Option<&'static Encoding> {
    let strange: Vec<u8> = names
        .filter(|n| std::str::from_utf8(n).is_err())
        .flat_map(|n| [n, b"\n"])
        .flatten()
        .copied()
        .collect();
    if strange.is_empty() {
        return None;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(&strange, true);
    let guessed = detector.guess(None, chardetng::Utf8Detection::Deny);
    // A few names are little to guess from: any that gives nothing but words will do.
    [guessed, GBK, SHIFT_JIS, BIG5, EUC_KR]
        .into_iter()
        .filter(|e| *e != UTF_8 && !e.is_single_byte())
        .find(|e| strange.split(|b| *b == b'\n').filter(|n| !n.is_empty()).all(|n| plausible(e, n).is_some()))
}

/// A name decoded, if all in it that is not ASCII are letters of East Asia.
fn plausible(encoding: &'static Encoding, raw: &[u8]) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(raw)?;
    let word = |c: char| {
        c.is_ascii()
            || matches!(c, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ff60}' | '·' | '—')
    };
    // An accent and the letter behind it look like one character: real ones stand together, or have two high bytes.
    let together = text.split(|c: char| c.is_ascii()).any(|run| run.chars().nth(1).is_some());
    let high = || raw.split(u8::is_ascii).all(|run| run.len() % 2 == 0);
    (text.chars().all(word) && (together || high())).then(|| text.into_owned())
}
