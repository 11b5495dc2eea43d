//! Where a right span stands now: the document may have a new version, or be gone.
//!
//! Invariant: a span is given only where the text there is that of its quote, but for white space and marks.

use super::types::{Question, QuestionStatus, Right};
use crate::domain::{DocumentId, DocumentState, Span};
use crate::error::{EngineError, Result};
use crate::library::{Library, VersionText};
use std::collections::HashMap;

/// Where a right span is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the active version; `None` for the whole document.
    Here(Option<Span>),
    /// The document is there and has no text: it waits, or could not be read.
    NotConverted,
    /// The document or the quote is gone.
    Gone,
}

impl Place {
    /// Whether it can be found.
    pub fn is_here(&self) -> bool {
        matches!(self, Self::Here(_))
    }
}

/// Looks spans up, reading each text once.
pub(super) struct Places<'a> {
    library: &'a Library,
    texts: HashMap<DocumentId, Known>,
}

enum Known {
    Text(Box<VersionText>),
    NotConverted,
    Gone,
}

impl<'a> Places<'a> {
    pub(super) fn new(library: &'a Library) -> Self {
        Self { library, texts: HashMap::new() }
    }

    pub(super) fn of(&mut self, right: &Right) -> Result<Place> {
        if !self.texts.contains_key(&right.document) {
            let known = self.read(right.document)?;
            self.texts.insert(right.document, known);
        }
        Ok(match self.texts.get(&right.document) {
            Some(Known::Text(text)) => match right.span {
                None => Place::Here(None),
                Some(span) => find(&text.markdown, span, &right.quote)
                    .map_or(Place::Gone, |span| Place::Here(Some(span))),
            },
            Some(Known::NotConverted) => Place::NotConverted,
            Some(Known::Gone) | None => Place::Gone,
        })
    }

    fn read(&self, id: DocumentId) -> Result<Known> {
        let document = match self.library.document(id) {
            Ok(document) => document,
            Err(EngineError::NotFound { .. }) => return Ok(Known::Gone),
            Err(error) => return Err(error),
        };
        if document.state == DocumentState::Missing {
            return Ok(Known::Gone);
        }
        match self.library.version_text(id, None) {
            Ok(text) => Ok(Known::Text(Box::new(text))),
            Err(EngineError::NotFound { .. }) => Ok(Known::NotConverted),
            Err(error) => Err(error),
        }
    }
}

/// Questions, each with where its answer stands now.
pub(crate) fn whereabouts(library: &Library, questions: Vec<Question>) -> Result<Vec<QuestionStatus>> {
    let mut places = Places::new(library);
    let status = |question: Question| {
        let places = question.right.iter().map(|right| places.of(right)).collect::<Result<_>>()?;
        Ok(QuestionStatus { question, places })
    };
    questions.into_iter().map(status).collect()
}

/// The quote in a text: where it was, else its nearest place to there, white space and marks not counted.
pub fn find(markdown: &str, before: Span, quote: &str) -> Option<Span> {
    if before.of(markdown) == Some(quote) {
        return Some(before);
    }
    let nearest = |starts: &mut dyn Iterator<Item = usize>| starts.min_by_key(|at| at.abs_diff(before.start));
    if quote.is_empty() {
        return None;
    }
    if let Some(start) = nearest(&mut markdown.match_indices(quote).map(|(at, _)| at)) {
        return Some(Span::new(start, start + quote.len()));
    }
    let (wanted, _) = letters(quote);
    let (text, places) = letters(markdown);
    if wanted.is_empty() {
        return None;
    }
    let span = |at: usize| {
        let first = places.get(text[..at].chars().count())?;
        let last = places.get(text[..at + wanted.len()].chars().count() - 1)?;
        Some(Span::new(first.start, last.end))
    };
    let at = text.match_indices(&wanted).map(|(at, _)| at);
    at.filter_map(span).min_by_key(|found| found.start.abs_diff(before.start))
}

/// Letters and digits of a text without case, and where each stands.
fn letters(text: &str) -> (String, Vec<Span>) {
    let mut kept = String::with_capacity(text.len());
    let mut places = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        for lower in c.to_lowercase() {
            kept.push(lower);
            places.push(Span::new(at, at + c.len_utf8()));
        }
    }
    (kept, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_found_again_where_the_text_moved() {
        let old = "Intro. The notice is 90 days. End.";
        let span = Span::new(7, 29);
        assert_eq!(span.of(old), Some("The notice is 90 days."));
        assert_eq!(find(old, span, "The notice is 90 days."), Some(span));
        let moved = "A new page.\n\nIntro. The notice is 90 days. End.";
        assert_eq!(
            find(moved, span, "The notice is 90 days.").unwrap().of(moved),
            Some("The notice is 90 days.")
        );
        let set_otherwise = "Intro.\n\n**The notice**\nis 90 days!";
        let found = find(set_otherwise, span, "The notice is 90 days.").unwrap();
        assert_eq!(found.of(set_otherwise), Some("The notice**\nis 90 days"));
        assert_eq!(find("The notice is 30 days.", span, "The notice is 90 days."), None);
    }

    #[test]
    fn of_several_places_the_nearest_counts() {
        let text = "yes. no. yes. no. yes.";
        assert_eq!(find(text, Span::new(10, 14), "yes."), Some(Span::new(9, 13)));
        assert_eq!(find("频道 设置", Span::new(50, 60), "频道设置").map(|s| s.start), Some(0));
        assert_eq!(find("text", Span::new(0, 0), "…"), None);
    }
}
