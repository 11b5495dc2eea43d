//! Mail: single messages, mailboxes, and messages of Outlook, all through one [`Letter`].
//!
//! Of a message: subject, sender, receivers and date, its text (its HTML where it has no text worth the name), quoted history, and
//! its attachments, each converted like a file of its own. Other header fields are left out.

mod letter;
mod mbox;
mod message;
mod mime;
mod msg;
mod plain;
mod rtf;

pub(super) use mbox::convert as mailbox;
pub(super) use mime::{decoded, parsed, transfer_decoded, with_utf8_header};
pub(super) use msg::convert as outlook;
#[cfg(feature = "fuzz")]
pub(super) use rtf::unpacked;

use super::Source;
use super::nested::Parts;
use crate::build::Draft;
use crate::build::writer::Writer;
use crate::text::decode::decode;
use carrel_engine::seams::ConvertError;
use std::borrow::Cow;

/// A single message.
pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    one(source, counted(&narrow(source.bytes)))
}

/// The message of a file that begins with a line that counts its bytes, as Apple Mail writes them; any other as it is.
fn counted(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', bytes).unwrap_or_default();
    let count =
        bytes.get(..end).and_then(|line| std::str::from_utf8(line).ok()?.trim().parse::<usize>().ok());
    match (count, bytes.get(end + 1..)) {
        (Some(count), Some(rest)) => rest.get(..count).unwrap_or(rest),
        _ => bytes,
    }
}

/// A file of mail in bytes of eight bits. Some tools save it as UTF-16.
pub(crate) fn narrow(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.get(..200).unwrap_or(bytes).contains(&0) {
        return Cow::Borrowed(bytes);
    }
    let decoded = decode(bytes, None);
    if decoded.encoding.starts_with("UTF-16") || decoded.encoding.starts_with("UTF-32") {
        Cow::Owned(decoded.text.into_owned().into_bytes())
    } else {
        Cow::Borrowed(bytes)
    }
}

fn one(source: &Source<'_>, bytes: &[u8]) -> Result<Draft, ConvertError> {
    let mut writer = Writer::new(source.limits.output_bytes);
    let mut parts = Parts::new(source);
    message::read(bytes, source.budget)?.write(&mut writer, &mut parts, source.limits)?;
    parts.close(&mut writer);
    writer.finish()
}
