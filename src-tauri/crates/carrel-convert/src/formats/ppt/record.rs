//! Records: a head of eight bytes, and other records or data in it.

use crate::formats::encrypted97::Key;
use crate::formats::ole::{u8_at, u16_at, u32_at};
use carrel_engine::seams::ConvertError;
use std::collections::HashMap;

/// Records inside each other.
const MAX_DEPTH: usize = 64;
/// Edits that follow each other; more are a circle.
const MAX_EDITS: usize = 1_000;

/// Kinds of records, and of texts.
pub(super) mod kind {
    pub(in super::super) const DOCUMENT: u16 = 1000;
    pub(in super::super) const SLIDE: u16 = 1006;
    pub(in super::super) const SLIDE_ATOM: u16 = 1007;
    pub(in super::super) const NOTES: u16 = 1008;
    pub(in super::super) const PERSIST: u16 = 1011;
    pub(in super::super) const SHOW: u16 = 1017;
    pub(in super::super) const OUTLINE_REFERENCE: u16 = 3998;
    pub(in super::super) const TEXT_HEADER: u16 = 3999;
    pub(in super::super) const CHARACTERS: u16 = 4000;
    pub(in super::super) const STYLE: u16 = 4001;
    pub(in super::super) const BYTES: u16 = 4008;
    pub(in super::super) const STRING: u16 = 4026;
    pub(in super::super) const LIST_WITH_TEXT: u16 = 4080;
    pub(in super::super) const EDIT: u16 = 4085;
    pub(in super::super) const DIRECTORY: u16 = 6002;
    pub(in super::super) const COMMENT: u16 = 12000;
    pub(super) const ENCRYPTION: u16 = 0x2f14;
    pub(in super::super) const TEXT_BOX: u16 = 0xf00d;

    pub(in super::super) const PLACEHOLDER: u16 = 3011;
    pub(in super::super) const TAG_DATA: u16 = 5003;
    pub(in super::super) const DRAWING: u16 = 1036;
    pub(in super::super) const SHAPES: u16 = 0xf002;
    pub(in super::super) const GROUP: u16 = 0xf003;
    pub(in super::super) const SHAPE: u16 = 0xf004;
    pub(in super::super) const CHILD_ANCHOR: u16 = 0xf00f;
    pub(in super::super) const CLIENT_DATA: u16 = 0xf011;

    pub(in super::super) const OTHER: u32 = 4;
    pub(in super::super) const TITLE: u32 = 0;
    pub(in super::super) const BODY: u32 = 1;
    pub(in super::super) const NOTES_TEXT: u32 = 2;
    pub(in super::super) const CENTRED_TITLE: u32 = 6;
    pub(in super::super) const HALF_BODY: u32 = 7;
    pub(in super::super) const QUARTER_BODY: u32 = 8;
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    pub(super) instance: u16,
    container: bool,
    pub(super) data: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record that begins there; one that is cut short holds what there is.
    pub(super) fn at(bytes: &'a [u8], at: usize) -> Option<Self> {
        let head = u16_at(bytes, at)?;
        let length = u32_at(bytes, at.checked_add(4)?)? as usize;
        let start = at + 8;
        let end = start.saturating_add(length).min(bytes.len());
        Some(Self {
            kind: u16_at(bytes, at + 2)?,
            instance: head >> 4,
            // The data of a tag holds records as well.
            container: head & 0x0f == 0x0f || u16_at(bytes, at + 2)? == kind::TAG_DATA,
            data: bytes.get(start..end)?,
        })
    }

    /// The records right inside.
    pub(super) fn children(&self) -> Records<'a> {
        Records { bytes: if self.container { self.data } else { &[] }, at: 0 }
    }

    /// The first record of a kind right inside.
    pub(super) fn child(&self, kind: u16) -> Option<Record<'a>> {
        self.children().find(|r| r.kind == kind)
    }

    /// All records of these kinds at any depth, in their order; what lies in one of them is not looked at.
    pub(super) fn all(&self, kinds: &[u16]) -> Vec<Record<'a>> {
        let mut found = Vec::new();
        let mut stack = vec![self.children()];
        while let Some(records) = stack.last_mut() {
            match records.next() {
                None => drop(stack.pop()),
                Some(record) if kinds.contains(&record.kind) => found.push(record),
                Some(record) if stack.len() < MAX_DEPTH => stack.push(record.children()),
                Some(_) => {}
            }
        }
        found
    }
}

/// Records that follow each other.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Records<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let record = Record::at(self.bytes, self.at)?;
        self.at += 8 + record.data.len();
        Some(record)
    }
}

/// Where objects lie, by their number, after the last edit.
pub(super) struct Directory {
    places: HashMap<u32, usize>,
    /// The number of the document itself.
    pub(super) document: u32,
}

impl Directory {
    /// Follows the edits from the last to the first.
    pub(super) fn read(stream: &[u8], user: &[u8]) -> Option<Self> {
        let mut edit = u32_at(user, 16)? as usize;
        let mut places = HashMap::new();
        let mut document = None;
        for _ in 0..MAX_EDITS {
            let atom = Record::at(stream, edit).filter(|r| r.kind == kind::EDIT)?;
            document = document.or(u32_at(atom.data, 16));
            let directory = Record::at(stream, u32_at(atom.data, 12)? as usize)?;
            if directory.kind != kind::DIRECTORY {
                return None;
            }
            let mut at = 0;
            while let Some(head) = u32_at(directory.data, at) {
                at += 4;
                for number in 0..head >> 20 {
                    let Some(place) = u32_at(directory.data, at) else { break };
                    places.entry((head & 0x000f_ffff) + number).or_insert(place as usize);
                    at += 4;
                }
            }
            edit = u32_at(atom.data, 8)? as usize;
            if edit == 0 {
                break;
            }
        }
        Some(Self { places, document: document? })
    }

    pub(super) fn get<'a>(&self, stream: &'a [u8], number: u32) -> Option<Record<'a>> {
        Record::at(stream, *self.places.get(&number)?)
    }
}

/// Decrypts the objects of a stream in place, each with a key of its number; edits, directories and the description of the
/// encryption are plain.
pub(super) fn decrypt(stream: &mut [u8], user: &[u8], password: Option<&str>) -> Result<(), ConvertError> {
    let broken = || ConvertError::Damaged { detail: "the description of its encryption is not valid".into() };
    let last = u32_at(user, 16).and_then(|at| Record::at(stream, at as usize)).ok_or_else(broken)?;
    let session = u32_at(last.data, 28).ok_or_else(broken)?;
    let directory = Directory::read(stream, user).ok_or_else(broken)?;
    let description = directory.get(stream, session).filter(|r| r.kind == kind::ENCRYPTION);
    let key = Key::open(description.ok_or_else(broken)?.data, password, "PowerPoint 97–2003")?;
    // Objects that lie in each other are an attack.
    let mut left = 2 * stream.len();
    for (number, place) in directory.places.iter().filter(|(number, _)| **number != session) {
        let mut cipher = key.cipher(*number);
        let Some((head, rest)) = stream.get_mut(*place..).and_then(|bytes| bytes.split_at_mut_checked(8))
        else {
            continue;
        };
        cipher.apply(head);
        let length = (u32_at(head, 4).unwrap_or_default() as usize).min(rest.len());
        left = left.saturating_sub(length);
        if left == 0 {
            return Err(broken());
        }
        if let Some(data) = rest.get_mut(..length) {
            cipher.apply(data);
        }
    }
    Ok(())
}

/// Whether the stream is encrypted: the mark of the user says so, and the last edit names a key.
pub(super) fn encrypted(stream: &[u8], user: &[u8]) -> bool {
    let token = u32_at(user, 12) == Some(0xf3d1_c4df);
    let last = u32_at(user, 16).and_then(|at| Record::at(stream, at as usize));
    let keyed =
        last.is_some_and(|r| r.kind == kind::EDIT && r.data.len() >= 32 && u32_at(r.data, 28) != Some(0));
    token || (keyed && u8_at(user, 0).is_some())
}
