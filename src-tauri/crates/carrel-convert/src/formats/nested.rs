//! Files inside a file: each is converted like a file of its own, within one budget for all of them.
//!
//! It refuses what lies deeper than [`MAX_NESTING`], and what the budget no longer allows. Invariant: a part never fails the whole.
//! What cannot be read becomes a warning that names it, and a panic in a part costs that part.

use super::{Progress, Source, read};
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use crate::text::clean;
use crate::worker::panic_message;
use carrel_engine::seams::{ConvertError, LOCKED_PART};
use std::cell::Cell;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Files in files in a file.
const MAX_NESTING: u8 = 3;
/// Entries, bytes of one part, bytes of all parts, and how many times larger than the file they may be.
pub(super) const MAX_ENTRIES: usize = 10_000;
const MAX_PART: u64 = 128 << 20;
const MAX_TOTAL: u64 = 512 << 20;
const MAX_RATIO: u64 = 200;
/// Below this size no ratio is a bomb.
const RATIO_FROM: u64 = 10 << 20;
/// More unread parts are counted, not named.
const MAX_NAMED: usize = 50;
/// Code of a part that was not read.
const UNREAD: &str = "unread_part";

/// What may still be unpacked of one file, whatever lies in what.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Bytes of the file itself.
    packed: u64,
    unpacked: Cell<u64>,
    entries: Cell<usize>,
}

impl Budget {
    /// A budget for a file of so many bytes.
    pub(crate) fn new(packed: u64) -> Self {
        Self { packed, unpacked: Cell::new(0), entries: Cell::new(0) }
    }

    /// Bytes that all parts that are still to come may have.
    pub(super) fn whole(&self) -> u64 {
        let total = MAX_TOTAL.min(RATIO_FROM.max(self.packed.saturating_mul(MAX_RATIO)));
        total.saturating_sub(self.unpacked.get())
    }

    /// Bytes that the next part may have.
    pub(super) fn allowed(&self) -> u64 {
        self.whole().min(MAX_PART)
    }

    /// Counts bytes that were unpacked.
    pub(super) fn spend(&self, bytes: u64) {
        self.unpacked.set(self.unpacked.get().saturating_add(bytes));
    }

    /// Counts one more entry; false where there were too many.
    pub(super) fn entry(&self) -> bool {
        self.entries.set(self.entries.get() + 1);
        self.entries.get() <= MAX_ENTRIES
    }

    /// Reads a part to its end, counting.
    pub(super) fn inflate(&self, from: impl Read) -> Result<Vec<u8>, Inflate> {
        let allowed = self.allowed();
        let mut bytes = Vec::new();
        let outcome = from.take(allowed + 1).read_to_end(&mut bytes);
        self.spend(bytes.len() as u64);
        outcome.map_err(|_| Inflate::Damaged)?;
        if bytes.len() as u64 > allowed { Err(Inflate::TooLarge) } else { Ok(bytes) }
    }
}

/// Why a part was not unpacked.
#[derive(Debug)]
pub(super) enum Inflate {
    Damaged,
    TooLarge,
}

/// A file inside a file.
pub(super) struct Part<'a> {
    /// Its name or path: a label, and a hint for its format.
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
}

/// The parts of one file: writes those that can be read, and counts those that cannot.
pub(super) struct Parts<'a> {
    source: &'a Source<'a>,
    unread: usize,
}

impl<'a> Parts<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        Self { source, unread: 0 }
    }

    /// Converts a part and writes it below a heading of `level` with its name. A part without text writes nothing.
    pub(super) fn write(&mut self, writer: &mut Writer, level: u8, part: &Part<'_>) {
        let label = clean::line(part.name);
        match self.convert(part) {
            Ok(draft) if draft.markdown.trim().is_empty() && draft.incomplete => {
                match draft.warnings.first() {
                    // It says itself what of it was not read.
                    Some(inner) if [UNREAD, LOCKED_PART].contains(&inner.code.as_str()) => {
                        self.count(writer, &inner.code, format!("{label}: {}", inner.message));
                    }
                    Some(inner) => self.unread(writer, &label, &inner.message),
                    None => self.unread(writer, &label, "there is no text in it"),
                }
            }
            Ok(draft) if draft.markdown.trim().is_empty() => {
                writer.note("empty_part", format!("{label}: there is no text in it"));
            }
            Ok(draft) if !writer.has_room(draft.markdown.len()) => {
                self.unread(writer, &label, "with it the text is longer than what is allowed");
            }
            Ok(mut draft) => {
                for warning in &mut draft.warnings {
                    warning.message = format!("{label}: {}", warning.message);
                }
                writer.locate(Some(in_part(&label)));
                writer.heading(level, &escaped(&label), &label);
                writer.locate(None);
                writer.append(draft, level, Some(&label));
            }
            Err(ConvertError::NoText { detail }) => {
                writer.note("empty_part", format!("{label}: {detail}"));
            }
            Err(ConvertError::NeedsPassword) => self.locked(writer, &label, false),
            Err(ConvertError::WrongPassword) => self.locked(writer, &label, true),
            Err(ConvertError::Unreadable(why)) => self.unread(writer, &label, &why),
            Err(error) => self.unread(writer, &label, &error.to_string()),
        }
    }

    /// Converts a part.
    pub(super) fn convert(&self, part: &Part<'_>) -> Result<Draft, ConvertError> {
        let outer = self.source;
        let source = Source {
            bytes: part.bytes,
            name: part.name,
            progress: &|_: Progress| {},
            depth: outer.depth + 1,
            ..*outer
        };
        if source.depth > MAX_NESTING {
            let detail = format!("files in files are read to a depth of {MAX_NESTING}");
            return Err(ConvertError::Unreadable(detail));
        }
        catch_unwind(AssertUnwindSafe(|| read(&source).map(|found| found.draft)))
            .unwrap_or_else(|panic| Err(ConvertError::Crashed(panic_message(&*panic))))
    }

    /// Names a part that was not read.
    pub(super) fn unread(&mut self, writer: &mut Writer, label: &str, why: &str) {
        self.count(writer, UNREAD, format!("{label} was not read: {why}"));
    }

    /// Names a part that a password opens, or that the one given does not open.
    pub(super) fn locked(&mut self, writer: &mut Writer, label: &str, wrong: bool) {
        let why = if wrong { "the password does not open it" } else { "it needs a password" };
        self.count(writer, LOCKED_PART, format!("{label} was not read: {why}"));
    }

    fn count(&mut self, writer: &mut Writer, code: &str, message: String) {
        self.unread += 1;
        if self.unread <= MAX_NAMED {
            writer.missing(code, message);
        }
    }

    /// Says how many more parts were not read than are named.
    pub(super) fn close(self, writer: &mut Writer) {
        if self.unread > MAX_NAMED {
            let more = self.unread - MAX_NAMED;
            writer.missing(UNREAD, format!("{more} more parts were not read"));
        }
    }
}

/// The location of a part as a whole.
pub(super) fn in_part(label: &str) -> carrel_engine::domain::Location {
    carrel_engine::domain::Location { chapter: Some(label.to_owned()), ..Default::default() }
}
