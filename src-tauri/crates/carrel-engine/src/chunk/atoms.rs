//! Natural units of a section, taken apart only where they do not fit: blocks, items and rows, sentences and lines, words,
//! graphemes.

use super::boundaries::{self, Strength, trim};
use super::outline::{Section, sound};
use crate::domain::{Block, BlockKind, Span};

/// A piece of text that is kept whole where it fits.
#[derive(Clone, Debug)]
pub(super) struct Atom<'b> {
    /// Its text. The atoms of a section leave nothing out but white space.
    pub(super) span: Span,
    /// How good a cut after it is.
    pub(super) after: Strength,
    /// Whether it is running text, which overlaps; tables and code do not.
    pub(super) prose: bool,
    /// The header to repeat where a passage begins with it.
    pub(super) lead: Option<Span>,
    /// A table row: it is not cut as long as it fits a passage of its own.
    pub(super) row: bool,
    inner: Inner<'b>,
}

#[derive(Clone, Copy, Debug)]
enum Inner<'b> {
    Block(&'b Block),
    Sentences,
    Lines,
    Cells,
    Words,
    Graphemes,
    Whole,
}

/// The blocks of a section as atoms, text between them included.
pub(super) fn of_section<'b>(text: &str, section: &Section<'b>) -> Vec<Atom<'b>> {
    let mut atoms = Vec::with_capacity(section.blocks.len());
    let mut at = section.span.start;
    let loose = |from: usize, to: usize| Atom {
        span: Span::new(from, to),
        after: Strength::Block,
        prose: true,
        lead: None,
        row: false,
        inner: Inner::Sentences,
    };
    for block in &section.blocks {
        if trim(text, Span::new(at, block.span.start)).is_some() {
            atoms.push(loose(at, block.span.start));
        }
        let heading = matches!(block.kind, BlockKind::Heading { .. });
        atoms.push(Atom {
            after: if heading { Strength::Grapheme } else { Strength::Block },
            prose: !matches!(block.kind, BlockKind::Table | BlockKind::Row { .. } | BlockKind::Code { .. }),
            inner: Inner::Block(block),
            ..loose(block.span.start, block.span.end)
        });
        at = block.span.end;
    }
    if trim(text, Span::new(at, section.span.end)).is_some() {
        atoms.push(loose(at, section.span.end));
    }
    atoms.retain(|atom| trim(text, atom.span).is_some());
    atoms
}

impl<'b> Atom<'b> {
    /// A span of plain text.
    pub(super) fn prose(span: Span) -> Self {
        Self { span, after: Strength::Block, prose: true, lead: None, row: false, inner: Inner::Sentences }
    }

    /// Whether it can be taken apart.
    pub(super) fn divisible(&self) -> bool {
        !matches!(self.inner, Inner::Whole)
    }

    /// Its parts, one step finer. `small` says whether a span is small enough never to be taken apart again.
    pub(super) fn divide(&self, text: &str, small: impl Fn(Span) -> bool) -> Vec<Atom<'b>> {
        let mut parts: Vec<Atom<'b>> = match self.inner {
            Inner::Block(block) => self.block_parts(text, block),
            Inner::Sentences => self.pieces(boundaries::sentences(text, self.span), |_| Inner::Words),
            Inner::Lines => self.pieces(boundaries::lines(text, self.span), |_| Inner::Words),
            Inner::Cells => self.pieces(boundaries::cells(text, self.span), |_| Inner::Words),
            Inner::Words => self.pieces(boundaries::words(text, self.span), |span| {
                if small(span) { Inner::Whole } else { Inner::Graphemes }
            }),
            Inner::Graphemes => self.pieces(boundaries::graphemes(text, self.span, &small), |_| Inner::Whole),
            Inner::Whole => vec![self.clone()],
        };
        parts.retain(|part| trim(text, part.span).is_some());
        if let Some(last) = parts.last_mut() {
            last.after = last.after.max(self.after);
        }
        parts
    }

    fn pieces(&self, pieces: Vec<(Span, Strength)>, inner: impl Fn(Span) -> Inner<'b>) -> Vec<Atom<'b>> {
        pieces
            .into_iter()
            .map(|(span, after)| Atom { span, after, inner: inner(span), row: false, ..self.clone() })
            .collect()
    }

    fn block_parts(&self, text: &str, block: &'b Block) -> Vec<Atom<'b>> {
        let plain = |inner| vec![Atom { inner, ..self.clone() }];
        match &block.kind {
            BlockKind::Code { .. } => plain(Inner::Lines),
            BlockKind::Row { .. } => plain(Inner::Cells),
            BlockKind::Table => self.rows(text, block),
            BlockKind::List | BlockKind::Item | BlockKind::Quote => {
                let parts = self.children(text, block);
                if parts.is_empty() { plain(Inner::Sentences) } else { parts }
            }
            _ => plain(Inner::Sentences),
        }
    }

    /// The children of a block; what stands between them (marks, bullets) belongs to the one before, at the start to the first.
    fn children(&self, text: &str, block: &'b Block) -> Vec<Atom<'b>> {
        let children: Vec<&Block> = sound(text, self.span, &block.children).collect();
        let mut parts = Vec::with_capacity(children.len());
        for (i, child) in children.iter().enumerate() {
            let start = if i == 0 { self.span.start } else { child.span.start };
            let end = children.get(i + 1).map_or(self.span.end, |next| next.span.start);
            parts.push(Atom {
                span: Span::new(start, end),
                after: Strength::Item,
                prose: !matches!(
                    child.kind,
                    BlockKind::Table | BlockKind::Row { .. } | BlockKind::Code { .. }
                ),
                lead: None,
                row: matches!(child.kind, BlockKind::Row { .. }),
                inner: Inner::Block(child),
            });
        }
        parts
    }

    fn rows(&self, text: &str, block: &'b Block) -> Vec<Atom<'b>> {
        let mut rows = self.children(text, block);
        if rows.is_empty() {
            return vec![Atom { inner: Inner::Lines, ..self.clone() }];
        }
        let header = |atom: &Atom<'_>| match atom.inner {
            Inner::Block(row) => matches!(row.kind, BlockKind::Row { header: true }),
            _ => false,
        };
        let headers = rows.iter().take_while(|row| header(row)).count();
        let lead = headers
            .checked_sub(1)
            .and_then(|last| trim(text, Span::new(self.span.start, rows[last].span.end)));
        for (i, row) in rows.iter_mut().enumerate() {
            if i < headers {
                row.after = Strength::Grapheme;
            } else {
                row.lead = lead;
            }
        }
        rows
    }
}
