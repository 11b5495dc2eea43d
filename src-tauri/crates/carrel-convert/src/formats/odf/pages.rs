//! The pages of presentations and drawings: the title first, then the shapes, the notes, the comments.

use super::Walk;
use super::styles::style_of;
use crate::build::inline::escaped;
use crate::formats::xml::Id;
use crate::formats::{Progress, Source};
use carrel_engine::domain::Location;
use carrel_engine::seams::ConvertError;

impl Walk<'_, '_> {
    /// Writes all pages; those of presentations are slides.
    pub(super) fn pages(
        &mut self,
        parent: Id,
        source: &Source<'_>,
        slides: bool,
    ) -> Result<(), ConvertError> {
        let tree = self.tree;
        let pages: Vec<Id> = tree.children(parent).filter(|c| tree.name(*c) == "page").collect();
        let of = pages.len() as u32;
        if of > source.limits.pages {
            return Err(ConvertError::LimitExceeded { limit: "pages" });
        }
        for (page, part) in pages.into_iter().zip(1..) {
            (source.progress)(Progress { unit: if slides { "slide" } else { "page" }, part, of });
            if self.writer.is_full() {
                break;
            }
            self.writer.locate(Some(if slides {
                Location { slide: Some(part), ..Location::default() }
            } else {
                crate::build::page(part)
            }));
            self.page(page, part, slides);
        }
        Ok(())
    }

    fn page(&mut self, page: Id, number: u32, slides: bool) {
        let tree = self.tree;
        let class = |id: Id| tree.attribute(id, "class");
        let is_empty = |id: Id| tree.text_of(id).trim().is_empty();
        let shapes: Vec<Id> =
            tree.children(page).filter(|c| super::inline::is_shape(tree.name(*c))).collect();
        let comments: Vec<Id> = tree.children(page).filter(|c| tree.name(*c) == "annotation").collect();
        let notes = tree.child(page, "notes");
        let title = shapes.iter().copied().find(|s| class(*s) == Some("title") && !is_empty(*s));
        let has_notes =
            notes.is_some_and(|n| tree.children(n).any(|s| class(s) == Some("notes") && !is_empty(s)));
        let described = |id| ["title", "desc"].iter().any(|n| tree.child(id, n).is_some());
        let speaks =
            |id: &Id| !is_empty(*id) || described(*id) || tree.descendants(*id, "object").next().is_some();
        if title.is_none() && !has_notes && comments.is_empty() && !shapes.iter().any(speaks) {
            return;
        }
        let hidden = slides && self.styles.hidden("drawing-page", style_of(tree, page));
        if slides || title.is_some() {
            let mut name = match title {
                Some(title) => self.flat_shape(title),
                None => format!("Slide {number}"),
            };
            if hidden {
                name.push_str(" (hidden)");
            }
            self.writer.heading(2, &name, &name);
            if number == 1 && !hidden && title.is_some() {
                self.writer.title(&name);
            }
        }
        for shape in shapes {
            let skipped = matches!(class(shape), Some("page-number" | "date-time" | "notes" | "page"));
            if Some(shape) != title && !skipped {
                self.frames(vec![shape]);
                self.end();
            }
        }
        if has_notes && let Some(notes) = notes {
            self.writer.heading(3, "Notes", "Notes");
            for shape in tree.children(notes).filter(|s| class(*s) == Some("notes")) {
                self.frames(vec![shape]);
                self.end();
            }
        }
        if !comments.is_empty() {
            self.writer.heading(3, "Comments", "Comments");
            for comment in comments {
                let author = tree.child(comment, "creator").map(|c| tree.text_of(c)).unwrap_or_default();
                let by = if author.is_empty() { author } else { format!("{}: ", escaped(&author)) };
                let text = self.flat(comment);
                self.writer.paragraph(&format!("{by}{text}"));
            }
        }
    }

    /// The text of a shape on one line.
    fn flat_shape(&mut self, shape: Id) -> String {
        match self.tree.child(shape, "text-box") {
            Some(inner) => self.flat(inner),
            None => self.flat(shape),
        }
        .replace("**", "")
    }
}
