//! A collection of whole documents: `docs/NAME.md` and `spans.jsonl`, whose spans are counted in characters of the files.
//!
//! Conversion cleans a text: spans are carried over to what became of it, character by character.

use super::collection::lines;
use crate::problem::Problem;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How far ahead of a character that is not where it is expected it is looked for: signs that conversion put in, or changed.
const AHEAD: usize = 8;

/// A question with the spans that answer it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) spans: Vec<Answer>,
}

/// A right span, in characters of its file.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Answer {
    pub(super) doc: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The questions of a collection.
pub(super) fn questions(folder: &Path) -> Result<Vec<Question>, Problem> {
    lines(&folder.join("spans.jsonl"))
}

/// The folder of its documents.
pub(super) fn documents(folder: &Path) -> PathBuf {
    folder.join("docs")
}

/// One document: the characters of the final text by byte and by character of the file.
pub(super) struct Aligned {
    /// For each byte of the final text, and its end, the characters before it.
    before: Vec<u32>,
    /// For each character of the file, where it begins and ends in the final text.
    places: Vec<(u32, u32)>,
}

impl Aligned {
    pub(super) fn new(file: &str, text: &str) -> Self {
        let mut before = Vec::with_capacity(text.len() + 1);
        for (i, c) in text.chars().enumerate() {
            before.extend(std::iter::repeat_n(i as u32, c.len_utf8()));
        }
        let text: Vec<char> = text.chars().collect();
        before.push(text.len() as u32);
        let next = |from: usize| (from..text.len()).find(|&i| !text[i].is_whitespace());
        let mut at = 0;
        let mut places = Vec::with_capacity(file.len());
        for c in file.chars() {
            let found = if c.is_whitespace() { None } else { next(at) };
            let found = found.and_then(|from| {
                text[from..].iter().take(AHEAD).position(|&other| other == c).map(|i| from + i)
            });
            match found {
                Some(found) => {
                    at = found + 1;
                    places.push((found as u32, at as u32));
                }
                None => places.push((at as u32, at as u32)),
            }
        }
        Self { before, places }
    }

    /// A range of bytes of the final text as one of its characters.
    pub(super) fn characters(&self, bytes: Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.before.get(byte).or(self.before.last()).map_or(0, |&n| n as usize);
        at(bytes.start)..at(bytes.end)
    }

    /// What became of a right span; `None` where it does not lie in the file, or nothing of it is left.
    pub(super) fn right(&self, answer: &Answer) -> Option<Range<usize>> {
        let (start, _) = self.places.get(answer.start)?;
        let (_, end) = self.places.get(answer.end.checked_sub(1)?)?;
        (start < end).then_some(*start as usize..*end as usize)
    }
}

/// The files of a collection by name without ending.
pub(super) fn files(folder: &Path) -> Result<BTreeMap<String, String>, Problem> {
    let docs = documents(folder);
    let failed = |path: &Path, error: std::io::Error| {
        Problem::bad_request(format!("{}: {error}", path.display()))
            .hint("a collection of whole documents holds docs/NAME.md and spans.jsonl")
    };
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(&docs).map_err(|error| failed(&docs, error))? {
        let path = entry.map_err(|error| failed(&docs, error))?.path();
        let Some(name) = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()) else { continue };
        files.insert(name, std::fs::read_to_string(&path).map_err(|error| failed(&path, error))?);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(start: usize, end: usize) -> Answer {
        Answer { doc: "d".into(), start, end }
    }

    #[test]
    fn spans_are_carried_over_to_the_final_text() {
        // Lost: a zero-width space. Joined: white space. Put in: a backslash. Changed: the compatibility ideograph.
        let file = "Die\u{200b} Größe   ist\n\n\n1. 豈了 Ende.";
        let text = "Die Größe ist\n\n1\\. 豈了 Ende.";
        let aligned = Aligned::new(file, text);
        let letters: Vec<char> = text.chars().collect();
        let of = |from: &str| {
            let at = file.find(from).unwrap();
            let start = file[..at].chars().count();
            let range = aligned.right(&answer(start, start + from.chars().count())).unwrap();
            letters[range].iter().collect::<String>()
        };
        assert_eq!(of("Größe   ist"), "Größe ist");
        assert_eq!(of("ist\n\n\n1. "), "ist\n\n1\\.");
        assert_eq!(of("了 Ende."), "了 Ende.");
        let bytes = text.find("ist").unwrap();
        assert_eq!(aligned.characters(bytes..bytes + 3), 10..13);
        assert_eq!(aligned.right(&answer(0, 900)), None);
        assert_eq!(aligned.right(&answer(3, 4)), None, "nothing of it is left");
    }
}
