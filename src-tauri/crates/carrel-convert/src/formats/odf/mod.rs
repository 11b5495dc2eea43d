//! OpenDocument texts, presentations and drawings through an own reader; the flat form of one XML file as well.
//!
//! Of tracked changes the text as it stands: what was deleted lies apart and is not read. Comments and notes stand at the end under
//! their marks. What is encrypted opens with its password.

mod inline;
mod masters;
mod pages;
mod styles;
mod table;

use super::package::Package;
use super::xml::{Id, ROOT, Tree};
use super::{Progress, Source};
use crate::build::Draft;
use crate::build::lists::Lists;
use crate::build::runs::Runs;
use crate::build::writer::Writer;
use carrel_engine::domain::BlockKind;
use carrel_engine::seams::ConvertError;
use std::collections::{HashMap, HashSet};
use styles::{Kind, Styles, style_of};

/// Parts inside a part, such as charts inside a text inside a chart.
const MAX_OBJECTS: usize = 3;

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let mut package = Package::open(source)?;
    package.unseal(source.password, "content.xml")?;
    let missing = || ConvertError::Damaged { detail: "its part content.xml is missing".into() };
    let content = package.tree("content.xml")?.ok_or_else(missing)?;
    let styles = package.spare("styles.xml")?;
    let meta = package.spare("meta.xml")?;
    let mut draft = document(source, &content, styles.as_ref(), meta.as_ref(), Some(&mut package))?;
    package.tell(&mut draft);
    Ok(draft)
}

/// One XML file that holds everything.
pub(super) fn convert_flat(source: &Source<'_>, xml: &str) -> Result<Draft, ConvertError> {
    let tree = Tree::parse(xml, "document")?;
    document(source, &tree, None, Some(&tree), None)
}

fn document(
    source: &Source<'_>,
    content: &Tree,
    style_part: Option<&Tree>,
    meta: Option<&Tree>,
    package: Option<&mut Package<'_>>,
) -> Result<Draft, ConvertError> {
    let mut styles = Styles::default();
    if let Some(part) = style_part {
        styles.read(part);
    }
    styles.read(content);
    let mut writer = Writer::new(source.limits.output_bytes);
    if let Some(meta) = meta
        && let Some(info) = meta.descendants(ROOT, "meta").find(|m| meta.child(*m, "title").is_some())
        && let Some(title) = meta.child(info, "title")
    {
        writer.title(&meta.text_of(title));
    }
    let body = content.descendants(ROOT, "body").next();
    let body = body.ok_or_else(|| ConvertError::Damaged { detail: "it has no body".into() })?;
    let mut walk = Walk {
        tree: content,
        styles: &styles,
        package,
        writer,
        lists: Lists::default(),
        notes: Vec::new(),
        counted: HashMap::new(),
        code: None,
        objects: 0,
        running: HashSet::new(),
        failed: None,
    };
    // In the flat form all is one part.
    let masters = style_part.unwrap_or(content);
    for kind in content.children(body) {
        match content.name(kind) {
            "text" => {
                (source.progress)(Progress { unit: "part", part: 1, of: 1 });
                walk.blocks(kind);
                walk.end();
                walk.headers(masters);
            }
            "presentation" | "drawing" => {
                walk.pages(kind, source, content.name(kind) == "presentation")?;
                walk.masters(masters, kind);
            }
            _ => {}
        }
    }
    walk.write_notes();
    match walk.failed {
        Some(error) => Err(error),
        None => walk.writer.finish(),
    }
}

/// A note or comment: its mark stands in the text, itself at the end.
struct Note {
    /// Who commented; a footnote is nobody's.
    author: Option<String>,
    text: String,
}

/// A list that is being read.
struct Counting<'s> {
    style: &'s str,
    level: u8,
    /// It goes on counting where the last list of its style ended.
    continues: bool,
    /// The number of the next item, where items are counted.
    next: Option<u64>,
}

struct Walk<'a, 'p> {
    tree: &'a Tree,
    styles: &'a Styles,
    package: Option<&'a mut Package<'p>>,
    writer: Writer,
    lists: Lists,
    notes: Vec<Note>,
    /// How far the lists of a style have counted, by style and level.
    counted: HashMap<(String, u8), u64>,
    /// Paragraphs of code that follow each other.
    code: Option<String>,
    /// Objects that are open inside each other.
    objects: usize,
    /// What stands on many pages and was written.
    running: HashSet<String>,
    /// What stops the conversion: a limit that an embedded part passed.
    failed: Option<ConvertError>,
}

impl Walk<'_, '_> {
    fn blocks(&mut self, parent: Id) {
        for child in self.tree.children(parent) {
            if self.writer.is_full() {
                return;
            }
            self.block(child);
        }
    }

    fn block(&mut self, id: Id) {
        match self.tree.name(id) {
            "h" | "p" => {
                let (runs, frames) = self.runs_of(id);
                if self.tree.name(id) == "p" && self.kind(id) != Kind::Code && !runs.is_empty() {
                    self.lists.end(&mut self.writer);
                }
                if self.tree.name(id) == "h" {
                    self.lists.end(&mut self.writer);
                }
                self.write(id, &runs);
                self.frames(frames);
            }
            "list" => {
                self.end_code();
                self.list(id, 1, "");
            }
            "table" => {
                self.end();
                self.table(id);
            }
            "section" | "index-body" | "index-title" | "table-of-content" | "illustration-index"
            | "table-index" | "object-index" | "user-index" | "alphabetical-index" | "bibliography"
            | "numbered-paragraph" | "text-box" | "a" | "page-sequence"
                if !self.styles.hidden("section", style_of(self.tree, id))
                    && self.tree.attribute(id, "display") != Some("none") =>
            {
                self.blocks(id);
            }
            name if inline::is_shape(name) => self.frames(vec![id]),
            _ => {}
        }
    }

    fn kind(&self, paragraph: Id) -> Kind {
        self.styles.kind(style_of(self.tree, paragraph))
    }

    /// Writes one paragraph or heading where the walk stands.
    fn write(&mut self, id: Id, runs: &Runs) {
        let kind = match self.tree.name(id) {
            "h" => {
                let level =
                    self.tree.attribute(id, "outline-level").and_then(|l| l.parse().ok()).unwrap_or(1);
                Kind::Heading(level)
            }
            _ => self.kind(id),
        };
        if kind == Kind::Code {
            let code = self.code.get_or_insert_default();
            code.push_str(&runs.plain());
            code.push('\n');
            return;
        }
        self.end_code();
        if runs.is_empty() {
            return;
        }
        match kind {
            Kind::Title => {
                self.lists.end(&mut self.writer);
                self.writer.title(&runs.plain());
                self.writer.heading(1, &runs.line(false), &runs.plain());
            }
            Kind::Heading(level) => {
                self.lists.end(&mut self.writer);
                self.writer.heading(level, &runs.line(false), &runs.plain());
            }
            Kind::Quote => {
                self.writer.open_quote();
                self.writer.paragraph(&runs.markdown(true));
                self.writer.close();
            }
            Kind::Plain | Kind::Code => self.writer.paragraph(&runs.markdown(true)),
        }
    }

    /// The depth of the tree bounds the depth of lists.
    fn list(&mut self, list: Id, level: u8, inherited: &str) {
        let mut counting = self.counting(list, level, inherited);
        if level == 1 && counting.next.is_some() && !counting.continues {
            self.lists.end(&mut self.writer);
        }
        for item in self.items(list) {
            self.start_at(item, &mut counting);
            let mut open = false;
            for child in self.tree.children(item) {
                match self.tree.name(child) {
                    "p" => {
                        let (runs, frames) = self.runs_of(child);
                        if !runs.is_empty() {
                            if !open {
                                let number = self.count(&mut counting);
                                self.lists.item(&mut self.writer, level - 1, number);
                                open = true;
                            }
                            self.writer.paragraph(&runs.markdown(true));
                        }
                        self.frames(frames);
                    }
                    "list" => self.list(child, level.saturating_add(1).min(64), counting.style),
                    _ => self.block(child),
                }
            }
        }
    }

    fn items(&self, list: Id) -> Vec<Id> {
        let tree = self.tree;
        tree.children(list).filter(|i| matches!(tree.name(*i), "list-item" | "list-header")).collect()
    }

    /// How a list counts.
    fn counting<'s>(&self, list: Id, level: u8, inherited: &'s str) -> Counting<'s>
    where
        Self: 's,
    {
        let own = style_of(self.tree, list);
        let style = if own.is_empty() { inherited } else { own };
        let start = self.styles.list(style, level);
        let continues = self.tree.attribute(list, "continue-numbering") == Some("true");
        let last = self.counted.get(&(style.to_owned(), level)).filter(|_| continues);
        Counting {
            style,
            level,
            continues,
            next: start.map(|start| last.map_or(start, |last| last.saturating_add(1))),
        }
    }

    /// An item may set its number.
    fn start_at(&self, item: Id, counting: &mut Counting<'_>) {
        if let Some(set) = self.tree.attribute(item, "start-value").and_then(|s| s.parse().ok()) {
            counting.next = counting.next.map(|_| set);
        }
    }

    /// The number of an item, where it has one.
    fn count(&mut self, counting: &mut Counting<'_>) -> Option<u64> {
        let number = counting.next?;
        self.counted.insert((counting.style.to_owned(), counting.level), number);
        counting.next = Some(number.saturating_add(1));
        Some(number)
    }

    fn end_code(&mut self) {
        if let Some(code) = self.code.take()
            && !code.trim().is_empty()
        {
            self.lists.end(&mut self.writer);
            self.writer.code(None, &code);
        }
    }

    /// Ends what is open.
    fn end(&mut self) {
        self.end_code();
        self.lists.end(&mut self.writer);
    }

    fn write_notes(&mut self) {
        self.writer.locate(None);
        for (note, number) in std::mem::take(&mut self.notes).into_iter().zip(1..) {
            let by = match &note.author {
                Some(author) if !author.is_empty() => {
                    format!("Comment by {}: ", crate::build::inline::escaped(author))
                }
                Some(_) => "Comment: ".to_owned(),
                None => String::new(),
            };
            let text = note.text.trim();
            if !text.is_empty() {
                self.writer.verbatim(BlockKind::Paragraph, &format!("[^{number}]: {by}{text}"));
            }
        }
    }
}
