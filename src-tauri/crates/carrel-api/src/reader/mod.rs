//! The Reader's page: a version's Markdown as sanitised HTML with a span marked, its outline and breadcrumb.
//!
//! It writes only its own elements and escapes everything else, so nothing of a document can run, load or leave: no raw HTML, no
//! images, no addresses in `href` or `src`. Block elements carry the byte span of their Markdown. Of a large document only the
//! part around the marked span is rendered, in time that is linear in that part.

mod html;
mod window;

use crate::dto::OutlineItem;
use carrel_engine::domain::{Block, BlockKind, Span};
use std::fmt::Write as _;

/// What is shown at most, in bytes of Markdown.
const LARGEST: usize = 200_000;

/// A rendered page.
pub(crate) struct Page {
    /// Sanitised HTML.
    pub(crate) html: String,
    /// Headings of the whole document.
    pub(crate) outline: Vec<OutlineItem>,
    /// Headings above the marked span, outermost first.
    pub(crate) breadcrumb: Vec<String>,
}

/// Renders `markdown` with `marked` in `<mark>` elements, the first with `id="passage"`. An empty span is only the place around
/// which to render. Where something is left out, an element with `data-more-before` or `data-more-after` carries the byte at which
/// to ask for more.
pub(crate) fn render(markdown: &str, blocks: &[Block], marked: Option<Span>) -> Page {
    let marked = marked.map(|span| clamp(markdown, span));
    let mut headings = Vec::new();
    collect_headings(blocks, &mut headings);
    let shown = window::choose(markdown, blocks, marked.map_or(0, |m| m.start), LARGEST);
    let mut html = String::with_capacity(shown.len() * 2);
    if shown.start > 0 {
        let _ = write!(html, "<div class=\"more\" data-more-before=\"{}\"></div>", shown.start);
    }
    let mut writer = html::Writer::new(marked.filter(|m| !m.is_empty()), html);
    for piece in window::pieces(markdown, blocks, shown) {
        writer.piece(&piece);
    }
    let mut html = writer.finish();
    if shown.end < markdown.len() {
        let _ = write!(html, "<div class=\"more\" data-more-after=\"{}\"></div>", shown.end);
    }
    let breadcrumb = marked.map(|m| breadcrumb(&headings, m.start)).unwrap_or_default();
    Page { html, outline: headings, breadcrumb }
}

/// A span that fits the text, its ends moved outwards to character boundaries.
fn clamp(text: &str, span: Span) -> Span {
    let mut start = span.start.min(text.len());
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    Span::new(start, end)
}

fn collect_headings(blocks: &[Block], headings: &mut Vec<OutlineItem>) {
    for block in blocks {
        if let BlockKind::Heading { level, text } = &block.kind {
            headings.push(OutlineItem { level: *level, text: text.clone(), start: block.span.start as u32 });
        }
        collect_headings(&block.children, headings);
    }
}

fn breadcrumb(headings: &[OutlineItem], at: usize) -> Vec<String> {
    let mut path: Vec<&OutlineItem> = Vec::new();
    for heading in headings.iter().take_while(|h| h.start as usize <= at) {
        path.retain(|above| above.level < heading.level);
        path.push(heading);
    }
    path.into_iter().map(|h| h.text.clone()).collect()
}

#[cfg(test)]
mod tests;
