//! Signs of fonts that hold pictures in the places of letters (Wingdings and its like).

/// Whether it is the name of such a font.
pub(super) fn is_symbol_font(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    ["wingding", "webding", "dingbat", "monotypesorts", "marlett"].iter().any(|font| name.contains(font))
}

/// What the letter of such a font shows: boxes, ticks and arrows as they are, other pictures as a bullet.
pub(super) fn sign(c: char) -> char {
    let code = match u32::from(c) {
        code @ (0..=0xff) => code,
        code @ (0xf000..=0xf0ff) => code - 0xf000,
        // The font says what it is.
        _ => return c,
    };
    match code {
        0x4a => '☺',
        0x6f | 0xa8 => '☐',
        0x78 | 0xfd => '☒',
        0xfe => '☑',
        0xfc => '✓',
        0xfb => '✗',
        0xdf => '←',
        0xe0 | 0xe8 | 0xf0 => '→',
        0xd8 => '➢',
        _ => '•',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_picture_fonts_are_signs() {
        assert!(is_symbol_font(b"ABCDEF+Wingdings-Regular") && !is_symbol_font(b"Symbol"));
        let shown: String = ['y', '\u{84}', '\u{f0b7}', 'o', '\u{f0fe}', '•', '✔'].map(sign).iter().collect();
        assert_eq!(shown, "•••☐☑•✔");
    }
}
