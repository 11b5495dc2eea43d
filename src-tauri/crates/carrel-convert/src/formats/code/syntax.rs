//! The parts of a source file, by its syntax tree: imports, functions, classes with what is in them.
//!
//! Refuses files on which a parser would be wasted or lost: very large ones, those on few long lines, those of which the grammar
//! understands too little, and those that take too long. They are cut by lines.

use super::grammar::{Grammar, grammar};
use carrel_engine::domain::{Block, BlockKind, CodePart, Span};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Larger files are not parsed.
const MAX_BYTES: usize = 4 << 20;
/// A file with a longer line was not written by hand.
const MAX_LINE: usize = 20_000;
/// Parsing takes at most this long.
const MAX_TIME: Duration = Duration::from_secs(5);
/// Classes in classes are followed to this depth.
const MAX_DEPTH: usize = 8;
/// More parts than this are a list of data.
const MAX_PARTS: usize = 50_000;
/// A signature is cut to this many bytes.
const MAX_SIGNATURE: usize = 200;

/// The parts of `text`, in order; `None` where it is to be cut by lines.
pub(super) fn parts(language: &str, text: &str) -> Option<Vec<Block>> {
    let grammar = grammar(language)?;
    if text.len() > MAX_BYTES || text.lines().any(|line| line.len() > MAX_LINE) {
        return None;
    }
    let tree = parse(&grammar, text)?;
    let root = tree.root_node();
    if not_understood(root) * 4 > text.len() {
        return None;
    }
    let mut reader = Reader { grammar: &grammar, text, parts: 0 };
    let parts = reader.parts(root, 0);
    let useful = parts
        .iter()
        .any(|part| matches!(part.kind, BlockKind::Part { part: CodePart::Function | CodePart::Scope, .. }));
    (useful && reader.parts <= MAX_PARTS).then_some(parts)
}

fn parse(grammar: &Grammar, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let begun = Instant::now();
    let mut in_time = |_: &tree_sitter::ParseState| {
        if begun.elapsed() > MAX_TIME { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Bytes at the top of the file that fit no rule of the grammar.
fn not_understood(root: Node<'_>) -> usize {
    if root.is_error() {
        return root.end_byte();
    }
    let mut cursor = root.walk();
    root.children(&mut cursor).filter(Node::is_error).map(|node| node.byte_range().len()).sum()
}

struct Reader<'t> {
    grammar: &'t Grammar,
    text: &'t str,
    parts: usize,
}

impl Reader<'_> {
    /// The parts directly in `container`. Comments and attributes belong to the part that they stand in front of.
    fn parts(&mut self, container: Node<'_>, depth: usize) -> Vec<Block> {
        let mut parts: Vec<Block> = Vec::new();
        let mut before: Option<Span> = None;
        let mut cursor = container.walk();
        for node in container.named_children(&mut cursor) {
            self.parts += 1;
            if self.parts > MAX_PARTS {
                break;
            }
            let kind = node.kind();
            let mut span = Span::new(node.start_byte(), node.end_byte());
            if span.is_empty() {
                continue;
            }
            if kind.contains("comment") || matches!(kind, "attribute_item" | "decorator" | "marginalia") {
                match &mut before {
                    Some(before) if self.adjoin(before.end, span.start) => before.end = span.end,
                    _ => {
                        parts.extend(before.take().map(other));
                        before = Some(span);
                    }
                }
                continue;
            }
            if self.grammar.transparent.contains(&kind) && depth < MAX_DEPTH {
                parts.extend(before.take().map(other));
                parts.extend(self.parts(node, depth + 1));
                continue;
            }
            match before.take() {
                Some(comment) if self.adjoin(comment.end, span.start) => span.start = comment.start,
                comment => parts.extend(comment.map(other)),
            }
            let part = self.part(node, span, depth);
            push(&mut parts, part);
        }
        parts.extend(before.map(other));
        parts
    }

    fn part(&mut self, node: Node<'_>, span: Span, depth: usize) -> Block {
        let inner = self.unwrapped(node);
        let kind = inner.kind();
        if self.grammar.imports.contains(&kind) || self.is_import_call(inner) {
            return block(CodePart::Import, String::new(), span, Vec::new());
        }
        let body = inner.child_by_field_name("body");
        if self.grammar.scopes.contains(&kind)
            && let Some(body) = body
            && depth < MAX_DEPTH
        {
            let children = self.parts(body, depth + 1);
            return block(CodePart::Scope, self.signature(node, Some(body)), span, children);
        }
        if self.grammar.functions.contains(&kind) {
            return block(CodePart::Function, self.signature(node, body), span, Vec::new());
        }
        other(span)
    }

    /// What stands in exports, decorators and templates.
    fn unwrapped<'n>(&self, node: Node<'n>) -> Node<'n> {
        let mut inner = node;
        for _ in 0..MAX_DEPTH {
            if !self.grammar.wrappers.contains(&inner.kind()) {
                break;
            }
            let named = ["declaration", "definition"].iter().find_map(|f| inner.child_by_field_name(f));
            let last = inner.named_child_count().checked_sub(1);
            match named.or_else(|| last.and_then(|last| inner.named_child(last as _))) {
                Some(next) => inner = next,
                None => break,
            }
        }
        inner
    }

    fn is_import_call(&self, node: Node<'_>) -> bool {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        let word = text.split([' ', '(', '\t', '\'', '"', '\n']).next().unwrap_or_default();
        !word.is_empty() && text.len() < MAX_SIGNATURE && self.grammar.import_calls.contains(&word)
    }

    /// The text in front of the body on one line, without the sign that opens it.
    fn signature(&self, node: Node<'_>, body: Option<Node<'_>>) -> String {
        let start = node.start_byte();
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let head = self.text.get(start..end).unwrap_or_default();
        let head = if body.is_some() { head } else { head.lines().next().unwrap_or_default() };
        let line = head.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.trim_end_matches(['{', ':', '=', ' ']);
        match line.get(..line.floor_char_boundary(MAX_SIGNATURE)) {
            Some(cut) if cut.len() < line.len() => format!("{}…", cut.trim_end()),
            _ => line.to_owned(),
        }
    }

    /// Whether no blank line stands between.
    fn adjoin(&self, end: usize, start: usize) -> bool {
        let between = self.text.get(end..start).unwrap_or("\n\n");
        between.trim().is_empty() && between.matches('\n').count() <= 1
    }
}

/// Adds a part; imports that follow each other are one.
fn push(parts: &mut Vec<Block>, part: Block) {
    let import = |block: &Block| matches!(block.kind, BlockKind::Part { part: CodePart::Import, .. });
    match parts.last_mut() {
        Some(last) if import(last) && import(&part) => last.span.end = part.span.end,
        _ => parts.push(part),
    }
}

fn block(part: CodePart, signature: String, span: Span, children: Vec<Block>) -> Block {
    Block { kind: BlockKind::Part { part, signature }, span, children }
}

fn other(span: Span) -> Block {
    block(CodePart::Other, String::new(), span, Vec::new())
}
