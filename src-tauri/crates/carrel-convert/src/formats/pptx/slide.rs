//! One slide: its shapes in their order, its notes, its comments.

use super::Deck;
use super::bullets::{self, LEVELS, Layout, Mark, Marks};
use crate::build::runs::Runs;
use crate::build::table::MAX_COLUMNS;
use crate::formats::chart;
use crate::formats::diagram;
use crate::formats::math::latex;
use crate::formats::ooxml::{Relations, alternative, is_description};
use crate::formats::xml::{Id, RELATION, ROOT, Tree};
use carrel_engine::seams::ConvertError;
use std::rc::Rc;

/// Something to write.
pub(super) enum Item {
    Paragraph(Runs),
    Listed {
        level: u8,
        number: Option<u64>,
        runs: Runs,
    },
    /// Cells are inline Markdown.
    Table(Vec<Vec<String>>),
}

/// What a slide holds.
#[derive(Default)]
pub(super) struct Slide {
    pub(super) title: Option<Runs>,
    /// Whether its layout is that of a title page.
    pub(super) opening: bool,
    pub(super) hidden: bool,
    pub(super) items: Vec<Item>,
    pub(super) notes: Vec<Item>,
    /// Author and text.
    pub(super) comments: Vec<(String, String)>,
}

impl Slide {
    /// Reads the slide of this part.
    pub(super) fn read(deck: &mut Deck<'_>, part: &str) -> Result<Self, ConvertError> {
        let missing = || ConvertError::Damaged { detail: format!("its part {part} is missing") };
        let tree = deck.package.tree(part)?.ok_or_else(missing)?;
        let relations = Relations::of(&mut deck.package, part)?;
        let layout = bullets::layout(deck, &relations)?;
        let mut slide = Self::default();
        if let Some(root) = tree.child(ROOT, "sld") {
            slide.hidden = matches!(tree.attribute(root, "show"), Some("0" | "false"));
        }
        let mut shapes = Shapes { deck, tree: &tree, relations: &relations, layout, slide: &mut slide };
        for top in tree.descendants(ROOT, "spTree").take(1) {
            shapes.all(top)?;
        }
        let notes = relations.kind("notesSlide").next().map(str::to_owned);
        if let Some(notes) = notes {
            slide.notes = read_notes(deck, &notes)?;
        }
        for part in relations.kind("comments") {
            let Some(tree) = deck.package.spare(part)? else { continue };
            slide.comments.extend(comments(deck, &tree));
        }
        Ok(slide)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.title.is_none() && self.items.is_empty() && self.notes.is_empty() && self.comments.is_empty()
    }
}

/// The text of the notes beside a slide, without the picture, number and date of their page.
fn read_notes(deck: &mut Deck<'_>, part: &str) -> Result<Vec<Item>, ConvertError> {
    let Some(tree) = deck.package.spare(part)? else { return Ok(Vec::new()) };
    let relations = Relations::of(&mut deck.package, part)?;
    let mut page = Slide::default();
    let mut shapes =
        Shapes { deck, tree: &tree, relations: &relations, layout: Rc::default(), slide: &mut page };
    for top in tree.descendants(ROOT, "spTree").take(1) {
        shapes.all(top)?;
    }
    Ok(page.items)
}

/// Comments of both forms that PowerPoint writes, answers after what they answer.
fn comments(deck: &Deck<'_>, tree: &Tree) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let said = tree.children_through(ROOT, &["cmLst", "replyLst"]);
    let mut stack: Vec<Id> = said.collect();
    stack.reverse();
    while let Some(comment) = stack.pop() {
        let author = tree.attribute(comment, "authorId").and_then(|id| deck.authors.get(id));
        let text = match tree.child(comment, "text") {
            Some(text) => tree.text_of(text),
            None => {
                let body = tree.child(comment, "txBody");
                let paragraphs = body.into_iter().flat_map(|b| tree.children(b));
                let paragraphs = paragraphs.filter(|p| tree.name(*p) == "p").map(|p| tree.text_of(p));
                paragraphs.collect::<Vec<_>>().join(" ")
            }
        };
        if !text.trim().is_empty() {
            found.push((author.cloned().unwrap_or_default(), text));
        }
        if let Some(replies) = tree.child(comment, "replyLst") {
            let replies: Vec<Id> = tree.children(replies).collect();
            stack.extend(replies.into_iter().rev());
        }
    }
    found
}

/// What a placeholder is for; a shape that is none has no kind.
struct Holder<'a> {
    kind: &'a str,
    idx: Option<&'a str>,
}

struct Shapes<'a, 'd> {
    deck: &'a mut Deck<'d>,
    tree: &'a Tree,
    relations: &'a Relations,
    layout: Rc<Layout>,
    slide: &'a mut Slide,
}

impl Shapes<'_, '_> {
    /// The depth of the tree bounds the depth of groups.
    fn all(&mut self, parent: Id) -> Result<(), ConvertError> {
        let tree = self.tree;
        for child in tree.children(parent) {
            let hidden = tree
                .children(child)
                .filter_map(|properties| tree.child(properties, "cNvPr"))
                .any(|named| tree.flag(named, "hidden"));
            if hidden {
                continue;
            }
            match tree.name(child) {
                "sp" => self.shape(child),
                "grpSp" => {
                    self.described(child, "nvGrpSpPr");
                    self.all(child)?;
                }
                "graphicFrame" => self.frame(child)?,
                "pic" => self.described(child, "nvPicPr"),
                "cxnSp" => self.described(child, "nvCxnSpPr"),
                "AlternateContent" => {
                    let known = ["sp", "grpSp", "pic", "chart", "tbl", "txBody"];
                    let useful = |id| known.iter().any(|n| tree.descendants(id, n).next().is_some());
                    if let Some(way) = alternative(tree, child, useful) {
                        self.all(way)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The alternative text of a picture or other shape.
    fn described(&mut self, shape: Id, properties: &str) {
        let Some(named) = self.tree.path(shape, &[properties, "cNvPr"]) else { return };
        let text = self.tree.attribute(named, "descr").unwrap_or_default();
        if is_description(text) {
            let mut runs = Runs::default();
            runs.text(text, false, false);
            self.slide.items.push(Item::Paragraph(runs));
        }
    }

    fn shape(&mut self, shape: Id) {
        let tree = self.tree;
        let holder = tree.path(shape, &["nvSpPr", "nvPr", "ph"]).map(|ph| Holder {
            kind: tree.attribute(ph, "type").unwrap_or_default(),
            idx: tree.attribute(ph, "idx"),
        });
        let kind = holder.as_ref().map(|h| h.kind);
        if matches!(kind, Some("sldNum" | "dt" | "sldImg" | "hdr")) {
            return;
        }
        let Some(body) = tree.child(shape, "txBody") else { return self.described(shape, "nvSpPr") };
        if matches!(kind, Some("title" | "ctrTitle")) && self.slide.title.is_none() {
            let mut title = Runs::default();
            for paragraph in tree.children(body).filter(|p| tree.name(*p) == "p") {
                if !title.is_empty() {
                    title.text(" ", false, false);
                }
                self.runs(paragraph, &mut title);
            }
            if !title.is_empty() {
                self.slide.opening = kind == Some("ctrTitle");
                self.slide.title = Some(title);
            }
            return;
        }
        let from = self.slide.items.len();
        let marks = holder.map(|h| self.layout.marks(h.kind, h.idx)).unwrap_or_default();
        self.paragraphs(body, marks);
        if kind == Some("ftr") {
            // Footers stand on every slide: they are kept once.
            let text: String = self.slide.items[from..].iter().map(Item::plain).collect();
            if !self.deck.footers.insert(text) {
                self.slide.items.truncate(from);
            }
        } else if self.slide.items.len() == from {
            self.described(shape, "nvSpPr");
        }
    }

    fn paragraphs(&mut self, body: Id, mut marks: Marks) {
        let tree = self.tree;
        if let Some(style) = tree.child(body, "lstStyle") {
            for (mark, own) in marks.iter_mut().zip(bullets::marks(tree, style)) {
                *mark = own.or(*mark);
            }
        }
        let mut counts: [Option<u64>; LEVELS] = [None; LEVELS];
        for paragraph in tree.children(body).filter(|p| tree.name(*p) == "p") {
            let mut runs = Runs::default();
            self.runs(paragraph, &mut runs);
            if runs.is_empty() {
                continue;
            }
            let properties = tree.child(paragraph, "pPr");
            let level = properties
                .and_then(|p| tree.attribute(p, "lvl"))
                .and_then(|l| l.parse::<usize>().ok())
                .unwrap_or(0)
                .min(LEVELS - 1);
            let own = properties.and_then(|p| bullets::bullet(tree, p));
            let mark = own.or(marks.get(level).copied().flatten()).unwrap_or(Mark::None);
            for deeper in counts.iter_mut().skip(level + 1) {
                *deeper = None;
            }
            let number = match (mark, counts.get_mut(level)) {
                (Mark::Number(start), Some(count)) => {
                    *count = Some(count.map_or(start, |n| n + 1));
                    *count
                }
                (_, Some(count)) => {
                    *count = None;
                    None
                }
                (_, None) => None,
            };
            self.slide.items.push(match mark {
                Mark::None => Item::Paragraph(runs),
                _ => Item::Listed { level: level as u8, number, runs },
            });
        }
    }

    fn runs(&self, parent: Id, out: &mut Runs) {
        let tree = self.tree;
        for child in tree.children(parent) {
            match tree.name(child) {
                "r" | "fld" => {
                    let properties = tree.child(child, "rPr");
                    let set = |name| properties.is_some_and(|p| tree.flag(p, name));
                    let link = properties
                        .and_then(|p| tree.child(p, "hlinkClick"))
                        .and_then(|l| tree.attribute(l, RELATION))
                        .and_then(|id| self.relations.link(id));
                    if link.is_some() {
                        out.open_link();
                    }
                    let strike = properties.and_then(|p| tree.attribute(p, "strike"));
                    out.strike(strike.is_some_and(|s| s != "noStrike"));
                    if let Some(text) = tree.child(child, "t") {
                        out.text(&tree.text_of(text), set("b"), set("i"));
                    }
                    if let Some(link) = link {
                        out.close_link(link);
                    }
                }
                "br" => out.newline(),
                "AlternateContent" => {
                    let useful = |id| tree.descendants(id, "oMath").next().is_some();
                    if let Some(way) = alternative(tree, child, useful) {
                        self.runs(way, out);
                    }
                }
                "m" | "oMathPara" => {
                    for math in tree.descendants(child, "oMath") {
                        out.formula(&latex(tree, math));
                    }
                }
                _ => {}
            }
        }
    }

    fn frame(&mut self, frame: Id) -> Result<(), ConvertError> {
        let tree = self.tree;
        let Some(data) = tree.path(frame, &["graphic", "graphicData"]) else { return Ok(()) };
        let from = self.slide.items.len();
        for child in tree.children(data) {
            match tree.name(child) {
                "tbl" => self.table(child),
                "chart" => {
                    let id = tree.attribute(child, RELATION).unwrap_or_default();
                    if let Some(found) = chart::read(&mut self.deck.package, self.relations, id)? {
                        if !found.title.trim().is_empty() {
                            let mut title = Runs::default();
                            title.text(&found.title, true, false);
                            self.slide.items.push(Item::Paragraph(title));
                        }
                        self.slide.items.push(Item::Table(found.rows));
                    }
                }
                "relIds" => self.diagram(tree.attribute(child, "dm").unwrap_or_default())?,
                // An embedded object: the picture of it may be described.
                "oleObj" | "AlternateContent" => {
                    for picture in tree.descendants(child, "pic").take(1) {
                        self.described(picture, "nvPicPr");
                    }
                }
                _ => {}
            }
        }
        let named = tree.path(frame, &["nvGraphicFramePr", "cNvPr"]);
        let text = named.and_then(|n| tree.attribute(n, "descr")).unwrap_or_default();
        if is_description(text) {
            let mut runs = Runs::default();
            runs.text(text, false, false);
            self.slide.items.insert(from, Item::Paragraph(runs));
        }
        Ok(())
    }

    fn diagram(&mut self, id: &str) -> Result<(), ConvertError> {
        for text in diagram::read(&mut self.deck.package, self.relations, id)? {
            let mut runs = Runs::default();
            runs.text(&text, false, false);
            self.slide.items.push(Item::Listed { level: 0, number: None, runs });
        }
        Ok(())
    }

    fn table(&mut self, table: Id) {
        let tree = self.tree;
        let mut rows = Vec::new();
        for row in tree.children(table).filter(|r| tree.name(*r) == "tr") {
            let mut line = Vec::new();
            for cell in tree.children(row).filter(|c| tree.name(*c) == "tc").take(MAX_COLUMNS) {
                let covered = tree.flag(cell, "hMerge") || tree.flag(cell, "vMerge");
                let mut texts = Vec::new();
                for paragraph in tree.descendants(cell, "p").filter(|_| !covered) {
                    let mut runs = Runs::default();
                    self.runs(paragraph, &mut runs);
                    if !runs.is_empty() {
                        texts.push(runs.line(true));
                    }
                }
                line.push(texts.join(" "));
            }
            rows.push(line);
        }
        self.slide.items.push(Item::Table(rows));
    }
}

impl Item {
    fn plain(&self) -> String {
        match self {
            Self::Paragraph(runs) | Self::Listed { runs, .. } => runs.plain(),
            Self::Table(rows) => rows.concat().concat(),
        }
    }
}
