//! OpenDocument texts, presentations and drawings through an own reader; the flat form of one XML file as well.
//!
//! Of tracked changes the text as it stands: what was deleted lies apart and is not read. Comments and notes stand at the end under
//! their marks. What is encrypted says so.

mod inline;
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
use std::collections::HashMap;
use styles::{Kind, Styles, style_of};

/// Parts inside a part, such as charts inside a text inside a chart.
const MAX_OBJECTS: usize = 3;

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    let mut package = Package::open(source)?;
    refuse_encrypted(&mut package, source.password.is_some())?;
    let missing = || ConvertError::Damaged { detail: "its part content.xml is missing".into() };
    let content = package.tree("content.xml")?.ok_or_else(missing)?;
    let styles = package.spare("styles.xml")?;
    let meta = package.spare("meta.xml")?;
    document(source, &content, styles.as_ref(), meta.as_ref(), Some(&mut package))
}

/// One XML file that holds everything.
pub(super) fn convert_flat(source: &Source<'_>, xml: &str) -> Result<Draft, ConvertError> {
    let tree = Tree::parse(xml, "document")?;
    document(source, &tree, None, Some(&tree), None)
}

/// Says so where the parts are encrypted.
pub(super) fn refuse_encrypted(package: &mut Package<'_>, password: bool) -> Result<(), ConvertError> {
    let manifest = package.part("META-INF/manifest.xml")?.unwrap_or_default();
    if memchr::memmem::find(&manifest, b"encryption-data").is_none() {
        Ok(())
    } else if password {
        Err(ConvertError::UnsupportedFormat { format: "encrypted OpenDocument".into() })
    } else {
        Err(ConvertError::NeedsPassword)
    }
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
        failed: None,
    };
    for kind in content.children(body) {
        match content.name(kind) {
            "text" => {
                (source.progress)(Progress { unit: "part", part: 1, of: 1 });
                walk.blocks(kind);
                walk.end();
                walk.headers(style_part);
            }
            "presentation" => walk.pages(kind, source, true)?,
            "drawing" => walk.pages(kind, source, false)?,
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
        let own = style_of(self.tree, list);
        let style = if own.is_empty() { inherited } else { own };
        let start = self.styles.list(style, level);
        let key = (style.to_owned(), level);
        let continues = self.tree.attribute(list, "continue-numbering") == Some("true");
        if level == 1 && start.is_some() && !continues {
            self.lists.end(&mut self.writer);
        }
        let mut next = start.map(|start| match self.counted.get(&key) {
            Some(last) if continues => last + 1,
            _ => start,
        });
        for item in self.tree.children(list) {
            let name = self.tree.name(item);
            if !matches!(name, "list-item" | "list-header") {
                continue;
            }
            if let Some(set) = self.tree.attribute(item, "start-value").and_then(|s| s.parse().ok()) {
                next = next.map(|_| set);
            }
            let mut open = false;
            for child in self.tree.children(item) {
                match self.tree.name(child) {
                    "p" => {
                        let (runs, frames) = self.runs_of(child);
                        if !runs.is_empty() {
                            if !open {
                                self.lists.item(&mut self.writer, level - 1, next);
                                if let Some(n) = next {
                                    self.counted.insert(key.clone(), n);
                                    next = Some(n + 1);
                                }
                                open = true;
                            }
                            self.writer.paragraph(&runs.markdown(true));
                        }
                        self.frames(frames);
                    }
                    "list" => self.list(child, level.saturating_add(1).min(64), style),
                    _ => self.block(child),
                }
            }
        }
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

    /// Headers and footers of the pages, each once.
    fn headers(&mut self, styles: Option<&Tree>) {
        let Some(tree) = styles else { return };
        let mut seen: Vec<String> = Vec::new();
        for page in tree.descendants(ROOT, "master-page") {
            for part in tree.children(page) {
                if !matches!(tree.name(part), "header" | "footer" | "header-first" | "footer-first") {
                    continue;
                }
                let lines = tree.descendants(part, "p").map(|p| crate::text::clean::line(&tree.text_of(p)));
                let text = lines.filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
                // A number alone is that of the page.
                if text.chars().any(char::is_alphabetic) && !seen.contains(&text) {
                    self.writer.paragraph(&crate::build::inline::escaped(&text));
                    seen.push(text);
                }
            }
        }
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
