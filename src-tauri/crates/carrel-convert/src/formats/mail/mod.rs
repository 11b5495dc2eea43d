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
pub(super) use mime::{decoded, transfer_decoded, with_utf8_header};
pub(super) use msg::convert as outlook;

use super::Source;
use super::nested::Parts;
use crate::build::Draft;
use crate::build::writer::Writer;
use carrel_engine::seams::ConvertError;

/// A single message.
pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let mut writer = Writer::new(source.limits.output_bytes);
    let mut parts = Parts::new(source);
    message::read(source.bytes, source.budget)?.write(&mut writer, &mut parts, source.limits)?;
    parts.close(&mut writer);
    writer.finish()
}
