//! What all packages of Office Open XML share: relations between parts, the main part, the title.

use super::html::kept_link;
use super::package::{Package, resolved};
use super::xml::{Id, ROOT, Tree};
use carrel_engine::seams::ConvertError;

/// A relation of a part.
struct Relation {
    id: String,
    /// The last segment of its type: `slide`, `hyperlink`.
    kind: String,
    /// The name of a part, or an address.
    target: String,
    external: bool,
}

/// The relations of a part, in the order of the file.
#[derive(Default)]
pub(super) struct Relations(Vec<Relation>);

impl Relations {
    /// Reads them; a part without relations has none.
    pub(super) fn of(package: &mut Package<'_>, part: &str) -> Result<Self, ConvertError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let separator = if folder.is_empty() { "" } else { "/" };
        let Some(tree) = package.spare(&format!("{folder}{separator}_rels/{file}.rels"))? else {
            return Ok(Self::default());
        };
        let read = |r| {
            let target = tree.attribute(r, "Target")?;
            let external = tree.attribute(r, "TargetMode") == Some("External");
            let kind = tree.attribute(r, "Type").unwrap_or_default();
            Some(Relation {
                id: tree.attribute(r, "Id")?.to_owned(),
                kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                target: if external { target.to_owned() } else { resolved(folder, target) },
                external,
            })
        };
        Ok(Self(tree.descendants(ROOT, "Relationship").filter_map(read).collect()))
    }

    /// The part of this id.
    pub(super) fn part(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|r| r.id == id && !r.external).map(|r| r.target.as_str())
    }

    /// The address of this id, where it is one that may stand in a document.
    pub(super) fn link(&self, id: &str) -> Option<String> {
        self.0.iter().find(|r| r.id == id && r.external).and_then(|r| kept_link(&r.target))
    }

    /// All parts of a kind.
    pub(super) fn kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.0.iter().filter(move |r| r.kind == kind && !r.external).map(|r| r.target.as_str())
    }
}

/// The main part: what the package's relations call so, or the usual name.
pub(super) fn main_part(package: &mut Package<'_>, usual: &str) -> Result<String, ConvertError> {
    let relations = Relations::of(package, "")?;
    Ok(relations.kind("officeDocument").next().unwrap_or(usual).to_owned())
}

/// The title among the properties.
pub(super) fn title(package: &mut Package<'_>) -> Result<Option<String>, ConvertError> {
    let core = package.spare("docProps/core.xml")?;
    Ok(core.and_then(|core| {
        let title = core.path(ROOT, &["coreProperties", "title"])?;
        Some(core.text_of(title)).filter(|t| !t.trim().is_empty())
    }))
}

/// The way of drawing something to read: the first, or where nothing in it can be read (`useful`) the last.
pub(super) fn alternative(tree: &Tree, node: Id, useful: impl Fn(Id) -> bool) -> Option<Id> {
    let choice = tree.child(node, "Choice");
    let fallback = tree.child(node, "Fallback");
    match (choice, fallback) {
        (Some(choice), Some(fallback)) => Some(if useful(choice) { choice } else { fallback }),
        (choice, fallback) => choice.or(fallback),
    }
}

/// Whether an alternative text says something: the name of a file does not.
pub(super) fn is_description(text: &str) -> bool {
    let text = text.trim();
    let named = [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".svg", ".tif"];
    let lower = text.to_lowercase();
    let is_name = !text.contains(' ') && named.iter().any(|e| lower.ends_with(e));
    !text.is_empty() && !is_name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_count_from_their_folder() {
        assert_eq!(resolved("ppt/slides", "../charts/chart1.xml"), "ppt/charts/chart1.xml");
        assert_eq!(resolved("ppt", "/ppt/slides/slide1.xml"), "ppt/slides/slide1.xml");
        assert_eq!(resolved("", "../../x/./y"), "x/y");
    }
}
