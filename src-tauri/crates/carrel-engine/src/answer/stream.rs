//! From the model's pieces to the text of the answer: its own marks out, ours in, sentence by sentence.
//!
//! A small model may fall into a loop, or wander on after its answer: the draft says when it is over.
//!
//! Invariant: the text is exactly what was passed to the listener as tokens, in order, less a sentence that only repeated
//! an earlier one; the span of a claim lies on its sentence without marks.

use super::align::Aligner;
use super::assemble::Source;
use super::opening::Opening;
use super::verify::{Cited, failure};
use super::{AskEvent, Citation, Claim, Verdict};
use crate::domain::Span;
use crate::text::{fold_key, sentences};
use std::collections::HashSet;

/// Characters up to which a sentence may be said twice.
const SHORT: usize = 12;
/// Longest mark: `[12, 13]`.
const LONGEST_MARK: usize = 12;
/// Most bytes held back.
const LONGEST_HELD: usize = 64;

/// Makes a citation of a span of a source; `None` where the source is gone.
pub(super) type Cite<'a> = dyn FnMut(u32, &Source, Span) -> Option<Citation> + 'a;

/// The answer while it grows.
pub(super) struct Draft<'a> {
    sources: &'a [Source],
    aligner: Aligner,
    opening: Opening,
    text: String,
    /// Text from here on is not settled: its sentence may go on.
    open: usize,
    /// Spaces and signs after the text that are not in it yet.
    held: String,
    /// Where in `held` a mark may have begun.
    mark: Option<usize>,
    /// A mark was taken out of `held`.
    unmarked: bool,
    /// Sources that the model named since `open`, from 0.
    hints: Vec<usize>,
    citations: Vec<Citation>,
    claims: Vec<Claim>,
    said: HashSet<String>,
    one_paragraph: bool,
    over: bool,
}

/// What the draft became.
pub(super) struct Finished {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    pub(super) claims: Vec<Claim>,
}

impl<'a> Draft<'a> {
    /// With `one_paragraph`, the first line break after a sentence ends the answer.
    pub(super) fn new(sources: &'a [Source], question: &str, one_paragraph: bool) -> Self {
        Self {
            sources,
            aligner: Aligner::new(sources, question),
            opening: Opening::new(question),
            text: String::new(),
            open: 0,
            held: String::new(),
            mark: None,
            unmarked: false,
            hints: Vec::new(),
            citations: Vec::new(),
            claims: Vec::new(),
            said: HashSet::new(),
            one_paragraph,
            over: false,
        }
    }

    /// Whether the answer is over, whatever else the model may say.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Takes a piece from the model.
    pub(super) fn push(&mut self, piece: &str, cite: &mut Cite<'_>, on_event: &mut dyn FnMut(AskEvent)) {
        for c in piece.chars() {
            let Some(passed) = self.opening.push(c) else { continue };
            for c in passed.chars() {
                if self.over {
                    return;
                }
                self.take(c, cite, on_event);
            }
        }
    }

    /// Signs and spaces are held until a letter or digit follows: only then it is known whether they begin a mark, or the
    /// next sentence.
    fn take(&mut self, c: char, cite: &mut Cite<'_>, on_event: &mut dyn FnMut(AskEvent)) {
        if c == '\n' && self.one_paragraph && ends_sentence(self.text[self.open..].trim_end(), &self.held) {
            self.over = true;
            return;
        }
        if let Some(start) = self.mark {
            self.held.push(c);
            let closes = matches!(c, ']' | '】');
            let possible = c.is_ascii_digit() || matches!(c, ',' | ' ' | '，' | '、');
            if closes {
                if let Some(numbers) = mark_numbers(&self.held[start..]) {
                    self.hints.extend(numbers.into_iter().filter(|n| *n < self.sources.len()));
                    self.held.truncate(start);
                    self.unmarked = true;
                }
                self.mark = None;
            } else if !possible || self.held.len() - start > LONGEST_MARK {
                self.mark = None;
                self.release(cite, on_event);
            }
            return;
        }
        if matches!(c, '[' | '【') {
            self.mark = Some(self.held.len());
        } else if self.unmarked
            && matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '。' | '，' | '；' | '！' | '？')
        {
            // The space before a mark that was taken out must not end up before a full stop.
            self.held.truncate(self.held.trim_end_matches(' ').len());
        }
        self.held.push(c);
        if c.is_alphanumeric() || self.held.len() > LONGEST_HELD {
            self.release(cite, on_event);
        }
    }

    /// Moves what is held into the text, and settles each sentence that it completes.
    fn release(&mut self, cite: &mut Cite<'_>, on_event: &mut dyn FnMut(AskEvent)) {
        self.unmarked = false;
        if self.text.is_empty() {
            self.held = self.held.trim_start().to_owned();
        }
        loop {
            let mut probe = self.text[self.open..].to_owned();
            probe.push_str(&self.held);
            // Where there are two sentences, the first is complete.
            let [first, _, ..] = sentences(&probe)[..] else { break };
            let in_text = self.text.len() - self.open;
            if first.end > in_text {
                let rest = self.held.split_off(first.end - in_text);
                let own = std::mem::replace(&mut self.held, rest);
                self.emit(&own, on_event);
            }
            self.settle(self.open + first.start, self.open + first.end, cite, on_event);
            if self.over {
                self.held.clear();
                return;
            }
        }
        let held = std::mem::take(&mut self.held);
        self.emit(&held, on_event);
    }

    fn emit(&mut self, text: &str, on_event: &mut dyn FnMut(AskEvent)) {
        if !text.is_empty() {
            self.text.push_str(text);
            on_event(AskEvent::Token(text.to_owned()));
        }
    }

    /// Aligns a complete sentence, which ends the text, and appends its marks.
    fn settle(&mut self, start: usize, end: usize, cite: &mut Cite<'_>, on_event: &mut dyn FnMut(AskEvent)) {
        let sentence = self.text[start..end].to_owned();
        if !self.said.insert(fold_key(sentence.trim_start_matches(['-', '*', ' '])))
            && sentence.chars().count() > SHORT
        {
            // From here on it only goes round.
            let kept = self.text[..start].trim_end_matches(['-', '*', ' ', '\n']).len();
            self.text.truncate(kept);
            self.open = kept;
            self.over = true;
            return;
        }
        let hints = std::mem::take(&mut self.hints);
        if let Some(mut supports) = self.aligner.align(&sentence, &hints) {
            let cited: Vec<Cited<'_>> =
                supports.iter().map(|s| Cited { source: &self.sources[s.source], span: s.span }).collect();
            if failure(&sentence, &cited).is_some() {
                supports.clear();
            }
            let mut numbers = Vec::new();
            for support in supports {
                let source = &self.sources[support.source];
                let known = self.citations.iter().find(|c| {
                    c.hit.document.id == source.hit.document.id
                        && c.hit.library == source.hit.library
                        && (c.quote_start, c.quote_end) == (support.span.start, support.span.end)
                });
                if let Some(known) = known {
                    numbers.push(known.number);
                    continue;
                }
                let number = self.citations.len() as u32 + 1;
                if let Some(citation) = cite(number, source, support.span) {
                    on_event(AskEvent::Citation(Box::new(citation.clone())));
                    self.citations.push(citation);
                    numbers.push(number);
                }
            }
            numbers.dedup();
            let marks: String = numbers.iter().map(|n| format!("[{n}]")).collect();
            if !marks.is_empty() {
                let cjk = sentence.ends_with(['。', '！', '？', '；', '”', '」']);
                let marks = if cjk { marks } else { format!(" {marks}") };
                self.emit(&marks, on_event);
            }
            let verdict = if numbers.is_empty() { Verdict::Unsupported } else { Verdict::Supported };
            let claim = Claim { text: sentence, start, end, citations: numbers, verdict };
            on_event(AskEvent::Claim(claim.clone()));
            self.claims.push(claim);
        }
        self.open = self.text.len();
    }

    /// Ends the text. Where the model was stopped, what it had begun stays without a verdict.
    pub(super) fn finish(
        mut self,
        stopped: bool,
        cite: &mut Cite<'_>,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Finished {
        self.held.push_str(&self.opening.rest());
        self.held.truncate(self.held.trim_end().len());
        self.release(cite, on_event);
        let open = &self.text[self.open..];
        let ended = ends_sentence(open, "");
        let last = sentences(open).last().copied();
        if let Some(last) = last.filter(|_| !stopped || ended) {
            self.settle(self.open + last.start, self.open + last.end, cite, on_event);
        }
        Finished { text: self.text, citations: self.citations, claims: self.claims }
    }
}

/// Whether text with the signs after it ends as a sentence does.
fn ends_sentence(text: &str, held: &str) -> bool {
    let signs = held.trim_end();
    let end = if signs.is_empty() { text.trim_end() } else { signs };
    !text.is_empty() && end.ends_with(['.', '!', '?', '。', '！', '？', '"', '”', '」'])
}

/// The numbers of `[1]`, `[1, 2]`, from 0; `None` where it is something else.
fn mark_numbers(held: &str) -> Option<Vec<usize>> {
    let body = held.strip_prefix(['[', '【'])?.strip_suffix([']', '】'])?;
    let numbers: Option<Vec<usize>> = body
        .split([',', '，', '、', ' '])
        .map(str::trim)
        .filter(|n| !n.is_empty())
        .map(|n| n.parse::<usize>().ok()?.checked_sub(1))
        .collect();
    numbers.filter(|n| !n.is_empty())
}
