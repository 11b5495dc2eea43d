//! What a question asks the index for.

use super::analyzer::{Token, TokenKind, is_unspaced, stem_of, tokens, tokens_in, units};
use super::fold::{fold_unit, fold_word};
use super::language::WordLanguage;
use super::stop_words::chinese_content;
use crate::domain::Span;
use std::collections::{HashMap, HashSet};

/// A term that is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// As it stands in the index.
    pub term: String,
    /// Its stems in the other languages of the libraries: any of them counts as it.
    pub also: Vec<String>,
    /// How much it counts.
    pub weight: f32,
    /// A single character of an unspaced script, which lives in a field of its own.
    pub unit: bool,
    /// Whether it says something by itself, so that it is marked where it stands. Pairs that hold a stop word do not.
    pub telling: bool,
    /// A code that must outrank its parts.
    pub exact: Option<Exact>,
}

/// A code's parts, which a passage with the code itself must outrank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exact {
    /// Terms of its parts.
    pub parts: Vec<String>,
}

/// A term that carries content of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct ContentTerm {
    /// As it stands in the index, by any of the languages of the libraries.
    pub forms: Vec<String>,
    /// How much it says: 1, or how rare it is.
    pub weight: f32,
}

/// Share of the content that is among the `known` terms or stands in one of the texts, 0 to 1; 0 where there is no content.
pub(crate) fn share_in<'t>(
    content: &[ContentTerm],
    known: &[String],
    texts: impl Iterator<Item = &'t str>,
) -> f32 {
    let all: f32 = content.iter().map(|term| term.weight).sum();
    if all <= 0.0 {
        return 0.0;
    }
    let is_known = |term: &ContentTerm| term.forms.iter().any(|form| known.contains(form));
    let mut there: Vec<bool> = content.iter().map(is_known).collect();
    for text in texts {
        tokens(text, &mut |token| {
            for (term, there) in content.iter().zip(&mut there) {
                *there = *there || term.forms.iter().any(|form| form == token.term);
            }
        });
    }
    let held: f32 = content.iter().zip(there).filter(|(_, there)| *there).map(|(term, _)| term.weight).sum();
    (held / all).min(1.0)
}

/// An unfinished last word.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// Terms that begin with this are meant.
    pub prefix: String,
    /// And these: stems of the word with common endings.
    pub stems: Vec<String>,
}

/// A question as the index understands it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalyzedQuery {
    /// Terms to search, in order of first appearance, each once.
    pub terms: Vec<QueryTerm>,
    /// Terms that carry the content: stop words aside, parts of a code aside.
    pub content: Vec<ContentTerm>,
    /// Quoted phrases, as each of the languages stems them: terms with their distance from the first.
    pub phrases: Vec<Vec<(u32, String)>>,
    /// The unfinished last word, where asked for.
    pub completion: Option<Completion>,
}

impl QueryTerm {
    /// The term and its stems in other languages.
    pub fn forms(&self) -> impl Iterator<Item = &str> {
        [self.term.as_str()].into_iter().chain(self.also.iter().map(String::as_str))
    }
}

impl ContentTerm {
    fn of(term: &str) -> Self {
        Self { forms: vec![term.to_owned()], weight: 1.0 }
    }
}

impl AnalyzedQuery {
    /// Whether there is nothing to search.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.completion.is_none()
    }
}

/// Endings that an unfinished word may still get; each is tried with the stemmer.
const ENDINGS: &[&str] = &[
    "", "s", "es", "d", "ed", "g", "ng", "ing", "n", "on", "ion", "y", "ly", "e", "er", "ies", "ss", "ess",
    "ness", "t", "nt", "ent", "al", "ity",
];

const WHOLE_OF_JOINED: f32 = 0.5;
const STOP_PAIR: f32 = 0.4;

/// Analyses a question to libraries whose passages are in these languages besides English. With `prefix`, its last word may be
/// unfinished (two letters at least).
pub fn analyze_query(text: &str, prefix: bool, languages: &[WordLanguage]) -> AnalyzedQuery {
    let language = WordLanguage::of_question(text, languages);
    let others: Vec<WordLanguage> = [WordLanguage::English]
        .iter()
        .chain(languages.iter().filter(|l| **l != WordLanguage::English))
        .copied()
        .filter(|other| *other != language)
        .collect();
    let mut query = Builder { language, ..Builder::default() };
    let mut stops: Vec<String> = Vec::new();
    let content_units = content_units(text);
    let runs = unspaced_runs(text);
    let unfinished = if prefix { unfinished_word(text) } else { None };
    tokens_in(language, text, &mut |token: Token<'_>| {
        if unfinished.is_some_and(|u| token.span.start >= u.start) {
            return;
        }
        match token.kind {
            TokenKind::Stop => stops.push(token.term.to_owned()),
            TokenKind::Word => {
                query.content(token.term, 1.0, false);
                query.also(&token, text, &others);
            }
            TokenKind::Joined => query.content(token.term, WHOLE_OF_JOINED, false),
            TokenKind::Code => {
                query.content(token.term, 1.0, false);
                let at = query.index.get(&(token.term.to_owned(), false)).copied();
                query.code = at.map(|at| (at, token.span));
            }
            TokenKind::Part => {
                query.part(token);
                query.also(&token, text, &others);
            }
            TokenKind::Pair => {
                let first = content_units.partition_point(|u| u.end <= token.span.start);
                let rest = content_units.get(first..).unwrap_or_default();
                let is_content = rest.iter().take_while(|u| token.span.overlaps(u)).count() == 2;
                if is_content {
                    query.content(token.term, 1.0, false);
                } else {
                    query.add(token.term, STOP_PAIR, false);
                    if let Some(added) = query.done.terms.last_mut().filter(|t| t.term == token.term) {
                        added.telling = false;
                    }
                }
            }
            TokenKind::Unit => {
                if runs.binary_search(&token.span).is_ok() {
                    query.content(token.term, 1.0, true);
                }
            }
        }
    });
    let mut analyzed = query.done;
    if analyzed.terms.is_empty() {
        for stop in &stops {
            push(&mut analyzed.terms, &mut query.index, stop, 1.0, false);
        }
    }
    if analyzed.content.is_empty() {
        // Only parts, only characters of stop words: better than nothing to go by.
        let stops: HashSet<&String> = stops.iter().collect();
        let known = analyzed.terms.iter().map(|t| &t.term).filter(|t| !stops.contains(t));
        analyzed.content = known.map(|term| ContentTerm::of(term)).collect();
    }
    for term in &mut analyzed.content {
        if let Some(same) =
            term.forms.first().and_then(|first| analyzed.terms.iter().find(|t| t.term == *first))
        {
            term.forms.extend(same.also.iter().cloned());
        }
    }
    let mut by_language = [language].into_iter().chain(others).flat_map(|language| phrases(text, language));
    for phrase in &mut by_language {
        if !analyzed.phrases.contains(&phrase) {
            analyzed.phrases.push(phrase);
        }
    }
    analyzed.completion = unfinished.map(|span| completion(&text[span.start..span.end]));
    analyzed
}

#[derive(Default)]
struct Builder {
    done: AnalyzedQuery,
    index: HashMap<(String, bool), usize>,
    /// What the content holds.
    known: HashSet<String>,
    language: WordLanguage,
    /// The last code: its place among the terms, and in the text.
    code: Option<(usize, Span)>,
}

impl Builder {
    fn add(&mut self, term: &str, weight: f32, unit: bool) {
        push(&mut self.done.terms, &mut self.index, term, weight, unit);
    }

    fn content(&mut self, term: &str, weight: f32, unit: bool) {
        self.add(term, weight, unit);
        self.known(term);
    }

    /// Adds the stems of a word in other languages, where it is no stop word.
    fn also(&mut self, token: &Token<'_>, text: &str, others: &[WordLanguage]) {
        let Some(&at) = self.index.get(&(token.term.to_owned(), false)) else { return };
        let Some(term) = self.done.terms.get_mut(at) else { return };
        let mut word = String::new();
        fold_word(&text[token.span.start..token.span.end], &mut word);
        for language in others.iter().filter(|language| !language.is_stop_word(&word)) {
            let stem = stem_of(&word, *language);
            if stem != term.term && !term.also.contains(&stem) {
                term.also.push(stem);
            }
        }
    }

    /// Counts a term to the content, once.
    fn known(&mut self, term: &str) {
        if self.known.insert(term.to_owned()) {
            self.done.content.push(ContentTerm::of(term));
        }
    }

    fn part(&mut self, token: Token<'_>) {
        if self.language.is_stop_word(token.term) {
            return;
        }
        self.add(token.term, 1.0, false);
        match &self.code {
            Some((at, span)) if span.start <= token.span.start && token.span.end <= span.end => {
                if let Some(whole) = self.done.terms.get_mut(*at) {
                    whole.exact.get_or_insert_default().parts.push(token.term.to_owned());
                }
            }
            // A part of joined words carries content of its own.
            _ => self.known(token.term),
        }
    }
}

fn push(
    terms: &mut Vec<QueryTerm>,
    index: &mut HashMap<(String, bool), usize>,
    term: &str,
    weight: f32,
    unit: bool,
) {
    match index.get(&(term.to_owned(), unit)) {
        Some(&at) => terms[at].weight += weight,
        None => {
            index.insert((term.to_owned(), unit), terms.len());
            terms.push(QueryTerm {
                term: term.to_owned(),
                weight,
                unit,
                telling: true,
                exact: None,
                also: Vec::new(),
            });
        }
    }
}

/// Spans of the runs of unspaced scripts.
fn unspaced_runs(text: &str) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| is_unspaced(*c)) {
        let end = at + c.len_utf8();
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = end,
            _ => runs.push(Span::new(at, end)),
        }
    }
    runs
}

/// Spans of the characters of unspaced scripts that belong to no stop word. A run that is nothing but stop words is content.
fn content_units(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for run in unspaced_runs(text) {
        let slice = &text[run.start..run.end];
        let units: Vec<(Span, String)> = units(slice)
            .map(|(at, unit)| {
                let mut folded = String::new();
                fold_unit(unit, &mut folded);
                (Span::new(run.start + at, run.start + at + unit.len()), folded)
            })
            .collect();
        let folded: Vec<&str> = units.iter().map(|(_, f)| f.as_str()).collect();
        let content = chinese_content(&folded);
        // A stop character between two content characters is rather a part of a word (目的地).
        let keep = |i: usize| {
            content[i]
                || (i > 0 && i + 1 < content.len() && content[i - 1] && content[i + 1] && units.len() <= 4)
        };
        spans.extend((0..units.len()).filter(|&i| keep(i)).map(|i| units[i].0));
    }
    spans
}

fn unfinished_word(text: &str) -> Option<Span> {
    let start = text
        .rfind(|c: char| c.is_whitespace() || is_unspaced(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let word = &text[start..];
    let plain = word.chars().count() >= 2 && word.chars().all(char::is_alphanumeric);
    plain.then(|| Span::new(start, text.len()))
}

fn completion(word: &str) -> Completion {
    let mut prefix = String::new();
    fold_word(word, &mut prefix);
    let mut stems: Vec<String> =
        ENDINGS.iter().map(|ending| stem_of(&format!("{prefix}{ending}"), WordLanguage::English)).collect();
    stems.retain(|s| !s.starts_with(&prefix) && s.chars().count() + 4 >= prefix.chars().count());
    stems.sort_unstable();
    stems.dedup();
    Completion { prefix, stems }
}

/// Phrases in double quotes of two words or more.
fn phrases(text: &str, language: WordLanguage) -> Vec<Vec<(u32, String)>> {
    let normal = text.replace(['“', '”', '「', '」'], "\"");
    let mut found = Vec::new();
    for quoted in normal.split('"').skip(1).step_by(2) {
        let mut terms: Vec<(u32, String)> = Vec::new();
        tokens_in(language, quoted, &mut |t| {
            if !matches!(t.kind, TokenKind::Part | TokenKind::Unit) {
                terms.push((t.position, t.term.to_owned()));
            }
        });
        if terms.len() >= 2 {
            found.push(terms);
        }
    }
    // An odd quotation mark quotes nothing.
    if normal.matches('"').count() % 2 == 1 {
        found.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(text: &str) -> Vec<String> {
        analyze_query(text, false, &[]).terms.into_iter().map(|t| t.term).collect()
    }

    fn content(query: &AnalyzedQuery) -> Vec<&str> {
        query.content.iter().map(|term| term.forms[0].as_str()).collect()
    }

    #[test]
    fn a_word_is_searched_by_each_language_of_the_library() {
        let german = [WordLanguage::German];
        let forms = |text| -> Vec<Vec<String>> {
            let query = analyze_query(text, false, &german);
            query.terms.iter().map(|t| t.forms().map(str::to_owned).collect()).collect()
        };
        assert_eq!(
            forms("Wie hoch sind die Mieten der Häuser?"),
            [vec!["hoch"], vec!["miet", "mieten"], vec!["haus", "hauser"]]
        );
        assert_eq!(forms("running costs"), [vec!["run", "running"], vec!["cost"]]);
        let phrases = analyze_query("\"alte Häuser\"", false, &german).phrases;
        assert_eq!(phrases.len(), 2, "{phrases:?}");
    }

    #[test]
    fn the_share_of_the_content_in_texts_goes_by_weight() {
        let mut content = analyze_query("notice period of the lease", false, &[]).content;
        content[2].weight = 2.0;
        assert!((share_in(&content, &[], ["The leases", "notices"].into_iter()) - 0.75).abs() < 1e-6);
        assert!((share_in(&content, &["leas".to_owned()], ["notices"].into_iter()) - 0.75).abs() < 1e-6);
        assert!(share_in(&[], &[], ["anything"].into_iter()) < 1e-6);
    }

    #[test]
    fn stop_words_are_searched_only_when_there_is_nothing_else() {
        assert_eq!(searched("What is the capital of France?"), ["capit", "franc"]);
        assert_eq!(searched("to be or not"), ["to", "be", "or", "not"]);
        assert!(analyze_query("to be or not", false, &[]).content.is_empty());
        assert!(analyze_query("?!", false, &[]).is_empty());
    }

    #[test]
    fn a_code_knows_its_parts_and_is_the_content() {
        let query = analyze_query("changes in v2026.4.10", false, &[]);
        let code = query.terms.iter().find(|t| t.term == "v2026.4.10").unwrap();
        assert_eq!(code.exact.as_ref().unwrap().parts, ["2026", "4", "10"]);
        assert_eq!(content(&query), ["chang", "v2026.4.10"]);
    }

    #[test]
    fn a_chinese_question_is_searched_by_pairs_and_gated_by_its_content() {
        let query = analyze_query("巴黎的人口是多少", false, &[]);
        assert!(query.terms.iter().any(|t| t.term == "人口"));
        assert_eq!(content(&query), ["巴黎", "人口"]);
        assert_eq!(searched("頻道"), ["频道"]);
        assert!(analyze_query("水", false, &[]).terms[0].unit);
    }

    #[test]
    fn the_last_word_may_be_unfinished() {
        let query = analyze_query("marathon runni", true, &[]);
        let completion = query.completion.unwrap();
        assert_eq!(completion.prefix, "runni");
        assert!(completion.stems.contains(&"run".to_owned()));
        assert_eq!(query.terms.len(), 1);
        assert!(analyze_query("marathon r", true, &[]).completion.is_none());
        assert!(analyze_query("marathon ", true, &[]).completion.is_none());
    }

    #[test]
    fn quoted_words_are_phrases() {
        let query = analyze_query("say \"heat transfer\" and “频道设置”", false, &[]);
        assert_eq!(query.phrases[0], [(0, "heat".to_owned()), (1, "transfer".to_owned())]);
        assert_eq!(query.phrases[1].len(), 3);
        assert!(analyze_query("5\" pipe", false, &[]).phrases.is_empty());
    }
}
