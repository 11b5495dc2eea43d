//! A part of a zip archive changed inside it.

use super::{Bytewise, Random, change};
use std::borrow::Cow;
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// What is read of an archive.
const MAX_PART: u64 = 1 << 20;
const MAX_PARTS: usize = 400;

/// `None` where it does not open, or would be too large.
pub(super) fn mutate(
    input: &[u8],
    most: usize,
    random: &mut Random,
    bytewise: &mut Bytewise<'_>,
) -> Option<Vec<u8>> {
    let mut parts = parts(input)?;
    let chosen = choose(&parts, random)?;
    match random.below(24) {
        0 => drop(parts.remove(chosen)),
        1 => {
            let other = random.below(parts.len());
            let name = parts.get(other)?.0.clone();
            let own = std::mem::replace(&mut parts.get_mut(chosen)?.0, name);
            parts.get_mut(other)?.0 = own;
        }
        2 => {
            // The content of one under the name of another.
            let other = parts.get(random.below(parts.len()))?.1.clone();
            parts.get_mut(chosen)?.1 = other;
        }
        _ => {
            let bytes = &mut parts.get_mut(chosen)?.1;
            let room = most.max(bytes.len());
            for _ in 0..=random.below(3) {
                change(bytes, room, random, bytewise);
            }
        }
    }
    [CompressionMethod::Stored, CompressionMethod::Deflated]
        .into_iter()
        .find_map(|method| pack(&parts, method).filter(|packed| packed.len() <= most))
}

/// Mostly what a parser reads: markup, and of that mostly what is large.
fn choose(parts: &[(String, Vec<u8>)], random: &mut Random) -> Option<usize> {
    let weight = |(name, bytes): &(String, Vec<u8>)| {
        let lower = name.to_ascii_lowercase();
        let markup = [".xml", ".rels", "html", ".opf", ".ncx", ".bin"].iter().any(|e| lower.ends_with(e));
        let dull = ["theme", "settings", "font", "websettings", "printer"].iter().any(|d| lower.contains(d));
        match (markup, dull) {
            (true, false) => 8 + 2 * bytes.len().checked_ilog2().unwrap_or_default() as usize,
            (true, true) => 2,
            (false, _) => 1,
        }
    };
    let mut left = random.below(parts.iter().map(weight).sum());
    parts.iter().position(|part| {
        let own = weight(part);
        let is_it = left < own;
        left = left.saturating_sub(own);
        is_it
    })
}

fn parts(input: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut archive = ZipArchive::new(Cursor::new(input)).ok()?;
    let mut parts = Vec::new();
    for i in 0..archive.len().min(MAX_PARTS) {
        let Ok(mut part) = archive.by_index(i) else { continue };
        let Ok(name) = part.name().map(Cow::into_owned) else { continue };
        let mut bytes = Vec::new();
        // What is damaged is kept as far as it goes.
        let _ = part.by_ref().take(MAX_PART).read_to_end(&mut bytes);
        parts.push((name, bytes));
    }
    Some(parts)
}

fn pack(parts: &[(String, Vec<u8>)], method: CompressionMethod) -> Option<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        // Of two with one name the first stays.
        if writer.start_file(name.as_str(), SimpleFileOptions::default().compression_method(method)).is_ok() {
            writer.write_all(bytes).ok()?;
        }
    }
    Some(writer.finish().ok()?.into_inner())
}
