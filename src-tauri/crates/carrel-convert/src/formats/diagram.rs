//! Diagrams of Office Open XML (SmartArt): their texts, in the order in which the file keeps them.

use super::ooxml::Relations;
use super::package::Package;
use super::xml::{ROOT, Tree};
use carrel_engine::seams::ConvertError;

/// Reads the texts of the diagram whose data the relation `id` names.
pub(super) fn read(
    package: &mut Package<'_>,
    relations: &Relations,
    id: &str,
) -> Result<Vec<String>, ConvertError> {
    let Some(part) = relations.part(id) else { return Ok(Vec::new()) };
    Ok(package.spare(part)?.map(|tree| texts(&tree)).unwrap_or_default())
}

fn texts(tree: &Tree) -> Vec<String> {
    let points = tree.descendants(ROOT, "pt");
    let points = points.filter(|p| matches!(tree.attribute(*p, "type"), None | Some("node" | "asst")));
    let texts = points.map(|point| {
        let lines = tree.descendants(point, "p").map(|p| tree.text_of(p));
        lines.filter(|t| !t.trim().is_empty()).collect::<Vec<_>>().join(" ")
    });
    texts.filter(|t| !t.is_empty()).collect()
}
