//! Formulas in `MathML`, of pages and of `OpenDocument`: the TeX that many carry along, otherwise TeX from the presentation markup.
//!
//! Symbols stay the characters that they are. What nests deeper than [`MAX_DEPTH`] is written as its text.

use super::xml::{Id, Tree};
use crate::text::clean;

const MAX_DEPTH: usize = 64;
/// What a name of several letters begins with.
const NAME: &str = "\\mathrm{";

/// A node of the tree that a formula stands in.
pub(super) trait Node: Sized {
    /// The local name of an element; `None` for text.
    fn name(&self) -> Option<&str>;
    fn children(&self) -> Vec<Self>;
    /// All text in it.
    fn text(&self) -> String;
    fn attribute(&self, name: &str) -> Option<String>;
}

impl Node for (&Tree, Id) {
    fn name(&self) -> Option<&str> {
        Some(self.0.name(self.1)).filter(|name| !name.is_empty())
    }

    fn children(&self) -> Vec<Self> {
        self.0.children(self.1).map(|child| (self.0, child)).collect()
    }

    fn text(&self) -> String {
        self.0.text_of(self.1)
    }

    fn attribute(&self, name: &str) -> Option<String> {
        self.0.attribute(self.1, name).map(str::to_owned)
    }
}

/// The TeX of a formula; `None` where there is nothing in it.
pub(super) fn tex<N: Node>(math: &N) -> Option<String> {
    let own = math.attribute("alttext").filter(|t| !t.trim().is_empty());
    let tex = own.or_else(|| annotation(math)).unwrap_or_else(|| row(math, 0));
    Some(clean::line(&tex)).filter(|t| !t.is_empty())
}

/// The TeX that stands beside the symbols.
fn annotation<N: Node>(math: &N) -> Option<String> {
    let mut stack = math.children();
    while let Some(node) = stack.pop() {
        let is_tex = |e: String| e.to_ascii_lowercase().contains("tex");
        if node.name() == Some("annotation") && node.attribute("encoding").is_some_and(is_tex) {
            return Some(node.text()).filter(|t| !t.trim().is_empty());
        }
        stack.extend(node.children());
    }
    None
}

/// Everything in an element, one after the other.
fn row<N: Node>(node: &N, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return node.text();
    }
    let mut out = String::new();
    let (mut letter, mut named) = (false, false);
    for child in node.children() {
        let piece = element(&child, depth + 1);
        let names = piece.starts_with(NAME);
        // Names side by side stay words of their own.
        if (named && (names || piece.starts_with(char::is_alphabetic))) || (letter && names) {
            out.push(' ');
        }
        if !piece.is_empty() {
            (letter, named) = (piece.ends_with(char::is_alphabetic), names && piece.ends_with('}'));
        }
        out.push_str(&piece);
    }
    out
}

fn element<N: Node>(node: &N, depth: usize) -> String {
    let Some(name) = node.name() else { return node.text().trim().to_owned() };
    let parts: Vec<N> = node.children().into_iter().filter(|c| c.name().is_some()).collect();
    let part = |i: usize| parts.get(i).map(|p| element(p, depth + 1)).unwrap_or_default();
    if depth > MAX_DEPTH {
        return node.text();
    }
    match name {
        "mi" => {
            let letters = node.text().trim().to_owned();
            if letters.len() > 1 && letters.is_ascii() { format!("{NAME}{letters}}}") } else { letters }
        }
        "mo" => operator(node.text().trim()),
        "mtext" | "ms" => format!("\\text{{{}}}", node.text().trim()),
        "mfrac" => format!("\\frac{{{}}}{{{}}}", part(0), part(1)),
        "msqrt" => format!("\\sqrt{{{}}}", row(node, depth)),
        "mroot" => format!("\\sqrt[{}]{{{}}}", part(1), part(0)),
        "msup" => format!("{}^{{{}}}", based(&part(0)), part(1)),
        "msub" => format!("{}_{{{}}}", based(&part(0)), part(1)),
        "msubsup" | "munderover" => format!("{}_{{{}}}^{{{}}}", based(&part(0)), part(1), part(2)),
        "munder" => format!("{}_{{{}}}", based(&part(0)), part(1)),
        "mover" => match part(1).trim() {
            "¯" | "‾" | "―" => format!("\\overline{{{}}}", part(0)),
            "^" | "ˆ" => format!("\\hat{{{}}}", part(0)),
            "~" | "˜" => format!("\\tilde{{{}}}", part(0)),
            "→" | "⃗" => format!("\\vec{{{}}}", part(0)),
            "˙" => format!("\\dot{{{}}}", part(0)),
            over => format!("{}^{{{over}}}", based(&part(0))),
        },
        "mfenced" => {
            let of = |name, otherwise: &str| node.attribute(name).unwrap_or_else(|| otherwise.to_owned());
            let inside: Vec<String> = parts.iter().map(|p| element(p, depth + 1)).collect();
            format!("{}{}{}", of("open", "("), inside.join(","), of("close", ")"))
        }
        "mtable" => {
            let rows: Vec<String> = parts.iter().map(|row| cells(row, depth)).collect();
            format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
        }
        "annotation" | "annotation-xml" | "mphantom" | "none" => String::new(),
        "mspace" => " ".to_owned(),
        _ => row(node, depth),
    }
}

fn cells<N: Node>(of: &N, depth: usize) -> String {
    let cells: Vec<String> =
        of.children().iter().filter(|c| c.name().is_some()).map(|c| row(c, depth + 1)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::xml::ROOT;

    #[test]
    fn fractions_roots_and_indices() {
        let xml = "<math><semantics><mrow><mi>E</mi> <mo>=</mo><mfrac><mrow><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow>\
            <msqrt><mn>3</mn></msqrt></mfrac></mrow><annotation encoding=\"StarMath 5.0\">E = mc^2</annotation></semantics></math>";
        let tree = Tree::parse(xml, "x").unwrap();
        let math = tree.child(ROOT, "math").unwrap();
        let words = "<math><mi>A</mi> <mi>short</mi> <mi>sum</mi> <mi>x</mi><mo>+</mo><mi>y</mi></math>";
        let short = Tree::parse(words, "x").unwrap();
        let sum = short.child(ROOT, "math").unwrap();
        assert_eq!(tex(&(&short, sum)).as_deref(), Some("A \\mathrm{short} \\mathrm{sum} x+y"));
        assert_eq!(tex(&(&tree, math)).as_deref(), Some("E = \\frac{mc^{2}}{\\sqrt{3}}"));
    }
}
