//! Building the final text: a writer that knows its blocks, and the block tree of Markdown as it is found.

mod embed;
pub(crate) mod flow;
pub(crate) mod inline;
pub(crate) mod lists;
pub(crate) mod parse;
pub(crate) mod runs;
pub(crate) mod table;
pub(crate) mod writer;

use carrel_engine::domain::{Block, Converted, ConverterId, LocatedSpan, Location, Warning, joined_cells};
use carrel_engine::seams::ConvertError;

/// Containers deeper than this are written flat: a hostile file must not make a tree that overflows a stack.
pub(crate) const MAX_DEPTH: usize = 15;

/// More located spans than this are joined with their neighbours.
const MAX_LOCATED: usize = 20_000;

/// What a format hands back; [`Draft::finish`] makes it final.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) markdown: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) locations: Vec<LocatedSpan>,
    pub(crate) title: Option<String>,
    pub(crate) warnings: Vec<Warning>,
    /// Whether a part is missing.
    pub(crate) incomplete: bool,
    /// Who made it, where that is not the usual converter of its format.
    pub(crate) converter: Option<ConverterId>,
}

impl Draft {
    /// Notes a part that is missing.
    pub(crate) fn missing(&mut self, code: &str, message: impl Into<String>) {
        self.incomplete = true;
        self.warnings.push(Warning { code: code.into(), message: message.into() });
    }

    /// The final text, or `no_text` where there is none.
    pub(crate) fn finish(self, converter: ConverterId, media_type: &str) -> Result<Converted, ConvertError> {
        if self.markdown.trim().is_empty() {
            let detail = match self.warnings.first() {
                Some(warning) => warning.message.clone(),
                None => "the file holds no text".to_owned(),
            };
            return Err(ConvertError::NoText { detail });
        }
        Ok(Converted {
            markdown: self.markdown,
            blocks: self.blocks,
            locations: coarsen(self.locations),
            media_type: media_type.to_owned(),
            title: self.title.map(|t| crate::text::clean::line(&t)).filter(|t| !t.is_empty()),
            complete: !self.incomplete,
            warnings: self.warnings,
            converter: self.converter.unwrap_or(converter),
        })
    }
}

/// Joins neighbours of the same page or sheet until there are at most [`MAX_LOCATED`].
fn coarsen(located: Vec<LocatedSpan>) -> Vec<LocatedSpan> {
    if located.len() <= MAX_LOCATED {
        return located;
    }
    let group = located.len().div_ceil(MAX_LOCATED);
    let mut out: Vec<LocatedSpan> = Vec::with_capacity(MAX_LOCATED);
    let mut joined = 0;
    for next in located {
        if let Some(last) = out.last_mut()
            && joined < group
            && last.location.page == next.location.page
            && last.location.sheet == next.location.sheet
        {
            last.span.end = next.span.end;
            if let (Some((_, end)), Some((_, next_end))) = (&mut last.location.rows, next.location.rows) {
                *end = next_end;
            }
            if let (Some(cells), Some(next_cells)) = (&mut last.location.cells, &next.location.cells) {
                *cells = joined_cells(cells, next_cells);
            }
            last.location.boxes.extend(next.location.boxes);
            joined += 1;
        } else {
            joined = 1;
            out.push(next);
        }
    }
    out
}

/// A location with a page alone.
pub(crate) fn page(number: u32) -> Location {
    Location { page: Some(number), ..Location::default() }
}
