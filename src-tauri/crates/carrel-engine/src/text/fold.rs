//! Folding: spellings that a reader takes for the same become the same.
//!
//! Case, diacritics of Latin and Greek letters, width and other compatibility forms, traditional and simplified Chinese, katakana and
//! hiragana. Marks that make another letter (in Cyrillic, the Indian scripts, kana) are kept.

use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

static TRADITIONAL: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let mut map = HashMap::with_capacity(4200);
    for line in include_str!("data/ts_characters.txt").lines().filter(|l| !l.starts_with('#')) {
        if let Some((from, to)) = line.split_once('\t')
            && let (Some(from), Some(to)) = (from.chars().next(), to.chars().next())
        {
            map.insert(from, to);
        }
    }
    map
});

/// The simplified form of a Chinese character; any other character as it is.
pub(super) fn simplified(c: char) -> char {
    if u32::from(c) < 0x3400 { c } else { TRADITIONAL.get(&c).copied().unwrap_or(c) }
}

/// Appends the folded form of a word of a spaced script.
pub(super) fn fold_word(word: &str, out: &mut String) {
    if word.is_ascii() {
        out.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        return;
    }
    let start = out.len();
    let mut base = ' ';
    let mut kept_mark = false;
    for c in word.nfkd() {
        if is_combining_mark(c) {
            if drops_mark(base, c) {
                continue;
            }
            kept_mark = true;
            out.push(c);
            continue;
        }
        base = c;
        match c {
            'ß' | 'ẞ' => out.push_str("ss"),
            'æ' | 'Æ' => out.push_str("ae"),
            'œ' | 'Œ' => out.push_str("oe"),
            'ø' | 'Ø' => out.push('o'),
            'đ' | 'Đ' | 'ð' | 'Ð' => out.push('d'),
            'ł' | 'Ł' => out.push('l'),
            'þ' | 'Þ' => out.push_str("th"),
            'ı' | 'İ' => out.push('i'),
            'ς' => out.push('σ'),
            'ё' | 'Ё' => out.push('е'),
            '’' | '‘' | 'ʼ' | '＇' => out.push('\''),
            '‐' | '‑' | '−' => out.push('-'),
            'ـ' => {}
            _ => out.extend(c.to_lowercase()),
        }
    }
    if kept_mark {
        let composed: String = out[start..].nfc().collect();
        out.truncate(start);
        out.push_str(&composed);
    }
}

fn drops_mark(base: char, mark: char) -> bool {
    match u32::from(mark) {
        // Breve and diaeresis make other letters in Cyrillic (й, ї); ё is commonly written е.
        0x300..=0x36F => {
            !matches!(u32::from(base), 0x400..=0x52F)
                || (mark != '\u{306}' && mark != '\u{308}')
                || matches!(base, 'е' | 'Е')
        }
        // Arabic vowel signs and Hebrew points are optional in writing.
        0x64B..=0x652 | 0x670 | 0x591..=0x5C7 => true,
        _ => false,
    }
}

/// Appends the folded form of one character (grapheme) of an unspaced script.
pub(super) fn fold_unit(unit: &str, out: &mut String) {
    let mut chars = unit.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && matches!(u32::from(c), 0x3041..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7A3)
    {
        out.push(hiragana(simplified(c)));
        return;
    }
    out.extend(unit.nfkc().map(simplified).map(hiragana));
}

/// The hiragana of a katakana; any other character as it is.
fn hiragana(c: char) -> char {
    match u32::from(c) {
        katakana @ 0x30A1..=0x30F6 => char::from_u32(katakana - 0x60).unwrap_or(c),
        _ => c,
    }
}

/// A whole text folded for comparing names: case, diacritics, width and Chinese script make no difference.
pub fn fold_key(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_word(text, &mut out);
    out.chars().map(simplified).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> String {
        let mut out = String::new();
        fold_word(text, &mut out);
        out
    }

    #[test]
    fn case_diacritics_and_width_fold_away() {
        for (from, to) in [
            ("Café", "cafe"),
            ("CAFE\u{301}", "cafe"),
            ("ＡＢＣ１２３", "abc123"),
            ("Straße", "strasse"),
            ("ﬁnal", "final"),
            ("Łódź", "lodz"),
            ("İstanbul", "istanbul"),
            ("Ἀθήνας", "αθηνασ"),
            ("m²", "m2"),
            ("O’Neill", "o'neill"),
        ] {
            assert_eq!(word(from), to);
        }
    }

    #[test]
    fn marks_that_make_another_letter_stay() {
        assert_eq!(word("Йод"), "йод");
        assert_eq!(word("ёлка"), "елка");
        assert_eq!(word("हिन्दी"), "हिन्दी");
        let mut unit = String::new();
        fold_unit("ﾊﾞ", &mut unit);
        assert_eq!(unit, "ば");
        unit.clear();
        fold_unit("バ", &mut unit);
        assert_eq!(unit, "ば");
    }

    #[test]
    fn traditional_and_simplified_are_one() {
        assert_eq!(fold_key("頻道設定"), fold_key("频道设定"));
        assert_eq!(fold_key("Résumé.PDF"), "resume.pdf");
        assert!(TRADITIONAL.len() > 4000);
    }
}
