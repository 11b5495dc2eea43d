//! The analyzer: one pass over a text, calling back with each token.
//!
//! Spaced scripts: words, folded and stemmed (Latin letters by the language of the text, others by their script); codes and identifiers
//! whole and in their parts. Unspaced scripts: pairs of neighbouring characters, and each character alone, which is what a
//! single-character word is found by.

use super::compound;
use super::fold::{fold_unit, fold_word};
use super::language::WordLanguage;
use super::script::Script;
use crate::domain::Span;
use foldhash::fast::RandomState;
use rust_stemmers::{Algorithm, Stemmer};
use std::cell::RefCell;
use std::collections::HashMap;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word, stemmed.
    Word,
    /// A stop word.
    Stop,
    /// A code or identifier as it stands, folded (`v2026.4.10`, `c++`, `foo_bar`).
    Code,
    /// Words joined by hyphens, capitals or digits, as one (`state-of-the-art`, `getUserName`).
    Joined,
    /// A part of a code or of joined words, stemmed.
    Part,
    /// Two neighbouring characters of an unspaced script.
    Pair,
    /// One character of an unspaced script.
    Unit,
}

/// A token, valid during the callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The term of the index.
    pub term: &'a str,
    /// Where in the source text.
    pub span: Span,
    /// Place in the order of words, for phrases. A whole and its first part share one.
    pub position: u32,
    /// What it is.
    pub kind: TokenKind,
}

/// Calls `emit` with each token of `text`, positions ascending. Its words are stemmed by the language that it is in.
pub fn tokens(text: &str, emit: &mut dyn FnMut(Token<'_>)) {
    tokens_in(WordLanguage::of(text), text, emit);
}

/// The same for a text known to be in a language: the heading of a passage, a question.
pub(crate) fn tokens_in(language: WordLanguage, text: &str, emit: &mut dyn FnMut(Token<'_>)) {
    let mut scan = Scan { text, language, position: 0, term: String::with_capacity(32), emit };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if is_unspaced(c) {
            at = scan.run(at);
        } else if compound::starts(text, at, c) {
            at = scan.word(at);
        } else {
            at += c.len_utf8();
        }
    }
}

/// Whether a letter is of a script that puts no spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    !c.is_ascii() && Script::of(c).is_some_and(Script::is_unspaced)
}

/// Whether `c` can stand inside a word of a spaced script.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (!c.is_ascii() && (c.is_alphanumeric() || is_combining_mark(c)) && !is_unspaced(c))
}

/// The characters of a run of unspaced scripts as a reader counts them, with their offsets.
pub(super) fn units(run: &str) -> impl Iterator<Item = (usize, &str)> {
    // Where nothing combines, every character is one.
    let simple = run.chars().all(
        |c| matches!(u32::from(c), 0x3041..=0x3096 | 0x30A1..=0x30FE | 0x3400..=0x9FFF | 0xAC00..=0xD7A3),
    );
    let by_char = simple.then(|| run.char_indices().map(|(at, c)| (at, &run[at..at + c.len_utf8()])));
    let by_grapheme = (!simple).then(|| run.grapheme_indices(true));
    by_char.into_iter().flatten().chain(by_grapheme.into_iter().flatten())
}

struct Scan<'t, 'e> {
    text: &'t str,
    language: WordLanguage,
    position: u32,
    term: String,
    emit: &'e mut dyn FnMut(Token<'_>),
}

impl Scan<'_, '_> {
    /// A run of characters of unspaced scripts from `start`; returns its end.
    fn run(&mut self, start: usize) -> usize {
        let rest = &self.text[start..];
        let length = rest.find(|c: char| !is_unspaced(c) && !is_combining_mark(c)).unwrap_or(rest.len());
        let run = &rest[..length];
        let mut previous: Option<(usize, usize)> = None;
        self.term.clear();
        for (offset, unit) in units(run) {
            let here = start + offset;
            let end = here + unit.len();
            let from = self.term.len();
            fold_unit(unit, &mut self.term);
            if let Some((pair_start, unit_from)) = previous {
                let pair = &self.term[unit_from..];
                (self.emit)(Token {
                    term: pair,
                    span: Span::new(pair_start, end),
                    position: self.position - 1,
                    kind: TokenKind::Pair,
                });
            }
            (self.emit)(Token {
                term: &self.term[from..],
                span: Span::new(here, end),
                position: self.position,
                kind: TokenKind::Unit,
            });
            previous = Some((here, from));
            self.position += 1;
        }
        start + length
    }

    /// A word, code or identifier from `start`; returns its end.
    fn word(&mut self, start: usize) -> usize {
        let text = self.text;
        let end = compound::end(text, start);
        let whole = &text[start..end];
        let parts = compound::parts(whole);
        match &parts {
            compound::Parts::Simple => {
                self.term.clear();
                fold_word(whole, &mut self.term);
                let is_stop = self.language.is_stop_word(&self.term);
                let kind = if is_stop { TokenKind::Stop } else { TokenKind::Word };
                stem(&mut self.term, kind, self.language);
                self.emit_term(Span::new(start, end), kind);
                self.position += 1;
            }
            compound::Parts::Several { pieces, code } => {
                self.term.clear();
                compound::fold_whole(whole, *code, &mut self.term);
                let kind = match code {
                    true if pieces.is_empty() && self.language.is_stop_word(&self.term) => TokenKind::Stop,
                    true => TokenKind::Code,
                    false => TokenKind::Joined,
                };
                stem(&mut self.term, kind, self.language);
                self.emit_term(Span::new(start, end), kind);
                for piece in pieces {
                    self.term.clear();
                    fold_word(&whole[piece.start..piece.end], &mut self.term);
                    stem(&mut self.term, TokenKind::Part, self.language);
                    self.emit_term(Span::new(start + piece.start, start + piece.end), TokenKind::Part);
                    self.position += 1;
                }
                if pieces.is_empty() {
                    self.position += 1;
                }
            }
        }
        end
    }

    fn emit_term(&mut self, span: Span, kind: TokenKind) {
        if !self.term.is_empty() {
            (self.emit)(Token { term: &self.term, span, position: self.position, kind });
        }
    }
}

type Stems = HashMap<Box<str>, Box<str>, RandomState>;

thread_local! {
    /// Stems met by this thread, by language: most words of a text come again and again.
    static STEMS: RefCell<[Stems; WordLanguage::ALL.len()]> = RefCell::default();
}

const STEMS_KEPT: usize = 20_000;

/// Stems a folded word in place. Codes and stop words stay as they are.
fn stem(term: &mut String, kind: TokenKind, language: WordLanguage) {
    if matches!(kind, TokenKind::Code | TokenKind::Stop) || term.len() < 3 || term.len() > 64 {
        return;
    }
    let latin = term.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'\'');
    let algorithm = if latin { Some(language.algorithm()) } else { by_script(term) };
    let Some(algorithm) = algorithm else { return };
    STEMS.with_borrow_mut(|stems| {
        // Words of other scripts differ from all Latin ones.
        let stems = &mut stems[language as usize];
        if let Some(known) = stems.get(term.as_str()) {
            term.clear();
            term.push_str(known);
            return;
        }
        let stemmed = Stemmer::create(algorithm).stem(term).into_owned();
        if stems.len() >= STEMS_KEPT {
            stems.clear();
        }
        stems.insert(term.as_str().into(), stemmed.as_str().into());
        *term = stemmed;
    });
}

/// The stemmer of the one script that a word is written in.
fn by_script(word: &str) -> Option<Algorithm> {
    let mut scripts = word.chars().map(Script::of);
    let script = scripts.next()??;
    if !scripts.all(|other| other == Some(script)) {
        return None;
    }
    match script {
        Script::Cyrillic => Some(Algorithm::Russian),
        Script::Greek => Some(Algorithm::Greek),
        Script::Arabic => Some(Algorithm::Arabic),
        _ => None,
    }
}

/// The stem of a folded word, for completing unfinished ones and for the other languages of a library.
pub(super) fn stem_of(word: &str, language: WordLanguage) -> String {
    let mut term = word.to_owned();
    stem(&mut term, TokenKind::Word, language);
    term
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<(String, &str, TokenKind)> {
        let mut found = Vec::new();
        tokens(text, &mut |t| found.push((t.term.to_owned(), &text[t.span.start..t.span.end], t.kind)));
        found
    }

    fn terms(text: &str) -> Vec<String> {
        all(text).into_iter().map(|(term, _, _)| term).collect()
    }

    #[test]
    fn words_are_stemmed_and_marked_as_they_stand() {
        assert_eq!(
            all("The Cafés' running"),
            [
                ("the".to_owned(), "The", TokenKind::Stop),
                ("cafe".to_owned(), "Cafés", TokenKind::Word),
                ("run".to_owned(), "running", TokenKind::Word),
            ]
        );
        assert_eq!(terms("Alzheimer’s disease"), ["alzheim", "diseas"]);
        assert_eq!(terms("бежали книгами"), terms("бежал книга"));
    }

    #[test]
    fn words_are_stemmed_by_the_language_of_their_text() {
        let german = |text| {
            let mut found = Vec::new();
            tokens_in(WordLanguage::German, text, &mut |t| found.push(t.term.to_owned()));
            found
        };
        assert_eq!(german("Häuser")[0], german("Haus")[0]);
        assert_ne!(terms("Häuser")[0], terms("Haus")[0]);
        assert!(
            terms("Die Häuser sind alt, und das ist nicht zu ändern, weil wir dafür kein Geld haben.")
                .contains(&german("Haus")[0])
        );
    }

    #[test]
    fn codes_are_indexed_whole_and_in_parts() {
        assert_eq!(terms("v2026.4.10"), ["v2026.4.10", "2026", "4", "10"]);
        assert_eq!(terms("1.0.21"), ["1.0.21", "1", "0", "21"]);
        assert_eq!(terms("ISO-27001"), ["iso-27001", "iso", "27001"]);
        assert_eq!(terms("C++ and C#"), ["c++", "c", "and", "c#", "c"]);
        assert_eq!(terms("foo_bar"), ["foo_bar", "foo", "bar"]);
        assert_eq!(
            terms("getUserNames HTTPServer"),
            ["getusernam", "get", "user", "name", "httpserver", "http", "server"]
        );
        assert_eq!(terms("state-of-the-art"), ["state-of-the-art", "state", "of", "the", "art"]);
        assert_eq!(terms("U.S. law"), ["us", "law"]);
        assert_eq!(terms(".NET"), [".net", "net"]);
    }

    #[test]
    fn characters_of_unspaced_scripts_come_in_pairs_and_alone() {
        assert_eq!(
            all("頻道A"),
            [
                ("频".to_owned(), "頻", TokenKind::Unit),
                ("频道".to_owned(), "頻道", TokenKind::Pair),
                ("道".to_owned(), "道", TokenKind::Unit),
                ("a".to_owned(), "A", TokenKind::Stop),
            ]
        );
        assert_eq!(terms("水"), ["水"]);
        assert_eq!(terms("使用 Docker 部署"), terms("使用docker部署"));
    }

    proptest! {
        #[test]
        fn spans_lie_on_character_boundaries_and_positions_ascend(text in "\\PC{0,60}|[a-zA-Z0-9_.+#'’\\- 频道頻한ก]{0,40}") {
            let mut last = 0;
            tokens(&text, &mut |t| {
                assert!(text.get(t.span.start..t.span.end).is_some_and(|s| !s.is_empty()));
                assert!(t.position + 1 >= last, "positions go back by more than a pair");
                assert!(!t.term.is_empty());
                last = t.position;
            });
        }
    }
}
