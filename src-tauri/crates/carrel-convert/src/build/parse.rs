//! The block tree of Markdown as it is found, from the offsets of pulldown-cmark.
//!
//! Invariant: children lie inside their parent, ascend, do not overlap, and are cut at character boundaries.

use super::MAX_DEPTH;
use carrel_engine::domain::{Block, BlockKind, Span};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// The extensions that are read.
fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
}

/// Byte ranges of code and front matter, where no white space may be touched.
pub(crate) fn verbatim_ranges(markdown: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        if let Event::Start(Tag::CodeBlock(_) | Tag::MetadataBlock(_) | Tag::HtmlBlock) = event {
            ranges.push(range);
        }
    }
    ranges
}

/// A block whose end has not been seen.
struct Open {
    kind: BlockKind,
    span: Range<usize>,
    children: Vec<Block>,
    /// Inline content directly in an item (a tight list): becomes a paragraph of its own.
    loose: Option<Range<usize>>,
}

/// The block tree of `markdown`.
pub(crate) fn blocks(markdown: &str) -> Vec<Block> {
    let mut tree =
        Tree { markdown, root: Vec::new(), stack: Vec::new(), flat: 0, in_footnote: 0, table_ended: false };
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        tree.event(&event, range);
    }
    while !tree.stack.is_empty() {
        tree.close();
    }
    tree.root
}

struct Tree<'a> {
    markdown: &'a str,
    root: Vec<Block>,
    stack: Vec<Open>,
    /// Containers that were not opened because they lie too deep.
    flat: usize,
    in_footnote: usize,
    /// Whether the table was ended before its end.
    table_ended: bool,
}

impl Tree<'_> {
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::FootnoteDefinition(_)) => {
                if self.in_footnote == 0 {
                    self.open(BlockKind::Paragraph, range);
                }
                self.in_footnote += 1;
            }
            Event::End(TagEnd::FootnoteDefinition) => {
                self.in_footnote = self.in_footnote.saturating_sub(1);
                if self.in_footnote == 0 {
                    self.close();
                }
            }
            _ if self.in_footnote > 0 => {}
            Event::Start(tag) => match kind_of(tag) {
                Some(kind) => self.open(kind, range),
                None => self.inline(None, range),
            },
            Event::End(TagEnd::Table) if self.table_ended => self.table_ended = false,
            Event::End(end) => {
                if is_block_end(*end) {
                    self.close();
                }
            }
            Event::Rule => {
                self.open(BlockKind::Other, range);
                self.close();
            }
            Event::Html(_) => {}
            Event::Text(text) | Event::Code(text) => self.inline(Some(text), range),
            Event::SoftBreak | Event::HardBreak => self.inline(Some(" "), range),
            _ => self.inline(None, range),
        }
    }

    fn open(&mut self, kind: BlockKind, span: Range<usize>) {
        // The parser fills up only so many cells, and then leaves the rest of the table inside it as text.
        if !matches!(kind, BlockKind::Row { .. })
            && let Some(table) = self.stack.last_mut()
            && table.kind == BlockKind::Table
        {
            table.span.end = span.start;
            self.close();
            self.table_ended = true;
        }
        if self.flat > 0 || self.stack.len() >= MAX_DEPTH {
            self.flat += 1;
            return;
        }
        self.settle();
        self.stack.push(Open { kind, span, children: Vec::new(), loose: None });
    }

    fn close(&mut self) {
        if self.flat > 0 {
            self.flat -= 1;
            return;
        }
        self.settle();
        let Some(mut open) = self.stack.pop() else { return };
        if let BlockKind::Heading { text, .. } = &mut open.kind {
            *text = text.trim().to_owned();
        }
        let span = self.trimmed(open.span);
        if span.is_empty() {
            return;
        }
        // Head and delimiter are one row: what repeats on top of each passage of the table.
        if let (BlockKind::Table, Some(second)) = (&open.kind, open.children.get(1).map(|c| c.span.start))
            && let Some(head) = open.children.first_mut()
        {
            head.span.end = self.trimmed(head.span.start..second).end;
        } else if let (BlockKind::Table, Some(head)) = (&open.kind, open.children.first_mut()) {
            head.span.end = span.end;
        }
        let block = Block { kind: open.kind, span, children: open.children };
        self.attach(block);
    }

    /// Adds a finished block, kept inside its parent and behind its elder sibling.
    fn attach(&mut self, mut block: Block) {
        let (siblings, bounds) = match self.stack.last_mut() {
            Some(parent) => (&mut parent.children, Some(parent.span.clone())),
            None => (&mut self.root, None),
        };
        let floor = siblings.last().map_or(0, |b| b.span.end).max(bounds.as_ref().map_or(0, |b| b.start));
        let ceiling = bounds.map_or(self.markdown.len(), |b| b.end);
        block.span.start = block.span.start.clamp(floor, ceiling.max(floor));
        block.span.end = block.span.end.clamp(block.span.start, ceiling.max(block.span.start));
        if !block.span.is_empty() {
            siblings.push(block);
        }
    }

    /// Turns inline content that stands directly in an item into a paragraph.
    fn settle(&mut self) {
        let Some(open) = self.stack.last_mut() else { return };
        let Some(loose) = open.loose.take() else { return };
        let span = self.trimmed(loose);
        if !span.is_empty() {
            self.attach(Block { kind: BlockKind::Paragraph, span, children: Vec::new() });
        }
    }

    fn inline(&mut self, text: Option<&str>, range: Range<usize>) {
        if self.flat > 0 {
            return;
        }
        let Some(open) = self.stack.last_mut() else { return };
        match &mut open.kind {
            BlockKind::Heading { text: heading, .. } => heading.push_str(text.unwrap_or_default()),
            BlockKind::Item => {
                let loose = open.loose.get_or_insert(range.clone());
                loose.end = loose.end.max(range.end);
            }
            _ => {}
        }
    }

    /// The span without white space at its end.
    fn trimmed(&self, range: Range<usize>) -> Span {
        let end = match self.markdown.get(range.clone()) {
            Some(text) => range.start + text.trim_end().len(),
            None => range.start,
        };
        Span::new(range.start, end.max(range.start))
    }
}

fn kind_of(tag: &Tag<'_>) -> Option<BlockKind> {
    Some(match tag {
        Tag::Heading { level, .. } => BlockKind::Heading { level: *level as u8, text: String::new() },
        Tag::Paragraph => BlockKind::Paragraph,
        Tag::List(_) => BlockKind::List,
        Tag::Item => BlockKind::Item,
        Tag::Table(_) => BlockKind::Table,
        Tag::TableHead => BlockKind::Row { header: true },
        Tag::TableRow => BlockKind::Row { header: false },
        Tag::BlockQuote(_) => BlockKind::Quote,
        Tag::MetadataBlock(_) => BlockKind::Meta,
        Tag::HtmlBlock => BlockKind::Other,
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
            let word = info.split([' ', ',', '{']).next().unwrap_or_default();
            BlockKind::Code { language: (!word.is_empty()).then(|| word.to_ascii_lowercase()) }
        }
        Tag::CodeBlock(CodeBlockKind::Indented) => BlockKind::Code { language: None },
        _ => return None,
    })
}

fn is_block_end(end: TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Heading(_)
            | TagEnd::Paragraph
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::BlockQuote(_)
            | TagEnd::MetadataBlock(_)
            | TagEnd::HtmlBlock
            | TagEnd::CodeBlock
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn outline(markdown: &str) -> String {
        fn walk(blocks: &[Block], markdown: &str, depth: usize, out: &mut String) {
            for b in blocks {
                let name = match &b.kind {
                    BlockKind::Heading { level, text } => format!("h{level} {text}"),
                    BlockKind::Row { header: true } => "head".into(),
                    kind => format!("{kind:?}").split(' ').next().unwrap_or_default().to_lowercase(),
                };
                let _ = writeln!(out, "{}{name}: {:?}", "  ".repeat(depth), b.span.of(markdown).unwrap());
                walk(&b.children, markdown, depth + 1, out);
            }
        }
        let mut out = String::new();
        walk(&blocks(markdown), markdown, 0, &mut out);
        out
    }

    #[test]
    fn a_table_with_more_missing_cells_than_the_parser_fills_up_ends_where_it_gives_up() {
        let wide = |cells: usize| format!("|{}\n|{}\n", "a|".repeat(cells), "-|".repeat(cells));
        let text = format!("{}{}\nafter\n", wide(2_000), "|a\n".repeat(500));
        let found = blocks(&text);
        assert!(found.len() > 1, "{found:?}");
        assert!(found[0].children.iter().all(|row| matches!(row.kind, BlockKind::Row { .. })));
        assert!(found.last().unwrap().span.of(&text).unwrap().ends_with("after"));
    }

    #[test]
    fn lists_tables_quotes_and_code() {
        let markdown = "---\ntitle: T\n---\n\n# One `two`\n\nText\nmore.\n\n- a\n- b\n  - c\n\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```Rust\nfn x() {}\n```\n\n<div>raw</div>\n\n[^1]: note\n";
        insta::assert_snapshot!(outline(markdown));
    }

    #[test]
    fn hostile_nesting_stays_shallow() {
        let markdown = format!("{} deep", ">".repeat(5000));
        let mut depth = 0;
        let mut level = blocks(&markdown);
        while let Some(block) = level.pop() {
            depth += 1;
            level = block.children;
        }
        assert!(depth <= MAX_DEPTH);
    }
}
