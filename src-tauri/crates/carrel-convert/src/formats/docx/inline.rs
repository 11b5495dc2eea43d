//! The runs of a paragraph.

use crate::build::runs::Runs;
use crate::formats::html::kept_link;
use crate::formats::math::latex;
use crate::formats::xml::{Id, Tree};
use std::collections::HashMap;

/// What a paragraph holds.
#[derive(Default)]
pub(super) struct Run {
    pub(super) runs: Runs,
    /// Text boxes that hang on it.
    pub(super) boxes: Vec<Id>,
    /// Pages that end in it.
    pub(super) page_breaks: u32,
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
                    out.runs.open_link();
                }
                collect(tree, child, out, note, links);
                if let Some(target) = target {
                    out.runs.close_link(target);
                }
            }
            "oMath" => out.runs.formula(&latex(tree, child)),
            "oMathPara" => {
                for math in tree.children(child).filter(|c| tree.name(*c) == "oMath") {
                    out.runs.formula(&latex(tree, math));
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
            "t" => out.runs.text(&tree.text_of(child), bold, italic),
            "tab" | "ptab" => out.runs.text(" ", bold, italic),
            "br" if tree.attribute(child, "type").is_none_or(|kind| kind == "textWrapping") => {
                out.runs.newline();
            }
            "cr" => out.runs.newline(),
            "noBreakHyphen" => out.runs.text("-", bold, italic),
            "sym" => {
                let code = tree.attribute(child, "char").and_then(|c| u32::from_str_radix(c, 16).ok());
                // Codes of symbol fonts lie in the private area and mean nothing without the font.
                let c = code.and_then(char::from_u32).filter(|c| !matches!(c, '\u{e000}'..='\u{f8ff}'));
                out.runs.text(c.map(String::from).as_deref().unwrap_or(" "), bold, italic);
            }
            "footnoteReference" | "endnoteReference" => {
                if let Some(id) = tree.attribute(child, "id") {
                    let mark = note(tree.name(child) == "endnoteReference", id);
                    out.runs.raw(mark);
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
