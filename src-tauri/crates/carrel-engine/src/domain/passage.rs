//! Passages: what is retrieved.

use super::{DocumentId, Location, PassageId, Span};

/// A passage as the chunker makes it, before it has a row.
#[derive(Clone, Debug, PartialEq)]
pub struct NewPassage {
    /// The text that is shown and searched by words.
    pub span: Span,
    /// The text that is embedded: `span` with its overlap. Contains `span`.
    pub embed_span: Span,
    /// A span repeated in front when it is embedded and shown (a table's header), where there is one.
    pub lead: Option<Span>,
    /// Headings above, outermost first.
    pub heading_path: Vec<String>,
    /// Tokens of the embedded text with heading line and special tokens; never above the embedder's window.
    pub tokens: u32,
}

impl NewPassage {
    /// The exact text handed to the embedder (without the model's own prefix): heading path, lead, embedded span. Headings
    /// with which the span itself begins are not said twice. No file name and no date, so that equal text embeds once.
    pub fn embedded_text(&self, markdown: &str) -> String {
        embedded_text(markdown, None, &self.heading_path, self.lead, self.embed_span)
    }
}

/// See [`NewPassage::embedded_text`]; a passage that has a line of context begins with it.
pub(crate) fn embedded_text(
    markdown: &str,
    context: Option<&str>,
    headings: &[String],
    lead: Option<Span>,
    span: Span,
) -> String {
    let own = own_headings(span.of(markdown).unwrap_or_default(), headings);
    let headings = headings[..headings.len() - own].join(" > ");
    let spans = [lead, Some(span)].into_iter().flatten();
    let mut text = String::new();
    for part in [context.unwrap_or_default(), headings.as_str()]
        .into_iter()
        .chain(spans.map(|span| span.of(markdown).unwrap_or_default().trim()))
    {
        if !text.is_empty() && !part.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}

/// How many of the innermost headings stand at the beginning of `text` themselves.
fn own_headings(text: &str, headings: &[String]) -> usize {
    let letters = |line: &str| line.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let lines: Vec<String> =
        text.lines().map(letters).filter(|line| !line.is_empty()).take(headings.len()).collect();
    (1..=lines.len())
        .rev()
        .find(|&own| {
            headings[headings.len() - own..]
                .iter()
                .zip(&lines)
                .all(|(heading, line)| letters(heading) == *line)
        })
        .unwrap_or(0)
}

/// A passage of an active version, re-read from the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Its key in both indexes.
    pub id: PassageId,
    /// Its document.
    pub document: DocumentId,
    /// Number of the version it is cut from.
    pub version: u32,
    /// Its place in the version's order, from 0.
    pub ordinal: u32,
    /// The text itself: `span` of the version's Markdown.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// A span repeated in front (a table's header).
    pub lead: Option<Span>,
    /// Headings above, outermost first.
    pub heading_path: Vec<String>,
    /// Where in the original.
    pub location: Location,
    /// Tokens as embedded.
    pub tokens: u32,
    /// The line of context in front of it, which a language model wrote: searched with it, never part of its text.
    pub context: Option<String>,
}
