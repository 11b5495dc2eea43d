//! Chunking: from a block tree to passages, by tokens of the embedder's own tokenizer.
//!
//! Structure first: headings, blocks, items and rows, sentences, words, graphemes; the largest natural unit that fits. A passage
//! never crosses a heading, a table row that fits is never cut, and the header of a table is repeated through `lead`.
//! It refuses to truncate, to repeat text of another section, and to look at anything but text, blocks and tokens.
//!
//! Invariant: the spans of the passages ascend, do not overlap, lie between graphemes and cover all text that is not white
//! space; `tokens` of each is exact and at most the window. The same input gives the same passages.

mod atoms;
mod boundaries;
mod outline;
mod pack;
#[cfg(test)]
mod tests;
mod weight;
mod words;

pub use words::WordsTokenizer;

use crate::domain::{Block, NewPassage, Span};
use crate::seams::{ModelError, Tokenizer};
use outline::Section;
use pack::{Budget, Draft, halve, pack, tokens};
use weight::Weights;

/// Raised when the same text would be cut otherwise.
const VERSION: u32 = 1;

/// A passage below this many tokens joins a neighbour under the same heading.
const LEAST: usize = 50;

/// How texts are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunking {
    /// Structure first.
    Recursive {
        /// Tokens of a passage, special ones, heading line and overlap included.
        size: usize,
        /// Tokens repeated from the passage before when it is embedded.
        overlap: usize,
    },
    /// One passage a text, cut only at the embedder's window. For evaluation collections of single passages.
    None,
}

impl Default for Chunking {
    fn default() -> Self {
        Self::Recursive { size: 512, overlap: 64 }
    }
}

impl Chunking {
    /// Reads a setting: `512/64`, `none`, or a preset (`short`, `mixed`, `technical`). `None` where it is none of these,
    /// where the size is not within 32 to 8,192, or where the overlap is more than a fifth of it.
    pub fn parse(setting: &str) -> Option<Self> {
        match setting {
            "short" => return Some(Self::Recursive { size: 256, overlap: 25 }),
            "mixed" => return Some(Self::default()),
            "technical" => return Some(Self::Recursive { size: 1024, overlap: 128 }),
            "none" => return Some(Self::None),
            _ => {}
        }
        let (size, overlap) = setting.split_once('/')?;
        let (size, overlap) = (size.parse().ok()?, overlap.parse().ok()?);
        ((32..=8192).contains(&size) && overlap * 5 <= size).then_some(Self::Recursive { size, overlap })
    }

    /// The setting that [`Chunking::parse`] reads.
    pub fn setting(self) -> String {
        match self {
            Self::Recursive { size, overlap } => format!("{size}/{overlap}"),
            Self::None => "none".to_owned(),
        }
    }

    /// The name that stands in a generation, with the version of the rules (`recursive/1 512/64`).
    pub fn id(self) -> String {
        match self {
            Self::Recursive { .. } => format!("recursive/{VERSION} {}", self.setting()),
            Self::None => format!("none/{VERSION}"),
        }
    }

    /// The chunking of a generation; `None` where other rules made it.
    pub fn from_id(id: &str) -> Option<Self> {
        let setting = id.strip_prefix(&format!("recursive/{VERSION} "));
        setting.or_else(|| (id == Self::None.id()).then_some("none")).and_then(Self::parse)
    }
}

/// Cuts a text into passages, in order. `window` is the most tokens that the embedder reads, special ones included; without an
/// embedder there is none. Fails only where the tokenizer does.
pub fn chunk(
    markdown: &str,
    blocks: &[Block],
    tokenizer: &dyn Tokenizer,
    window: Option<usize>,
    chunking: Chunking,
) -> Result<Vec<NewPassage>, ModelError> {
    let weights = Weights::of(markdown, tokenizer)?;
    let window = window.unwrap_or(usize::MAX / 64);
    let (most, overlap, sections) = match chunking {
        Chunking::Recursive { size, overlap } => {
            let most = size.min(window);
            (most, overlap * most / size.max(1), outline::sections(markdown, blocks))
        }
        Chunking::None => (window, 0, vec![outline::whole(markdown, blocks)]),
    };
    let cutter = Cutter { markdown, tokenizer, weights, most, overlap };
    let mut passages = Vec::new();
    for section in &sections {
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
}

impl Cutter<'_> {
    fn section(&self, section: &Section<'_>, passages: &mut Vec<NewPassage>) -> Result<(), ModelError> {
        let (path, heading) = self.heading_path(&section.path)?;
        let room = self.most.saturating_sub(self.tokenizer.overhead() + heading).max(4);
        // A little less than the room: a text cut out of its surroundings may count a token more.
        let text = room - (room / 64 + 2).min(room / 4);
        let budget = Budget {
            text: tokens(text),
            overlap: tokens(self.overlap.min(text / 5)),
            least: tokens(LEAST.min(text / 4)),
        };
        for draft in pack(self.markdown, section, &self.weights, budget) {
            self.seal(draft, &path, passages)?;
        }
        Ok(())
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
