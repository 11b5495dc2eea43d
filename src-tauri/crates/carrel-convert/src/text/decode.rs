//! From bytes to text in whatever encoding they are.
//!
//! A byte order mark decides; then UTF-16 and UTF-32 without one, recognised by where their zero bytes lie;
//! then UTF-8; then what chardetng takes it for. It never fails: what cannot be decoded becomes U+FFFD and is counted. Bytes behind the
//! last whole unit of UTF-16 and UTF-32, such as a newline that an 8-bit tool appended, are no part of the text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// A decoded text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Name of the encoding, as the Encoding Standard writes it, or `UTF-32LE`, `UTF-32BE`.
    pub(crate) encoding: &'static str,
    /// Sequences that could not be decoded.
    pub(crate) malformed: usize,
}

/// How many bytes are looked at to recognise UTF-16 and UTF-32.
const SAMPLE: usize = 64 << 10;
/// How many bytes chardetng is fed.
const DETECT: usize = 1 << 20;

/// Decodes `bytes`. `declared` is an encoding label found in the content (HTML `meta`, XML declaration); it is
/// taken only where nothing stronger speaks.
pub(crate) fn decode<'a>(bytes: &'a [u8], declared: Option<&str>) -> Decoded<'a> {
    if let Some(utf32) = utf32_order(bytes) {
        return decode_utf32(bytes, utf32);
    }
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return with(encoding, bytes);
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return with(encoding, bytes);
    }
    if is_iso_2022_jp(bytes) {
        return with(ISO_2022_JP, bytes);
    }
    if is_utf8(bytes) {
        return with(UTF_8, bytes);
    }
    if let Some(encoding) = declared.and_then(|label| Encoding::for_label(label.trim().as_bytes()))
        && encoding != UTF_8
        && encoding != UTF_16LE
        && encoding != UTF_16BE
    {
        return with(encoding, bytes);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let sample = bytes.get(..DETECT).unwrap_or(bytes);
    detector.feed(sample, sample.len() == bytes.len());
    with(detector.guess(None, Utf8Detection::Deny), bytes)
}

fn with<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let wide = encoding == UTF_16LE || encoding == UTF_16BE;
    let whole = if wide { bytes.len() / 2 * 2 } else { bytes.len() };
    let bytes = bytes.get(..whole).unwrap_or(bytes);
    let (text, malformed) = encoding.decode_with_bom_removal(bytes);
    let malformed = if malformed { text.matches('\u{fffd}').count() } else { 0 };
    Decoded { text, encoding: encoding.name(), malformed }
}

/// Whether it is ASCII that switches to Japanese characters by the sequences of ISO-2022-JP.
fn is_iso_2022_jp(bytes: &[u8]) -> bool {
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    let switches = |to: &[u8]| memchr::memmem::find(sample, to).is_some();
    (switches(b"\x1b$B") || switches(b"\x1b$@"))
        && sample.is_ascii()
        && (switches(b"\x1b(B") || switches(b"\x1b(J"))
        && !ISO_2022_JP.decode_without_bom_handling(sample).1
}

/// Whether it is UTF-8, a few damaged sequences or a cut end allowed where real ones prevail.
fn is_utf8(bytes: &[u8]) -> bool {
    let mut broken = 0_usize;
    let mut multibyte = 0_usize;
    for chunk in bytes.utf8_chunks() {
        multibyte += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    broken == 0 || broken * 20 <= multibyte
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// UTF-32 by its mark, or because at least 95 % of the first units are characters: in no other encoding are
/// three bytes of four so often 0, at most 16, and below the surrogates.
fn utf32_order(bytes: &[u8]) -> Option<Order> {
    if bytes.len() < 8 {
        return None;
    }
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) {
        return Some(Order::Little);
    }
    if bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Some(Order::Big);
    }
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    [Order::Little, Order::Big].into_iter().find(|order| {
        let units = sample.len() / 4;
        let good = sample.as_chunks::<4>().0.iter().filter(|u| unit32(**u, *order).is_some()).count();
        good * 100 >= units * 95
    })
}

fn unit32(unit: [u8; 4], order: Order) -> Option<char> {
    let value = match order {
        Order::Little => u32::from_le_bytes(unit),
        Order::Big => u32::from_be_bytes(unit),
    };
    char::from_u32(value).filter(|c| *c != '\0')
}

fn decode_utf32(bytes: &[u8], order: Order) -> Decoded<'static> {
    let mut malformed = 0;
    let mut text = String::with_capacity(bytes.len() / 3);
    for unit in bytes.as_chunks::<4>().0 {
        match unit32(*unit, order) {
            Some('\u{feff}') => {}
            Some(c) => text.push(c),
            None => {
                malformed += 1;
                text.push('\u{fffd}');
            }
        }
    }
    let encoding = if order == Order::Little { "UTF-32LE" } else { "UTF-32BE" };
    Decoded { text: Cow::Owned(text), encoding, malformed }
}

/// UTF-16 without a mark. Other encodings hold no zero bytes and hardly a control: UTF-16 holds one in each
/// newline, space and ASCII letter. A text with stray NULs (CASES C4) stays what it is, because without them it is UTF-8.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    if sample.len() < 4 {
        return None;
    }
    let zeros = memchr::memchr_iter(0, sample).count();
    let controls = sample.iter().filter(|b| **b < 0x20 && !matches!(**b, b'\t' | b'\n' | b'\r')).count();
    if controls == 0 || (zeros * 4 < sample.len() && std::str::from_utf8(sample).is_ok()) {
        return None;
    }
    let little = plausible_utf16(sample, Order::Little);
    let big = plausible_utf16(sample, Order::Big);
    match (little, big) {
        (Some(l), Some(b)) => Some(if l >= b { UTF_16LE } else { UTF_16BE }),
        (Some(_), None) => Some(UTF_16LE),
        (None, Some(_)) => Some(UTF_16BE),
        (None, None) => None,
    }
}

/// How many characters of the sample are everyday ones, or `None` where it is no UTF-16 text of this order.
fn plausible_utf16(sample: &[u8], order: Order) -> Option<usize> {
    let units = sample.as_chunks::<2>().0.iter().map(|u| match order {
        Order::Little => u16::from_le_bytes(*u),
        Order::Big => u16::from_be_bytes(*u),
    });
    let (mut total, mut known, mut everyday) = (0_usize, 0_usize, 0_usize);
    for c in char::decode_utf16(units) {
        total += 1;
        let Ok(c) = c else { continue };
        known += usize::from(matches!(c,
            '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{6ff}' | '\u{900}'..='\u{dff}' | '\u{e01}'..='\u{eff}'
            | '\u{1e00}'..='\u{206f}' | '\u{20a0}'..='\u{22ff}' | '\u{2500}'..='\u{27bf}' | '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ffef}' | '\u{1f300}'..='\u{1faff}'));
        everyday += usize::from(
            matches!(c, '\n' | ' ' | ',' | '.' | 'a'..='z' | '0'..='9' | '\u{3001}' | '\u{3002}' | '\u{ff0c}'),
        );
    }
    (known * 100 >= total * 97 && everyday > 0).then_some(everyday)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHINESE: &str =
        "知识库应当能够在本地离线运行。\n引用必须指向原文，版本更新以后旧的段落不得再出现。\n";

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|u| if little { u.to_le_bytes() } else { u.to_be_bytes() }).collect()
    }

    #[test]
    fn chinese_in_every_usual_encoding() {
        for (bytes, name) in [
            (encoding_rs::GBK.encode(CHINESE).0.into_owned(), "GBK"),
            (utf16(CHINESE, true), "UTF-16LE"),
            (utf16(CHINESE, false), "UTF-16BE"),
            (CHINESE.as_bytes().to_vec(), "UTF-8"),
        ] {
            let d = decode(&bytes, None);
            assert_eq!((d.text.as_ref(), d.encoding, d.malformed), (CHINESE, name, 0));
        }
        let traditional = "知識庫應當能夠在本機離線執行。引用必須指向原文，而且頁碼必須正確。";
        let d = decode(&encoding_rs::BIG5.encode(traditional).0, None).text.into_owned();
        assert_eq!(d, traditional);
    }

    #[test]
    fn japanese_and_western() {
        let japanese = "知識ベースはオフラインで動作しなければなりません。引用は原文を指す。";
        assert_eq!(decode(&encoding_rs::SHIFT_JIS.encode(japanese).0, None).text, japanese);
        let western = "Café “Zoë”;12,50 €;naïve – déjà vu";
        assert_eq!(decode(&encoding_rs::WINDOWS_1252.encode(western).0, None).text, western);
    }

    #[test]
    fn other_encodings_of_plain_text() {
        let japanese = "知識ベースは ABC でオフラインで動作します。";
        assert_eq!(decode(&ISO_2022_JP.encode(japanese).0, None).text, japanese);
        let russian = "Библиотека должна работать без сети. Ссылки указывают на исходный текст.";
        assert_eq!(decode(&encoding_rs::KOI8_R.encode(russian).0, None).text, russian);
        assert_eq!(decode(&encoding_rs::WINDOWS_1251.encode(russian).0, None).text, russian);
        let korean = "지식 기반은 오프라인에서 작동해야 합니다. 인용은 원문을 가리킵니다.";
        assert_eq!(decode(&encoding_rs::EUC_KR.encode(korean).0, None).text, korean);
    }

    #[test]
    fn utf16_english_with_and_without_mark() {
        let text = "The carrel is a small desk.\r\n";
        for little in [true, false] {
            assert_eq!(decode(&utf16(text, little), None).text, text);
            assert_eq!(decode(&utf16(&format!("\u{feff}{text}"), little), None).text, text);
        }
    }

    #[test]
    fn utf32_with_and_without_mark() {
        for text in ["desk 知识 🪑\n", "\u{feff}desk 知识\n"] {
            let little: Vec<u8> = text.chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
            let big: Vec<u8> = text.chars().flat_map(|c| (c as u32).to_be_bytes()).collect();
            assert_eq!(decode(&little, None).text, text.trim_start_matches('\u{feff}'));
            assert_eq!(decode(&big, None).text, text.trim_start_matches('\u{feff}'));
        }
    }

    #[test]
    fn a_stray_last_byte_costs_nothing() {
        let text = "The carrel is a small desk.\r\n";
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}{text}");
            let utf32: Vec<u8> = text.chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
            for mut bytes in [utf16(&text, true), utf16(&text, false), utf32] {
                bytes.push(b'\n');
                let d = decode(&bytes, None);
                assert_eq!(
                    (d.text.as_ref(), d.malformed),
                    (text.trim_start_matches('\u{feff}'), 0),
                    "{}",
                    d.encoding
                );
            }
        }
    }

    #[test]
    fn stray_nuls_do_not_make_utf16() {
        let text = "kno\0wledge base with a NUL\0 in it and\u{1} more";
        assert_eq!(decode(text.as_bytes(), None).encoding, "UTF-8");
    }

    #[test]
    fn a_cut_utf8_text_stays_utf8() {
        let mut bytes = CHINESE.as_bytes().to_vec();
        bytes.truncate(bytes.len() - 2);
        let d = decode(&bytes, None);
        assert_eq!((d.encoding, d.malformed), ("UTF-8", 1));
    }
}
