//! Formulas in `MathML` as LaTeX.

use super::xml::{Id, Tree};

/// The formula as LaTeX, without dollar signs.
pub(super) fn latex(tree: &Tree, math: Id) -> String {
    crate::text::clean::line(&children(tree, math).join(" "))
}

/// Each element below; text between them is layout.
fn children(tree: &Tree, id: Id) -> Vec<String> {
    tree.children(id).filter(|c| !tree.name(*c).is_empty()).map(|c| node(tree, c)).collect()
}

/// The depth of the tree bounds the depth of formulas.
fn node(tree: &Tree, id: Id) -> String {
    let parts = || children(tree, id);
    let joined =
        |parts: Vec<String>| parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" ");
    let fixed = || {
        let mut parts = parts();
        parts.resize(3, String::new());
        parts
    };
    match tree.name(id) {
        "mi" | "mn" | "mo" | "ms" => tree.text_of(id).trim().to_owned(),
        "mtext" => match tree.text_of(id).trim() {
            "" => String::new(),
            text => format!("\\text{{{text}}}"),
        },
        // Beside the formula stands what it was typed as.
        "semantics" => parts().into_iter().next().unwrap_or_default(),
        "annotation" | "annotation-xml" => String::new(),
        "mfrac" => match fixed().as_slice() {
            [a, b, ..] => format!("\\frac{{{a}}}{{{b}}}"),
            _ => String::new(),
        },
        "msup" | "mover" => match fixed().as_slice() {
            [a, b, ..] => format!("{a}^{{{b}}}"),
            _ => String::new(),
        },
        "msub" | "munder" => match fixed().as_slice() {
            [a, b, ..] => format!("{a}_{{{b}}}"),
            _ => String::new(),
        },
        "msubsup" | "munderover" => match fixed().as_slice() {
            [a, b, c] => format!("{a}_{{{b}}}^{{{c}}}"),
            _ => String::new(),
        },
        "msqrt" => format!("\\sqrt{{{}}}", joined(parts())),
        "mroot" => match fixed().as_slice() {
            [a, b, ..] => format!("\\sqrt[{b}]{{{a}}}"),
            _ => String::new(),
        },
        "mfenced" => format!("\\left({}\\right)", parts().join(", ")),
        "mtable" => format!("\\begin{{matrix}}{}\\end{{matrix}}", parts().join(" \\\\ ")),
        "mtr" => parts().join(" & "),
        _ => joined(parts()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::xml::ROOT;

    #[test]
    fn fractions_roots_and_indices() {
        let xml = "<math><semantics><mrow><mi>E</mi><mo>=</mo><mfrac><mrow><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow>\
            <msqrt><mn>3</mn></msqrt></mfrac></mrow><annotation>E = mc^2</annotation></semantics></math>";
        let tree = Tree::parse(xml, "x").unwrap();
        assert_eq!(latex(&tree, tree.child(ROOT, "math").unwrap()), "E = \\frac{m c^{2}}{\\sqrt{3}}");
    }
}
