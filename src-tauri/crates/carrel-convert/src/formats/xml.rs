//! A small tree of an XML part. Names are kept without their prefix; of the attributes only those that some reader asks for.
//!
//! Entities other than the five of XML and character references are dropped: nothing is ever expanded.

use carrel_engine::seams::ConvertError;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use std::collections::HashMap;

/// What is nested deeper is left out; more nodes are an attack.
const MAX_DEPTH: usize = 256;
const MAX_NODES: usize = 8_000_000;

/// Attributes that are kept, by local name.
#[rustfmt::skip]
const KEPT: &[&str] = &[
    "val", "id", "Id", "Target", "TargetMode", "Type", "type", "styleId", "ilvl", "numId", "abstractNumId", "anchor",
    "char", "fldCharType", "default", "customStyle", "show", "idx", "name", "descr", "title", "lvl", "gridSpan",
    "rowSpan", "hMerge", "vMerge", "b", "i", "startAt", "hidden", "uri", "authorId", "dm", "author", "initials",
    "style-name", "parent-style-name", "display-name", "family", "outline-level", "number-columns-repeated",
    "number-rows-repeated", "number-columns-spanned", "number-rows-spanned", "href", "c", "class", "note-class",
    "level", "num-format", "start-value", "font-weight", "font-style", "visibility", "display", "list-style-name",
    "is-list-header", "encoding", "continue-numbering", "bullet-char", "data-style-name", "default-outline-level", "ref",
    "cipherAlgorithm", "cipherChaining", "hashAlgorithm", "keyBits", "saltValue", "spinCount",
    "encryptedVerifierHashInput", "encryptedVerifierHashValue", "encryptedKeyValue", "URI", "full-path", "idref",
    "linear", "media-type", "properties", "rel", "src", "toc", "term", "alttext", "open", "close",
    "text-line-through-style", "text-line-through-type", "strike", "master-page-name", "placeholder", "encryptedHmacKey",
    "encryptedHmacValue", "algorithm-name", "initialisation-vector", "key-derivation-name", "iteration-count", "salt", "key-size", "checksum",
    "checksum-type", "start-key-generation-name", "argon2-iterations", "argon2-memory", "argon2-lanes", "ID", "Parent", "Format", "Index", "StyleID", "MergeAcross", "Span", "Name", "showMasterSp",
];

/// What an id of the relations of a part (`r:id`) is kept as: beside it may stand an id of its own.
pub(super) const RELATION: &str = "r:id";

/// The root of every tree: the parent of the document's element.
pub(super) const ROOT: Id = Id(0);

/// A node of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Id(u32);

#[derive(Default)]
struct Node {
    name: u16,
    first: Option<Id>,
    last: Option<Id>,
    next: Option<Id>,
    /// Where its attributes lie.
    attributes: (u32, u32),
    text: String,
}

/// The tree. Its root is a node without a name.
pub(super) struct Tree {
    nodes: Vec<Node>,
    names: Vec<String>,
    attributes: Vec<(&'static str, String)>,
    /// Whether something lay too deep, and was left out.
    is_cut: bool,
}

impl Tree {
    /// Parses a part.
    pub(super) fn parse(xml: &str, part: &str) -> Result<Self, ConvertError> {
        let broken = || ConvertError::Damaged {
            detail: format!("its part {part} is not valid: it breaks off, or its tags do not fit"),
        };
        let mut tree = Self {
            nodes: vec![Node::default()],
            names: vec![String::new()],
            attributes: Vec::new(),
            is_cut: false,
        };
        let mut known: HashMap<String, u16> = HashMap::new();
        let mut stack = vec![ROOT];
        let mut reader = Reader::from_str(xml);
        loop {
            let parent = stack.last().copied().unwrap_or(ROOT);
            match reader.read_event().map_err(|_| broken())? {
                Event::Start(_) if stack.len() >= MAX_DEPTH => {
                    tree.is_cut = true;
                    let mut deeper = 1_u32;
                    // What lies deeper is passed over, and what stands beside it is kept.
                    while deeper > 0 {
                        match reader.read_event().map_err(|_| broken())? {
                            Event::Start(_) => deeper += 1,
                            Event::End(_) => deeper -= 1,
                            Event::Eof => return Ok(tree),
                            _ => {}
                        }
                    }
                }
                Event::Start(start) => {
                    stack.push(tree.element(parent, &start, &mut known));
                }
                Event::Empty(start) => {
                    tree.element(parent, &start, &mut known);
                }
                Event::End(_) => {
                    stack.pop();
                }
                Event::Text(text) => tree.text(parent, &text.xml10_content()),
                Event::CData(text) => tree.text(parent, &text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let c = character(&reference);
                    tree.text(parent, c.map(String::from).as_deref().unwrap_or_default());
                }
                Event::Eof => return Ok(tree),
                _ => {}
            }
            if tree.nodes.len() > MAX_NODES {
                return Err(ConvertError::LimitExceeded { limit: "size" });
            }
        }
    }

    fn element(&mut self, parent: Id, start: &BytesStart<'_>, known: &mut HashMap<String, u16>) -> Id {
        let local = start.local_name();
        let local: &str = local.as_ref();
        let name = if let Some(name) = known.get(local) {
            *name
        } else {
            let name = u16::try_from(self.names.len()).unwrap_or_default();
            if name != 0 {
                self.names.push(local.to_owned());
                known.insert(local.to_owned(), name);
            }
            name
        };
        let from = self.attributes.len() as u32;
        for attribute in start.attributes().with_checks(false).flatten() {
            let key = attribute.key.local_name();
            if attribute.key.as_ref() == RELATION {
                let value =
                    attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or_default().into_owned();
                self.attributes.push((RELATION, value));
            } else if let Some(kept) = KEPT.iter().find(|k| **k == key.as_ref() as &str) {
                let value =
                    attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or_default().into_owned();
                self.attributes.push((kept, value));
            }
        }
        let attributes = (from, self.attributes.len() as u32);
        self.append(parent, Node { name, attributes, ..Node::default() })
    }

    fn text(&mut self, parent: Id, text: &str) {
        if let Some(last) = self.node(parent).and_then(|p| p.last)
            && let Some(node) = self.nodes.get_mut(last.0 as usize)
            && node.name == 0
        {
            node.text.push_str(text);
        } else if !text.is_empty() {
            self.append(parent, Node { text: text.to_owned(), ..Node::default() });
        }
    }

    fn append(&mut self, parent: Id, node: Node) -> Id {
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node);
        let elder = self.nodes.get_mut(parent.0 as usize).and_then(|p| {
            p.first.get_or_insert(id);
            p.last.replace(id)
        });
        if let Some(elder) = elder.and_then(|e| self.nodes.get_mut(e.0 as usize)) {
            elder.next = Some(id);
        }
        id
    }

    /// Whether something lay too deep, and was left out.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    /// The local name of an element; empty for text.
    pub(super) fn name(&self, id: Id) -> &str {
        self.node(id).and_then(|n| self.names.get(usize::from(n.name))).map_or("", String::as_str)
    }

    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let first = self.node(id).and_then(|n| n.first);
        std::iter::successors(first, |id| self.node(*id).and_then(|n| n.next))
    }

    /// The first child of this name.
    pub(super) fn child(&self, id: Id, name: &str) -> Option<Id> {
        self.children(id).find(|c| self.name(*c) == name)
    }

    /// Follows children by name.
    pub(super) fn path(&self, id: Id, names: &[&str]) -> Option<Id> {
        names.iter().try_fold(id, |at, name| self.child(at, name))
    }

    pub(super) fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        let (from, to) = self.node(id)?.attributes;
        let own = self.attributes.get(from as usize..to as usize)?;
        own.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }

    /// The `val` of a child: how office files write most properties.
    pub(super) fn val(&self, id: Id, child: &str) -> Option<&str> {
        self.child(id, child).and_then(|c| self.attribute(c, "val"))
    }

    /// Whether a child switches something on: it is there, and not off.
    pub(super) fn is_on(&self, id: Id, child: &str) -> bool {
        self.child(id, child)
            .is_some_and(|c| !matches!(self.attribute(c, "val"), Some("0" | "false" | "off" | "none")))
    }

    /// Children without end: what stands in a container of this name counts as standing in its parent.
    pub(super) fn children_through<'a>(
        &'a self,
        id: Id,
        through: &'a [&'a str],
    ) -> impl Iterator<Item = Id> + 'a {
        let mut stack: Vec<Id> = self.children(id).collect();
        stack.reverse();
        std::iter::from_fn(move || {
            loop {
                let id = stack.pop()?;
                if !through.contains(&self.name(id)) {
                    return Some(id);
                }
                let children: Vec<Id> = self.children(id).collect();
                stack.extend(children.into_iter().rev());
            }
        })
    }

    /// Whether an attribute switches something on.
    pub(super) fn flag(&self, id: Id, name: &str) -> bool {
        matches!(self.attribute(id, name), Some("1" | "true" | "on"))
    }

    /// All text below.
    pub(super) fn text_of(&self, id: Id) -> String {
        let mut out = String::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if let Some(node) = self.node(id) {
                out.push_str(&node.text);
            }
            let children: Vec<Id> = self.children(id).collect();
            stack.extend(children.into_iter().rev());
        }
        out
    }

    /// What is below as HTML: text that holds markup as it is, elements as tags without attributes.
    pub(super) fn html_of(&self, id: Id) -> String {
        enum Step {
            Enter(Id),
            Leave(Id),
        }
        let own = self.text_of(id);
        if self.children(id).all(|c| self.name(c).is_empty()) {
            return own;
        }
        let mut out = String::new();
        let mut stack: Vec<Step> = Vec::new();
        let enter = |stack: &mut Vec<Step>, id: Id| {
            let children: Vec<Id> = self.children(id).collect();
            stack.extend(children.into_iter().rev().map(Step::Enter));
        };
        enter(&mut stack, id);
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(id) => out.push_str(&format!("</{}>", self.name(id))),
                Step::Enter(id) if self.name(id).is_empty() => {
                    let text = self.node(id).map_or("", |n| n.text.as_str());
                    out.push_str(&text.replace('&', "&amp;").replace('<', "&lt;"));
                }
                Step::Enter(id) => {
                    let target = self.attribute(id, "href").filter(|_| self.name(id) == "a");
                    let target = target.map(|t| format!(" href=\"{}\"", t.replace('"', "&quot;")));
                    out.push_str(&format!("<{}{}>", self.name(id), target.unwrap_or_default()));
                    stack.push(Step::Leave(id));
                    enter(&mut stack, id);
                }
            }
        }
        out
    }

    /// All elements of this name below, in order.
    pub(super) fn descendants<'a>(&'a self, id: Id, name: &'a str) -> impl Iterator<Item = Id> + 'a {
        let mut stack = vec![id];
        std::iter::from_fn(move || {
            while let Some(id) = stack.pop() {
                let children: Vec<Id> = self.children(id).collect();
                stack.extend(children.into_iter().rev());
                if self.name(id) == name {
                    return Some(id);
                }
            }
            None
        })
    }
}
/// The character that a reference stands for; own entities of a file are never expanded.
pub(super) fn character(reference: &BytesRef<'_>) -> Option<char> {
    match reference.as_ref() {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => reference.resolve_char_ref().ok().flatten(),
    }
}
