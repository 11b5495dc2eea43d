//! MIME where real mail is not as the standards want it: characters without a declared or with a wrongly declared encoding.

use crate::text::decode::decode;
use encoding_rs::Encoding as Charset;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Encoding, Message, MessagePart, MimeHeaders, PartType};
use std::borrow::Cow;

/// The bytes of a message with its header in UTF-8: 8-bit characters in it have no declared encoding.
pub(in crate::formats) fn with_utf8_header(bytes: &[u8]) -> Cow<'_, [u8]> {
    let end = memchr::memmem::find(bytes, b"\n\n")
        .into_iter()
        .chain(memchr::memmem::find(bytes, b"\r\n\r\n"))
        .min()
        .unwrap_or(bytes.len());
    let Some((header, rest)) = bytes.split_at_checked(end) else { return Cow::Borrowed(bytes) };
    if std::str::from_utf8(header).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let mut out = decode(header, None).text.into_owned().into_bytes();
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// The bytes of a part after its transfer encoding.
pub(in crate::formats) fn transfer_decoded<'a>(message: &'a Message<'a>, part: &'a MessagePart<'a>) -> Cow<'a, [u8]> {
    match &part.body {
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => Cow::Borrowed(bytes),
        PartType::Multipart(_) => Cow::Borrowed(&[]),
        PartType::Text(text) | PartType::Html(text) => match raw(message, part) {
            Some(bytes) => bytes,
            None => Cow::Borrowed(text.as_bytes()),
        },
        PartType::Message(inner) => match raw(message, part) {
            Some(bytes) => bytes,
            None => Cow::Borrowed(inner.raw_message()),
        },
    }
}

fn raw<'a>(message: &'a Message<'a>, part: &'a MessagePart<'a>) -> Option<Cow<'a, [u8]>> {
    let bytes = message.raw_message.get(part.offset_body as usize..part.offset_end as usize)?;
    match part.encoding {
        Encoding::None => Some(Cow::Borrowed(bytes)),
        Encoding::QuotedPrintable => quoted_printable_decode(bytes).map(Cow::Owned),
        Encoding::Base64 => base64_decode(bytes).map(Cow::Owned),
    }
}

/// The text of a part: in the encoding that it declares if that fits, otherwise in the one that it is found to be in.
pub(in crate::formats) fn decoded(message: &Message<'_>, part: &MessagePart<'_>) -> String {
    let bytes = transfer_decoded(message, part);
    let label = part.content_type().and_then(|t| t.attribute("charset")).map(|l| l.trim_matches(['"', '\'', ' ']));
    if let Some(charset) = label.and_then(|label| Charset::for_label(label.as_bytes()))
        && let Some(text) = charset.decode_without_bom_handling_and_without_replacement(&bytes)
    {
        return text.trim_start_matches('\u{feff}').to_owned();
    }
    let parsed = match &part.body {
        PartType::Text(text) | PartType::Html(text) => Some(text),
        _ => None,
    };
    match (label, parsed) {
        // An encoding that only the parser knows, such as UTF-7.
        (Some(label), Some(text)) if Charset::for_label(label.as_bytes()).is_none() && !text.contains('\u{fffd}') => {
            text.clone().into_owned()
        }
        _ => decode(&bytes, label).text.into_owned(),
    }
}

/// The name of an attachment, or one that says what it is.
pub(in crate::formats) fn file_name(part: &MessagePart<'_>, number: usize) -> String {
    if let Some(name) = part.attachment_name().map(str::trim).filter(|n| !n.is_empty()) {
        return name.to_owned();
    }
    let ending = part.content_type().map_or("txt", extension);
    format!("attachment {number}.{ending}")
}

fn extension<'a>(kind: &'a ContentType<'_>) -> &'a str {
    match (kind.ctype(), kind.subtype().unwrap_or_default()) {
        ("text", "html") => "html",
        ("text", "calendar") => "ics",
        ("text", "csv") => "csv",
        ("text", "markdown") => "md",
        ("text", "vcard" | "x-vcard") => "vcf",
        ("text", _) => "txt",
        ("message", "rfc822" | "global") => "eml",
        ("message", _) => "txt",
        ("image", "jpeg") => "jpg",
        ("image", "svg+xml") => "svg",
        ("application", "octet-stream") => "bin",
        (_, subtype) if subtype.len() <= 5 => subtype,
        _ => "bin",
    }
}
