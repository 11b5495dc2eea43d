//! The content of a paragraph, and what hangs on it: frames, notes, comments.

use super::styles::{Look, style_of};
use super::{MAX_OBJECTS, Note, Walk};
use crate::build::runs::Runs;
use crate::formats::html::kept_link;
use crate::formats::mathml;
use crate::formats::xml::{Id, ROOT, Tree};
use carrel_engine::seams::ConvertError;

/// Whether an element is drawn, and may hold text.
pub(super) fn is_shape(name: &str) -> bool {
    matches!(
        name,
        "frame"
            | "custom-shape"
            | "rect"
            | "ellipse"
            | "circle"
            | "polygon"
            | "polyline"
            | "path"
            | "line"
            | "connector"
            | "regular-polygon"
            | "caption"
            | "g"
    )
}

impl Walk<'_, '_> {
    /// The runs of a paragraph, and the shapes that hang on it.
    pub(super) fn runs_of(&mut self, paragraph: Id) -> (Runs, Vec<Id>) {
        let mut runs = Runs::default();
        let mut frames = Vec::new();
        if !self.styles.hidden("paragraph", style_of(self.tree, paragraph)) {
            let look = self.styles.look("paragraph", style_of(self.tree, paragraph), Look::default());
            self.inline(paragraph, look, &mut runs, &mut frames);
        }
        (runs, frames)
    }

    /// The depth of the tree bounds the depth of spans.
    fn inline(&mut self, parent: Id, look: Look, out: &mut Runs, frames: &mut Vec<Id>) {
        let tree = self.tree;
        for child in tree.children(parent) {
            match tree.name(child) {
                "" => {
                    out.strike(look.struck);
                    out.text(&tree.text_of(child), look.bold, look.italic);
                }
                "span" => {
                    let style = style_of(tree, child);
                    if self.styles.hidden("text", style) {
                        continue;
                    }
                    self.inline(child, self.styles.look("text", style, look), out, frames);
                }
                "a" => {
                    let link = tree.attribute(child, "href").and_then(kept_link);
                    if link.is_some() {
                        out.open_link();
                    }
                    self.inline(child, look, out, frames);
                    if let Some(link) = link {
                        out.close_link(link);
                    }
                }
                "s" | "tab" => out.text(" ", look.bold, look.italic),
                "line-break" => out.newline(),
                "note" => {
                    let text = tree.child(child, "note-body").map(|b| self.flat(b)).unwrap_or_default();
                    self.note(None, text, out);
                }
                "annotation" => {
                    let author = tree.child(child, "creator").map(|c| tree.text_of(c)).unwrap_or_default();
                    let text = self.flat(child);
                    self.note(Some(author), text, out);
                }
                "ruby" => {
                    if let Some(base) = tree.child(child, "ruby-base") {
                        self.inline(base, look, out, frames);
                    }
                }
                "frame" => match self.formula(child) {
                    Some(tex) => out.formula(&tex),
                    None => frames.push(child),
                },
                name if is_shape(name) => frames.push(child),
                "hidden-text" | "hidden-paragraph" | "script" | "tracked-changes" => {}
                _ => self.inline(child, look, out, frames),
            }
        }
    }

    fn note(&mut self, author: Option<String>, text: String, out: &mut Runs) {
        if !text.trim().is_empty() {
            self.notes.push(Note { author, text });
            out.raw(format!("[^{}]", self.notes.len()));
        }
    }

    /// All paragraphs below as one line of Markdown; tables in it as their cells.
    pub(super) fn flat(&mut self, parent: Id) -> String {
        let tree = self.tree;
        let mut texts = Vec::new();
        let paragraphs: Vec<Id> = tree
            .children_through(
                parent,
                &["list", "list-item", "list-header", "table", "table-row", "table-cell"],
            )
            .filter(|c| matches!(tree.name(*c), "p" | "h"))
            .collect();
        for paragraph in paragraphs {
            let (runs, _) = self.runs_of(paragraph);
            let line = runs.line(true);
            if !line.is_empty() {
                texts.push(line);
            }
        }
        texts.join(" ")
    }

    /// The formula in a frame.
    fn formula(&mut self, frame: Id) -> Option<String> {
        let tree = self.tree;
        let object = tree.child(frame, "object")?;
        if let Some(math) = tree.child(object, "math") {
            return mathml::tex(&(tree, math));
        }
        let part = self.object(object)?;
        let math = part.child(ROOT, "math")?;
        mathml::tex(&(&part, math))
    }

    /// The content of an embedded object.
    fn object(&mut self, object: Id) -> Option<Tree> {
        let folder = self.tree.attribute(object, "href")?.trim_start_matches("./");
        let package = self.package.as_deref_mut()?;
        match package.spare(&format!("{folder}/content.xml")) {
            Ok(tree) => tree,
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    fn fail(&mut self, error: ConvertError) {
        self.failed.get_or_insert(error);
    }

    /// Writes shapes: their text, their tables and charts, or what describes them.
    pub(super) fn frames(&mut self, frames: Vec<Id>) {
        let tree = self.tree;
        for frame in frames {
            if self.writer.is_full() || self.failed.is_some() {
                return;
            }
            let mut wrote = false;
            for child in tree.children(frame) {
                match tree.name(child) {
                    "text-box" | "table" | "p" | "list" | "h" => {
                        wrote = true;
                        self.block(child);
                    }
                    "object" => {
                        wrote |= self.chart(child);
                        if let Some(tex) = self.formula(frame)
                            && !tex.is_empty()
                        {
                            wrote = true;
                            self.lists.end(&mut self.writer);
                            self.writer.paragraph(&format!("${tex}$"));
                        }
                    }
                    name if is_shape(name) => {
                        wrote = true;
                        self.frames(vec![child]);
                    }
                    "a" => self.frames(tree.children(child).collect()),
                    _ => {}
                }
            }
            if !wrote {
                self.described(frame);
            }
        }
    }

    /// What an author wrote about a picture.
    fn described(&mut self, frame: Id) {
        let tree = self.tree;
        let text =
            ["title", "desc"].map(|n| tree.child(frame, n).map(|t| tree.text_of(t)).unwrap_or_default());
        let text = text.iter().map(|t| t.trim()).filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            self.writer.paragraph(&crate::build::inline::escaped(&text));
        }
    }

    /// A chart keeps its values as a table of its own.
    fn chart(&mut self, object: Id) -> bool {
        if self.objects >= MAX_OBJECTS {
            return false;
        }
        let Some(part) = self.object(object) else { return false };
        let Some(chart) = part.descendants(ROOT, "chart").nth(1) else { return false };
        self.lists.end(&mut self.writer);
        self.objects += 1;
        if let Some(title) = part.child(chart, "title") {
            let text = crate::build::inline::escaped(&part.text_of(title));
            if !text.is_empty() {
                self.writer.paragraph(&format!("**{text}**"));
            }
        }
        if let Some(table) = part.child(chart, "table") {
            crate::build::table::write(&mut self.writer, super::table::plain(&part, table));
        }
        self.objects -= 1;
        true
    }
}
