//! The runs of a paragraph.

use super::styles::Styles;
use crate::build::runs::Runs;
use crate::formats::math::latex;
use crate::formats::ooxml::{Relations, is_description};
use crate::formats::xml::{Id, RELATION, Tree};

/// What a paragraph holds.
#[derive(Default)]
pub(super) struct Run {
    pub(super) runs: Runs,
    /// Text boxes that hang on it.
    pub(super) boxes: Vec<Id>,
    /// Charts by their relation.
    pub(super) charts: Vec<String>,
    /// Diagrams by the relation of their data.
    pub(super) diagrams: Vec<String>,
    /// What authors wrote about pictures.
    pub(super) descriptions: Vec<String>,
    /// Pages that end in it.
    pub(super) page_breaks: u32,
}

/// What a mark in the text refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    Foot,
    End,
    Comment,
}

/// What runs refer to.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) relations: &'a Relations,
    pub(super) styles: &'a Styles,
}

/// Collects the runs below `parent`. `note` gets what a mark refers to, and its id, and gives the mark.
pub(super) fn collect(
    tree: &Tree,
    parent: Id,
    out: &mut Run,
    note: &mut dyn FnMut(Note, &str) -> String,
    context: Context<'_>,
) {
    for child in tree.children(parent) {
        match tree.name(child) {
            "r" => run(tree, child, out, note, context),
            "hyperlink" => {
                let target = tree.attribute(child, RELATION).and_then(|id| context.relations.link(id));
                if target.is_some() {
                    out.runs.open_link();
                }
                collect(tree, child, out, note, context);
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
                collect(tree, child, out, note, context);
            }
            "AlternateContent" => alternate(tree, child, out),
            _ => {}
        }
    }
}

fn run(
    tree: &Tree,
    run: Id,
    out: &mut Run,
    note: &mut dyn FnMut(Note, &str) -> String,
    context: Context<'_>,
) {
    let (mut bold, mut italic, mut struck) = (false, false, false);
    if let Some(properties) = tree.child(run, "rPr") {
        let by_style = || tree.val(properties, "rStyle").is_some_and(|id| context.styles.hides(id));
        if tree.is_on(properties, "vanish") || (tree.child(properties, "vanish").is_none() && by_style()) {
            return;
        }
        bold = tree.is_on(properties, "b");
        italic = tree.is_on(properties, "i");
        struck = tree.is_on(properties, "strike") || tree.is_on(properties, "dstrike");
    }
    out.runs.strike(struck);
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
            name @ ("footnoteReference" | "endnoteReference" | "commentReference") => {
                let kind = match name {
                    "footnoteReference" => Note::Foot,
                    "endnoteReference" => Note::End,
                    _ => Note::Comment,
                };
                if let Some(id) = tree.attribute(child, "id") {
                    let mark = note(kind, id);
                    if !mark.is_empty() {
                        out.runs.raw(mark);
                    }
                }
            }
            "lastRenderedPageBreak" => out.page_breaks += 1,
            "drawing" | "pict" | "object" => drawn(tree, child, out),
            "ruby" => {
                if let Some(base) = tree.child(child, "rubyBase") {
                    for inner in tree.children(base).filter(|c| tree.name(*c) == "r") {
                        self::run(tree, inner, out, note, context);
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
    drawn(tree, choice, out);
}

/// What hangs on a drawing: text boxes, a chart, or what an author wrote about a picture.
fn drawn(tree: &Tree, drawing: Id, out: &mut Run) {
    // Boxes inside boxes are found when the outer one is read.
    let mut nested: Vec<Id> = Vec::new();
    let from = out.boxes.len();
    for found in tree.descendants(drawing, "txbxContent") {
        if !nested.contains(&found) {
            nested.extend(tree.descendants(found, "txbxContent"));
            out.boxes.push(found);
        }
    }
    let charts = tree.descendants(drawing, "chart").filter_map(|c| tree.attribute(c, RELATION));
    out.charts.extend(charts.map(str::to_owned));
    let diagrams = tree.descendants(drawing, "relIds").filter_map(|d| tree.attribute(d, "dm"));
    out.diagrams.extend(diagrams.map(str::to_owned));
    if out.boxes.len() == from {
        let described = tree.descendants(drawing, "docPr").filter_map(|p| tree.attribute(p, "descr"));
        let described = described.filter(|text| is_description(text));
        out.descriptions.extend(described.map(str::to_owned));
    }
}
