//! Formulas of office files as LaTeX, in place.

use crate::formats::xml::{Id, Tree};

/// The formula as LaTeX, without dollar signs.
pub(super) fn latex(tree: &Tree, formula: Id) -> String {
    crate::text::clean::line(&children(tree, formula))
}

fn children(tree: &Tree, id: Id) -> String {
    tree.children(id).map(|child| node(tree, child)).collect()
}

/// A part of a formula by the name of its element.
fn part(tree: &Tree, id: Id, name: &str) -> String {
    tree.child(id, name).map(|child| children(tree, child)).unwrap_or_default().trim().to_owned()
}

/// All parts of this name.
fn parts(tree: &Tree, id: Id, name: &str) -> Vec<String> {
    tree.children(id).filter(|c| tree.name(*c) == name).map(|c| children(tree, c)).collect()
}

fn property<'a>(tree: &'a Tree, id: Id, properties: &str, name: &str) -> Option<&'a str> {
    tree.path(id, &[properties, name]).map(|p| tree.attribute(p, "val").unwrap_or_default())
}

fn node(tree: &Tree, id: Id) -> String {
    let p = |name| part(tree, id, name);
    match tree.name(id) {
        "r" => tree.children(id).filter(|c| tree.name(*c) == "t").map(|text| tree.text_of(text)).collect(),
        "f" => format!("\\frac{{{}}}{{{}}}", p("num"), p("den")),
        "sSup" => format!("{}^{{{}}}", p("e"), p("sup")),
        "sSub" => format!("{}_{{{}}}", p("e"), p("sub")),
        "sSubSup" => format!("{}_{{{}}}^{{{}}}", p("e"), p("sub"), p("sup")),
        "sPre" => format!("{{}}_{{{}}}^{{{}}}{}", p("sub"), p("sup"), p("e")),
        "rad" => match p("deg") {
            degree if degree.is_empty() => format!("\\sqrt{{{}}}", p("e")),
            degree => format!("\\sqrt[{degree}]{{{}}}", p("e")),
        },
        "nary" => {
            let limit =
                |mark, limit: String| if limit.is_empty() { limit } else { format!("{mark}{{{limit}}}") };
            let sign = nary(property(tree, id, "naryPr", "chr"));
            format!("{sign}{}{} {}", limit('_', p("sub")), limit('^', p("sup")), p("e"))
        }
        "d" => {
            let bracket = |name, usual| match property(tree, id, "dPr", name).unwrap_or(usual) {
                "" => ".".to_owned(),
                brace @ ("{" | "}") => format!("\\{brace}"),
                other => other.to_owned(),
            };
            let separator = property(tree, id, "dPr", "sepChr").unwrap_or("|");
            let inside = parts(tree, id, "e").join(separator);
            format!("\\left{}{inside}\\right{}", bracket("begChr", "("), bracket("endChr", ")"))
        }
        "func" => {
            let name = p("fName");
            let known = [
                "sin", "cos", "tan", "cot", "log", "ln", "exp", "lim", "max", "min", "sinh", "cosh", "tanh",
                "det",
            ];
            let slash = if known.contains(&name.as_str()) { "\\" } else { "" };
            format!("{slash}{name} {}", p("e"))
        }
        "limLow" => format!("{}_{{{}}}", p("e"), p("lim")),
        "limUpp" => format!("{}^{{{}}}", p("e"), p("lim")),
        "acc" => format!("{}{{{}}}", accent(property(tree, id, "accPr", "chr")), p("e")),
        "bar" => format!("\\overline{{{}}}", p("e")),
        "m" => {
            let rows = tree.children(id).filter(|c| tree.name(*c) == "mr");
            let rows: Vec<String> = rows.map(|row| parts(tree, row, "e").join(" & ")).collect();
            format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
        }
        "eqArr" => parts(tree, id, "e").join(" \\\\ "),
        // Properties carry no text; deleted parts are gone.
        name if name.ends_with("Pr") || matches!(name, "del" | "moveFrom" | "delText") => String::new(),
        _ => children(tree, id),
    }
}

fn nary(sign: Option<&str>) -> &str {
    match sign {
        Some("∑") => "\\sum",
        Some("∏") => "\\prod",
        Some("∬") => "\\iint",
        Some("∮") => "\\oint",
        Some("⋃") => "\\bigcup",
        Some("⋂") => "\\bigcap",
        Some(other) if !other.is_empty() => other,
        _ => "\\int",
    }
}

fn accent(mark: Option<&str>) -> &'static str {
    match mark {
        Some("\u{303}" | "~" | "˜") => "\\tilde",
        Some("\u{304}" | "\u{305}" | "¯") => "\\bar",
        Some("\u{20d7}" | "→") => "\\vec",
        Some("\u{307}" | "˙") => "\\dot",
        Some("\u{308}" | "¨") => "\\ddot",
        _ => "\\hat",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::xml::ROOT;

    #[test]
    fn fractions_powers_roots_and_sums() {
        let xml = "<oMath><r><t>x=</t></r><f><num><r><t>a</t></r></num><den><rad><deg/><e><r><t>b</t></r></e></rad></den></f>\
            <sSup><e><r><t>y</t></r></e><sup><r><t>2</t></r></sup></sSup><nary><naryPr><chr val=\"∑\"/></naryPr><sub><r><t>i</t></r></sub>\
            <sup><r><t>n</t></r></sup><e><d><e><r><t>i</t></r></e></d></e></nary></oMath>";
        let tree = Tree::parse(xml, "x").unwrap();
        let formula = tree.child(ROOT, "oMath").unwrap();
        assert_eq!(latex(&tree, formula), "x=\\frac{a}{\\sqrt{b}}y^{2}\\sum_{i}^{n} \\left(i\\right)");
    }
}
