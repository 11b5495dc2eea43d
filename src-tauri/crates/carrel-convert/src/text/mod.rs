//! Text before it has a structure: decoding bytes and cleaning characters.

pub(crate) mod clean;
pub(crate) mod codepage;
pub(crate) mod decode;

/// Characters of Chinese and Japanese, between which no space stands.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}
