//! Holds the tree of a page to a bounded depth while it is built.
//!
//! At nearly every tag the rules of HTML look through all open elements, so a page that nests without end would take time with the
//! square of its length. Where [`MOST_OPEN`] elements are open, further tags are left out, as browsers do. Their text stays, and a
//! space parts it as the tag did.

use super::elements::{Role, role};
use html5ever::interface::{Tracer, TreeSink};
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, EndTag, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult,
    Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, TokenizerResult};
use markup5ever_rcdom::{Handle, RcDom};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Elements that may be open at once.
const MOST_OPEN: usize = 512;

/// Elements whose content is no markup: they cannot nest, and without their tag it would be read as text.
const RAW: [&str; 9] =
    ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"];

/// Elements that never hold anything.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// The tree of a page. In XHTML an empty element of whatever name may be one tag; in HTML such a tag would stay open.
pub(super) fn parse(text: &str, xhtml: bool) -> RcDom {
    let builder = TreeBuilder::new(RcDom::default(), TreeBuilderOpts::default());
    let shallow = Shallow { builder, xhtml, left_out: RefCell::default() };
    let tokenizer = Tokenizer::new(shallow, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(text.into());
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.builder.sink.finish()
}

struct Shallow {
    builder: TreeBuilder<Handle, RcDom>,
    xhtml: bool,
    /// Start tags left out whose end tags are still to come, by name.
    left_out: RefCell<HashMap<LocalName, usize>>,
}

impl Shallow {
    fn leaves_out(&self, tag: &Tag) -> bool {
        if RAW.contains(&&*tag.name) || matches!(role(&tag.name), Role::Break | Role::Rule | Role::Image) {
            return false;
        }
        let mut left_out = self.left_out.borrow_mut();
        match tag.kind {
            StartTag => {
                let open = Open(Cell::new(0));
                self.builder.trace_handles(&open);
                let deep = open.0.get() >= MOST_OPEN;
                if deep {
                    *left_out.entry(tag.name.clone()).or_default() += 1;
                }
                deep
            }
            EndTag => match left_out.get_mut(&tag.name).filter(|count| **count > 0) {
                Some(count) => {
                    *count -= 1;
                    true
                }
                None => {
                    // It ends an element around all that were left out.
                    left_out.clear();
                    false
                }
            },
        }
    }
}

impl TokenSink for Shallow {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let token = match token {
            TagToken(tag) if self.leaves_out(&tag) => CharacterTokens(" ".into()),
            TagToken(tag)
                if self.xhtml && tag.kind == StartTag && tag.self_closing && !VOID.contains(&&*tag.name) =>
            {
                let end = Tag { kind: EndTag, self_closing: false, attrs: Vec::new(), ..tag.clone() };
                let start = Tag { self_closing: false, ..tag };
                let _ = self.builder.process_token(TagToken(start), line);
                let _ = self.builder.process_token(TagToken(end), line);
                return TokenSinkResult::Continue;
            }
            token => token,
        };
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts what the builder holds open.
struct Open(Cell<usize>);

impl Tracer for Open {
    type Handle = Handle;

    fn trace_handle(&self, _: &Handle) {
        self.0.set(self.0.get() + 1);
    }
}
