//! Files to measure with where none are given: always the same, of several formats, with a vocabulary like that of prose.

use carrel_engine::error::EngineError;
use carrel_engine::random::Random;
use std::fmt::Write as _;
use std::path::Path;

const SYLLABLES: [&str; 24] = [
    "ta", "ren", "mo", "li", "ser", "vi", "con", "de", "pra", "no", "ter", "ka", "lu", "min", "or", "est",
    "ba", "ri", "fen", "do", "sul", "ge", "han", "pe",
];

/// Words, sentences and questions that follow from a seed.
pub(super) struct Words(Random);

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    /// A word of a vocabulary of 8,000; few are frequent, most are rare.
    pub(super) fn word(&mut self) -> String {
        let uniform = self.below(8_000) as f64 / 8_000.0;
        let mut rank = (8_000_f64.powf(uniform) - 1.0) as usize;
        let mut word = String::new();
        for _ in 0..2 + rank % 2 {
            word.push_str(SYLLABLES[rank % SYLLABLES.len()]);
            rank = rank / SYLLABLES.len() + rank % 7;
        }
        word
    }

    /// A sentence of 8 to 21 words.
    pub(super) fn sentence(&mut self) -> String {
        let words: Vec<String> = (0..8 + self.below(14)).map(|_| self.word()).collect();
        let mut text = words.join(" ");
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        text + "."
    }

    fn paragraph(&mut self) -> String {
        (0..4 + self.below(5)).map(|_| self.sentence()).collect::<Vec<_>>().join(" ")
    }

    /// A question of a few words.
    pub(super) fn question(&mut self) -> String {
        (0..3 + self.below(4)).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// Writes `count` files into a folder: Markdown, text, HTML, CSV and code in turn, about 4 KB each.
pub(super) fn files(folder: &Path, count: usize) -> Result<(), EngineError> {
    std::fs::create_dir_all(folder).map_err(|e| EngineError::io(folder, e))?;
    let mut words = Words::new(1);
    for n in 0..count {
        let (extension, text) = match n % 8 {
            5 => ("html", html(&mut words)),
            6 => ("csv", csv(&mut words)),
            7 => ("rs", code(&mut words)),
            3 | 4 => ("txt", (0..6).map(|_| words.paragraph() + "\n\n").collect()),
            _ => ("md", markdown(&mut words)),
        };
        let path = folder.join(format!("file-{n:05}.{extension}"));
        std::fs::write(&path, text).map_err(|e| EngineError::io(&path, e))?;
    }
    Ok(())
}

/// A corpus of one long document a line, as evaluations have it.
pub(super) fn corpus(path: &Path, documents: usize) -> Result<(), EngineError> {
    let mut words = Words::new(2);
    let mut text = String::new();
    for n in 0..documents {
        let body: Vec<String> = (0..12).map(|_| words.paragraph()).collect();
        let line =
            serde_json::json!({ "_id": n.to_string(), "title": words.sentence(), "text": body.join(" ") });
        let _ = writeln!(text, "{line}");
    }
    std::fs::write(path, text).map_err(|e| EngineError::io(path, e))
}

fn markdown(words: &mut Words) -> String {
    let mut text = format!("# {}\n", words.question());
    for _ in 0..3 {
        let _ = write!(text, "\n## {}\n\n{}\n\n{}\n", words.question(), words.paragraph(), words.paragraph());
    }
    text
}

fn html(words: &mut Words) -> String {
    let mut text = format!("<!doctype html><title>{0}</title><h1>{0}</h1>", words.question());
    for _ in 0..6 {
        let _ = write!(text, "<p>{}</p>", words.paragraph());
    }
    text
}

fn csv(words: &mut Words) -> String {
    let mut text = "code,name,amount\n".to_owned();
    for n in 0..80 {
        let _ = writeln!(text, "K-{n:04},{} {},{}", words.word(), words.word(), words.below(10_000));
    }
    text
}

fn code(words: &mut Words) -> String {
    let mut text = String::new();
    for _ in 0..12 {
        let (name, other) = (words.word(), words.word());
        let _ = write!(
            text,
            "/// {}\npub fn {name}_{other}(value: u64) -> u64 {{\n    let {other} = value * {};\n    {other} + 1\n}}\n\n",
            words.sentence(),
            words.below(99)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_every_time() {
        let folder = tempfile::tempdir().unwrap();
        files(&folder.path().join("a"), 8).unwrap();
        files(&folder.path().join("b"), 8).unwrap();
        for entry in std::fs::read_dir(folder.path().join("a")).unwrap() {
            let entry = entry.unwrap();
            let again = std::fs::read(folder.path().join("b").join(entry.file_name())).unwrap();
            let text = std::fs::read(entry.path()).unwrap();
            assert!(text.len() > 1_000);
            assert_eq!(text, again);
        }
    }
}
