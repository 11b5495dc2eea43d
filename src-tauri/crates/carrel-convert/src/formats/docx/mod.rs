//! DOCX through an own reader: headings by style or outline level, lists with their counted labels, tables, notes and comments,
//! text boxes, charts, formulas; headers and footers once.
//!
//! Of tracked changes the text as it would stand if all were accepted. Pages where Word left marks of them.
//! Packages are read within limits, and a part that declares a document type is refused.

mod inline;
mod styles;
mod table;

use super::nested::{Part, Parts};
use super::ooxml::{self, Relations};
use super::package::Package;
use super::xml::{Id, RELATION, ROOT, Tree};
use super::{Progress, Source, chart, diagram};
use crate::build::inline::escaped;
use crate::build::lists::Lists;
use crate::build::writer::Writer;
use crate::build::{Draft, page};
use carrel_engine::domain::BlockKind;
use carrel_engine::seams::ConvertError;
use inline::{Context, Note, Run};
use styles::{Mark, Numbering, Styles};

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    (source.progress)(Progress { unit: "part", part: 1, of: 1 });
    let mut package = Package::open(source)?;
    let main = ooxml::main_part(&mut package, "word/document.xml")?;
    let damaged = |part: &str| ConvertError::Damaged { detail: format!("its part {part} is missing") };
    let document = package.tree(&main)?.ok_or_else(|| damaged(&main))?;
    let body = document.path(ROOT, &["document", "body"]).ok_or_else(|| damaged("w:body"))?;
    let relations = Relations::of(&mut package, &main)?;
    let mut beside = |kind: &str| {
        let usual = match main.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{kind}.xml"),
            None => format!("{kind}.xml"),
        };
        let part = relations.kind(kind).next().map_or(usual, str::to_owned);
        package.spare(&part)
    };
    let styles = beside("styles")?.map(|t| Styles::read(&t)).unwrap_or_default();
    let numbering = beside("numbering")?.map(|t| Numbering::read(&t)).unwrap_or_default();
    let notes = Notes { foot: beside("footnotes")?, end: beside("endnotes")?, comments: beside("comments")? };
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(title) = ooxml::title(&mut package)? {
        writer.title(&title);
    }
    let has_pages = document.descendants(body, "lastRenderedPageBreak").next().is_some();
    let mut walk = Walk {
        source,
        tree: &document,
        context: Context { relations: &relations, styles: &styles },
        package: &mut package,
        numbering,
        writer,
        lists: Lists::default(),
        notes: Vec::new(),
        page: has_pages.then_some(1),
        code: None,
        failed: None,
    };
    walk.locate();
    walk.blocks(body);
    walk.end_lists();
    walk.end_code();
    walk.running()?;
    walk.write_notes(&notes);
    let Walk { failed, writer, .. } = walk;
    if let Some(error) = failed {
        return Err(error);
    }
    let mut draft = writer.finish()?;
    package.tell(&mut draft);
    Ok(draft)
}

/// The parts that hold notes.
struct Notes {
    foot: Option<Tree>,
    end: Option<Tree>,
    comments: Option<Tree>,
}

struct Walk<'a, 'p> {
    source: &'a Source<'a>,
    tree: &'a Tree,
    context: Context<'a>,
    package: &'a mut Package<'p>,
    numbering: Numbering,
    writer: Writer,
    lists: Lists,
    /// Notes in the order in which they are referred to, with their id.
    notes: Vec<(Note, String)>,
    page: Option<u32>,
    /// Paragraphs of code that follow each other.
    code: Option<String>,
    /// What stops the conversion: a limit that a part beside the text passed.
    failed: Option<ConvertError>,
}

impl Walk<'_, '_> {
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
                "altChunk" => self.chunk(child),
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

    /// Another document that was laid into this one.
    fn chunk(&mut self, chunk: Id) {
        let part = self.tree.attribute(chunk, RELATION).and_then(|id| self.context.relations.part(id));
        let Some(name) = part else { return };
        let bytes = match self.package.part(name) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) => return self.failed = Some(error),
        };
        self.end_lists();
        self.end_code();
        match Parts::new(self.source).convert(&Part { name, bytes: &bytes }) {
            Ok(draft) if self.writer.has_room(draft.markdown.len()) => self.writer.append(draft, 0, None),
            Ok(_) => self.failed = Some(ConvertError::LimitExceeded { limit: "output" }),
            Err(ConvertError::NoText { .. }) => {}
            Err(error) => self.writer.missing("unread_part", format!("{name} was not read: {error}")),
        }
    }

    fn paragraph(&mut self, paragraph: Id) {
        let style = self.context.styles.of(self.tree, paragraph);
        let mut runs = Run::default();
        if !style.hidden {
            self.runs(paragraph, &mut runs);
        }
        if style.code && style.heading.is_none() && style.list.is_none() {
            let code = self.code.get_or_insert_default();
            code.push_str(&runs.runs.plain());
            code.push('\n');
        } else if !runs.runs.is_empty() {
            self.end_code();
            self.locate();
            self.write_paragraph(&style, &runs);
        }
        self.page = self.page.map(|page| page + runs.page_breaks);
        self.hanging(&mut runs);
    }

    fn write_paragraph(&mut self, style: &styles::Style, runs: &Run) {
        let mark = style.list.as_ref().map(|(list, level)| (self.numbering.next(list, *level), *level));
        if style.title {
            self.end_lists();
            self.writer.title(&runs.runs.plain());
            self.writer.heading(1, &runs.runs.markdown(false), &runs.runs.plain());
        } else if let Some(level) = style.heading {
            self.end_lists();
            let label = match mark {
                Some((Mark::Number(_, label), _)) if !label.trim().is_empty() => format!("{} ", label.trim()),
                _ => String::new(),
            };
            let inline = crate::build::inline::escaped(&label)
                + if label.is_empty() { "" } else { " " }
                + &runs.runs.markdown(false);
            self.writer.heading(level, &inline, &format!("{label}{}", runs.runs.plain()));
        } else if let Some((mark @ (Mark::Bullet | Mark::Number(..)), level)) = mark {
            let number = match mark {
                Mark::Number(n, _) => Some(n),
                _ => None,
            };
            self.lists.item(&mut self.writer, level, number);
            self.writer.paragraph(&runs.runs.markdown(true));
        } else if style.quote {
            self.end_lists();
            self.writer.open_quote();
            self.writer.paragraph(&runs.runs.markdown(true));
            self.writer.close();
        } else {
            self.end_lists();
            self.writer.paragraph(&runs.runs.markdown(true));
        }
    }

    fn end_lists(&mut self) {
        self.lists.end(&mut self.writer);
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

    /// Text boxes, charts and descriptions of pictures that hang on a paragraph.
    fn hanging(&mut self, runs: &mut Run) {
        for shape in std::mem::take(&mut runs.boxes) {
            self.end_lists();
            self.locate();
            self.blocks(shape);
        }
        for text in std::mem::take(&mut runs.descriptions) {
            self.locate();
            self.writer.paragraph(&escaped(&text));
        }
        for id in std::mem::take(&mut runs.diagrams) {
            match diagram::read(self.package, self.context.relations, &id) {
                Ok(texts) => {
                    self.end_lists();
                    self.locate();
                    for text in texts {
                        self.lists.item(&mut self.writer, 0, None);
                        self.writer.paragraph(&escaped(&text));
                    }
                    self.end_lists();
                }
                Err(error) => self.failed = Some(error),
            }
        }
        for id in std::mem::take(&mut runs.charts) {
            match chart::read(self.package, self.context.relations, &id) {
                Ok(Some(chart)) => {
                    self.end_lists();
                    self.locate();
                    if !chart.title.trim().is_empty() {
                        self.writer.paragraph(&format!("**{}**", escaped(&chart.title)));
                    }
                    crate::build::table::write(&mut self.writer, chart.rows);
                }
                Ok(None) => {}
                Err(error) => self.failed = Some(error),
            }
        }
    }

    /// The label of a note, which is noted to be written at the end.
    fn note(notes: &mut Vec<(Note, String)>, kind: Note, id: &str) -> String {
        let note = (kind, id.to_owned());
        let known = notes.iter().position(|n| *n == note);
        if known.is_none() {
            notes.push(note);
        }
        format!("[^{}]", known.map_or(notes.len(), |i| i + 1))
    }

    fn write_notes(&mut self, parts: &Notes) {
        self.writer.locate(None);
        for ((kind, id), number) in std::mem::take(&mut self.notes).iter().zip(1..) {
            let (part, element) = match kind {
                Note::Foot => (&parts.foot, "footnote"),
                Note::End => (&parts.end, "endnote"),
                Note::Comment => (&parts.comments, "comment"),
            };
            let Some(tree) = part else { continue };
            let Some(note) = tree.descendants(ROOT, element).find(|n| tree.attribute(*n, "id") == Some(id))
            else {
                continue;
            };
            let text = self.flat(tree, note);
            let by = match (kind, tree.attribute(note, "author")) {
                (Note::Comment, Some(author)) if !author.is_empty() => {
                    format!("Comment by {}: ", escaped(author))
                }
                (Note::Comment, _) => "Comment: ".to_owned(),
                _ => String::new(),
            };
            if !text.trim().is_empty() {
                self.writer.verbatim(BlockKind::Paragraph, &format!("[^{number}]: {by}{}", text.trim()));
            }
        }
    }

    /// All paragraphs of another part as one line of Markdown.
    fn flat(&self, tree: &Tree, parent: Id) -> String {
        let mut texts = Vec::new();
        for paragraph in tree.descendants(parent, "p") {
            let mut runs = Run::default();
            // Notes of notes do not exist; their links are of another part.
            let none = Relations::default();
            let context = Context { relations: &none, styles: self.context.styles };
            inline::collect(tree, paragraph, &mut runs, &mut |_, _| String::new(), context);
            let line = runs.runs.line(true);
            if !line.is_empty() {
                texts.push(line);
            }
        }
        texts.join(" ")
    }

    /// Headers and footers, each once.
    fn running(&mut self) -> Result<(), ConvertError> {
        self.writer.locate(None);
        let mut seen: Vec<String> = Vec::new();
        for kind in ["header", "footer"] {
            let parts: Vec<String> = self.context.relations.kind(kind).map(str::to_owned).collect();
            for part in parts {
                let Some(tree) = self.package.spare(&part)? else { continue };
                let line = self.flat(&tree, ROOT);
                // A number alone is that of the page.
                if line.chars().any(char::is_alphabetic) && !seen.contains(&line) {
                    self.writer.paragraph(&line);
                    seen.push(line);
                }
            }
        }
        Ok(())
    }

    fn runs(&mut self, paragraph: Id, runs: &mut Run) {
        let notes = &mut self.notes;
        let mut note = |kind, id: &str| Self::note(notes, kind, id);
        inline::collect(self.tree, paragraph, runs, &mut note, self.context);
    }
}
