//! The styles of a document of Word 97–2003: which are headings, and which lists they bring.

use super::properties::Paragraph;
use crate::formats::ole::{u8_at, u16_at};

/// A chain of parents longer than this is a circle.
const MAX_PARENTS: usize = 16;
/// The number of the built-in style for titles.
const TITLE: u16 = 62;

struct Style {
    /// Which built-in style it is.
    known: u16,
    parent: u16,
    changes: Vec<u8>,
}

/// The styles by their index.
#[derive(Default)]
pub(super) struct Styles(Vec<Option<Style>>);

impl Styles {
    pub(super) fn read(table: &[u8]) -> Self {
        let mut styles = Vec::new();
        let header = usize::from(u16_at(table, 0).unwrap_or_default());
        let count = u16_at(table, 2).unwrap_or_default();
        let base = usize::from(u16_at(table, 4).unwrap_or_default());
        let mut at = 2 + header;
        for _ in 0..count {
            let Some(length) = u16_at(table, at).map(usize::from) else { break };
            at += 2;
            styles.push(table.get(at..at + length).and_then(|own| style(own, base)));
            at += length + length % 2;
        }
        Self(styles)
    }

    fn chain(&self, index: u16) -> impl Iterator<Item = &Style> {
        let mut at = index;
        std::iter::from_fn(move || {
            let style = self.0.get(usize::from(at))?.as_ref()?;
            at = style.parent;
            Some(style)
        })
        .take(MAX_PARENTS)
    }

    /// Level of a heading.
    pub(super) fn heading(&self, index: u16) -> Option<u8> {
        let by_name = self.chain(index).find(|s| (1..=9).contains(&s.known)).map(|s| s.known as u8);
        by_name.or(self.merged(index).outline)
    }

    pub(super) fn is_title(&self, index: u16) -> bool {
        self.chain(index).any(|s| s.known == TITLE)
    }

    /// What a style and its parents say of paragraphs.
    pub(super) fn merged(&self, index: u16) -> Paragraph {
        let mut merged = Paragraph::default();
        let chain: Vec<&Style> = self.chain(index).collect();
        for style in chain.into_iter().rev() {
            merged.change(&style.changes);
        }
        merged
    }
}

fn style(own: &[u8], base: usize) -> Option<Style> {
    let known = u16_at(own, 0)? & 0x0fff;
    let kind = u16_at(own, 2)?;
    let parent = kind >> 4;
    let mut changes = Vec::new();
    // Only paragraph styles begin with properties of paragraphs.
    if kind & 0x0f == 1 {
        let name = usize::from(u16_at(own, base)?);
        let mut at = base + 2 + 2 * name + 2;
        at += at % 2;
        if let (Some(length), Some(_)) = (u16_at(own, at).map(usize::from), u8_at(own, at + 2)) {
            // The first two bytes name the style itself.
            changes = own.get(at + 4..at + 2 + length).unwrap_or_default().to_vec();
        }
    }
    Some(Style { known, parent, changes })
}
