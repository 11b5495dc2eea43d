//! Marking matches, and the most telling piece of a passage, as plain text.
//!
//! A word is marked where the analyzer gives the same term for it and for the question, so that other forms of a word and
//! the other Chinese script are marked as well. Invariant: runs are cut at grapheme boundaries.

use super::{Run, RunKind};
use crate::domain::Span;
use crate::text::{AnalyzedQuery, TokenKind, WordLanguage, fold_key, plain_text, tokens_in};
use foldhash::fast::RandomState;
use std::collections::{BTreeMap, HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation;

/// Characters of a snippet: what the window shows of a hit even where it is narrow, so that no match lies in what is cut off.
const SNIPPET: usize = 240;
/// Most words of the question that are named for a hit.
const WORDS: usize = 20;

/// What is marked for one question; by default nothing.
#[derive(Default)]
pub(crate) struct Marker {
    terms: HashMap<String, Meant, RandomState>,
    /// The libraries hold no passage in another language.
    is_english: bool,
}

/// What a term is to the question.
#[derive(Clone, Copy, Default)]
struct Meant {
    /// Marked where it stands as a word, or as a pair of characters.
    word: bool,
    /// Marked where it stands as a single character.
    unit: bool,
    /// Content of the question.
    content: bool,
}

/// A passage with its matches.
pub(crate) struct Marked {
    /// Words of the question as they stand in the text, each once.
    pub(crate) words: Vec<String>,
    /// Terms of the question's content that stand in the text, each once.
    pub(crate) content: Vec<String>,
    /// The piece of the text with the most matches.
    pub(crate) snippet: Vec<Run>,
}

struct Match {
    span: Span,
    term: String,
}

impl Marker {
    /// Marks the telling terms of `query`, and `completions` of its last word, in passages in English and these languages.
    pub(crate) fn new<'a>(
        query: &AnalyzedQuery,
        completions: impl Iterator<Item = &'a str>,
        languages: &[WordLanguage],
    ) -> Self {
        let mut marker = Self { is_english: languages.is_empty(), ..Self::default() };
        for term in query.terms.iter().filter(|term| term.telling) {
            for form in term.forms() {
                let meant = marker.meant(form);
                if term.unit { meant.unit = true } else { meant.word = true }
            }
        }
        completions.for_each(|term| marker.meant(term).word = true);
        let content = query.content.iter().flat_map(|term| &term.forms);
        content.for_each(|form| marker.meant(form).content = true);
        marker
    }

    fn meant(&mut self, term: &str) -> &mut Meant {
        self.terms.entry(term.to_owned()).or_default()
    }

    /// The matches of a text and its snippet. `code`: it is a piece of a source file.
    pub(crate) fn mark(&self, text: &str, code: bool) -> Marked {
        let language = if self.is_english { WordLanguage::English } else { WordLanguage::of(text) };
        let mut content: Vec<String> = Vec::new();
        let matches = self.matches(language, text, &mut |term| {
            if !content.iter().any(|known| known == term) {
                content.push(term.to_owned());
            }
        });
        let mut seen = HashSet::new();
        let words = merged(&matches)
            .iter()
            .map(|s| text[s.start..s.end].to_owned())
            .filter(|word| seen.insert(fold_key(word)))
            .take(WORDS)
            .collect();
        // Marked after the marks of Markdown are gone, so that no offset has to be carried from one text to the other. Where there
        // were none, every word stands where it stood.
        let plain = plain_text(text, code);
        let matches = if differ_in_spaces_alone(text, &plain) {
            matches
        } else {
            self.matches(language, &plain, &mut |_| ())
        };
        Marked { words, content, snippet: runs(&plain, window(&plain, &matches), &merged(&matches)) }
    }

    fn matches(&self, language: WordLanguage, text: &str, content: &mut dyn FnMut(&str)) -> Vec<Match> {
        let mut found = Vec::new();
        tokens_in(language, text, &mut |t| {
            let Some(meant) = self.terms.get(t.term) else { return };
            if if t.kind == TokenKind::Unit { meant.unit } else { meant.word } {
                found.push(Match { span: t.span, term: t.term.to_owned() });
            }
            if meant.content {
                content(t.term);
            }
        });
        found
    }
}

/// Whether two texts are the same byte for byte, any white space of one byte counting as a space.
fn differ_in_spaces_alone(a: &str, b: &str) -> bool {
    let same = |(a, b): (u8, u8)| a == b || (a.is_ascii_whitespace() && b.is_ascii_whitespace());
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(same)
}

/// Spans of matches, ascending, overlapping and touching ones joined.
fn merged(matches: &[Match]) -> Vec<Span> {
    let mut spans: Vec<Span> = matches.iter().map(|m| m.span).collect();
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}

/// The window of about [`SNIPPET`] characters with the most different matches, moved back to where its sentence or row begins.
fn window(text: &str, matches: &[Match]) -> Span {
    let boundaries = boundaries(text);
    if boundaries.len() <= SNIPPET {
        return Span::new(0, text.len());
    }
    let index = |byte: usize| boundaries.partition_point(|&b| b < byte);
    let mut best = (0, 0);
    let mut inside: BTreeMap<&str, usize> = BTreeMap::new();
    let mut last = 0;
    for (first, from) in matches.iter().enumerate() {
        let limit = boundaries[(index(from.span.start) + SNIPPET * 4 / 5).min(boundaries.len() - 1)];
        while last < matches.len() && matches[last].span.end <= limit {
            *inside.entry(&matches[last].term).or_default() += 1;
            last += 1;
        }
        if inside.len() > best.0 {
            best = (inside.len(), from.span.start);
        }
        if first < last
            && let Some(count) = inside.get_mut(from.term.as_str())
        {
            *count -= 1;
            if *count == 0 {
                inside.remove(from.term.as_str());
            }
        }
        last = last.max(first + 1);
    }
    let anchor = index(best.1);
    let earliest = anchor.saturating_sub(SNIPPET / 5);
    let lead = &text[boundaries[earliest]..best.1];
    let start = match lead.rfind(['.', ';', '。', '；', '！', '？', '!', '?']) {
        Some(at) => {
            let after = &lead[at..];
            let sign = after.chars().next().map_or(0, char::len_utf8);
            boundaries[earliest] + at + sign
        }
        // No sentence begins near: begin at a word.
        None if earliest == 0 => 0,
        None => boundaries[earliest] + lead.find(char::is_whitespace).unwrap_or(0),
    };
    let first = index(start).min(anchor);
    let mut end = boundaries[(first + SNIPPET).min(boundaries.len() - 1)];
    if end < text.len()
        && let Some(space) = text[boundaries[first]..end].rfind(char::is_whitespace)
        && space > (end - boundaries[first]) * 4 / 5
    {
        end = boundaries[first] + space;
    }
    Span::new(boundaries[first], end)
}

/// Byte offsets of the graphemes of a text, and its end.
fn boundaries(text: &str) -> Vec<usize> {
    if text.is_ascii() && !text.contains('\r') {
        return (0..=text.len()).collect();
    }
    text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect()
}

/// The window as runs.
fn runs(text: &str, window: Span, matches: &[Span]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut at = window.start;
    let inside = matches.iter().filter(|m| m.start < window.end && m.end > window.start);
    for found in inside {
        let (start, end) = (found.start.max(window.start), found.end.min(window.end));
        push(&mut runs, &text[at..start], RunKind::Text);
        push(&mut runs, &text[start..end], RunKind::Match);
        at = end;
    }
    push(&mut runs, &text[at..window.end], RunKind::Text);
    if let Some(first) = runs.first_mut().filter(|r| r.kind == RunKind::Text) {
        first.text = first.text.trim_start().to_owned();
    }
    if let Some(last) = runs.last_mut().filter(|r| r.kind == RunKind::Text) {
        last.text = last.text.trim_end().to_owned();
    }
    if window.start > 0 && !text[..window.start].trim_end().ends_with(['.', '。', '！', '？', '!', '?']) {
        push_front(&mut runs, "… ");
    }
    if window.end < text.trim_end().len() {
        push(&mut runs, " …", RunKind::Text);
    }
    runs.retain(|r| !r.text.is_empty());
    runs
}

fn push(runs: &mut Vec<Run>, text: &str, kind: RunKind) {
    match runs.last_mut() {
        Some(last) if last.kind == kind => last.text.push_str(text),
        _ if text.is_empty() => {}
        _ => runs.push(Run { text: text.to_owned(), kind }),
    }
}

fn push_front(runs: &mut Vec<Run>, text: &str) {
    match runs.first_mut() {
        Some(first) if first.kind == RunKind::Text => first.text.insert_str(0, text),
        _ => runs.insert(0, Run { text: text.to_owned(), kind: RunKind::Text }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::analyze_query;
    use proptest::prelude::*;

    fn mark(query: &str, text: &str) -> Marked {
        Marker::new(&analyze_query(query, false, &[]), std::iter::empty(), &[]).mark(text, false)
    }

    fn shown(marked: &Marked) -> String {
        let run = |r: &Run| if r.kind == RunKind::Match { format!("[{}]", r.text) } else { r.text.clone() };
        marked.snippet.iter().map(run).collect()
    }

    #[test]
    fn other_forms_and_the_other_script_are_marked() {
        assert_eq!(shown(&mark("running tests", "He runs the Test suite.")), "He [runs] the [Test] suite.");
        let marked = mark("频道设置", "請打開頻道設定，頻道設置在這裡。");
        assert_eq!(shown(&marked), "請打開[頻道設]定，[頻道設置]在這裡。");
        assert_eq!(marked.words, ["頻道設", "頻道設置"]);
        assert_eq!(shown(&mark("foo_bar", "call foo_bar() now")), "call [foo_bar]() now");
    }

    #[test]
    fn a_long_passage_is_cut_around_its_matches() {
        let text = format!(
            "{} The turbine blade failed. {}",
            "Filler words here. ".repeat(40),
            "More of it. ".repeat(40)
        );
        let marked = mark("turbine blade failing", &text);
        let snippet = shown(&marked);
        assert!(
            snippet.starts_with("The [turbine] [blade] [failed].")
                || snippet.contains("[turbine] [blade] [failed]"),
            "{snippet}"
        );
        assert!(snippet.ends_with('…'));
        assert!(snippet.chars().count() < 300);
    }

    #[test]
    fn marks_of_markdown_do_not_show_and_do_not_hide_a_match() {
        assert_eq!(shown(&mark("deposit", "## 3. Deposit\n\nThe **deposit**")), "3. [Deposit] The [deposit]");
        assert_eq!(
            shown(&mark("deposit", "| Item | Cost |\n| --- | --- |\n| De**posit** | 2,360 |")),
            "Item · Cost; [Deposit] · 2,360"
        );
        let linked = mark("deposit", "See [here](https://example.org/deposit).");
        assert_eq!(shown(&linked), "See here.");
        assert_eq!(
            linked.words,
            ["deposit"],
            "it was found by the address, which only the snippet leaves out"
        );
        let code = Marker::new(&analyze_query("deposit", false, &[]), std::iter::empty(), &[]);
        assert_eq!(shown(&code.mark("# deposit of **all**", true)), "# [deposit] of **all**");
    }

    #[test]
    fn lines_are_joined_where_nothing_else_changes() {
        let marked = mark("deposit rent", "The rent\nand the\ndeposit are due.");
        assert_eq!(shown(&marked), "The [rent] and the [deposit] are due.");
        assert_eq!(marked.content, ["rent", "deposit"]);
        assert!(differ_in_spaces_alone("a\nb\tc", "a b c"));
        assert!(!differ_in_spaces_alone("a\n\nb", "a b") && !differ_in_spaces_alone("*a*", " a "));
    }

    proptest! {
        #[test]
        fn the_text_of_a_snippet_is_never_cut_inside_a_grapheme(text in "(a|e\u{301}|👩‍👩‍👧|频|한| |\\.){0,400}", query in "[ae频한 ]{1,6}") {
            let marked = mark(&query, &text);
            let graphemes: HashSet<&str> = text.graphemes(true).collect();
            for run in &marked.snippet {
                for g in run.text.graphemes(true) {
                    prop_assert!(graphemes.contains(g) || g.trim().is_empty() || g == "…", "{:?}", g);
                }
            }
        }
    }
}
