//! What hangs on a sheet of XLSX or XLSB and is no cell: comments, text in shapes, titles of charts.

use crate::formats::chart;
use crate::formats::diagram;
use crate::formats::ooxml::{self, Relations};
use crate::formats::package::Package;
use crate::formats::xml::{RELATION, ROOT, Tree};
use carrel_engine::seams::ConvertError;
use std::collections::HashMap;

/// The parts of the sheets, by name.
pub(super) struct Extras(HashMap<String, String>);

impl Extras {
    /// With the parts of the sheets by their names.
    pub(super) fn new(parts: HashMap<String, String>) -> Self {
        Self(parts)
    }

    /// Finds the parts of the sheets; a workbook that cannot be read so has no extras.
    pub(super) fn read(package: &mut Package<'_>) -> Result<Self, ConvertError> {
        let main = ooxml::main_part(package, "xl/workbook.xml")?;
        let relations = Relations::of(package, &main)?;
        let Some(book) = package.spare(&main)? else { return Ok(Self(HashMap::new())) };
        let part = |sheet| {
            let part = relations.part(book.attribute(sheet, RELATION)?)?;
            Some((book.attribute(sheet, "name")?.to_owned(), part.to_owned()))
        };
        Ok(Self(book.descendants(ROOT, "sheet").filter_map(part).collect()))
    }

    /// Place and text of what hangs on a sheet; what is damaged of it is left out.
    pub(super) fn of(&self, package: &mut Package<'_>, sheet: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let Some(part) = self.0.get(sheet) else { return found };
        let Ok(relations) = Relations::of(package, part) else { return found };
        for comments in relations.kind("comments") {
            if let Ok(Some(tree)) = package.spare(comments) {
                found.extend(comments_of(&tree));
            }
        }
        for drawing in relations.kind("drawing") {
            let Ok(Some(tree)) = package.spare(drawing) else { continue };
            for body in tree.descendants(ROOT, "txBody") {
                let lines = tree
                    .descendants(body, "p")
                    .map(|p| tree.descendants(p, "t").map(|t| tree.text_of(t)).collect::<String>());
                let text = lines.filter(|l| !l.trim().is_empty()).collect::<Vec<_>>().join(" ");
                if !text.is_empty() {
                    found.push((String::new(), text));
                }
            }
            let Ok(charts) = Relations::of(package, drawing) else { continue };
            for id in tree.descendants(ROOT, "relIds").filter_map(|d| tree.attribute(d, "dm")) {
                let texts = diagram::read(package, &charts, id).unwrap_or_default();
                found.extend(texts.into_iter().map(|text| (String::new(), text)));
            }
            for id in tree.descendants(ROOT, "chart").filter_map(|c| tree.attribute(c, RELATION)) {
                if let Ok(Some(chart)) = chart::read(package, &charts, id)
                    && !chart.title.trim().is_empty()
                {
                    found.push((String::new(), chart.title));
                }
            }
        }
        found
    }
}

fn comments_of(tree: &Tree) -> Vec<(String, String)> {
    let comments = tree.descendants(ROOT, "comment").map(|comment| {
        let place = tree.attribute(comment, "ref").unwrap_or_default().to_owned();
        let text: String = tree.descendants(comment, "t").map(|t| tree.text_of(t)).collect();
        // What old versions show in place of a thread begins with a notice.
        let thread = text.strip_prefix("[Threaded comment]").and_then(|t| t.split_once("Comment:"));
        (place, thread.map_or(text.as_str(), |(_, said)| said).trim().to_owned())
    });
    comments.filter(|(_, text)| !text.trim().is_empty()).collect()
}
