//! Natural units of a section, taken apart only where they do not fit: blocks, items, rows and parts of code, sentences and lines,
//! words, graphemes.

use super::boundaries::{self, Strength, trim};
use super::outline::{Section, sound};
use crate::domain::{Block, BlockKind, CodePart, Span};

/// When a unit is kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Only by chance.
    Never,
    /// Where it fits a passage of its own, and what stands before it can stand alone.
    Rather,
    /// Where it fits a passage of its own, if need be without its lead.
    Code,
    /// Where it fits a passage of its own with its lead.
    Row,
}

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
    /// When it is kept whole.
    pub(super) keep: Keep,
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
        keep: Keep::Rather,
        inner: Inner::Sentences,
    };
    for block in &section.blocks {
        if trim(text, Span::new(at, block.span.start)).is_some() {
            atoms.push(loose(at, block.span.start));
        }
        let heading = matches!(block.kind, BlockKind::Heading { .. });
        atoms.push(Atom {
            after: if heading { Strength::Grapheme } else { Strength::Block },
            prose: is_prose(block),
            keep: keep(block),
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

/// The parts of a section of a source file as atoms; `imports` stand in front of what does not hold them.
pub(super) fn of_code<'b>(text: &str, section: &Section<'b>, imports: Option<Span>) -> Vec<Atom<'b>> {
    let whole = Atom { prose: false, ..Atom::prose(section.span) };
    let mut atoms = whole.parts(&section.blocks);
    if atoms.is_empty() {
        atoms.push(Atom { inner: Inner::Lines, ..whole });
    }
    for atom in &mut atoms {
        atom.lead = imports.filter(|imports| imports.end <= atom.span.start);
    }
    atoms.retain(|atom| trim(text, atom.span).is_some());
    atoms
}

/// The atoms of a section for a window that looks at nothing but tokens. Rows and code stay what they are.
pub(super) fn for_window(atoms: Vec<Atom<'_>>) -> Vec<Atom<'_>> {
    let plain = |atom: Atom<'_>| atom.prose.then_some(atom.span);
    let mut out: Vec<Atom<'_>> = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let Some(span) = plain(atom.clone()) else {
            out.push(atom);
            continue;
        };
        match out.last_mut() {
            Some(last) if last.prose => last.span.end = span.end,
            _ => out.push(Atom { inner: Inner::Words, keep: Keep::Never, ..Atom::prose(span) }),
        }
    }
    out
}

/// Cuts running text at these places too; a new passage begins there.
pub(super) fn turning<'b>(text: &str, atoms: Vec<Atom<'b>>, turns: &[usize]) -> Vec<Atom<'b>> {
    let mut out: Vec<Atom<'b>> = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let first = turns.partition_point(|&turn| turn < atom.span.start);
        let last = turns.partition_point(|&turn| turn < atom.span.end);
        let inside = turns.get(first..last).unwrap_or_default();
        let (mut start, end, after) = (atom.span.start, atom.span.end, atom.after);
        for &turn in inside.iter().filter(|_| atom.prose) {
            if turn == atom.span.start {
                if let Some(before) = out.last_mut().filter(|before| before.after > Strength::Grapheme) {
                    before.after = Strength::Turn;
                }
            } else if trim(text, Span::new(start, turn)).is_some() {
                out.push(Atom { after: Strength::Turn, ..Atom::prose(Span::new(start, turn)) });
                start = turn;
            }
        }
        if start == atom.span.start {
            out.push(atom);
        } else {
            out.push(Atom { after, ..Atom::prose(Span::new(start, end)) });
        }
    }
    out
}

fn is_prose(block: &Block) -> bool {
    !matches!(
        block.kind,
        BlockKind::Table | BlockKind::Row { .. } | BlockKind::Code { .. } | BlockKind::Part { .. }
    )
}

fn keep(block: &Block) -> Keep {
    match block.kind {
        BlockKind::Row { .. } => Keep::Row,
        BlockKind::Code { .. } | BlockKind::Part { .. } => Keep::Code,
        _ => Keep::Rather,
    }
}

impl<'b> Atom<'b> {
    /// A span of plain text.
    pub(super) fn prose(span: Span) -> Self {
        let (after, inner) = (Strength::Block, Inner::Sentences);
        Self { span, after, prose: true, lead: None, keep: Keep::Rather, inner }
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
            .map(|(span, after)| Atom { span, after, inner: inner(span), keep: self.piece(), ..self.clone() })
            .collect()
    }

    /// How pieces of it are kept.
    fn piece(&self) -> Keep {
        if self.keep == Keep::Never { Keep::Never } else { Keep::Rather }
    }

    fn block_parts(&self, text: &str, block: &'b Block) -> Vec<Atom<'b>> {
        let plain = |inner| vec![Atom { inner, ..self.clone() }];
        match &block.kind {
            BlockKind::Code { .. } | BlockKind::Part { .. } => {
                let parts = self.children(text, block);
                if parts.is_empty() { plain(Inner::Lines) } else { parts }
            }
            BlockKind::Row { .. } => plain(Inner::Cells),
            BlockKind::Table => self.rows(text, block),
            BlockKind::List | BlockKind::Item | BlockKind::Quote => {
                let parts = self.children(text, block);
                if parts.is_empty() { plain(Inner::Sentences) } else { parts }
            }
            _ => plain(Inner::Sentences),
        }
    }

    fn children(&self, text: &str, block: &'b Block) -> Vec<Atom<'b>> {
        self.parts(&sound(text, self.span, &block.children).collect::<Vec<_>>())
    }

    /// Blocks that make up its text; what stands between them (marks, bullets) belongs to the one before, at the start to the
    /// first.
    fn parts(&self, children: &[&'b Block]) -> Vec<Atom<'b>> {
        let mut parts = Vec::with_capacity(children.len());
        for (i, child) in children.iter().enumerate() {
            let start = if i == 0 { self.span.start } else { child.span.start };
            let next = children.get(i + 1);
            let end = next.map_or(self.span.end, |next| next.span.start);
            let defines = is_definition(child) || next.is_some_and(|next| is_definition(next));
            parts.push(Atom {
                span: Span::new(start, end),
                after: if defines { Strength::Block } else { Strength::Item },
                prose: self.prose && is_prose(child),
                lead: self.lead.filter(|_| matches!(child.kind, BlockKind::Part { .. })),
                keep: keep(child),
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

fn is_definition(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Part { part: CodePart::Function | CodePart::Scope, .. })
}
