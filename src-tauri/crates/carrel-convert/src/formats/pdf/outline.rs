//! The outline of a document: its entries say which lines of a page are headings, and of which level.
//!
//! An entry counts for one line (or a few that make it together) of the page to which it leads, and only once.

use super::read::Entry;
use std::collections::HashMap;

/// Shorter titles are found anywhere.
const MIN_CHARS: usize = 2;
/// A number in front of a title has at most this many characters.
const MAX_NUMBER: usize = 8;

/// The entries that no line was found for yet.
#[derive(Debug, Default)]
pub(super) struct Outline(HashMap<u32, Vec<(String, u8)>>);

/// What lines are to the outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    No,
    /// They begin an entry.
    Begins,
    /// They are an entry of this level.
    Is(u8),
}

impl Outline {
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut pages: HashMap<u32, Vec<(String, u8)>> = HashMap::new();
        for Entry { depth, title, page } in entries {
            let title = folded(title);
            if let Some(page) = page
                && title.chars().filter(|c| c.is_alphabetic()).count() >= MIN_CHARS
            {
                pages.entry(*page).or_default().push((title, (*depth).clamp(1, 6)));
            }
        }
        Self(pages)
    }

    /// Compares a text of a page.
    pub(super) fn find(&self, page: u32, text: &str) -> Match {
        let Some(entries) = self.0.get(&page) else { return Match::No };
        let text = folded(text);
        if text.is_empty() {
            return Match::No;
        }
        if let Some((_, level)) = entries.iter().find(|(title, _)| is_same(title, &text)) {
            return Match::Is(*level);
        }
        let begins = entries.iter().any(|(title, _)| {
            title.starts_with(&text) || title.starts_with(unnumbered(&text)) && !unnumbered(&text).is_empty()
        });
        if begins { Match::Begins } else { Match::No }
    }

    /// Strikes out the entry that a text of a page was found for.
    pub(super) fn strike(&mut self, page: u32, text: &str) {
        let text = folded(text);
        if let Some(entries) = self.0.get_mut(&page)
            && let Some(at) = entries.iter().position(|(title, _)| is_same(title, &text))
        {
            entries.remove(at);
        }
    }
}

/// The same, but for a number that one of them has in front.
fn is_same(title: &str, text: &str) -> bool {
    let (bare_title, bare_text) = (unnumbered(title), unnumbered(text));
    title == text || (!bare_title.is_empty() && (bare_title == text || title == bare_text))
}

/// Without digits in front.
fn unnumbered(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if text.len() - rest.len() <= MAX_NUMBER { rest } else { text }
}

/// Letters and digits alone, in lower case.
fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_on_their_page_once() {
        let entry = |depth, title: &str, page| Entry { depth, title: title.into(), page: Some(page) };
        let mut outline =
            Outline::of(&[entry(1, "Getting Started", 3), entry(2, "Tables and their long captions", 3)]);
        assert_eq!(outline.find(3, "1.2 Getting started"), Match::Is(1));
        assert_eq!(outline.find(4, "Getting started"), Match::No);
        assert_eq!(outline.find(3, "Tables and their"), Match::Begins);
        assert_eq!(outline.find(3, "Tables and their long captions"), Match::Is(2));
        assert_eq!(outline.find(3, "Tables and chairs"), Match::No);
        outline.strike(3, "1.2 Getting started");
        assert_eq!(outline.find(3, "Getting started"), Match::No);
    }
}
