//! The runs of a paragraph.

use super::math::latex;
use crate::build::inline::{Inline, LINK};
use crate::formats::html::kept_link;
use crate::formats::xml::{Id, Tree};
use std::collections::HashMap;

/// A piece of a paragraph.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text {
        text: String,
        bold: bool,
        italic: bool,
    },
    /// Markdown as it is: a note, a formula.
    Raw(String),
    Break,
    LinkStart,
    LinkEnd(String),
}

/// What a paragraph holds.
#[derive(Default)]
pub(super) struct Run {
    pieces: Vec<Piece>,
    /// Text boxes that hang on it.
    pub(super) boxes: Vec<Id>,
    /// Pages that end in it.
    pub(super) page_breaks: u32,
}

impl Run {
    pub(super) fn is_empty(&self) -> bool {
        !self.pieces.iter().any(|p| match p {
            Piece::Text { text, .. } => !text.trim().is_empty(),
            Piece::Raw(_) => true,
            _ => false,
        })
    }

    /// The text without marks.
    pub(super) fn plain(&self) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text { text, .. } => out.push_str(text),
                Piece::Raw(text) if !text.starts_with("[^") => out.push_str(text),
                Piece::Break => out.push('\n'),
                _ => {}
            }
        }
        out
    }

    /// Inline Markdown. Emphasis that begins or ends inside a word is left out: the word must be found.
    pub(super) fn markdown(&self, emphasis: bool) -> String {
        let mut pieces = self.pieces.clone();
        for i in 1..pieces.len() {
            let (head, tail) = pieces.split_at_mut(i);
            if let (
                Some(Piece::Text { text: a, bold: ab, italic: ai }),
                Some(Piece::Text { text: b, bold: bb, italic: bi }),
            ) = (head.last_mut(), tail.first_mut())
                && (*ab, *ai) != (*bb, *bi)
                && a.chars().next_back().is_some_and(char::is_alphanumeric)
                && b.chars().next().is_some_and(char::is_alphanumeric)
            {
                (*ab, *ai, *bb, *bi) = (false, false, false, false);
            }
        }
        let mut inline = Inline::default();
        let (mut bold, mut italic) = (false, false);
        let mut set = |inline: &mut Inline, b: bool, i: bool| {
            if italic && (!i || b != bold) {
                inline.close("*");
                italic = false;
            }
            if bold && !b {
                inline.close("**");
                bold = false;
            }
            if b && !bold {
                inline.open("**");
                bold = true;
            }
            if i && !italic {
                inline.open("*");
                italic = true;
            }
        };
        for piece in &pieces {
            match piece {
                Piece::Text { text, bold, italic } => {
                    if !text.trim().is_empty() {
                        set(&mut inline, *bold && emphasis, *italic && emphasis);
                    }
                    inline.text(text);
                }
                Piece::Raw(markdown) => {
                    set(&mut inline, false, false);
                    inline.raw(markdown);
                }
                Piece::Break => inline.newline(),
                Piece::LinkStart => {
                    set(&mut inline, false, false);
                    inline.open(LINK);
                }
                Piece::LinkEnd(target) => {
                    set(&mut inline, false, false);
                    inline.close_with(LINK, &format!("]({target})"));
                }
            }
        }
        set(&mut inline, false, false);
        inline.finish().trim().to_owned()
    }

    fn text(&mut self, text: &str, bold: bool, italic: bool) {
        if let Some(Piece::Text { text: last, bold: b, italic: i }) = self.pieces.last_mut()
            && (*b, *i) == (bold, italic)
        {
            last.push_str(text);
        } else {
            self.pieces.push(Piece::Text { text: text.to_owned(), bold, italic });
        }
    }
}

/// Collects the runs below `parent`. `note` gets whether a note stands at the end of the document, and its id, and gives its mark.
pub(super) fn collect(
    tree: &Tree,
    parent: Id,
    out: &mut Run,
    note: &mut dyn FnMut(bool, &str) -> String,
    links: &HashMap<String, String>,
) {
    for child in tree.children(parent) {
        match tree.name(child) {
            "r" => run(tree, child, out, note),
            "hyperlink" => {
                let target =
                    tree.attribute(child, "id").and_then(|id| links.get(id)).and_then(|href| kept_link(href));
                if target.is_some() {
                    out.pieces.push(Piece::LinkStart);
                }
                collect(tree, child, out, note, links);
                out.pieces.extend(target.map(Piece::LinkEnd));
            }
            "oMath" => out.pieces.extend(formula(tree, child)),
            "oMathPara" => {
                for math in tree.children(child).filter(|c| tree.name(*c) == "oMath") {
                    out.pieces.extend(formula(tree, math));
                }
            }
            "ins" | "moveTo" | "smartTag" | "sdt" | "sdtContent" | "fldSimple" | "customXml" | "bdo"
            | "dir" => {
                collect(tree, child, out, note, links);
            }
            "AlternateContent" => alternate(tree, child, out),
            _ => {}
        }
    }
}

fn formula(tree: &Tree, math: Id) -> Option<Piece> {
    let tex = latex(tree, math);
    (!tex.is_empty()).then(|| Piece::Raw(format!("${tex}$")))
}

fn run(tree: &Tree, run: Id, out: &mut Run, note: &mut dyn FnMut(bool, &str) -> String) {
    let (mut bold, mut italic) = (false, false);
    if let Some(properties) = tree.child(run, "rPr") {
        if tree.is_on(properties, "vanish") {
            return;
        }
        bold = tree.is_on(properties, "b");
        italic = tree.is_on(properties, "i");
    }
    for child in tree.children(run) {
        match tree.name(child) {
            "t" => out.text(&tree.text_of(child), bold, italic),
            "tab" | "ptab" => out.text(" ", bold, italic),
            "br" if tree.attribute(child, "type").is_none_or(|kind| kind == "textWrapping") => {
                out.pieces.push(Piece::Break);
            }
            "cr" => out.pieces.push(Piece::Break),
            "noBreakHyphen" => out.text("-", bold, italic),
            "sym" => {
                let code = tree.attribute(child, "char").and_then(|c| u32::from_str_radix(c, 16).ok());
                // Codes of symbol fonts lie in the private area and mean nothing without the font.
                let c = code.and_then(char::from_u32).filter(|c| !matches!(c, '\u{e000}'..='\u{f8ff}'));
                out.text(c.map(String::from).as_deref().unwrap_or(" "), bold, italic);
            }
            "footnoteReference" | "endnoteReference" => {
                if let Some(id) = tree.attribute(child, "id") {
                    let mark = note(tree.name(child) == "endnoteReference", id);
                    out.pieces.push(Piece::Raw(mark));
                }
            }
            "lastRenderedPageBreak" => out.page_breaks += 1,
            "drawing" | "pict" | "object" => out.boxes.extend(tree.descendants(child, "txbxContent")),
            "ruby" => {
                if let Some(base) = tree.child(child, "rubyBase") {
                    for inner in tree.children(base).filter(|c| tree.name(*c) == "r") {
                        self::run(tree, inner, out, note);
                    }
                }
            }
            "AlternateContent" => alternate(tree, child, out),
            _ => {}
        }
    }
}

/// Of the ways in which something is drawn, the first.
fn alternate(tree: &Tree, node: Id, out: &mut Run) {
    let Some(choice) = tree.child(node, "Choice").or_else(|| tree.child(node, "Fallback")) else { return };
    // Boxes inside boxes are found when the outer one is read.
    let mut nested: Vec<Id> = Vec::new();
    for found in tree.descendants(choice, "txbxContent") {
        if !nested.contains(&found) {
            nested.extend(tree.descendants(found, "txbxContent"));
            out.boxes.push(found);
        }
    }
}
