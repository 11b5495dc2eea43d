//! Sections: a heading with the blocks below it up to the next heading of any level, a page, or the whole text.

use super::boundaries::trim;
use crate::domain::{Block, BlockKind, LocatedSpan, Span};

/// Blocks that are cut together, under one heading.
pub(super) struct Section<'b> {
    /// Headings above and of it, outermost first.
    pub(super) path: Vec<&'b str>,
    /// Everything up to the next section; the sections of a text leave nothing out.
    pub(super) span: Span,
    /// Its blocks, the heading among them. They ascend and lie within `span`.
    pub(super) blocks: Vec<&'b Block>,
    /// Whether its blocks are parts of a source file.
    pub(super) code: bool,
    level: u8,
    bare: bool,
}

impl<'b> Section<'b> {
    fn at(path: Vec<&'b str>, start: usize) -> Self {
        Self { path, span: Span::new(start, start), blocks: Vec::new(), code: false, level: 0, bare: false }
    }

    /// An empty section of a source file.
    pub(super) fn of_code(path: &[&'b str], start: usize) -> Self {
        Self { code: true, ..Self::at(path.to_vec(), start) }
    }
}

/// The headings that are open while a text is read.
#[derive(Default)]
struct Headings<'b>(Vec<(u8, &'b str)>);

impl<'b> Headings<'b> {
    fn read(&mut self, block: &'b Block) {
        if let BlockKind::Heading { level, text: title } = &block.kind {
            while self.0.pop_if(|(above, _)| *above >= *level).is_some() {}
            let title = title.trim();
            if !title.is_empty() {
                self.0.push((*level, title));
            }
        }
    }

    fn path(&self) -> Vec<&'b str> {
        self.0.iter().map(|(_, title)| *title).collect()
    }
}

/// The sections of a text by its headings, in order. Blocks that do not lie in the text, or not after the one before, are passed
/// over: their text is cut as plain text. A heading without text of its own opens the section below it.
pub(super) fn sections<'b>(text: &str, blocks: &'b [Block]) -> Vec<Section<'b>> {
    let mut sections: Vec<Section<'b>> = Vec::new();
    let mut headings = Headings::default();
    let mut current = Section::at(Vec::new(), 0);
    for block in sound(text, Span::new(0, text.len()), blocks) {
        headings.read(block);
        if let BlockKind::Heading { level, .. } = block.kind {
            current.span.end = block.span.start;
            sections.push(current);
            current = Section { level, bare: true, ..Section::at(headings.path(), block.span.start) };
        }
        current.blocks.push(block);
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

/// The pages of a text as sections, each under the headings that are open where it begins; `None` where there are none. A block
/// that runs over the end of a page belongs to the page on which it begins.
pub(super) fn pages<'b>(
    text: &str,
    blocks: &'b [Block],
    locations: &[LocatedSpan],
) -> Option<Vec<Section<'b>>> {
    let page = |at: usize| {
        let located = locations.get(locations.partition_point(|located| located.span.end <= at))?;
        located.location.page.or(located.location.slide)
    };
    locations.iter().find(|located| located.location.page.or(located.location.slide).is_some())?;
    let mut sections: Vec<Section<'b>> = Vec::new();
    let mut headings = Headings::default();
    let mut current = Section::at(Vec::new(), 0);
    let mut current_page = None;
    for block in sound(text, Span::new(0, text.len()), blocks) {
        headings.read(block);
        let here = page(block.span.start).or(current_page);
        if here != current_page && !current.blocks.is_empty() {
            current.span.end = block.span.start;
            sections.push(current);
            current = Section::at(headings.path(), block.span.start);
        } else if current.blocks.is_empty() {
            current.path = headings.path();
        }
        current_page = here;
        current.blocks.push(block);
    }
    current.span.end = text.len();
    sections.push(current);
    Some(sections)
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
    Section { span, blocks: sound(text, span, blocks).collect(), ..Section::at(Vec::new(), 0) }
}
