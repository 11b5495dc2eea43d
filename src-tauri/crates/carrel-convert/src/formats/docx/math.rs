//! Formulas of office files as LaTeX, in place.

use crate::formats::xml::{Id, Tree};

/// The formula as LaTeX, without dollar signs.
pub(super) fn latex(tree: &Tree, formula: Id) -> String {
    let mut out = String::new();
    children(tree, formula, &mut out);
    crate::text::clean::line(&out)
}

fn children(tree: &Tree, id: Id, out: &mut String) {
    for child in tree.children(id) {
        node(tree, child, out);
    }
}

/// A part of a formula by the name of its element.
fn part(tree: &Tree, id: Id, name: &str) -> String {
    let mut out = String::new();
    if let Some(child) = tree.child(id, name) {
        children(tree, child, &mut out);
    }
    out.trim().to_owned()
}

fn property<'a>(tree: &'a Tree, id: Id, properties: &str, name: &str) -> Option<&'a str> {
    tree.path(id, &[properties, name]).map(|p| tree.attribute(p, "val").unwrap_or_default())
}

fn node(tree: &Tree, id: Id, out: &mut String) {
    let p = |name| part(tree, id, name);
    match tree.name(id) {
        "r" => {
            for text in tree.children(id).filter(|c| tree.name(*c) == "t") {
                out.push_str(&tree.text_of(text));
            }
        }
        "f" => out.push_str(&format!("\\frac{{{}}}{{{}}}", p("num"), p("den"))),
        "sSup" => out.push_str(&format!("{}^{{{}}}", p("e"), p("sup"))),
        "sSub" => out.push_str(&format!("{}_{{{}}}", p("e"), p("sub"))),
        "sSubSup" => out.push_str(&format!("{}_{{{}}}^{{{}}}", p("e"), p("sub"), p("sup"))),
        "sPre" => out.push_str(&format!("{{}}_{{{}}}^{{{}}}{}", p("sub"), p("sup"), p("e"))),
        "rad" => {
            let degree = p("deg");
            let degree = if degree.is_empty() { degree } else { format!("[{degree}]") };
            out.push_str(&format!("\\sqrt{degree}{{{}}}", p("e")));
        }
        "nary" => {
            let sign = match property(tree, id, "naryPr", "chr") {
                Some("∑") => "\\sum",
                Some("∏") => "\\prod",
                Some("∬") => "\\iint",
                Some("∮") => "\\oint",
                Some("⋃") => "\\bigcup",
                Some("⋂") => "\\bigcap",
                Some(other) if !other.is_empty() => other,
                _ => "\\int",
            };
            out.push_str(sign);
            for (mark, limit) in [('_', p("sub")), ('^', p("sup"))] {
                if !limit.is_empty() {
                    out.push_str(&format!("{mark}{{{limit}}}"));
                }
            }
            out.push_str(&format!(" {}", p("e")));
        }
        "d" => {
            let open = property(tree, id, "dPr", "begChr").unwrap_or("(");
            let close = property(tree, id, "dPr", "endChr").unwrap_or(")");
            let separator = property(tree, id, "dPr", "sepChr").unwrap_or("|");
            let inside: Vec<String> = tree
                .children(id)
                .filter(|c| tree.name(*c) == "e")
                .map(|e| {
                    let mut text = String::new();
                    children(tree, e, &mut text);
                    text
                })
                .collect();
            let bracket = |b: &str| match b {
                "" => ".".to_owned(),
                "{" | "}" => format!("\\{b}"),
                b => b.to_owned(),
            };
            out.push_str(&format!(
                "\\left{}{}\\right{}",
                bracket(open),
                inside.join(separator),
                bracket(close)
            ));
        }
        "func" => {
            let name = p("fName");
            let known = matches!(
                name.as_str(),
                "sin"
                    | "cos"
                    | "tan"
                    | "cot"
                    | "log"
                    | "ln"
                    | "exp"
                    | "lim"
                    | "max"
                    | "min"
                    | "sinh"
                    | "cosh"
                    | "tanh"
                    | "det"
            );
            out.push_str(&format!("{}{name} {}", if known { "\\" } else { "" }, p("e")));
        }
        "limLow" => out.push_str(&format!("{}_{{{}}}", p("e"), p("lim"))),
        "limUpp" => out.push_str(&format!("{}^{{{}}}", p("e"), p("lim"))),
        "acc" => {
            let accent = match property(tree, id, "accPr", "chr") {
                Some("\u{303}" | "~" | "˜") => "\\tilde",
                Some("\u{304}" | "\u{305}" | "¯") => "\\bar",
                Some("\u{20d7}" | "→") => "\\vec",
                Some("\u{307}" | "˙") => "\\dot",
                Some("\u{308}" | "¨") => "\\ddot",
                _ => "\\hat",
            };
            out.push_str(&format!("{accent}{{{}}}", p("e")));
        }
        "bar" => out.push_str(&format!("\\overline{{{}}}", p("e"))),
        "m" => {
            let rows: Vec<String> = tree
                .children(id)
                .filter(|c| tree.name(*c) == "mr")
                .map(|row| {
                    let cells: Vec<String> = tree
                        .children(row)
                        .map(|cell| {
                            let mut text = String::new();
                            children(tree, cell, &mut text);
                            text
                        })
                        .collect();
                    cells.join(" & ")
                })
                .collect();
            out.push_str(&format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ ")));
        }
        "eqArr" => {
            let rows: Vec<String> = tree
                .children(id)
                .filter(|c| tree.name(*c) == "e")
                .map(|e| {
                    let mut text = String::new();
                    children(tree, e, &mut text);
                    text
                })
                .collect();
            out.push_str(&rows.join(" \\\\ "));
        }
        // Properties carry no text; deleted parts are gone.
        name if name.ends_with("Pr") || matches!(name, "del" | "moveFrom" | "delText") => {}
        _ => children(tree, id, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_powers_roots_and_sums() {
        let xml = "<oMath><r><t>x=</t></r><f><num><r><t>a</t></r></num><den><rad><deg/><e><r><t>b</t></r></e></rad></den></f>\
            <sSup><e><r><t>y</t></r></e><sup><r><t>2</t></r></sup></sSup><nary><naryPr><chr val=\"∑\"/></naryPr><sub><r><t>i</t></r></sub>\
            <sup><r><t>n</t></r></sup><e><d><e><r><t>i</t></r></e></d></e></nary></oMath>";
        let tree = Tree::parse(xml, "x").unwrap();
        let formula = tree.child(tree.root(), "oMath").unwrap();
        assert_eq!(latex(&tree, formula), "x=\\frac{a}{\\sqrt{b}}y^{2}\\sum_{i}^{n} \\left(i\\right)");
    }
}
