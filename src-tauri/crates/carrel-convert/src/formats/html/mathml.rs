//! Formulas: the TeX that most pages carry along, otherwise TeX from the presentation markup.
//!
//! Symbols stay the characters that they are. What nests deeper than [`MAX_DEPTH`] is written as its text.

use super::elements::{attribute, name};
use super::survey::text;
use crate::text::clean;
use markup5ever_rcdom::{Handle, NodeData};

const MAX_DEPTH: usize = 64;

/// The TeX of a formula; `None` where there is nothing in it.
pub(super) fn tex(math: &Handle) -> Option<String> {
    let own = attribute(math, "alttext").filter(|t| !t.trim().is_empty());
    let tex = own.or_else(|| annotation(math)).unwrap_or_else(|| row(math, 0));
    Some(clean::line(&tex)).filter(|t| !t.is_empty())
}

/// The TeX that stands beside the symbols.
fn annotation(math: &Handle) -> Option<String> {
    let mut stack: Vec<Handle> = math.children.borrow().iter().cloned().collect();
    while let Some(node) = stack.pop() {
        let is_tex = |e: String| e.to_ascii_lowercase().contains("tex");
        if name(&node) == Some("annotation") && attribute(&node, "encoding").is_some_and(is_tex) {
            return Some(text(&node)).filter(|t| !t.trim().is_empty());
        }
        stack.extend(node.children.borrow().iter().cloned());
    }
    None
}

/// Everything in an element, one after the other.
fn row(node: &Handle, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return text(node);
    }
    node.children.borrow().iter().map(|child| element(child, depth + 1)).collect()
}

fn element(node: &Handle, depth: usize) -> String {
    if let NodeData::Text { contents } = &node.data {
        return contents.borrow().trim().to_owned();
    }
    let parts: Vec<Handle> = node.children.borrow().iter().filter(|c| name(c).is_some()).cloned().collect();
    let part = |i: usize| parts.get(i).map(|p| element(p, depth + 1)).unwrap_or_default();
    if depth > MAX_DEPTH {
        return text(node);
    }
    match name(node) {
        Some("mi") => {
            let letters = text(node).trim().to_owned();
            if letters.len() > 1 && letters.is_ascii() { format!("\\mathrm{{{letters}}}") } else { letters }
        }
        Some("mo") => operator(text(node).trim()),
        Some("mtext" | "ms") => format!("\\text{{{}}}", text(node).trim()),
        Some("mfrac") => format!("\\frac{{{}}}{{{}}}", part(0), part(1)),
        Some("msqrt") => format!("\\sqrt{{{}}}", row(node, depth)),
        Some("mroot") => format!("\\sqrt[{}]{{{}}}", part(1), part(0)),
        Some("msup") => format!("{}^{{{}}}", based(&part(0)), part(1)),
        Some("msub") => format!("{}_{{{}}}", based(&part(0)), part(1)),
        Some("msubsup" | "munderover") => format!("{}_{{{}}}^{{{}}}", based(&part(0)), part(1), part(2)),
        Some("munder") => format!("{}_{{{}}}", based(&part(0)), part(1)),
        Some("mover") => match part(1).trim() {
            "¯" | "‾" | "―" => format!("\\overline{{{}}}", part(0)),
            "^" | "ˆ" => format!("\\hat{{{}}}", part(0)),
            "~" | "˜" => format!("\\tilde{{{}}}", part(0)),
            "→" | "⃗" => format!("\\vec{{{}}}", part(0)),
            "˙" => format!("\\dot{{{}}}", part(0)),
            over => format!("{}^{{{over}}}", based(&part(0))),
        },
        Some("mfenced") => {
            let of = |name, otherwise: &str| attribute(node, name).unwrap_or_else(|| otherwise.to_owned());
            let inside: Vec<String> = parts.iter().map(|p| element(p, depth + 1)).collect();
            format!("{}{}{}", of("open", "("), inside.join(","), of("close", ")"))
        }
        Some("mtable") => {
            let rows: Vec<String> = parts.iter().map(|row| cells(row, depth)).collect();
            format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
        }
        Some("annotation" | "annotation-xml" | "mphantom" | "none") => String::new(),
        Some("mspace") => " ".to_owned(),
        _ => row(node, depth),
    }
}

fn cells(of: &Handle, depth: usize) -> String {
    let cells: Vec<String> =
        of.children.borrow().iter().filter(|c| name(c).is_some()).map(|c| row(c, depth + 1)).collect();
    cells.join(" & ")
}

/// What an index is set to: more than one character goes into braces.
fn based(base: &str) -> String {
    if base.chars().nth(1).is_some() && !base.starts_with('\\') {
        format!("{{{base}}}")
    } else {
        base.to_owned()
    }
}

fn operator(mark: &str) -> String {
    match mark {
        "\u{2212}" => "-".to_owned(),
        // Invisible: times, function application, separators.
        "\u{2061}" | "\u{2062}" | "\u{2063}" | "\u{2064}" => String::new(),
        "{" | "}" => format!("\\{mark}"),
        "=" | "<" | ">" | "≤" | "≥" | "≠" | "≈" | "→" | "∈" | "⇒" => format!(" {mark} "),
        mark => mark.to_owned(),
    }
}
