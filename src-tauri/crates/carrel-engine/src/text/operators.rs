//! The query language of a search: `"exact words"`, `-without`, `type:pdf`, `path:`, `tag:`, `after:`, `before:`.
//!
//! It refuses nothing: what is no operator is text to search. A quotation mark without its partner quotes nothing, a minus counts
//! before a letter or a quotation alone, and only the keys named here take a value.

use super::analyzer::{TokenKind, tokens_in};
use super::language::WordLanguage;

/// Keys that take a value. A minus before one turns it round, but for times.
const KEYS: &[&str] = &["type", "path", "tag", "after", "before"];

/// `key:value` of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyValue {
    /// One of `type`, `path`, `tag`, `after`, `before`.
    pub key: String,
    /// Its value, without quotation marks.
    pub value: String,
    /// Whether what it fits is left out.
    pub excluded: bool,
    /// As it was typed.
    pub typed: String,
}

/// A query taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operators {
    /// What is searched by words and by meaning; quoted words stand in it, in plain quotation marks.
    pub text: String,
    /// Words that a passage must hold next to each other.
    pub required: Vec<String>,
    /// Words that it must not hold.
    pub excluded: Vec<String>,
    /// What narrows the documents.
    pub filters: Vec<KeyValue>,
}

/// Takes a query apart.
pub fn operators(query: &str) -> Operators {
    let mut found = Operators::default();
    let mut rest = query;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        let excluded =
            first == '-' && rest[1..].starts_with(|c: char| c.is_alphabetic() || closing(c).is_some());
        let operand = if excluded { &rest[1..] } else { rest };
        if let Some((quoted, after)) = quotation(operand) {
            if excluded {
                found.excluded.push(quoted.to_owned());
            } else {
                found.required.push(quoted.to_owned());
                found.search(&format!("\"{quoted}\""));
            }
            rest = after;
        } else if let Some((key, value, after)) = key_value(operand) {
            let typed = rest[..rest.len() - after.len()].to_owned();
            found.filters.push(KeyValue { key: key.to_owned(), value: value.to_owned(), excluded, typed });
            rest = after;
        } else {
            let end = operand.find(char::is_whitespace).unwrap_or(operand.len());
            let (word, after) = operand.split_at(end);
            if excluded {
                found.excluded.push(word.to_owned());
            } else {
                found.search(word);
            }
            rest = after;
        }
    }
    // The last word may be unfinished only where nothing follows it.
    if query.ends_with(char::is_whitespace) {
        found.text.push(' ');
    }
    found
}

impl Operators {
    /// Adds text to search.
    pub fn search(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }
}

/// The mark that ends what `opening` begins to quote.
fn closing(opening: char) -> Option<char> {
    Some(match opening {
        '"' => '"',
        '“' | '„' => '”',
        '「' => '」',
        '«' => '»',
        _ => return None,
    })
}

/// What is quoted at the beginning of `text`, and what follows it.
fn quotation(text: &str) -> Option<(&str, &str)> {
    let mut chars = text.chars();
    let end = closing(chars.next()?)?;
    let (quoted, after) = chars.as_str().split_once(end)?;
    (!quoted.trim().is_empty()).then_some((quoted.trim(), after))
}

fn key_value(text: &str) -> Option<(&str, &str, &str)> {
    let (key, value) = text.split_once(':')?;
    let key = KEYS.iter().find(|known| key.eq_ignore_ascii_case(known))?;
    if let Some((quoted, after)) = quotation(value) {
        return Some((key, quoted, after));
    }
    let end = value.find(char::is_whitespace).unwrap_or(value.len());
    (end > 0).then(|| (*key, &value[..end], &value[end..]))
}

/// The terms of words that stand next to each other, with their distance from the first and whether they are single characters of an
/// unspaced script, as passages in a language have them. Empty where there is no word.
pub(crate) fn neighbours(text: &str, language: WordLanguage) -> Vec<(u32, (String, bool))> {
    let mut terms = Vec::new();
    let mut units = Vec::new();
    tokens_in(language, text, &mut |t| match t.kind {
        TokenKind::Part => {}
        TokenKind::Unit => units.push((t.position, (t.term.to_owned(), true))),
        _ => terms.push((t.position, (t.term.to_owned(), false))),
    });
    if terms.is_empty() { units } else { terms }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(query: &str) -> Vec<(String, String, bool)> {
        operators(query).filters.into_iter().map(|f| (f.key, f.value, f.excluded)).collect()
    }

    #[test]
    fn words_phrases_and_keys_are_told_apart() {
        let found = operators(
            "rent \"notice period\" -garage -\"parking lot\" type:pdf path:\"My Docs/**\" -tag:old",
        );
        assert_eq!(found.text, "rent \"notice period\"");
        assert_eq!(found.required, ["notice period"]);
        assert_eq!(found.excluded, ["garage", "parking lot"]);
        let owned = |k: &str, v: &str, e| (k.to_owned(), v.to_owned(), e);
        assert_eq!(
            filters("type:pdf path:\"My Docs/**\" -tag:old after:2025"),
            [
                owned("type", "pdf", false),
                owned("path", "My Docs/**", false),
                owned("tag", "old", true),
                owned("after", "2025", false)
            ]
        );
        assert_eq!(
            operators("“频道设置” -广告"),
            Operators {
                text: "\"频道设置\"".into(),
                required: vec!["频道设置".into()],
                excluded: vec!["广告".into()],
                filters: Vec::new(),
            }
        );
    }

    #[test]
    fn what_is_no_operator_is_text() {
        for text in [
            "5\" pipe",
            "a - b",
            "-5 degrees",
            "--rerank",
            "http://a.example/x",
            "type: pdf",
            "re:zero",
            "well-known",
            "\"unclosed words",
            "\"\"",
            "key:value",
            "12:30",
        ] {
            let found = operators(text);
            assert_eq!(found, Operators { text: text.into(), ..Operators::default() }, "{text}");
        }
        assert_eq!(operators("marathon ").text, "marathon ");
        assert_eq!(operators("").text, "");
    }

    #[test]
    fn any_text_is_taken_apart() {
        for text in ["-", "-\"", "\"-", "-type:", "type:\"", "“-”:", "tag:\"a\"b c", "«»", "-«é» é:"]
        {
            operators(text);
        }
    }
}
