//! How many tokens a text of this language takes for what others say in fewer.

use super::Text;
use crate::seams::{ModelError, Tokenizer};

/// Tokens a letter of English, with a tokenizer that was trained for it.
const ENGLISH: f64 = 0.23;
/// So much of a text tells its language.
const SAMPLE: usize = 32 << 10;
/// Fewer letters tell nothing.
const FEW: f64 = 200.0;
/// Within these a text counts as English does.
const LIKE_ENGLISH: std::ops::Range<f64> = 0.7..1.4;

/// By how much sizes in tokens are multiplied so that a passage holds as much as one in English does.
pub(super) fn scale(text: &Text<'_>, tokenizer: &dyn Tokenizer) -> Result<f64, ModelError> {
    let sample = &text.markdown[..text.markdown.floor_char_boundary(SAMPLE)];
    let (mut tokens, mut letters) = (0, 0.0);
    for span in tokenizer.token_spans(sample)? {
        let token = span.of(sample).unwrap_or_default();
        // Numbers and signs are no language.
        if !token.is_empty() && token.chars().all(char::is_alphabetic) {
            tokens += 1;
            letters += token.chars().map(content).sum::<f64>();
        }
    }
    if letters < FEW {
        return Ok(1.0);
    }
    let scale = f64::from(tokens) / letters / ENGLISH;
    Ok(if LIKE_ENGLISH.contains(&scale) { 1.0 } else { scale.clamp(0.5, 4.0) })
}

/// What a letter says, in letters of the Latin alphabet.
fn content(c: char) -> f64 {
    match c {
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => 3.0,
        '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}' => 2.0,
        _ => 1.0,
    }
}
