//! Which script a letter belongs to.
//!
//! Only what decides something is told apart: whether words are separated by spaces, and whether an embedder was trained
//! for it. Digits, punctuation and symbols belong to no script.

/// The scripts that the program tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Script {
    /// Latin.
    Latin,
    /// Greek.
    Greek,
    /// Cyrillic.
    Cyrillic,
    /// Chinese characters.
    Han,
    /// Hiragana and katakana.
    Kana,
    /// Korean.
    Hangul,
    /// Thai, Lao, Khmer, Burmese: written without spaces between words.
    SouthEastAsian,
    /// Arabic.
    Arabic,
    /// Hebrew.
    Hebrew,
    /// Any other.
    Other,
}

impl Script {
    /// The script of a letter; `None` for what is no letter.
    pub fn of(c: char) -> Option<Script> {
        let script = match u32::from(c) {
            0x41..=0x5A | 0x61..=0x7A => return Some(Self::Latin),
            0..=0xA9 => return None,
            0x3005 | 0x3007 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2E80..=0x2FDF => {
                Self::Han
            }
            0x2_0000..=0x3_FFFF => Self::Han,
            0x3041..=0x3096 | 0x309D..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF => {
                Self::Kana
            }
            0xFF66..=0xFF9F => Self::Kana,
            0x3105..=0x312F | 0x31A0..=0x31BF => Self::Han,
            0x1100..=0x11FF | 0x3131..=0x318E | 0xA960..=0xA97F | 0xAC00..=0xD7FB | 0xFFA0..=0xFFDC => {
                Self::Hangul
            }
            0x0E01..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF => Self::SouthEastAsian,
            _ if !c.is_alphabetic() => return None,
            0xAA..=0x24F | 0x250..=0x2AF | 0x1E00..=0x1EFF | 0x2C60..=0x2C7F | 0xA720..=0xA7FF => Self::Latin,
            0xFB00..=0xFB06 | 0xFF21..=0xFF3A | 0xFF41..=0xFF5A => Self::Latin,
            0x370..=0x3FF | 0x1F00..=0x1FFF => Self::Greek,
            0x400..=0x52F | 0x1C80..=0x1C8F | 0x2DE0..=0x2DFF | 0xA640..=0xA69F => Self::Cyrillic,
            0x600..=0x77F | 0x8A0..=0x8FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => Self::Arabic,
            0x590..=0x5FF | 0xFB1D..=0xFB4F => Self::Hebrew,
            _ => Self::Other,
        };
        Some(script)
    }

    /// Whether words are written without spaces between them (or, as in Korean, with endings that stick to them), so that
    /// pairs of characters are indexed.
    pub fn is_unspaced(self) -> bool {
        matches!(self, Self::Han | Self::Kana | Self::Hangul | Self::SouthEastAsian)
    }

    /// Whether `code` (ISO 15924) means this script.
    pub fn has_code(self, code: &str) -> bool {
        let codes: &[&str] = match self {
            Self::Latin => &["Latn"],
            Self::Greek => &["Grek"],
            Self::Cyrillic => &["Cyrl"],
            Self::Han => &["Hani", "Hans", "Hant", "Jpan", "Kore", "Bopo"],
            Self::Kana => &["Hira", "Kana", "Hrkt", "Jpan"],
            Self::Hangul => &["Hang", "Kore"],
            Self::SouthEastAsian => &["Thai", "Laoo", "Khmr", "Mymr"],
            Self::Arabic => &["Arab"],
            Self::Hebrew => &["Hebr"],
            Self::Other => &["Zzzz"],
        };
        codes.iter().any(|c| c.eq_ignore_ascii_case(code))
    }
}

/// The share of the letters of `text` that are in one of `scripts` (ISO 15924 codes; none means all). A text without letters
/// is covered. A character of an unspaced script counts as two letters: it says more than one.
pub fn covered_share(text: &str, scripts: &[String]) -> f32 {
    if scripts.is_empty() {
        return 1.0;
    }
    let (mut all, mut covered) = (0u32, 0u32);
    for script in text.chars().filter_map(Script::of) {
        let weight = if script.is_unspaced() { 2 } else { 1 };
        all += weight;
        if scripts.iter().any(|code| script.has_code(code)) {
            covered += weight;
        }
    }
    if all == 0 { 1.0 } else { covered as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_belong_to_their_script_and_digits_to_none() {
        let expected = [
            ('a', Some(Script::Latin)),
            ('É', Some(Script::Latin)),
            ('Ａ', Some(Script::Latin)),
            ('ω', Some(Script::Greek)),
            ('ж', Some(Script::Cyrillic)),
            ('频', Some(Script::Han)),
            ('々', Some(Script::Han)),
            ('𠮷', Some(Script::Han)),
            ('ひ', Some(Script::Kana)),
            ('ー', Some(Script::Kana)),
            ('한', Some(Script::Hangul)),
            ('ก', Some(Script::SouthEastAsian)),
            ('ש', Some(Script::Hebrew)),
            ('ع', Some(Script::Arabic)),
            ('अ', Some(Script::Other)),
            ('7', None),
            ('。', None),
            ('·', None),
            ('×', None),
        ];
        for (c, script) in expected {
            assert_eq!(Script::of(c), script, "{c}");
        }
    }

    #[test]
    fn the_covered_share_counts_letters_only() {
        let latin = ["Latn".to_owned()];
        assert!(covered_share("What is 频道?", &latin) > 0.5);
        assert!(covered_share("如何设置 Carrel 的频道", &latin) < 0.5);
        assert!((covered_share("2026.4.10", &latin) - 1.0).abs() < f32::EPSILON);
        assert!((covered_share("频道", &[]) - 1.0).abs() < f32::EPSILON);
        assert!((covered_share("频道", &["Hani".to_owned()]) - 1.0).abs() < f32::EPSILON);
    }
}
