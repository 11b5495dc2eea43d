//! A message of the Internet (RFC 5322 and MIME) through `mail-parser`.

use super::letter::{Attachment, Letter, Text};
use super::mime::{decoded, file_name, parsed, transfer_decoded, with_utf8_header};
use crate::formats::nested::Budget;
use carrel_engine::seams::ConvertError;
use mail_parser::{Address, ContentType, DateTime, Message, MessagePart, MimeHeaders, PartType};

/// Reads a message.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Letter, ConvertError> {
    let bytes = with_utf8_header(bytes);
    let message = parsed(&bytes)?;
    let mut letter =
        Letter { subject: message.subject().unwrap_or_default().to_owned(), ..Letter::default() };
    letter.field("From", people(message.from().or(message.sender())));
    letter.field("To", people(message.to()));
    letter.field("Cc", people(message.cc()));
    letter.field("Date", date(&message));
    let shown = |ids: &[u32]| ids.iter().filter_map(|id| message.part(*id)).collect::<Vec<_>>();
    for part in shown(&message.text_body) {
        if let PartType::Text(_) = part.body {
            letter.plain.push(text(&message, part));
        } else if let PartType::Html(_) = part.body
            && !message.html_body.iter().any(|id| message.part(*id).is_some_and(|p| std::ptr::eq(p, part)))
        {
            letter.html.push(decoded(&message, part));
        }
    }
    for part in shown(&message.html_body) {
        if let PartType::Html(_) = part.body {
            letter.html.push(decoded(&message, part));
        }
    }
    if message.parts.first().is_some_and(|root| is(root, "multipart", "encrypted")) {
        letter.sealed = Some("OpenPGP");
    }
    for (part, number) in shown(&message.attachments).into_iter().zip(1..) {
        attach(&mut letter, &message, part, number, budget);
    }
    Ok(letter)
}

fn attach(
    letter: &mut Letter,
    message: &Message<'_>,
    part: &MessagePart<'_>,
    number: usize,
    budget: &Budget,
) {
    if is(part, "application", "pkcs7-mime") || is(part, "application", "x-pkcs7-mime") {
        letter.sealed = Some("S/MIME");
        return;
    }
    let signature = ["pkcs7-signature", "x-pkcs7-signature", "pgp-signature", "pgp-encrypted", "pgp-keys"];
    let empty = transfer_decoded(message, part).is_empty();
    if empty
        || letter.sealed.is_some()
        || signature.iter().any(|subtype| is(part, "application", subtype))
        || !budget.entry()
    {
        return;
    }
    let bytes = match &part.body {
        PartType::Text(_) | PartType::Html(_) => decoded(message, part).into_bytes(),
        _ => transfer_decoded(message, part).into_owned(),
    };
    budget.spend(bytes.len() as u64);
    let picture = part.content_type().is_some_and(|t| t.ctype() == "image");
    let disposed = part.content_disposition().map(ContentType::ctype);
    let inline = picture
        && disposed != Some("attachment")
        && (part.content_id().is_some() || disposed == Some("inline"));
    let name = match &part.body {
        PartType::Message(inner) if part.attachment_name().is_none() => {
            format!("{}.eml", inner.subject().unwrap_or("message").replace('/', " "))
        }
        _ => file_name(part, number),
    };
    letter.attachments.push(Attachment { name, bytes, inline });
}

fn text(message: &Message<'_>, part: &MessagePart<'_>) -> Text {
    let kind = part.content_type();
    let says = |name: &str, value: &str| {
        kind.and_then(|t| t.attribute(name)).is_some_and(|found| found.eq_ignore_ascii_case(value))
    };
    Text { content: decoded(message, part), flowed: says("format", "flowed"), joined: says("delsp", "yes") }
}

fn is(part: &MessagePart<'_>, kind: &str, subtype: &str) -> bool {
    part.content_type().is_some_and(|t| {
        t.ctype().eq_ignore_ascii_case(kind) && t.subtype().is_some_and(|s| s.eq_ignore_ascii_case(subtype))
    })
}

/// Names with addresses, as people read them.
fn people(address: Option<&Address<'_>>) -> String {
    let Some(address) = address else { return String::new() };
    let one = |person: &mail_parser::Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) if name.trim() != address => format!("{name} <{address}>"),
        (_, Some(address)) => address.to_owned(),
        (name, None) => name.unwrap_or_default().to_owned(),
    };
    address.iter().map(one).filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The date in the zone of its sender.
fn date(message: &Message<'_>) -> String {
    match message.date() {
        Some(date) if date.is_valid() => shown(date),
        _ => message.header_raw("Date").unwrap_or_default().trim().to_owned(),
    }
}

fn shown(date: &DateTime) -> String {
    let sign = if date.tz_before_gmt { '-' } else { '+' };
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02} {sign}{:02}{:02}",
        date.year, date.month, date.day, date.hour, date.minute, date.tz_hour, date.tz_minute
    )
}
