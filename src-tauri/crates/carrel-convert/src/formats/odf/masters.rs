//! What stands on the masters of pages: headers and footers, and text that is drawn on every page. Each text once.
//!
//! Placeholders hold prompts for those who write, and are not read.

use super::Walk;
use super::inline::is_shape;
use crate::build::inline::escaped;
use crate::formats::xml::{Id, ROOT, Tree};
use std::collections::HashSet;

impl Walk<'_, '_> {
    /// Headers and footers of the pages of a text.
    pub(super) fn headers(&mut self, styles: &Tree) {
        let parts = styles.descendants(ROOT, "master-page").flat_map(|page| styles.children(page));
        let running = parts.filter(|p| {
            let name = styles.name(*p);
            ["header", "footer"]
                .into_iter()
                .filter_map(|of| name.strip_prefix(of))
                .any(|side| matches!(side, "" | "-first" | "-left"))
        });
        let running: Vec<Id> = running.collect();
        self.each_once(styles, &running);
    }

    /// What the masters show on the slides or pages in `pages`, and the footers and headers that slides share.
    pub(super) fn masters(&mut self, styles: &Tree, pages: Id) {
        let tree = self.tree;
        self.writer.locate(None);
        let used: HashSet<&str> = tree
            .children(pages)
            .filter(|page| tree.name(*page) == "page")
            .filter_map(|page| tree.attribute(page, "master-page-name"))
            .collect();
        let masters = styles
            .descendants(ROOT, "master-page")
            .filter(|m| styles.attribute(*m, "name").is_some_and(|name| used.contains(name)));
        let speaks = |shape: &Id| {
            is_shape(styles.name(*shape))
                && matches!(styles.attribute(*shape, "class"), None | Some("header" | "footer"))
                && !styles.flag(*shape, "placeholder")
        };
        let shapes: Vec<Id> = masters.flat_map(|master| styles.children(master)).filter(speaks).collect();
        self.each_once(styles, &shapes);
        let shared = |c: &Id| matches!(tree.name(*c), "footer-decl" | "header-decl");
        for text in tree.children(pages).filter(shared).map(|c| tree.text_of(c)).collect::<Vec<_>>() {
            self.once(&text);
        }
    }

    fn each_once(&mut self, tree: &Tree, parts: &[Id]) {
        for part in parts {
            let lines = tree.descendants(*part, "p").map(|p| crate::text::clean::line(&tree.text_of(p)));
            let text = lines.filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
            self.once(&text);
        }
    }

    fn once(&mut self, text: &str) {
        let text = text.trim();
        // A number alone is that of the page.
        if text.replace("<number>", "").chars().any(char::is_alphabetic)
            && self.running.insert(text.to_owned())
        {
            self.writer.paragraph(&escaped(text));
        }
    }
}
