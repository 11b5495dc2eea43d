//! Cleaning of characters: controls and invisible ones go, words stay whole, the rest becomes NFC.
//!
//! Invariant: what [`line`], [`lines`] and [`code`] return is in NFC and holds no control character but tab
//! (in code) and newline. Nothing here looks at structure; code only loses what nobody can see.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// What becomes of a character.
enum Fate {
    Keep,
    Drop,
    Newline,
}

/// Controls and invisible characters. Joiners (U+200C, U+200D) and variation selectors are kept: Persian,
/// the Indic scripts and emoji need them.
fn fate(c: char) -> Fate {
    match c {
        '\n' | '\t' => Fate::Keep,
        '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Fate::Newline,
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffc}'
        | '\u{fffe}'
        | '\u{ffff}'
        | '\u{e0000}'..='\u{e007f}' => Fate::Drop,
        _ => Fate::Keep,
    }
}

/// Removes controls and invisible characters and makes every line end a newline.
pub(crate) fn scrub(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| matches!(fate(c), Fate::Keep)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\r' {
            if chars.peek() != Some(&'\n') {
                out.push('\n');
            }
            continue;
        }
        match fate(c) {
            Fate::Keep => out.push(c),
            Fate::Newline => out.push('\n'),
            Fate::Drop => {}
        }
    }
    Cow::Owned(out)
}

/// Unicode NFC.
pub(crate) fn nfc(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes { text } else { Cow::Owned(text.nfc().collect()) }
}

/// A space of any width, the ideographic one excepted: that one is Chinese typography.
fn is_narrow_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{1680}')
}

/// Spaces of odd widths as plain ones.
fn plain_spaces(text: &str) -> Cow<'_, str> {
    let odd = |c: char| c != ' ' && c != '\t' && is_narrow_space(c);
    if text.contains(odd) { Cow::Owned(text.replace(odd, " ")) } else { Cow::Borrowed(text) }
}

/// Prose as one line: runs of white space become one space, the ends are trimmed.
pub(crate) fn line(text: &str) -> String {
    let scrubbed = scrub(text);
    let mut out = String::with_capacity(scrubbed.len());
    let mut gap = false;
    for c in scrubbed.chars() {
        if c == '\n' || is_narrow_space(c) {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        out.push(c);
    }
    let trimmed = out.trim_matches(|c: char| c == '\u{3000}' || c == ' ');
    nfc(Cow::Borrowed(trimmed)).into_owned()
}

/// Code: only controls and invisible characters go.
pub(crate) fn code(text: &str) -> String {
    nfc(scrub(text)).into_owned()
}

/// Cleaned lines, each with the number of its line in the source (from 1).
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) text: String,
    /// `(first byte in text, line in the source)`, ascending in both.
    pub(crate) origin: Vec<(usize, u32)>,
}

impl Lines {
    /// The source line of the text at `offset`.
    pub(crate) fn line_at(&self, offset: usize) -> u32 {
        let after = self.origin.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).and_then(|i| self.origin.get(i)).map_or(1, |(_, line)| *line)
    }
}

/// How a line of a text is to be treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// White space at its end goes; with blank lines before it only one stays.
    Prose,
    /// As [`Treatment::Prose`], but two spaces at the end are a hard break and stay.
    Markdown,
    /// Left alone.
    Verbatim,
}

/// Cleans a text line by line. `scrubbed` has been through [`scrub`]; `treatment` gets the offset of each line in it.
/// Leading and trailing blank lines go; the text ends without a newline.
pub(crate) fn lines(scrubbed: &str, mut treatment: impl FnMut(usize) -> Treatment) -> Lines {
    let mut out = Lines::default();
    let mut offset = 0;
    let mut blank = false;
    for (number, raw) in scrubbed.split('\n').enumerate() {
        let how = treatment(offset);
        offset += raw.len() + 1;
        let kept = match how {
            Treatment::Verbatim => raw,
            Treatment::Prose | Treatment::Markdown => raw.trim_end(),
        };
        if kept.is_empty() && how != Treatment::Verbatim {
            blank = !out.text.is_empty();
            continue;
        }
        if blank {
            out.text.push_str("\n\n");
            blank = false;
        } else if !out.origin.is_empty() {
            out.text.push('\n');
        }
        out.origin.push((out.text.len(), number as u32 + 1));
        match how {
            Treatment::Verbatim => out.text.push_str(&nfc(Cow::Borrowed(kept))),
            Treatment::Prose | Treatment::Markdown => out.text.push_str(&nfc(plain_spaces(kept))),
        }
        if how == Treatment::Markdown && raw.ends_with("  ") {
            out.text.push_str("  ");
        }
    }
    let end = out.text.trim_end().len();
    out.text.truncate(end);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_controls_inside_stay_whole() {
        assert_eq!(line("kno\0wle\u{1}dge \u{200b}ba\u{ad}se"), "knowledge base");
        assert_eq!(code("a\0b\r\nc\rd\u{feff}"), "ab\nc\nd");
    }

    #[test]
    fn white_space_is_one_space_and_text_is_nfc() {
        assert_eq!(line("  cafe\u{301} \u{a0}\t x\n"), "caf\u{e9} x");
        assert_eq!(line("\u{3000}\u{3000}知识\u{3000}库"), "知识\u{3000}库");
    }

    #[test]
    fn joiners_of_persian_and_emoji_stay() {
        assert_eq!(line("می\u{200c}خواهم 👩\u{200d}💻"), "می\u{200c}خواهم 👩\u{200d}💻");
    }

    #[test]
    fn lines_remember_where_they_came_from() {
        let l = lines("\n\na  \n\n\n\nb\nc\n", |_| Treatment::Prose);
        assert_eq!(l.text, "a\n\nb\nc");
        assert_eq!((l.line_at(0), l.line_at(3), l.line_at(5)), (3, 7, 8));
    }
}
