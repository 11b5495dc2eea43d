//! Words, codes and identifiers: where they end, and what their parts are.

use super::analyzer::is_word;
use super::fold::fold_word;
use crate::domain::Span;

/// What a word consists of.
#[derive(Debug)]
pub(super) enum Parts {
    /// One plain word.
    Simple,
    /// Several parts, or one with signs that belong to it (`C++`).
    Several {
        /// Spans within the word.
        pieces: Vec<Span>,
        /// A code, which is searched as it stands; otherwise words joined to one.
        code: bool,
    },
}

/// Signs that join words when a letter or digit stands on both sides.
fn is_joiner(c: char) -> bool {
    matches!(c, '.' | '-' | '\'' | '’' | '‐' | '‑' | '&')
}

/// Whether a word starts at byte `at` of `text`, where `c` stands.
pub(super) fn starts(text: &str, at: usize, c: char) -> bool {
    if is_word(c) {
        return true;
    }
    let rest = &text[at + c.len_utf8()..];
    match c {
        '_' => rest.trim_start_matches('_').chars().next().is_some_and(is_word),
        // `.NET`, `.gitignore`: a dot after a space and before a letter.
        '.' => {
            text[..at].chars().next_back().is_none_or(char::is_whitespace)
                && rest.chars().next().is_some_and(|n| n.is_ascii_alphabetic())
        }
        _ => false,
    }
}

/// Where the word that starts at `start` ends.
pub(super) fn end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut chars = text[start..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let next = chars.peek().map(|&(_, n)| n);
        let inside = is_word(c)
            || c == '_'
            || (offset == 0 && c == '.')
            || (is_joiner(c) && next.is_some_and(is_word) && !text[..start + offset].ends_with('_'));
        if !inside {
            break;
        }
        end = start + offset + c.len_utf8();
    }
    let signs = text[end..].bytes().take_while(|b| matches!(b, b'+' | b'#')).count();
    let closed = text[end + signs..].chars().next().is_none_or(|c| !is_word(c));
    let letter = text[start..end].chars().next_back().is_some_and(char::is_alphanumeric);
    if (1..=2).contains(&signs) && closed && letter { end + signs } else { end }
}

/// The parts of the word `whole`.
pub(super) fn parts(whole: &str) -> Parts {
    if whole.bytes().all(|b| b.is_ascii_lowercase()) {
        return Parts::Simple;
    }
    let mut pieces = Vec::new();
    let mut separators = 0;
    let mut separated_code = false;
    let mut start = None;
    for (at, c) in whole.char_indices() {
        if is_word(c) {
            start.get_or_insert(at);
            continue;
        }
        separators += 1;
        separated_code |= matches!(c, '_' | '.' | '+' | '#');
        if let Some(from) = start.take() {
            pieces.push(Span::new(from, at));
        }
    }
    if let Some(from) = start {
        pieces.push(Span::new(from, whole.len()));
    }
    if separators > 0 && is_apostrophe_form(whole, &pieces) {
        return Parts::Simple;
    }
    let digits = whole.bytes().any(|b| b.is_ascii_digit());
    if separators == 0 {
        let humps = humps(whole);
        return if humps.len() < 2 { Parts::Simple } else { Parts::Several { pieces: humps, code: false } };
    }
    if is_dotted_abbreviation(whole, &pieces) {
        return Parts::Several { pieces: Vec::new(), code: true };
    }
    let pieces = pieces.into_iter().map(|p| without_version_letter(whole, p)).flat_map(|piece| {
        let humps = humps(&whole[piece.start..piece.end]);
        if humps.len() < 2 {
            vec![piece]
        } else {
            humps.into_iter().map(|h| Span::new(piece.start + h.start, piece.start + h.end)).collect()
        }
    });
    Parts::Several { pieces: pieces.collect(), code: separated_code || digits }
}

/// `don't`, `Alzheimer's`: one word to the stemmer.
fn is_apostrophe_form(whole: &str, pieces: &[Span]) -> bool {
    let [first, last] = pieces else { return false };
    let ending = &whole[last.start..last.end];
    matches!(&whole[first.end..last.start], "'" | "’")
        && ["s", "t", "d", "m", "re", "ve", "ll"].iter().any(|e| ending.eq_ignore_ascii_case(e))
}

/// `v2026` in `v2026.4.10` is the number 2026.
fn without_version_letter(whole: &str, piece: Span) -> Span {
    let number = whole[piece.start..piece.end].strip_prefix(['v', 'V']);
    match number {
        Some(n) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => {
            Span::new(piece.start + 1, piece.end)
        }
        _ => piece,
    }
}

/// `U.S.A`, `e.g`: one word without its dots.
fn is_dotted_abbreviation(whole: &str, pieces: &[Span]) -> bool {
    pieces.len() >= 2
        && pieces.iter().all(|p| p.len() == 1 && whole.as_bytes()[p.start].is_ascii_alphabetic())
        && pieces.windows(2).all(|w| &whole[w[0].end..w[1].start] == ".")
        && pieces[0].start == 0
}

/// Longer runs of letters and digits are data (base64, hashes), not names with parts.
const LONGEST_NAME: usize = 64;

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Upper,
    Lower,
    Digit,
}

/// Splits `getUserName`, `HTTPServer`, `utf8` at changes of case and between letters and digits. Single letters beside
/// digits (`H2O`, `p53`) stay joined: alone they say nothing.
fn humps(word: &str) -> Vec<Span> {
    if word.len() > LONGEST_NAME {
        return vec![Span::new(0, word.len())];
    }
    let class = |c: char| {
        if c.is_numeric() {
            Class::Digit
        } else if c.is_uppercase() {
            Class::Upper
        } else {
            Class::Lower
        }
    };
    let chars: Vec<(usize, Class)> = word.char_indices().map(|(at, c)| (at, class(c))).collect();
    let mut cuts = vec![0];
    for i in 1..chars.len() {
        let (at, here) = chars[i];
        let before = chars[i - 1].1;
        let next = chars.get(i + 1).map(|c| c.1);
        let cut = match (before, here) {
            (Class::Lower, Class::Upper) => true,
            (Class::Upper, Class::Upper) => next == Some(Class::Lower),
            (Class::Digit, Class::Digit) => false,
            (Class::Digit, _) | (_, Class::Digit) => true,
            _ => false,
        };
        if cut {
            cuts.push(at);
        }
    }
    cuts.push(word.len());
    let pieces: Vec<Span> = cuts.windows(2).map(|w| Span::new(w[0], w[1])).collect();
    let has_digit = chars.iter().any(|c| c.1 == Class::Digit);
    let telling = |p: &Span| p.len() >= 2;
    if has_digit && !pieces.iter().filter(|p| !word.as_bytes()[p.start].is_ascii_digit()).all(telling) {
        return vec![Span::new(0, word.len())];
    }
    pieces
}

/// Appends the folded whole. A dotted abbreviation loses its dots.
pub(super) fn fold_whole(whole: &str, code: bool, out: &mut String) {
    let start = out.len();
    fold_word(whole, out);
    let folded = &out[start..];
    if code
        && folded.split('.').count() >= 2
        && folded.split('.').all(|p| p.len() == 1 && p.as_bytes()[0].is_ascii_lowercase())
    {
        let joined: String = folded.split('.').collect();
        out.truncate(start);
        out.push_str(&joined);
    }
}
