//! What a message says, whatever format it came in, and how it is written.

use super::plain;
use crate::build::inline::escaped;
use crate::build::lists;
use crate::build::writer::Writer;
use crate::formats::html;
use crate::formats::nested::{Part, Parts};
use crate::text::clean;
use carrel_engine::seams::{ConvertError, Limits};

/// A message.
#[derive(Default)]
pub(super) struct Letter {
    pub(super) subject: String,
    /// Name and value of the header fields that are shown, in order.
    pub(super) fields: Vec<(&'static str, String)>,
    pub(super) plain: Vec<Text>,
    pub(super) html: Vec<String>,
    /// Text of a message that has it as RTF alone.
    pub(super) rtf: Option<Vec<u8>>,
    pub(super) attachments: Vec<Attachment>,
    /// The message is encrypted: by what.
    pub(super) sealed: Option<&'static str>,
}

/// Plain text.
pub(super) struct Text {
    pub(super) content: String,
    /// Lines that end with a space go on in the next one (RFC 3676).
    pub(super) flowed: bool,
    /// That space is no part of the text.
    pub(super) joined: bool,
}

/// A file that came with a message.
pub(super) struct Attachment {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// A picture inside the text.
    pub(super) inline: bool,
}

impl Letter {
    /// Adds a header field that has a value.
    pub(super) fn field(&mut self, name: &'static str, value: impl AsRef<str>) {
        let value = clean::line(value.as_ref());
        if !value.is_empty() {
            self.fields.push((name, value));
        }
    }

    /// Writes it below a heading of level 1 with its subject.
    pub(super) fn write(
        mut self,
        writer: &mut Writer,
        parts: &mut Parts<'_>,
        limits: &Limits,
    ) -> Result<(), ConvertError> {
        writer.title(&self.subject);
        writer.heading(1, &escaped(&self.subject), &self.subject);
        let names: Vec<&str> =
            self.attachments.iter().filter(|a| !a.inline).map(|a| a.name.as_str()).collect();
        let names = names.join(", ");
        self.field("Attachments", names);
        lists::fields(writer, std::mem::take(&mut self.fields));
        self.write_text(writer, parts, limits)?;
        if let Some(how) = self.sealed {
            writer.missing(
                "encrypted",
                format!("the message is encrypted with {how}: it can be read in the mail program alone"),
            );
        }
        for attachment in &self.attachments {
            if !attachment.inline {
                parts.write(writer, 2, &Part { name: &attachment.name, bytes: &attachment.bytes });
            }
        }
        Ok(())
    }

    fn write_text(
        &mut self,
        writer: &mut Writer,
        parts: &mut Parts<'_>,
        limits: &Limits,
    ) -> Result<(), ConvertError> {
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let plain: usize = self.plain.iter().map(|t| letters(&t.content)).sum();
        let mut rich = Vec::with_capacity(self.html.len());
        // A text that only says that there is HTML is no text.
        if plain < 400 {
            for html in &self.html {
                rich.push(html::fragment(html, limits)?);
            }
        }
        let richer: usize = rich.iter().map(|d| letters(&d.markdown)).sum();
        if plain == 0 || richer > plain.saturating_mul(10).max(400) {
            let wrote = !rich.is_empty() && richer > 0;
            for draft in rich {
                writer.append(draft, 1, None);
            }
            if wrote {
                return Ok(());
            }
        }
        for text in &self.plain {
            plain::write(writer, text);
        }
        if plain == 0
            && let Some(rtf) = self.rtf.take()
        {
            match parts.convert(&Part { name: "message.rtf", bytes: &rtf }) {
                Ok(draft) => writer.append(draft, 1, None),
                Err(error) => parts.unread(writer, "the text of the message", &error.to_string()),
            }
        }
        Ok(())
    }
}
