//! Documents that a question names: `@lease`, `@"House rules.md"`, or by their titles.

use super::AskRequest;
use crate::domain::{Document, DocumentId};
use crate::error::{EngineError, Result};
use crate::library::{DocumentQuery, Library};
use crate::text::fold_key;
use std::sync::Arc;

/// A document and what it is called, folded: its title, its file name, that without its ending.
struct Called {
    document: Document,
    names: Vec<String>,
}

/// The request with the documents that `@name` names attached, and their titles in place of the marks. Fails where a name fits no document,
/// or several.
pub(super) fn attached(libraries: &[Arc<Library>], request: &AskRequest) -> Result<AskRequest> {
    let mut request = request.clone();
    let Some(first) = next_mark(&request.search.query, 0) else { return Ok(request) };
    let all = called(libraries)?;
    let mut at = Some(first);
    while let Some(mark) = at {
        let rest = &request.search.query[mark + 1..];
        let (document, length) = resolve(&all, rest)?;
        if !request.documents.contains(&document.id) {
            request.documents.push(document.id);
        }
        request.search.query.replace_range(mark..mark + 1 + length, &document.title);
        at = next_mark(&request.search.query, mark + document.title.len());
    }
    Ok(request)
}

/// Where the next `@` stands that begins a name: not inside a word, as in an address, and not quoted.
fn next_mark(question: &str, from: usize) -> Option<usize> {
    question.get(from..)?.match_indices('@').map(|(at, _)| from + at).find(|&at| {
        let before = question[..at].chars().next_back();
        let after = question[at + 1..].chars().next();
        let begins = before
            .is_none_or(|c| !(c.is_ascii_alphanumeric() || matches!(c, '`' | '"' | '\'' | '.' | '@' | '“')));
        begins && after.is_some_and(|c| c.is_alphanumeric() || matches!(c, '"' | '“' | '《'))
    })
}

fn called(libraries: &[Arc<Library>]) -> Result<Vec<Called>> {
    let mut all = Vec::new();
    for library in libraries {
        let query = DocumentQuery { limit: usize::MAX, ..DocumentQuery::default() };
        for document in library.documents(&query)?.0 {
            if document.version.is_none() {
                continue;
            }
            let path = String::from_utf8_lossy(&document.path);
            let name = path.rsplit('/').next().unwrap_or_default();
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let mut names: Vec<String> =
                [document.title.as_str(), name, stem].iter().map(|name| fold_key(name)).collect();
            names.retain(|name| !name.is_empty());
            names.dedup();
            all.push(Called { document, names });
        }
    }
    Ok(all)
}

/// The document that the text behind a mark names, and how many bytes of it are the name.
fn resolve<'c>(all: &'c [Called], rest: &str) -> Result<(&'c Document, usize)> {
    for (opening, closing) in [('"', '"'), ('“', '”'), ('《', '》')] {
        if let Some(quoted) = rest.strip_prefix(opening)
            && let Some((name, _)) = quoted.split_once(closing)
        {
            let length = opening.len_utf8() + name.len() + closing.len_utf8();
            return one(all, name, name).map(|document| (document, length));
        }
    }
    // A whole name, which may hold spaces: the longest counts.
    let mut whole: Option<(&str, usize)> = None;
    for name in all.iter().flat_map(|called| &called.names) {
        if let Some(length) = begins_with(rest, name)
            && whole.is_none_or(|(_, longest)| length > longest)
        {
            whole = Some((name, length));
        }
    }
    if let Some((name, length)) = whole {
        return one(all, name, &rest[..length]).map(|document| (document, length));
    }
    let end = rest
        .find(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    ',' | ';' | ':' | '?' | '!' | '，' | '。' | '？' | '：' | '！' | '、' | ')' | '）'
                )
        })
        .unwrap_or(rest.len());
    let word = rest[..end].trim_end_matches(['.', '\'']);
    one(all, word, word).map(|document| (document, word.len()))
}

/// How many bytes of `text` a folded name is, where the text begins with it and a word ends there.
fn begins_with(text: &str, name: &str) -> Option<usize> {
    // Most names are found at the first letter not to be it.
    let mut folded = String::new();
    for (at, c) in text.char_indices() {
        folded.push_str(&fold_key(c.encode_utf8(&mut [0; 4])));
        if !name.starts_with(folded.as_str()) {
            return None;
        }
        if folded.len() == name.len() {
            let end = at + c.len_utf8();
            let goes_on = text[end..].starts_with(|next: char| next.is_ascii_alphanumeric())
                && c.is_ascii_alphanumeric();
            return (!goes_on).then_some(end);
        }
    }
    None
}

/// The one document that is called so, or else whose name alone begins so.
fn one<'c>(all: &'c [Called], name: &str, written: &str) -> Result<&'c Document> {
    let key = fold_key(name);
    let exact: Vec<&Called> = all.iter().filter(|called| called.names.contains(&key)).collect();
    let found = if exact.is_empty() {
        all.iter().filter(|called| called.names.iter().any(|name| name.starts_with(&key))).collect()
    } else {
        exact
    };
    match found.as_slice() {
        [] => Err(EngineError::NotFound { kind: "document", name: written.to_owned() }),
        [only] => Ok(&only.document),
        several => Err(EngineError::Ambiguous {
            name: written.to_owned(),
            candidates: several.iter().map(|called| called.document.told_apart(None)).collect(),
        }),
    }
}

/// Documents whose title or file name has every word of a text that says anything: "the lease agreement". None where there are more than
/// `most`.
pub(super) fn by_words(libraries: &[Arc<Library>], words: &str, most: usize) -> Result<Vec<DocumentId>> {
    const EMPTY: &[&str] =
        &["the", "a", "an", "my", "our", "of", "document", "file", "to", "on", "for", "from", "in"];
    let key = fold_key(words);
    let all = called(libraries)?;
    let exact: Vec<DocumentId> =
        all.iter().filter(|called| called.names.contains(&key)).map(|called| called.document.id).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let split = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty() && !EMPTY.contains(word))
            .map(str::to_owned)
            .collect()
    };
    let wanted = split(&key);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let has_all = |called: &&Called| {
        called.names.iter().any(|name| {
            let own = split(name);
            wanted.iter().all(|word| own.contains(word) || !word.is_ascii() && name.contains(word.as_str()))
        })
    };
    let found: Vec<DocumentId> = all.iter().filter(has_all).map(|called| called.document.id).collect();
    Ok(if found.len() <= most { found } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_begins_a_name_only_where_a_word_begins() {
        assert_eq!(next_mark("what does @lease say", 0), Some(10));
        assert_eq!(next_mark("write to ada@example.org", 0), None);
        assert_eq!(next_mark("`@media` in CSS", 0), None);
        assert_eq!(next_mark("在@租房须知里", 0), Some(3));
        assert_eq!(next_mark("a @ b", 0), None);
    }

    #[test]
    fn names_are_compared_without_case() {
        assert_eq!(begins_with("House Rules say", "house rules"), Some(11));
        assert_eq!(begins_with("House Rulesets", "house rules"), None);
        assert_eq!(begins_with("租房须知里的押金", "租房须知"), Some("租房须知".len()));
    }
}
