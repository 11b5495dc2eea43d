//! Chunking: from a block tree to passages, by tokens of the embedder's own tokenizer.
//!
//! Structure first: headings, blocks, items and rows, sentences, words, graphemes; the largest natural unit that fits. A passage
//! never crosses a heading, a table row that fits is never cut, and the header of a table is repeated through `lead`. Source files
//! are cut between the parts of their syntax tree. Other strategies, and presets by kind of document, are in [`Chunking`].
//! It refuses to truncate, to repeat text of another section, and to look at anything but text, blocks, places and tokens (and
//! the meaning of sentences, where that was chosen).
//!
//! Invariant: the spans of the passages ascend, do not overlap, lie between graphemes and cover all text that is not white
//! space; `tokens` of each is exact and at most the window. The same input gives the same passages.

mod atoms;
mod boundaries;
mod code;
mod kind;
mod language;
mod meaning;
mod outline;
mod pack;
mod plan;
#[cfg(test)]
mod strategies;
#[cfg(test)]
mod tests;
mod weight;
mod words;

pub use plan::Chunking;
pub use words::WordsTokenizer;

use crate::cancel::Cancel;
use crate::domain::{Block, LocatedSpan, NewPassage, Span};
use crate::seams::{Embedder, ModelError, Tokenizer};
use atoms::Atom;
use outline::Section;
use pack::{Budget, Draft, halve, pack, tokens};
use plan::How;
use weight::Weights;

/// A passage below this many tokens joins a neighbour under the same heading.
const LEAST: usize = 50;

/// What is cut.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// The final text.
    pub markdown: &'a str,
    /// Its block tree.
    pub blocks: &'a [Block],
    /// Its places in the original.
    pub locations: &'a [LocatedSpan],
}

/// For which model it is cut.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// Counts.
    pub tokenizer: &'a dyn Tokenizer,
    /// The most tokens that it reads, special ones included; none without an embedder.
    pub window: Option<usize>,
    /// Compares sentences, for the strategy that does; without it that one goes by structure alone.
    pub embedder: Option<&'a dyn Embedder>,
}

/// Cuts a text into passages, in order. Fails only where the tokenizer or the embedder does.
pub fn chunk(
    text: &Text<'_>,
    reader: &Reader<'_>,
    chunking: Chunking,
    cancel: &Cancel,
) -> Result<Vec<NewPassage>, ModelError> {
    let Text { markdown, blocks, .. } = *text;
    let weights = Weights::of(markdown, reader.tokenizer)?;
    let kind = kind::kind(text);
    let plan = chunking.plan(kind);
    let file = (kind == kind::Kind::Code).then(|| blocks.first()).flatten();
    let scale = match (plan.how, file) {
        (How::Whole, _) | (_, Some(_)) => 1.0,
        _ => language::scale(text, reader.tokenizer)?,
    };
    let how = plan.how;
    let (most, overlap) = plan.fitted(scale, reader.window.unwrap_or(usize::MAX / 64));
    let turns = match (how, reader.embedder) {
        (How::Semantic, Some(embedder)) => meaning::turns(text, embedder, cancel)?,
        _ => Vec::new(),
    };
    let mut cutter =
        Cutter { markdown, tokenizer: reader.tokenizer, weights, most, overlap, how, turns, imports: None };
    let file = file.filter(|file| !file.children.is_empty() && !matches!(how, How::Window | How::Whole));
    let sections = match (how, file) {
        (_, Some(file)) => {
            let room = cutter.room(0);
            cutter.imports = code::imports(markdown, file, &cutter.weights, tokens(room / 5));
            code::sections(markdown, file, &cutter.weights, tokens(room))
        }
        (How::Structure | How::Semantic, None) => outline::sections(markdown, blocks),
        (How::Pages, None) => outline::pages(markdown, blocks, text.locations)
            .unwrap_or_else(|| outline::sections(markdown, blocks)),
        (How::Window | How::Whole, None) => vec![outline::whole(markdown, blocks)],
    };
    let mut passages = Vec::new();
    for section in &sections {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        cutter.section(section, &mut passages)?;
    }
    Ok(passages)
}

struct Cutter<'t> {
    markdown: &'t str,
    tokenizer: &'t dyn Tokenizer,
    weights: Weights,
    /// Tokens of a passage with everything.
    most: usize,
    overlap: usize,
    how: How,
    /// Where the subject changes.
    turns: Vec<usize>,
    /// The imports of a source file.
    imports: Option<Span>,
}

impl Cutter<'_> {
    fn section(&self, section: &Section<'_>, passages: &mut Vec<NewPassage>) -> Result<(), ModelError> {
        let (path, heading) = self.heading_path(&section.path)?;
        let text = self.room(heading);
        let budget = Budget {
            text: tokens(text),
            overlap: tokens(self.overlap.min(text / 2)),
            least: tokens(LEAST.min(text / 4)),
        };
        let atoms = self.atoms(section);
        for draft in pack(self.markdown, section.span, atoms, &self.weights, budget) {
            self.seal(draft, &path, passages)?;
        }
        Ok(())
    }

    /// Tokens of text that a passage holds besides so many of its heading line.
    fn room(&self, heading: usize) -> usize {
        let room = self.most.saturating_sub(self.tokenizer.overhead() + heading).max(4);
        // A little less than the room: a text cut out of its surroundings may count a token more.
        room - (room / 64 + 2).min(room / 4)
    }

    fn atoms<'b>(&self, section: &Section<'b>) -> Vec<Atom<'b>> {
        if section.code {
            return atoms::of_code(self.markdown, section, self.imports);
        }
        let atoms = atoms::of_section(self.markdown, section);
        match self.how {
            How::Window => atoms::for_window(atoms),
            How::Semantic => atoms::turning(self.markdown, atoms, &self.turns),
            How::Structure | How::Pages | How::Whole => atoms,
        }
    }

    /// Counts exactly; what turns out too large loses its overlap, then is cut in two.
    fn seal(&self, draft: Draft, path: &[String], passages: &mut Vec<NewPassage>) -> Result<(), ModelError> {
        let mut waiting = vec![draft];
        while let Some(draft) = waiting.pop() {
            let mut passage = NewPassage {
                span: draft.span,
                embed_span: draft.embed_span,
                lead: draft.lead,
                heading_path: path.to_vec(),
                tokens: 0,
            };
            let mut count = self.count(&passage)?;
            if count > self.most && passage.embed_span != passage.span {
                passage.embed_span = passage.span;
                count = self.count(&passage)?;
            }
            if count > self.most
                && let Some((first, second)) = halve(self.markdown, &self.weights, passage.span)
            {
                let part = |span: Span| Draft { span, embed_span: span, lead: draft.lead };
                waiting.push(part(second));
                waiting.push(part(first));
                continue;
            }
            // A single character is left: what stands in front of it goes.
            while count > self.most && (passage.lead.is_some() || !passage.heading_path.is_empty()) {
                if passage.lead.take().is_none() {
                    passage.heading_path.remove(0);
                }
                count = self.count(&passage)?;
            }
            passage.tokens = count as u32;
            passages.push(passage);
        }
        Ok(())
    }

    fn count(&self, passage: &NewPassage) -> Result<usize, ModelError> {
        Ok(self.tokenizer.count(&passage.embedded_text(self.markdown))? + self.tokenizer.overhead())
    }

    /// The path, shortened from the outside to a quarter of a passage, and the tokens of its line.
    fn heading_path(&self, full: &[&str]) -> Result<(Vec<String>, usize), ModelError> {
        let most = self.most / 4;
        let mut path = full;
        while let Some((_, inner)) = path.split_first() {
            let tokens = self.tokenizer.count(&path.join(" > "))? + 1;
            if tokens <= most {
                return Ok((path.iter().map(|&title| title.to_owned()).collect(), tokens));
            }
            path = inner;
        }
        let Some(innermost) = full.last() else { return Ok((Vec::new(), 0)) };
        let spans = self.tokenizer.token_spans(innermost)?;
        let end = spans.get(most.saturating_sub(2)).map_or(innermost.len(), |token| token.start);
        let cut = boundaries::words(innermost, Span::new(0, innermost.len()))
            .into_iter()
            .map(|(word, _)| word.end)
            .take_while(|&stop| stop <= end)
            .last();
        let Some(cut) = cut else { return Ok((Vec::new(), 0)) };
        let title = format!("{}…", innermost[..cut].trim_end());
        let tokens = self.tokenizer.count(&title)? + 1;
        Ok(if tokens <= most { (vec![title], tokens) } else { (Vec::new(), 0) })
    }
}
