//! What styles of OpenDocument mean: emphasis, titles, quotations, lists, what is hidden.

use crate::formats::xml::{Id, ROOT, Tree};
use std::collections::HashMap;

/// A chain of parents longer than this is a circle.
const MAX_PARENTS: usize = 16;

#[derive(Default, Clone)]
struct Style {
    parent: Option<String>,
    /// The name that people see.
    shown: String,
    bold: Option<bool>,
    italic: Option<bool>,
    struck: Option<bool>,
    hidden: bool,
    outline: Option<u8>,
}

/// How text stands out.
#[derive(Clone, Copy, Default)]
pub(super) struct Look {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) struck: bool,
}

/// What a paragraph is by its style.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    Plain,
    Title,
    Heading(u8),
    Quote,
    Code,
}

/// A level of a list: the number it starts at, or none for bullets.
type Level = Option<u64>;

/// The styles of a document.
#[derive(Default)]
pub(super) struct Styles {
    /// By family and name.
    styles: HashMap<(String, String), Style>,
    lists: HashMap<String, HashMap<u8, Level>>,
}

impl Styles {
    /// Reads those of one part.
    pub(super) fn read(&mut self, tree: &Tree) {
        for style in tree.descendants(ROOT, "style") {
            let (Some(family), Some(name)) = (tree.attribute(style, "family"), tree.attribute(style, "name"))
            else {
                continue;
            };
            let text = tree.child(style, "text-properties");
            let set = |name| text.and_then(|t| tree.attribute(t, name));
            let page = tree.child(style, "drawing-page-properties");
            let table = tree.child(style, "table-properties");
            let own = Style {
                parent: tree.attribute(style, "parent-style-name").map(str::to_owned),
                shown: tree.attribute(style, "display-name").unwrap_or(name).to_lowercase(),
                bold: set("font-weight").map(|w| w == "bold" || w.parse().is_ok_and(|w: u32| w >= 600)),
                italic: set("font-style").map(|s| s == "italic" || s == "oblique"),
                struck: set("text-line-through-style")
                    .or_else(|| set("text-line-through-type"))
                    .map(|s| s != "none"),
                hidden: set("display") == Some("none")
                    || page.and_then(|p| tree.attribute(p, "visibility")) == Some("hidden")
                    || table.and_then(|t| tree.attribute(t, "display")) == Some("false"),
                outline: tree.attribute(style, "default-outline-level").and_then(|l| l.parse().ok()),
            };
            self.styles.insert((family.to_owned(), name.to_owned()), own);
        }
        for list in tree.descendants(ROOT, "list-style") {
            let Some(name) = tree.attribute(list, "name") else { continue };
            let mut levels = HashMap::new();
            for level in tree.children(list) {
                let Some(at) = tree.attribute(level, "level").and_then(|l| l.parse().ok()) else { continue };
                let counts = tree.name(level) == "list-level-style-number"
                    && tree.attribute(level, "num-format").is_some_and(|f| !f.is_empty());
                let start = tree.attribute(level, "start-value").and_then(|s| s.parse().ok()).unwrap_or(1);
                levels.insert(at, counts.then_some(start));
            }
            self.lists.insert(name.to_owned(), levels);
        }
    }

    fn chain(&self, family: &str, name: &str) -> impl Iterator<Item = &Style> {
        let mut at = Some(name.to_owned());
        let family = family.to_owned();
        std::iter::from_fn(move || {
            let style = self.styles.get(&(family.clone(), at.take()?))?;
            at.clone_from(&style.parent);
            Some(style)
        })
        .take(MAX_PARENTS)
    }

    /// How text of this style looks inside text that looks like `base`.
    pub(super) fn look(&self, family: &str, name: &str, base: Look) -> Look {
        let set = |of: fn(&Style) -> Option<bool>| self.chain(family, name).find_map(of);
        Look {
            bold: set(|s| s.bold).unwrap_or(base.bold),
            italic: set(|s| s.italic).unwrap_or(base.italic),
            struck: set(|s| s.struck).unwrap_or(base.struck),
        }
    }

    /// Whether what has this style is not shown.
    pub(super) fn hidden(&self, family: &str, name: &str) -> bool {
        self.chain(family, name).any(|s| s.hidden)
    }

    /// What a paragraph of this style is.
    pub(super) fn kind(&self, name: &str) -> Kind {
        let fallback = name.replace("_20_", " ").to_lowercase();
        let mut known = false;
        for style in self.chain("paragraph", name) {
            known = true;
            if let Some(level) = style.outline.filter(|l| *l > 0) {
                return Kind::Heading(level);
            }
            if let Some(kind) = by_name(&style.shown) {
                return kind;
            }
        }
        if known { Kind::Plain } else { by_name(&fallback).unwrap_or(Kind::Plain) }
    }

    /// The number at which a level of a list starts; `None` where it does not count.
    pub(super) fn list(&self, name: &str, level: u8) -> Option<u64> {
        self.lists.get(name).and_then(|levels| levels.get(&level)).copied().flatten()
    }
}

fn by_name(name: &str) -> Option<Kind> {
    match name {
        "title" => Some(Kind::Title),
        "quotations" | "quote" | "intense quote" => Some(Kind::Quote),
        "preformatted text" | "source code" | "code" | "html preformatted" => Some(Kind::Code),
        _ => None,
    }
}

/// The style that an element names.
pub(super) fn style_of(tree: &Tree, id: Id) -> &str {
    tree.attribute(id, "style-name").unwrap_or_default()
}
