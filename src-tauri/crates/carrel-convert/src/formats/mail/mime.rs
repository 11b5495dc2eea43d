//! MIME where real mail is not as the standards want it: characters without a declared or with a wrongly declared encoding.

use crate::text::decode::decode;
use carrel_engine::seams::ConvertError;
use encoding_rs::Encoding as Charset;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Encoding, Message, MessageParser, MessagePart, MimeHeaders, PartType};
use std::borrow::Cow;
use std::panic::catch_unwind;

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
    // Encoded words say what they are, even where they hold what they should have encoded.
    let pieces = words(header);
    let bare: Vec<u8> =
        pieces.iter().filter(|(encoded, _)| !encoded).flat_map(|(_, piece)| *piece).copied().collect();
    let charset =
        Charset::for_label(decode(&bare, None).encoding.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252);
    let mut out = Vec::with_capacity(bytes.len() + header.len());
    for (encoded, piece) in pieces {
        if encoded {
            out.extend_from_slice(piece);
        } else {
            out.extend_from_slice(charset.decode_without_bom_handling(piece).0.as_bytes());
        }
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// The parts of a message. The parser stumbles over some that nest their parts wrongly.
pub(in crate::formats) fn parsed(bytes: &[u8]) -> Result<Message<'_>, ConvertError> {
    let damaged = |detail: &str| ConvertError::Damaged { detail: detail.to_owned() };
    catch_unwind(|| MessageParser::default().parse(bytes))
        .map_err(|_| damaged("the order of its parts is not valid"))?
        .ok_or_else(|| damaged("it has no header"))
}

/// The header in pieces, and whether each is an encoded word.
fn words(header: &[u8]) -> Vec<(bool, &[u8])> {
    let mut pieces = Vec::new();
    let mut rest = header;
    while let Some(from) = memchr::memmem::find(rest, b"=?") {
        let (before, word) = rest.split_at(from);
        // Encoding and kind, then the text, without a space in it.
        let fields = word.split(|b| *b == b'?').take(4).map(<[u8]>::len).sum::<usize>() + 4;
        let end = fields;
        let is_word = word.get(end - 1..=end).is_some_and(|end| end == b"?=")
            && !word.get(..end).is_some_and(|w| w.iter().any(u8::is_ascii_whitespace));
        let length = if is_word { end + 1 } else { 2 };
        pieces.push((false, before));
        let (word, after) = word.split_at(length.min(word.len()));
        pieces.push((is_word, word));
        rest = after;
    }
    pieces.push((false, rest));
    pieces
}

/// The bytes of a part after its transfer encoding.
pub(in crate::formats) fn transfer_decoded<'a>(
    message: &'a Message<'a>,
    part: &'a MessagePart<'a>,
) -> Cow<'a, [u8]> {
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
    let label =
        part.content_type().and_then(|t| t.attribute("charset")).map(|l| l.trim_matches(['"', '\'', ' ']));
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
        (Some(label), Some(text))
            if Charset::for_label(label.as_bytes()).is_none() && !text.contains('\u{fffd}') =>
        {
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
