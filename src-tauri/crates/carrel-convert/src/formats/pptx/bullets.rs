//! Which paragraphs are items of a list: said by the paragraph, its shape, the layout's placeholder, or the master.

use super::Deck;
use crate::formats::ooxml::Relations;
use crate::formats::xml::{Id, ROOT, Tree};
use carrel_engine::seams::ConvertError;
use std::collections::HashMap;
use std::rc::Rc;

/// Levels of a list.
pub(super) const LEVELS: usize = 9;

/// How a paragraph is marked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mark {
    None,
    Bullet,
    /// Counted from this number.
    Number(u64),
}

/// Marks by level, where they are set.
pub(super) type Marks = [Option<Mark>; LEVELS];

/// A placeholder of a layout or master.
struct Holder {
    kind: String,
    idx: Option<String>,
    marks: Marks,
}

/// What a slide takes over from its layout and master.
#[derive(Default)]
pub(super) struct Layout {
    own: Vec<Holder>,
    master: Vec<Holder>,
    body: Marks,
}

impl Layout {
    /// The marks of a placeholder of this kind and index.
    pub(super) fn marks(&self, kind: &str, idx: Option<&str>) -> Marks {
        let mut marks = Marks::default();
        if matches!(kind, "title" | "ctrTitle" | "subTitle" | "dt" | "ftr" | "sldNum" | "hdr")
            && idx.is_none()
        {
            return marks;
        }
        let own = self
            .own
            .iter()
            .find(|h| idx.is_some() && h.idx.as_deref() == idx)
            .or_else(|| self.own.iter().find(|h| h.kind == kind));
        let of = own.map_or(kind, |h| h.kind.as_str());
        // An object may be of any kind; its text is styled as a body.
        let is_body = matches!(of, "body" | "obj" | "" | "subTitle");
        let master = self.master.iter().find(|h| h.kind == if is_body { "body" } else { of });
        let layers = [own.map(|h| h.marks), master.map(|h| h.marks), is_body.then_some(self.body)];
        for layer in layers.into_iter().flatten() {
            for (mark, deeper) in marks.iter_mut().zip(layer) {
                *mark = mark.or(deeper);
            }
        }
        marks
    }
}

/// The layouts that were read, by part.
#[derive(Default)]
pub(super) struct Layouts(HashMap<String, Rc<Layout>>);

/// The layout of a slide; one that cannot be read sets nothing.
pub(super) fn layout(deck: &mut Deck<'_>, relations: &Relations) -> Result<Rc<Layout>, ConvertError> {
    let Some(part) = relations.kind("slideLayout").next() else { return Ok(Rc::default()) };
    if let Some(known) = deck.layouts.0.get(part) {
        return Ok(Rc::clone(known));
    }
    let mut layout = Layout::default();
    let mut shows_master = true;
    if let Some(tree) = deck.package.spare(part)? {
        layout.own = holders(&tree);
        deck.keep_fixed(&tree);
        let root = tree.child(ROOT, "sldLayout");
        shows_master =
            !root.is_some_and(|l| matches!(tree.attribute(l, "showMasterSp"), Some("0" | "false")));
    }
    let above = Relations::of(&mut deck.package, part)?;
    if let Some(master) = above.kind("slideMaster").next()
        && let Some(tree) = deck.package.spare(master)?
    {
        layout.master = holders(&tree);
        if shows_master {
            deck.keep_fixed(&tree);
        }
        if let Some(style) = tree.path(ROOT, &["sldMaster", "txStyles", "bodyStyle"]) {
            layout.body = marks(&tree, style);
        }
    }
    let layout = Rc::new(layout);
    deck.layouts.0.insert(part.to_owned(), Rc::clone(&layout));
    Ok(layout)
}

fn holders(tree: &Tree) -> Vec<Holder> {
    let mut found = Vec::new();
    for shape in tree.descendants(ROOT, "sp") {
        let Some(holder) = tree.path(shape, &["nvSpPr", "nvPr", "ph"]) else { continue };
        let style = tree.path(shape, &["txBody", "lstStyle"]);
        found.push(Holder {
            kind: tree.attribute(holder, "type").unwrap_or_default().to_owned(),
            idx: tree.attribute(holder, "idx").map(str::to_owned),
            marks: style.map(|s| marks(tree, s)).unwrap_or_default(),
        });
    }
    found
}

/// The marks that a style of lists sets.
pub(super) fn marks(tree: &Tree, style: Id) -> Marks {
    let mut marks = Marks::default();
    for (mark, level) in marks.iter_mut().zip(1..) {
        *mark = tree.child(style, &format!("lvl{level}pPr")).and_then(|p| bullet(tree, p));
    }
    marks
}

/// The mark that the properties of a paragraph set.
pub(super) fn bullet(tree: &Tree, properties: Id) -> Option<Mark> {
    tree.children(properties).find_map(|child| match tree.name(child) {
        "buNone" => Some(Mark::None),
        "buChar" | "buBlip" => Some(Mark::Bullet),
        "buAutoNum" => {
            Some(Mark::Number(tree.attribute(child, "startAt").and_then(|n| n.parse().ok()).unwrap_or(1)))
        }
        _ => None,
    })
}
