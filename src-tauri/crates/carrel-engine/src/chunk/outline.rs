//! Sections: a heading with the blocks below it, up to the next heading of any level.

use super::boundaries::trim;
use crate::domain::{Block, BlockKind, Span};

/// The blocks under one heading.
pub(super) struct Section<'b> {
    /// Headings above and of it, outermost first.
    pub(super) path: Vec<&'b str>,
    /// Everything up to the next section; the sections of a text leave nothing out.
    pub(super) span: Span,
    /// Its blocks, the heading among them. They ascend and lie within `span`.
    pub(super) blocks: Vec<&'b Block>,
    level: u8,
    bare: bool,
}

/// The sections of a text, in order. Blocks that do not lie in the text, or not after the one before, are passed over:
/// their text is cut as plain text. A heading without text of its own opens the section below it.
pub(super) fn sections<'b>(text: &str, blocks: &'b [Block]) -> Vec<Section<'b>> {
    let mut sections: Vec<Section<'b>> = Vec::new();
    let mut stack: Vec<(u8, &'b str)> = Vec::new();
    let mut current =
        Section { path: Vec::new(), span: Span::new(0, 0), blocks: Vec::new(), level: 0, bare: false };
    for block in sound(text, Span::new(0, text.len()), blocks) {
        if let BlockKind::Heading { level, text: title } = &block.kind {
            current.span.end = block.span.start;
            sections.push(current);
            while stack.pop_if(|(above, _)| *above >= *level).is_some() {}
            let title = title.trim();
            if !title.is_empty() {
                stack.push((*level, title));
            }
            current = Section {
                path: stack.iter().map(|(_, title)| *title).collect(),
                span: Span::new(block.span.start, block.span.start),
                blocks: vec![block],
                level: *level,
                bare: true,
            };
        } else {
            current.blocks.push(block);
        }
    }
    current.span.end = text.len();
    sections.push(current);
    for section in &mut sections {
        let body = section.blocks.first().map_or(section.span.start, |heading| heading.span.end);
        section.bare &= trim(text, Span::new(body, section.span.end)).is_none();
    }
    join_bare(sections)
}

fn join_bare(sections: Vec<Section<'_>>) -> Vec<Section<'_>> {
    let mut joined: Vec<Section<'_>> = Vec::with_capacity(sections.len());
    for mut section in sections {
        if let Some(above) = joined.pop_if(|above| above.bare && above.level < section.level) {
            section.span.start = above.span.start;
            let mut blocks = above.blocks;
            blocks.append(&mut section.blocks);
            section.blocks = blocks;
        }
        joined.push(section);
    }
    joined
}

/// Those of `blocks` that lie within `within`, in order, without overlap, and on character boundaries.
pub(super) fn sound<'b>(text: &str, within: Span, blocks: &'b [Block]) -> impl Iterator<Item = &'b Block> {
    let mut from = within.start;
    blocks.iter().filter(move |block| {
        let Span { start, end } = block.span;
        let sound = start < end
            && start >= from
            && end <= within.end
            && text.is_char_boundary(start)
            && text.is_char_boundary(end);
        if sound {
            from = end;
        }
        sound
    })
}

/// The whole text as one section without a heading path.
pub(super) fn whole<'b>(text: &str, blocks: &'b [Block]) -> Section<'b> {
    let span = Span::new(0, text.len());
    Section { path: Vec::new(), span, blocks: sound(text, span, blocks).collect(), level: 0, bare: false }
}
