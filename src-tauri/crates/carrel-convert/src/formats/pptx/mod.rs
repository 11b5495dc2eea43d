//! PPTX through an own reader: slides in their order, titles first, lists with levels, tables, charts, notes, comments.
//!
//! A slide that cannot be read costs that slide. What is written on masters and layouts for all their slides stands once at the
//! end; of their placeholders nothing is kept: their text is no content.
//! Numbers, dates and hidden shapes are left out; hidden slides are kept and marked.

mod bullets;
mod slide;

use super::ooxml::{self, Relations};
use super::package::Package;
use super::xml::{RELATION, ROOT, Tree};
use super::{Progress, Source};
use crate::build::Draft;
use crate::build::inline::escaped;
use crate::build::lists::Lists;
use crate::build::table;
use crate::build::writer::Writer;
use crate::text::clean;
use bullets::Layouts;
use carrel_engine::domain::Location;
use carrel_engine::seams::ConvertError;
use slide::{Item, Slide};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the slides share.
struct Deck<'a> {
    package: Package<'a>,
    layouts: Layouts,
    /// Names of those who commented, by their id.
    authors: HashMap<String, String>,
    /// Footers that were written, and [`Deck::fixed`].
    footers: HashSet<String>,
    /// What stands on the layouts and masters that are used.
    fixed: Vec<String>,
}

impl Deck<'_> {
    /// Keeps what is written on a layout or master for all its slides.
    fn keep_fixed(&mut self, tree: &Tree) {
        for shape in tree.descendants(ROOT, "sp") {
            let holder = tree.path(shape, &["nvSpPr", "nvPr", "ph"]);
            let hidden = tree.path(shape, &["nvSpPr", "cNvPr"]).is_some_and(|n| tree.flag(n, "hidden"));
            if holder.is_some() || hidden {
                continue;
            }
            let lines = tree.descendants(shape, "p").map(|p| clean::line(&tree.text_of(p)));
            let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
            if text.chars().any(char::is_alphabetic) && self.footers.insert(text.clone()) {
                self.fixed.push(text);
            }
        }
    }
}

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let mut package = Package::open(source)?;
    let main = ooxml::main_part(&mut package, "ppt/presentation.xml")?;
    let relations = Relations::of(&mut package, &main)?;
    let parts = slides(&mut package, &main, &relations)?;
    let of = parts.len() as u32;
    if of > source.limits.pages {
        return Err(ConvertError::LimitExceeded { limit: "pages" });
    }
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(title) = ooxml::title(&mut package)? {
        // What PowerPoint calls a file that nobody has named.
        if title.trim() != "PowerPoint Presentation" {
            writer.title(&title);
        }
    }
    let authors = authors(&mut package, &relations)?;
    let mut deck =
        Deck { package, layouts: Layouts::default(), authors, footers: HashSet::new(), fixed: Vec::new() };
    for (part, number) in parts.iter().zip(1..) {
        (source.progress)(Progress { unit: "slide", part: number, of });
        if writer.is_full() {
            break;
        }
        let read = || match part {
            Some(part) => Slide::read(&mut deck, part),
            None => Err(ConvertError::Damaged { detail: "it is not in the file".into() }),
        };
        // A fault in one slide costs that slide.
        let slide = catch_unwind(AssertUnwindSafe(read))
            .unwrap_or_else(|_| Err(ConvertError::Damaged { detail: "its content is not valid".into() }));
        match slide {
            Ok(slide) => write(slide, number, &mut writer),
            Err(ConvertError::Damaged { detail }) => {
                writer.missing("damaged", format!("slide {number} could not be read: {detail}"));
            }
            Err(error) => return Err(error),
        }
    }
    writer.locate(None);
    for text in deck.fixed {
        writer.paragraph(&escaped(&text));
    }
    let mut draft = writer.finish()?;
    deck.package.tell(&mut draft);
    Ok(draft)
}

/// The parts of the slides in their order, `None` for one that is named and not there.
fn slides(
    package: &mut Package<'_>,
    main: &str,
    relations: &Relations,
) -> Result<Vec<Option<String>>, ConvertError> {
    let mut parts = Vec::new();
    if let Some(tree) = package.spare(main)? {
        let ids = tree.descendants(ROOT, "sldId").filter_map(|s| tree.attribute(s, RELATION));
        parts = ids.map(|id| relations.part(id).map(str::to_owned)).collect();
    }
    if parts.is_empty() {
        // The list of slides is damaged: their numbers are as good.
        let number = |name: &str| -> Option<u32> {
            name.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?.parse().ok()
        };
        let mut numbered: Vec<(u32, String)> =
            package.names().filter_map(|name| Some((number(&name)?, name))).collect();
        numbered.sort();
        parts = numbered.into_iter().map(|(_, name)| Some(name)).collect();
    }
    if parts.is_empty() {
        return Err(ConvertError::NoText { detail: "the presentation holds no slides".into() });
    }
    Ok(parts)
}

fn authors(
    package: &mut Package<'_>,
    relations: &Relations,
) -> Result<HashMap<String, String>, ConvertError> {
    let mut authors = HashMap::new();
    for (kind, element) in [("commentAuthors", "cmAuthor"), ("authors", "author")] {
        for part in relations.kind(kind) {
            let Some(tree) = package.spare(part)? else { continue };
            for author in tree.descendants(ROOT, element) {
                if let (Some(id), Some(name)) = (tree.attribute(author, "id"), tree.attribute(author, "name"))
                {
                    authors.insert(id.to_owned(), name.to_owned());
                }
            }
        }
    }
    Ok(authors)
}

fn write(slide: Slide, number: u32, writer: &mut Writer) {
    if slide.is_empty() {
        return;
    }
    writer.locate(Some(Location { slide: Some(number), ..Location::default() }));
    let (mut inline, mut plain) = match &slide.title {
        Some(title) => (title.line(false), title.plain()),
        None => (format!("Slide {number}"), format!("Slide {number}")),
    };
    if slide.opening && !slide.hidden {
        writer.title(&plain);
    }
    if slide.hidden {
        inline.push_str(" (hidden)");
        plain.push_str(" (hidden)");
    }
    writer.heading(if slide.opening { 1 } else { 2 }, &inline, &plain);
    items(slide.items, writer);
    if !slide.notes.is_empty() {
        writer.heading(3, "Notes", "Notes");
        items(slide.notes, writer);
    }
    if !slide.comments.is_empty() {
        writer.heading(3, "Comments", "Comments");
        for (author, text) in slide.comments {
            let by = if author.is_empty() { author } else { format!("{author}: ") };
            writer.paragraph(&escaped(&format!("{by}{text}")));
        }
    }
}

fn items(items: Vec<Item>, writer: &mut Writer) {
    let mut lists = Lists::default();
    for item in items {
        match item {
            Item::Listed { level, number, runs } => {
                lists.item(writer, level, number);
                writer.paragraph(&runs.markdown(true));
            }
            Item::Paragraph(runs) => {
                lists.end(writer);
                writer.paragraph(&runs.markdown(true));
            }
            Item::Table(rows) => {
                lists.end(writer);
                table::write(writer, rows);
            }
        }
    }
    lists.end(writer);
}
