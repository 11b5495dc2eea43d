//! Mailboxes: each message is a section of its own.
//!
//! A message begins at a line `From …` at the start or behind an empty line. A message that cannot be read costs itself.

use super::message;
use crate::build::Draft;
use crate::build::writer::Writer;
use crate::formats::nested::Parts;
use crate::formats::{Progress, Source};
use crate::text::clean;
use crate::worker::panic_message;
use carrel_engine::seams::ConvertError;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(in crate::formats) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let bytes = super::narrow(source.bytes);
    let messages = split(&bytes);
    if let [only] = messages.as_slice() {
        return super::one(source, &unquoted(only));
    }
    let of = messages.len() as u32;
    let mut writer = Writer::new(source.limits.output_bytes);
    let mut failed = Parts::new(source);
    for (bytes, number) in messages.iter().zip(1..) {
        (source.progress)(Progress { unit: "message", part: number, of });
        if writer.is_full() {
            break;
        }
        let one = catch_unwind(AssertUnwindSafe(|| one(source, &unquoted(bytes), number)))
            .unwrap_or_else(|panic| Err(ConvertError::Crashed(panic_message(&*panic))));
        match one {
            Ok((_, draft)) if !writer.has_room(draft.markdown.len()) => {
                let left = of - number + 1;
                writer.missing(
                    "too_large",
                    format!("{left} messages were not read: the text is longer than what is allowed"),
                );
                break;
            }
            Ok((subject, draft)) => writer.append(draft, 1, Some(&subject)),
            Err(error) => failed.unread(&mut writer, &format!("message {number}"), &error.to_string()),
        }
    }
    failed.close(&mut writer);
    writer.finish()
}

/// Subject and text of one message.
fn one(source: &Source<'_>, bytes: &[u8], number: u32) -> Result<(String, Draft), ConvertError> {
    let mut letter = message::read(bytes, source.budget)?;
    if letter.subject.trim().is_empty() {
        letter.subject = format!("Message {number}");
    }
    let subject = clean::line(&letter.subject);
    let mut writer = Writer::new(source.limits.output_bytes);
    let mut parts = Parts::new(source);
    letter.write(&mut writer, &mut parts, source.limits)?;
    parts.close(&mut writer);
    Ok((subject, writer.finish()?))
}

/// The messages of a mailbox, without the lines that part them.
fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let mut starts = Vec::new();
    let mut at = 0;
    while let Some(line) =
        bytes.get(at..).filter(|rest| rest.starts_with(b"From ")).map(|_| at).or_else(|| next(bytes, at))
    {
        let end = memchr::memchr(b'\n', bytes.get(line..).unwrap_or_default())
            .map_or(bytes.len(), |i| line + i + 1);
        starts.push((line, end));
        match next(bytes, end.saturating_sub(1)) {
            Some(following) => at = following,
            None => break,
        }
    }
    let ends = starts.iter().skip(1).map(|(line, _)| *line).chain([bytes.len()]);
    starts.iter().zip(ends).filter_map(|((_, from), to)| bytes.get(*from..to)).collect()
}

/// Where the next line `From …` behind an empty line begins, with a header field behind it.
fn next(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    memchr::memmem::find_iter(rest, b"\nFrom ").map(|i| from + i + 1).find(|at| {
        let before = bytes.get(..at - 1).unwrap_or_default();
        let blank = before.is_empty() || before.ends_with(b"\n") || before.ends_with(b"\n\r");
        blank && is_followed_by_field(bytes.get(*at..).unwrap_or_default())
    })
}

fn is_followed_by_field(line: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', line) else { return false };
    let following = line.get(end + 1..).unwrap_or_default();
    let following = following.strip_prefix(b">").unwrap_or(following);
    let name = following.iter().take_while(|b| b.is_ascii_graphic() && **b != b':').count();
    name > 0 && following.get(name) == Some(&b':') || following.starts_with(b"From ")
}

/// Lines `>From` as they were written.
fn unquoted(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(bytes, b"\n>From ").is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        out.extend_from_slice(if line.starts_with(b">From ") {
            line.get(1..).unwrap_or_default()
        } else {
            line
        });
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_parted_where_they_begin() {
        let mailbox = b"From a@x Mon\nSubject: 1\n\nFrom here on\nnot a message\n\n>From me\n\nFrom b@x Tue\nSubject: 2\n\ntwo\n";
        let found: Vec<_> = split(mailbox).into_iter().map(unquoted).collect();
        assert_eq!(found.len(), 2);
        assert!(found[0].ends_with(b"\nFrom me\n\n") && found[1].starts_with(b"Subject: 2"));
        assert!(split(b"").is_empty() && split(b"From x").len() == 1);
    }
}
