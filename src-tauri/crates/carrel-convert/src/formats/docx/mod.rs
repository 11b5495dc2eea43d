//! DOCX through an own reader: headings by style or outline level, lists with their counted labels, tables, footnotes, formulas.
//!
//! Of tracked changes the text as it would stand if all were accepted. Pages where Word left marks of them.
//! Packages are read within limits, and a part that declares a document type is refused.

mod inline;
mod math;
mod styles;
mod table;

use super::package::Package;
use super::xml::{Id, ROOT, Tree};
use super::{Progress, Source};
use crate::build::writer::Writer;
use crate::build::{Draft, page};
use carrel_engine::domain::BlockKind;
use carrel_engine::seams::ConvertError;
use inline::Run;
use std::collections::HashMap;
use styles::{Mark, Numbering, Styles};

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    (source.progress)(Progress { unit: "part", part: 1, of: 1 });
    let mut package = Package::open(source)?;
    let main = main_part(&mut package)?;
    let damaged = |part: &str| ConvertError::Damaged { detail: format!("its part {part} is missing") };
    let document = tree(&mut package, &main)?.ok_or_else(|| damaged(&main))?;
    let body = document.path(ROOT, &["document", "body"]).ok_or_else(|| damaged("w:body"))?;
    let beside = |name: &str| match main.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    };
    let styles = tree(&mut package, &beside("styles.xml"))?.map(|t| Styles::read(&t)).unwrap_or_default();
    let numbering =
        tree(&mut package, &beside("numbering.xml"))?.map(|t| Numbering::read(&t)).unwrap_or_default();
    let links = links(&mut package, &main)?;
    let notes = [tree(&mut package, &beside("footnotes.xml"))?, tree(&mut package, &beside("endnotes.xml"))?];
    let title = tree(&mut package, "docProps/core.xml")?.and_then(|core| {
        let title = core.path(ROOT, &["coreProperties", "title"])?;
        Some(core.text_of(title)).filter(|t| !t.trim().is_empty())
    });

    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(title) = title {
        writer.title(&title);
    }
    let has_pages = document.descendants(body, "lastRenderedPageBreak").next().is_some();
    let mut walk = Walk {
        tree: &document,
        styles,
        numbering,
        links,
        writer,
        lists: Vec::new(),
        notes: Vec::new(),
        page: has_pages.then_some(1),
        code: None,
    };
    walk.locate();
    walk.blocks(body);
    walk.end_lists();
    walk.end_code();
    walk.write_notes(&notes);
    walk.writer.finish()
}

fn tree(package: &mut Package<'_>, part: &str) -> Result<Option<Tree>, ConvertError> {
    package.xml(part)?.map(|xml| Tree::parse(&xml, part)).transpose()
}

/// The main part: what the package's relations call so.
fn main_part(package: &mut Package<'_>) -> Result<String, ConvertError> {
    let relations = tree(package, "_rels/.rels")?;
    let target = relations.and_then(|t| {
        t.descendants(ROOT, "Relationship")
            .find(|r| t.attribute(*r, "Type").is_some_and(|kind| kind.ends_with("/officeDocument")))
            .and_then(|r| t.attribute(r, "Target").map(|s| s.trim_start_matches('/').to_owned()))
    });
    Ok(target.unwrap_or_else(|| "word/document.xml".to_owned()))
}

/// Targets of links by their id.
fn links(package: &mut Package<'_>, main: &str) -> Result<HashMap<String, String>, ConvertError> {
    let part = match main.rsplit_once('/') {
        Some((folder, file)) => format!("{folder}/_rels/{file}.rels"),
        None => format!("_rels/{main}.rels"),
    };
    let Some(t) = tree(package, &part)? else { return Ok(HashMap::new()) };
    let external =
        t.descendants(ROOT, "Relationship").filter(|r| t.attribute(*r, "TargetMode") == Some("External"));
    Ok(external
        .filter_map(|r| Some((t.attribute(r, "Id")?.to_owned(), t.attribute(r, "Target")?.to_owned())))
        .collect())
}

/// A list that is open: its level, and whether it counts.
struct OpenList {
    level: u8,
    ordered: bool,
}

struct Walk<'a> {
    tree: &'a Tree,
    styles: Styles,
    numbering: Numbering,
    links: HashMap<String, String>,
    writer: Writer,
    lists: Vec<OpenList>,
    /// Notes in the order in which they are referred to: whether at the end, and their id.
    notes: Vec<(bool, String)>,
    page: Option<u32>,
    /// Paragraphs of code that follow each other.
    code: Option<String>,
}

impl Walk<'_> {
    fn locate(&mut self) {
        self.writer.locate(self.page.map(page));
    }

    fn blocks(&mut self, parent: Id) {
        for child in self.tree.children(parent) {
            if self.writer.is_full() {
                return;
            }
            match self.tree.name(child) {
                "p" => self.paragraph(child),
                "tbl" => {
                    self.end_lists();
                    self.end_code();
                    self.table(child);
                }
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "smartTag" => self.blocks(child),
                "AlternateContent" => {
                    let choice =
                        self.tree.child(child, "Choice").or_else(|| self.tree.child(child, "Fallback"));
                    if let Some(choice) = choice {
                        self.blocks(choice);
                    }
                }
                _ => {}
            }
        }
    }

    fn paragraph(&mut self, paragraph: Id) {
        let style = self.styles.of(self.tree, paragraph);
        let mut runs = Run::default();
        self.runs(paragraph, &mut runs);
        if style.code && style.heading.is_none() && style.list.is_none() {
            let code = self.code.get_or_insert_default();
            code.push_str(&runs.plain());
            code.push('\n');
        } else if !runs.is_empty() {
            self.end_code();
            self.locate();
            self.write_paragraph(&style, &runs);
        }
        self.page = self.page.map(|page| page + runs.page_breaks);
        for shape in std::mem::take(&mut runs.boxes) {
            self.end_lists();
            self.locate();
            self.blocks(shape);
        }
    }

    fn write_paragraph(&mut self, style: &styles::Style, runs: &Run) {
        let mark = style.list.as_ref().map(|(list, level)| (self.numbering.next(list, *level), *level));
        if style.title {
            self.end_lists();
            self.writer.title(&runs.plain());
            self.writer.heading(1, &runs.markdown(false), &runs.plain());
        } else if let Some(level) = style.heading {
            self.end_lists();
            let label = match mark {
                Some((Mark::Number(_, label), _)) if !label.trim().is_empty() => format!("{} ", label.trim()),
                _ => String::new(),
            };
            let inline = crate::build::inline::escaped(&label)
                + if label.is_empty() { "" } else { " " }
                + &runs.markdown(false);
            self.writer.heading(level, &inline, &format!("{label}{}", runs.plain()));
        } else if let Some((mark @ (Mark::Bullet | Mark::Number(..)), level)) = mark {
            self.open_item(level, &mark);
            self.writer.paragraph(&runs.markdown(true));
        } else if style.quote {
            self.end_lists();
            self.writer.open_quote();
            self.writer.paragraph(&runs.markdown(true));
            self.writer.close();
        } else {
            self.end_lists();
            self.writer.paragraph(&runs.markdown(true));
        }
    }

    /// Opens an item at this level, and what lists it takes.
    fn open_item(&mut self, level: u8, mark: &Mark) {
        let start = match mark {
            Mark::Number(n, _) => Some(*n),
            _ => None,
        };
        while let Some(open) = self.lists.last() {
            if open.level < level || (open.level == level && open.ordered == start.is_some()) {
                break;
            }
            self.lists.pop();
            // The item, and its list.
            self.writer.close();
            self.writer.close();
        }
        if self.lists.last().is_some_and(|open| open.level == level) {
            self.writer.close();
        } else {
            self.writer.open_list(start);
            self.lists.push(OpenList { level, ordered: start.is_some() });
        }
        self.writer.open_item();
    }

    fn end_lists(&mut self) {
        while self.lists.pop().is_some() {
            self.writer.close();
            self.writer.close();
        }
    }

    fn end_code(&mut self) {
        if let Some(code) = self.code.take()
            && !code.trim().is_empty()
        {
            self.end_lists();
            self.locate();
            self.writer.code(None, &code);
        }
    }

    /// The label of a note, which is noted to be written at the end.
    fn note(&mut self, at_end: bool, id: &str) -> String {
        let note = (at_end, id.to_owned());
        let known = self.notes.iter().position(|n| *n == note);
        if known.is_none() {
            self.notes.push(note);
        }
        format!("[^{}]", known.map_or(self.notes.len(), |i| i + 1))
    }

    fn write_notes(&mut self, parts: &[Option<Tree>; 2]) {
        self.writer.locate(None);
        let notes = std::mem::take(&mut self.notes);
        for ((at_end, id), number) in notes.iter().zip(1..) {
            let [foot, end] = parts;
            let Some(tree) = (if *at_end { end } else { foot }) else { continue };
            let kind = if *at_end { "endnote" } else { "footnote" };
            let Some(note) = tree.descendants(ROOT, kind).find(|n| tree.attribute(*n, "id") == Some(id))
            else {
                continue;
            };
            let mut text = Vec::new();
            for paragraph in tree.descendants(note, "p") {
                let mut runs = Run::default();
                // Notes of notes do not exist; their links are of another part.
                inline::collect(tree, paragraph, &mut runs, &mut |_, _| String::new(), &HashMap::new());
                text.push(runs.markdown(true).replace('\n', " "));
            }
            let text = text.join(" ");
            if !text.trim().is_empty() {
                self.writer.verbatim(BlockKind::Paragraph, &format!("[^{number}]: {}", text.trim()));
            }
        }
    }

    fn runs(&mut self, paragraph: Id, runs: &mut Run) {
        let tree = self.tree;
        let links = std::mem::take(&mut self.links);
        inline::collect(tree, paragraph, runs, &mut |at_end, id| self.note(at_end, id), &links);
        self.links = links;
    }
}
