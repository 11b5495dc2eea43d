//! Claims against their sources by code alone: numbers, dates, names, and whether something is denied.
//!
//! Never finds a claim contradicted: a source that says another number may speak of another thing.

use crate::answer::assemble::Source;
use crate::answer::facts::{Facts, denies, people};
use crate::domain::Span;
use crate::text::{TokenKind, fold_key, tokens};
use std::collections::HashSet;

/// Share of a clause's words from which a claim takes it up.
const MEANT: f32 = 0.4;

/// What a claim says that its sources do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::answer) enum Failure {
    /// A number or a date.
    Fact,
    /// A name.
    Name,
    /// One denies what the other affirms.
    Denial,
}

/// A span of a source that a claim cites.
#[derive(Clone, Copy, Debug)]
pub(in crate::answer) struct Cited<'a> {
    pub(in crate::answer) source: &'a Source,
    /// Bytes in the version's Markdown.
    pub(in crate::answer) span: Span,
}

impl<'a> Cited<'a> {
    /// Its words.
    pub(in crate::answer) fn quote(&self) -> &'a str {
        let start = self.span.start.saturating_sub(self.source.span.start);
        let end = self.span.end.saturating_sub(self.source.span.start);
        self.source.text.get(start..end).unwrap_or_default()
    }

    /// Title and headings above.
    fn about(&self) -> impl Iterator<Item = &'a str> {
        let hit = &self.source.hit;
        [hit.document.title.as_str()].into_iter().chain(hit.passage.heading_path.iter().map(String::as_str))
    }
}

/// What a claim says that none of its sources does; `None` where code finds nothing.
pub(in crate::answer) fn failure(claim: &str, cited: &[Cited<'_>]) -> Option<Failure> {
    let mut said = Facts::default();
    let mut words = String::new();
    for cited in cited {
        for text in [cited.quote()].into_iter().chain(cited.about()) {
            said = said.joined(&Facts::of(text));
            words.push_str(&fold_key(text));
            words.push('\n');
        }
    }
    if !Facts::of(claim).are_held_by(&said) {
        return Some(Failure::Fact);
    }
    if people(claim).iter().any(|name| !words.contains(name.as_str())) {
        return Some(Failure::Name);
    }
    // Of two spans together nobody can say which one a name or the word of denying belongs to.
    if let [cited] = cited {
        if clauses(claim).into_iter().any(|clause| is_of_another(clause, cited.quote())) {
            return Some(Failure::Name);
        }
        if denies(claim) != denies(&what_is_meant(claim, cited.quote())) {
            return Some(Failure::Denial);
        }
    }
    None
}

/// Whether the clause of the quote that says what is claimed says it of another name.
fn is_of_another(claim: &str, quote: &str) -> bool {
    let named = people(claim);
    if named.is_empty() {
        return false;
    }
    let is_name = |term: &str| {
        named
            .iter()
            .any(|name| name.contains(term) || term.chars().any(|c| name.contains(c) && !c.is_ascii()))
    };
    let mut claimed = terms(claim);
    claimed.retain(|term| !is_name(term));
    let common = |clause: &&str| terms(clause).intersection(&claimed).count();
    let Some(best) = clauses(quote).into_iter().max_by_key(common).filter(|best| common(best) > 0) else {
        return false;
    };
    let others = people(best);
    !others.is_empty()
        && !others.iter().any(|name| named.contains(name))
        && !named.iter().any(|name| fold_key(best).contains(name.as_str()))
}

/// The clauses of a quote that a claim takes up.
fn what_is_meant(claim: &str, quote: &str) -> String {
    let claimed = terms(claim);
    let is_meant = |clause: &&str| {
        let own = terms(clause);
        own.intersection(&claimed).count() as f32 >= own.len() as f32 * MEANT && !own.is_empty()
    };
    let meant: Vec<&str> = clauses(quote).into_iter().filter(is_meant).collect();
    if meant.is_empty() { quote.to_owned() } else { meant.join("; ") }
}

fn clauses(text: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = text.split([';', '，', '；', '：', '。']).collect();
    for word in [", ", ": ", " but ", " although ", " unless ", " except "] {
        parts = parts.into_iter().flat_map(|part| part.split(word)).collect();
    }
    parts.retain(|part| part.chars().any(char::is_alphanumeric));
    parts
}

fn terms(text: &str) -> HashSet<String> {
    let mut terms = HashSet::new();
    tokens(text, &mut |token| {
        if matches!(token.kind, TokenKind::Word | TokenKind::Code | TokenKind::Pair) {
            terms.insert(token.term.to_owned());
        }
    });
    terms
}
