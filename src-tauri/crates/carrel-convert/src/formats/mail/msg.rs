//! Messages of Outlook: properties in the streams of a compound file.
//!
//! A message in a message is read in place, to the depth that files in files have.

use super::letter::{Attachment, Letter, Text};
use super::rtf;
use crate::build::Draft;
use crate::build::writer::Writer;
use crate::formats::Source;
use crate::formats::nested::Parts;
use crate::formats::ole::Ole;
use crate::text::codepage;
use crate::text::decode::decode;
use carrel_engine::seams::ConvertError;
use encoding_rs::Encoding;
use std::collections::HashMap;

/// Messages in messages.
const MAX_DEPTH: u8 = 3;

/// Properties that are read.
mod property {
    pub(super) const SUBJECT: u16 = 0x0037;
    pub(super) const SENT: u16 = 0x0039;
    pub(super) const REPRESENTING_NAME: u16 = 0x0042;
    pub(super) const REPRESENTING_ADDRESS: u16 = 0x0065;
    pub(super) const HEADER: u16 = 0x007d;
    pub(super) const RECEIVER_KIND: u16 = 0x0c15;
    pub(super) const SENDER_NAME: u16 = 0x0c1a;
    pub(super) const SENDER_ADDRESS: u16 = 0x0c1f;
    pub(super) const CC: u16 = 0x0e03;
    pub(super) const TO: u16 = 0x0e04;
    pub(super) const DELIVERED: u16 = 0x0e06;
    pub(super) const BODY: u16 = 0x1000;
    pub(super) const RTF: u16 = 0x1009;
    pub(super) const HTML: u16 = 0x1013;
    pub(super) const NAME: u16 = 0x3001;
    pub(super) const ADDRESS: u16 = 0x3003;
    pub(super) const DATA: u16 = 0x3701;
    pub(super) const SHORT_FILE: u16 = 0x3704;
    pub(super) const LONG_FILE: u16 = 0x3707;
    pub(super) const CONTENT_ID: u16 = 0x3712;
    pub(super) const SMTP_ADDRESS: u16 = 0x39fe;
    pub(super) const TEXT_CODE_PAGE: u16 = 0x3ffd;
    pub(super) const HTML_CODE_PAGE: u16 = 0x3fde;
    pub(super) const SENDER_SMTP: u16 = 0x5d01;
    pub(super) const HIDDEN: u16 = 0x7ffe;
}

pub(in crate::formats) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let mut file = Ole::open(source)?;
    let mut writer = Writer::new(source.limits.output_bytes);
    message(&mut file, "/", 32, source, source.depth, &mut writer)?;
    writer.finish()
}

/// Writes the message in a storage, and the messages in it.
fn message(
    file: &mut Ole<'_>,
    at: &str,
    head: usize,
    source: &Source<'_>,
    depth: u8,
    writer: &mut Writer,
) -> Result<(), ConvertError> {
    let mut parts = Parts::new(source);
    let own = Storage::open(file, at, head, None);
    let mut letter = letter(&own, file, source);
    let people = receivers(file, at, own.code_page());
    for (kind, name, fallback) in [(1, "To", property::TO), (2, "Cc", property::CC)] {
        let listed: Vec<&str> =
            people.iter().filter(|(k, _)| *k == kind).map(|(_, who)| who.as_str()).collect();
        let named =
            if listed.is_empty() { own.text(file, fallback).unwrap_or_default() } else { listed.join(", ") };
        letter.field(name, named);
    }
    letter.field(
        "Date",
        own.time(property::SENT).or_else(|| own.time(property::DELIVERED)).unwrap_or_default(),
    );
    let mut inner = Vec::new();
    for storage in file.storages(at, "__attach_version1.0_") {
        if !source.budget.entry() {
            break;
        }
        let attached = Storage::open(file, &storage, 8, own.code_page());
        let name = [property::LONG_FILE, property::SHORT_FILE, property::NAME]
            .into_iter()
            .find_map(|id| attached.text(file, id))
            .unwrap_or_else(|| "attachment".to_owned());
        let embedded = format!("{storage}/__substg1.0_3701000D");
        if file.is_storage(&embedded) {
            inner.push((name, embedded));
        } else if let Some(bytes) = attached.bytes(file, property::DATA) {
            let shown = attached.text(file, property::CONTENT_ID).is_some() && is_picture(&name);
            let inline = shown || attached.number(property::HIDDEN) == Some(1);
            letter.attachments.push(Attachment { name, bytes, inline });
        }
    }
    letter.write(writer, &mut parts, source.limits)?;
    for (name, storage) in inner {
        if depth + 1 >= MAX_DEPTH {
            parts.unread(writer, &name, "it lies too deep");
            continue;
        }
        let mut own = Writer::new(source.limits.output_bytes);
        message(file, &storage, 24, source, depth + 1, &mut own)?;
        writer.append(own.finish()?, 1, Some(&name));
    }
    parts.close(writer);
    Ok(())
}

fn letter(own: &Storage, file: &mut Ole<'_>, source: &Source<'_>) -> Letter {
    let mut letter =
        Letter { subject: own.text(file, property::SUBJECT).unwrap_or_default(), ..Letter::default() };
    let mut first = |ids: [u16; 3]| ids.into_iter().find_map(|id| own.text(file, id));
    let name = first([property::SENDER_NAME, property::REPRESENTING_NAME, property::SENDER_NAME]);
    let address = first([property::SENDER_SMTP, property::SENDER_ADDRESS, property::REPRESENTING_ADDRESS])
        .filter(|a| a.contains('@'));
    let stated = || {
        let header = own.text(file, property::HEADER)?;
        header.lines().find_map(|l| l.strip_prefix("From:").map(|v| v.trim().to_owned()))
    };
    letter.field("From", person(name.clone(), address).or(name).or_else(stated).unwrap_or_default());
    if let Some(text) = own.text(file, property::BODY).filter(|t| !t.trim().is_empty()) {
        letter.plain.push(Text { content: text, flowed: false, joined: false });
    }
    if let Some(html) = own.bytes(file, property::HTML) {
        let label = own.number(property::HTML_CODE_PAGE).and_then(label);
        letter.html.push(decode(&html, label).text.into_owned());
    }
    letter.rtf = own.bytes(file, property::RTF).and_then(|packed| {
        let limit = usize::try_from(source.budget.allowed()).unwrap_or(usize::MAX);
        rtf::unpacked(&packed, limit).inspect(|rtf| source.budget.spend(rtf.len() as u64))
    });
    letter
}

/// Kind (1 to, 2 cc, 3 bcc) and name of each receiver.
fn receivers(file: &mut Ole<'_>, at: &str, code_page: Option<u32>) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for storage in file.storages(at, "__recip_version1.0_") {
        let own = Storage::open(file, &storage, 8, code_page);
        let name = own.text(file, property::NAME);
        let address = own
            .text(file, property::SMTP_ADDRESS)
            .or_else(|| own.text(file, property::ADDRESS))
            .filter(|a| a.contains('@'));
        if let Some(who) = person(name.clone(), address).or(name) {
            found.push((own.number(property::RECEIVER_KIND).unwrap_or(1), who));
        }
    }
    found
}

fn person(name: Option<String>, address: Option<String>) -> Option<String> {
    match (name.map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()), address) {
        (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
        (_, address) => address,
    }
}

fn is_picture(name: &str) -> bool {
    let ending = crate::catalogue::extension(name);
    ending.is_none_or(|e| matches!(e.as_str(), "png" | "jpg" | "jpeg" | "gif" | "bmp" | "emz" | "wmz"))
}

/// The label of a Windows code page.
fn label(code_page: u32) -> Option<&'static str> {
    codepage::encoding(code_page).map(Encoding::name)
}

/// The properties of a message, receiver or attachment.
struct Storage {
    at: String,
    numbers: HashMap<u16, u64>,
    inherited: Option<u32>,
}

impl Storage {
    fn open(file: &mut Ole<'_>, at: &str, head: usize, inherited: Option<u32>) -> Self {
        let mut own = Self { at: at.trim_end_matches('/').to_owned(), numbers: HashMap::new(), inherited };
        let stream = own.stream(file, "__properties_version1.0").unwrap_or_default();
        for entry in stream.get(head..).unwrap_or_default().as_chunks::<16>().0 {
            let [_, _, low, high, _, _, _, _, value @ ..] = *entry;
            own.numbers.insert(u16::from_le_bytes([low, high]), u64::from_le_bytes(value));
        }
        own
    }

    fn stream(&self, file: &mut Ole<'_>, name: &str) -> Option<Vec<u8>> {
        file.stream(&format!("{}/{name}", self.at))
    }

    fn bytes(&self, file: &mut Ole<'_>, id: u16) -> Option<Vec<u8>> {
        self.stream(file, &format!("__substg1.0_{id:04X}0102")).filter(|b| !b.is_empty())
    }

    fn text(&self, file: &mut Ole<'_>, id: u16) -> Option<String> {
        if let Some(wide) = self.stream(file, &format!("__substg1.0_{id:04X}001F")) {
            let text = encoding_rs::UTF_16LE.decode_without_bom_handling(&wide).0.into_owned();
            return Some(text.trim_end_matches('\0').to_owned()).filter(|t| !t.is_empty());
        }
        let narrow = self.stream(file, &format!("__substg1.0_{id:04X}001E"))?;
        let label = self.code_page().and_then(label);
        let text = decode(&narrow, label).text.into_owned();
        Some(text.trim_end_matches('\0').to_owned()).filter(|t| !t.is_empty())
    }

    fn number(&self, id: u16) -> Option<u32> {
        self.numbers.get(&id).map(|n| *n as u32)
    }

    /// The code page of its narrow texts.
    fn code_page(&self) -> Option<u32> {
        self.number(property::TEXT_CODE_PAGE).or(self.inherited)
    }

    /// A moment, in UTC.
    fn time(&self, id: u16) -> Option<String> {
        let ticks = self.numbers.get(&id).copied().filter(|t| *t > 0)?;
        let seconds = i64::try_from(ticks / 10_000_000).ok()?.checked_sub(11_644_473_600)?;
        let date = mail_parser::DateTime::from_timestamp(seconds);
        date.is_valid().then(|| {
            format!(
                "{:04}-{:02}-{:02} {:02}:{:02} +0000",
                date.year, date.month, date.day, date.hour, date.minute
            )
        })
    }
}
