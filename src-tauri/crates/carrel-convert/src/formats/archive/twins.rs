//! Entries of one name in an archive. The reader of archives knows the last of them alone, so in a copy of the archive each but the
//! first gets a name of its own in the directory.

use crate::formats::ole::{u16_at, u32_at};
use std::collections::{HashMap, HashSet};

/// The head of an entry of the directory.
const HEAD: usize = 46;
/// Letters of the names that are given.
const LETTERS: usize = 31;

/// An archive whose entries have names of their own.
pub(super) struct Renamed {
    pub(super) bytes: Vec<u8>,
    /// By the name that was given: the name of the entry, and the how many-th of that name it is.
    pub(super) names: HashMap<Vec<u8>, (Vec<u8>, usize)>,
}

/// `None` where each name stands once, or the directory cannot be followed.
pub(super) fn renamed(bytes: &[u8]) -> Option<Renamed> {
    let end = memchr::memmem::rfind(bytes, b"PK\x05\x06")?;
    let mut at = end.checked_sub(u32_at(bytes, end + 12)? as usize)?;
    let mut places = Vec::new();
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(b"PK\x01\x02")) {
        let of = |field: usize| u16_at(bytes, at + field).map(usize::from);
        let (name, extra, remark) = (of(28)?, of(30)?, of(32)?);
        places.push(at + HEAD..at + HEAD + name);
        at += HEAD + name + extra + remark;
    }
    let mut count: HashMap<&[u8], usize> = HashMap::new();
    let mut twins = Vec::new();
    for place in places {
        let name = bytes.get(place.clone())?;
        let count = count.entry(name).or_default();
        *count += 1;
        if *count > 1 && !name.is_empty() && !name.ends_with(b"/") {
            twins.push((place, name, *count));
        }
    }
    if twins.is_empty() {
        return None;
    }
    let mut taken: HashSet<Vec<u8>> = count.keys().map(|name| name.to_vec()).collect();
    let mut renamed = Renamed { bytes: bytes.to_vec(), names: HashMap::new() };
    let mut next = 0;
    for (place, name, number) in twins {
        let mut given = given_name(next, name.len());
        // Names of one letter are soon used up.
        for _ in 0..LETTERS {
            if !taken.contains(&given) {
                break;
            }
            next += 1;
            given = given_name(next, name.len());
        }
        next += 1;
        if taken.insert(given.clone()) {
            renamed.bytes.get_mut(place)?.copy_from_slice(&given);
            renamed.names.insert(given, (name.to_vec(), number));
        }
    }
    Some(renamed)
}

/// A number in characters that no name has.
fn given_name(mut number: usize, length: usize) -> Vec<u8> {
    let mut name = vec![1; length];
    for byte in &mut name {
        *byte = (number % LETTERS) as u8 + 1;
        number /= LETTERS;
    }
    name
}

/// The name of the second and later ones, with its number in front of its ending.
pub(super) fn numbered(path: &str, number: usize) -> String {
    let folder = path.rfind('/').map_or(0, |at| at + 1);
    match path.rfind('.').filter(|dot| *dot > folder) {
        Some(dot) => format!("{} ({number}){}", &path[..dot], &path[dot..]),
        None => format!("{path} ({number})"),
    }
}
