//! Which encoding the bytes of a font are in.

use crate::text::codepage;
use encoding_rs::{Encoding, WINDOWS_1252};
use std::borrow::Cow;

/// How the bytes of a font become text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::formats) enum Charset {
    Encoding(&'static Encoding),
    /// The font Symbol: Greek letters in the places of the Latin ones.
    Symbol,
}

/// The encoding of a code page; Western where it is not known.
pub(super) fn of_codepage(number: i32) -> Charset {
    let known = u32::try_from(number).ok().and_then(codepage::encoding);
    Charset::Encoding(known.unwrap_or(WINDOWS_1252))
}

/// The encoding that `\fcharset` names; `None` where it is that of the file.
pub(super) fn of_font(number: i32) -> Option<Charset> {
    let page = match number {
        0 => 1252,
        2 => return Some(Charset::Symbol),
        77 => 10000,
        78 | 128 => 932,
        79 | 129 | 130 => 949,
        80 | 134 => 936,
        81 | 136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    Some(of_codepage(page))
}

impl Charset {
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Encoding(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Self::Symbol => Cow::Owned(bytes.iter().map(|b| symbol(*b)).collect()),
        }
    }
}

fn symbol(byte: u8) -> char {
    const UPPER: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
    const LOWER: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
    match byte {
        b'A'..=b'Z' => UPPER.chars().nth(usize::from(byte - b'A')).unwrap_or(' '),
        b'a'..=b'z' => LOWER.chars().nth(usize::from(byte - b'a')).unwrap_or(' '),
        0xb7 => '•',
        0xa3 => '≤',
        0xb3 => '≥',
        0xb1 => '±',
        0xb4 => '×',
        0xb9 => '≠',
        0xbb => '≈',
        0xa5 => '∞',
        0xae => '→',
        0xac => '←',
        0xb0 => '°',
        0xd6 => '√',
        0xe5 => '∑',
        0xf2 => '∫',
        byte if byte.is_ascii() => char::from(byte),
        _ => ' ',
    }
}
