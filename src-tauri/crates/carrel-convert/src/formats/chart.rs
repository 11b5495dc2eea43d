//! Charts of Office Open XML: the values that the file keeps beside the picture, as a table.

use super::ooxml::Relations;
use super::package::Package;
use super::sheets::number;
use super::xml::{Id, ROOT, Tree};
use crate::build::inline::escaped;
use carrel_engine::seams::ConvertError;
use std::collections::BTreeMap;

/// Points of one series that are kept.
const MAX_POINTS: usize = 100_000;

/// A chart.
#[derive(Default, Debug, PartialEq)]
pub(super) struct Chart {
    pub(super) title: String,
    /// A header, and a row for each category. Cells are inline Markdown.
    pub(super) rows: Vec<Vec<String>>,
}

/// Reads the chart that the relation `id` names.
pub(super) fn read(
    package: &mut Package<'_>,
    relations: &Relations,
    id: &str,
) -> Result<Option<Chart>, ConvertError> {
    let Some(part) = relations.part(id) else { return Ok(None) };
    Ok(package.spare(part)?.map(|tree| Chart::of(&tree)))
}

impl Chart {
    fn of(tree: &Tree) -> Self {
        let Some(chart) = tree.path(ROOT, &["chartSpace", "chart"]) else { return Self::default() };
        let title = tree.child(chart, "title").map(|t| label(tree, t)).unwrap_or_default();
        let mut header = vec![String::new()];
        let mut rows: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for series in tree.descendants(chart, "ser") {
            let column = header.len();
            header.push(escaped(&tree.child(series, "tx").map(|t| label(tree, t)).unwrap_or_default()));
            let named = |names: [&str; 2]| names.iter().find_map(|n| tree.child(series, n));
            for (index, value) in named(["val", "yVal"]).map(|v| points(tree, v)).unwrap_or_default() {
                let row = rows.entry(index).or_default();
                row.resize(column.max(1), String::new());
                row.push(escaped(&value));
            }
            for (index, category) in named(["cat", "xVal"]).map(|c| points(tree, c)).unwrap_or_default() {
                if let Some(first) = rows.get_mut(&index).and_then(|row| row.first_mut())
                    && first.is_empty()
                {
                    *first = escaped(&category);
                }
            }
        }
        if rows.is_empty() {
            return Self { title, rows: Vec::new() };
        }
        let rows = std::iter::once(header).chain(rows.into_values()).collect();
        Self { title, rows }
    }
}

/// The text of a title or of a series' name: rich, kept beside a reference, or as a value.
fn label(tree: &Tree, id: Id) -> String {
    let mut out: Vec<String> = tree.descendants(id, "t").map(|t| tree.text_of(t)).collect();
    if out.is_empty() {
        out = tree.descendants(id, "v").map(|v| tree.text_of(v)).collect();
        return out.join(" ");
    }
    out.concat()
}

/// Values by their index. Of categories in several levels the levels are joined, the widest first.
fn points(tree: &Tree, id: Id) -> BTreeMap<usize, String> {
    let mut out: BTreeMap<usize, String> = BTreeMap::new();
    let levels: Vec<Id> = tree.descendants(id, "lvl").collect();
    let sources = if levels.is_empty() { vec![id] } else { levels };
    for source in sources {
        let code = tree.descendants(source, "formatCode").next().map(|c| tree.text_of(c));
        let mut numbers = tree.descendants(source, "numCache").chain(tree.descendants(source, "numLit"));
        let numeric = numbers.next().is_some();
        for point in tree.descendants(source, "pt").take(MAX_POINTS) {
            let Some(index) = tree.attribute(point, "idx").and_then(|i| i.parse::<usize>().ok()) else {
                continue;
            };
            let raw = tree.child(point, "v").map(|v| tree.text_of(v)).unwrap_or_default();
            let text = match raw.trim().parse::<f64>() {
                Ok(value) if numeric => number::cached(value, code.as_deref()),
                _ => raw,
            };
            let entry = out.entry(index).or_default();
            *entry = if entry.is_empty() { text } else { format!("{text} {entry}") };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_stand_beside_their_categories() {
        let xml = r#"<chartSpace><chart><title><tx><rich><p><r><t>Sales </t></r><r><t>2025</t></r></p></rich></tx></title><plotArea>
            <barChart><ser><tx><strRef><strCache><pt idx="0"><v>North</v></pt></strCache></strRef></tx>
            <cat><strRef><strCache><pt idx="0"><v>Q1</v></pt><pt idx="1"><v>Q2</v></pt></strCache></strRef></cat>
            <val><numRef><numCache><formatCode>0.0%</formatCode><pt idx="0"><v>0.125</v></pt><pt idx="1"><v>0.5</v></pt></numCache></numRef></val></ser>
            <ser><tx><v>South</v></tx><val><numRef><numCache><pt idx="1"><v>4.2999999999999998</v></pt></numCache></numRef></val></ser>
            </barChart></plotArea></chart></chartSpace>"#;
        let chart = Chart::of(&Tree::parse(xml, "chart").unwrap());
        assert_eq!(chart.title, "Sales 2025");
        assert_eq!(chart.rows, [vec!["", "North", "South"], vec!["Q1", "12.5%"], vec!["Q2", "50.0%", "4.3"]]);
    }
}
