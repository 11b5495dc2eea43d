//! The walk over the tree.

use super::elements::{
    Role, attribute, is_contents, is_hidden, is_navigation_by_role, kept_link, language, name, role,
};
use super::survey::is_navigation;
use super::table::key;
use crate::build::Draft;
use crate::build::inline::{Inline, LINK};
use crate::build::table::Grid;
use crate::build::writer::Writer;
use crate::formats::mathml::tex;
use carrel_engine::seams::ConvertError;
use markup5ever_rcdom::{Handle, NodeData};
use std::collections::HashSet;

/// What is left to do; the last comes first.
enum Step {
    Enter(Handle),
    Leave(Leave),
}

/// What the end of an element does.
enum Leave {
    Block,
    Heading(u8),
    Mark(&'static str),
    Code,
    Pre,
    Link(String),
    Container,
    CellList,
    Term,
    Table,
    Row,
    Cell { columns: usize, rows: usize },
}

pub(super) struct Walk {
    writer: Writer,
    inline: Inline,
    /// Plain text of the heading that is open.
    plain: String,
    /// Whether each open container is a list (which takes only items).
    containers: Vec<bool>,
    /// Text of a code span, of a `pre` that is open.
    code: Option<String>,
    pre: Option<(Option<String>, String)>,
    /// Emphasis that is open.
    marks: Vec<&'static str>,
    grid: Option<Grid>,
    /// Text of a table outside its cells: the caption.
    caption: String,
    /// Tables around the one that is being read, with what was read of their cell and caption.
    outer: Vec<(Grid, Inline, String)>,
    /// Tables inside the outermost one, each with its caption.
    inner: Vec<(String, Grid)>,
    /// Lists that are open in a cell: the number of the next item, where they count.
    cell_lists: Vec<Option<u64>>,
    layout: HashSet<usize>,
    /// Elements that are no content.
    left_out: HashSet<usize>,
    first_heading: Option<String>,
    keeps_links: bool,
    /// Navigation is read as well.
    navigation: bool,
}

impl Walk {
    pub(super) fn new(
        limit: u64,
        layout: HashSet<usize>,
        left_out: HashSet<usize>,
        keeps_links: bool,
    ) -> Self {
        Self {
            writer: Writer::new(limit),
            inline: Inline::default(),
            plain: String::new(),
            containers: Vec::new(),
            code: None,
            pre: None,
            marks: Vec::new(),
            grid: None,
            caption: String::new(),
            outer: Vec::new(),
            inner: Vec::new(),
            cell_lists: Vec::new(),
            layout,
            left_out,
            first_heading: None,
            keeps_links,
            navigation: false,
        }
    }

    /// Reads navigation as well.
    pub(super) fn with_navigation(self) -> Self {
        Self { navigation: true, ..self }
    }

    pub(super) fn run(&mut self, root: &Handle) {
        let mut steps = vec![Step::Enter(root.clone())];
        while let Some(step) = steps.pop() {
            if self.writer.is_full() {
                return;
            }
            match step {
                Step::Leave(leave) => self.leave(leave),
                Step::Enter(node) => {
                    let enter_children = match &node.data {
                        NodeData::Document => true,
                        NodeData::Text { contents } => {
                            self.text(&contents.borrow());
                            false
                        }
                        NodeData::Element { .. } => self.enter(&node, &mut steps),
                        _ => false,
                    };
                    if enter_children {
                        steps.extend(node.children.borrow().iter().rev().cloned().map(Step::Enter));
                    }
                }
            }
        }
        self.flush();
    }

    pub(super) fn finish(mut self, title: &str) -> Result<Draft, ConvertError> {
        self.writer.title(title);
        if let Some(heading) = self.first_heading.take() {
            self.writer.title(&heading);
        }
        self.writer.finish()
    }

    fn text(&mut self, text: &str) {
        if let Some((_, pre)) = &mut self.pre {
            pre.push_str(text);
        } else if let Some(code) = &mut self.code {
            code.push_str(text);
        } else {
            self.inline.text(text);
            self.plain.push_str(text);
        }
    }

    /// Enters an element; says whether its children are to be read.
    fn enter(&mut self, node: &Handle, steps: &mut Vec<Step>) -> bool {
        let Some(mut role) = name(node).map(role) else { return false };
        let leads = name(node) == Some("nav") || is_navigation_by_role(node);
        let read = leads && (self.navigation || is_contents(node));
        if read && name(node) == Some("nav") {
            role = Role::Block;
        }
        let aside = leads && !read;
        if role == Role::Dropped || aside || is_hidden(node) || self.left_out.contains(&key(node)) {
            return false;
        }
        if self.pre.is_some() {
            self.enter_in_pre(node, role);
            return true;
        }
        let leave = match role {
            Role::Inline => return true,
            Role::List if self.grid.is_some() => {
                self.inline.space();
                self.cell_lists.push(numbered_from(node));
                Leave::CellList
            }
            Role::Quote | Role::Item if self.grid.is_some() => {
                self.inline.space();
                if role == Role::Item
                    && let Some(Some(next)) = self.cell_lists.last_mut()
                {
                    self.inline.text(&format!("{next}. "));
                    *next = next.saturating_add(1);
                }
                Leave::Block
            }
            Role::Item if self.containers.last() == Some(&true) => {
                self.flush();
                self.writer.open_item();
                self.containers.push(false);
                Leave::Container
            }
            Role::Block | Role::Item => {
                self.flush();
                Leave::Block
            }
            Role::Heading(level) => {
                self.flush();
                Leave::Heading(level)
            }
            // Emphasis in the same emphasis.
            Role::Mark(mark) if self.marks.contains(&mark) => return true,
            Role::Mark(mark) => {
                self.marks.push(mark);
                self.inline.open(mark);
                Leave::Mark(mark)
            }
            Role::Code => {
                self.code.get_or_insert_default();
                Leave::Code
            }
            Role::Pre => {
                self.flush();
                self.pre = Some((language(node), String::new()));
                Leave::Pre
            }
            Role::Link if !self.keeps_links => return true,
            Role::Link => match attribute(node, "href").and_then(|href| kept_link(&href)) {
                Some(href) => {
                    self.inline.open(LINK);
                    Leave::Link(href)
                }
                None => return true,
            },
            Role::Image => {
                let alt = attribute(node, "alt").unwrap_or_default();
                if !is_file_name(&alt) {
                    self.text(&alt);
                }
                return false;
            }
            Role::Math => return self.math(node),
            Role::Break => {
                if self.grid.is_some() {
                    self.inline.space();
                } else {
                    self.inline.newline();
                }
                self.plain.push(' ');
                return false;
            }
            Role::Rule => {
                self.flush();
                if self.grid.is_none() {
                    self.in_item(Writer::rule);
                }
                return false;
            }
            Role::List if !self.navigation && is_navigation(node) && !is_contents(node) => return false,
            Role::List => {
                self.flush();
                self.wrap_in_item(steps);
                self.writer.open_list(numbered_from(node));
                self.containers.push(true);
                Leave::Container
            }
            Role::Quote => {
                self.flush();
                self.wrap_in_item(steps);
                self.writer.open_quote();
                self.containers.push(false);
                Leave::Container
            }
            Role::Term => {
                self.flush();
                self.marks.push("**");
                self.inline.open("**");
                Leave::Term
            }
            // The one was read before the page, the other is left out above.
            Role::Title | Role::Dropped => return false,
            Role::Table if self.layout.contains(&key(node)) => {
                self.flush();
                Leave::Block
            }
            Role::Table => {
                self.flush();
                if let Some(outer) = self.grid.take() {
                    let (inline, caption) =
                        (std::mem::take(&mut self.inline), std::mem::take(&mut self.caption));
                    self.outer.push((outer, inline, caption));
                }
                self.grid = Some(Grid::default());
                Leave::Table
            }
            Role::Row => {
                self.flush();
                match &mut self.grid {
                    Some(grid) => {
                        grid.row();
                        Leave::Row
                    }
                    None => Leave::Block,
                }
            }
            Role::Cell => {
                self.flush();
                let span = |name| attribute(node, name).and_then(|s| s.trim().parse().ok()).unwrap_or(1);
                match self.grid {
                    Some(_) => {
                        let stray = std::mem::take(&mut self.inline).finish();
                        self.caption.push_str(&stray);
                        Leave::Cell { columns: span("colspan"), rows: span("rowspan") }
                    }
                    None => Leave::Block,
                }
            }
        };
        steps.push(Step::Leave(leave));
        true
    }

    /// A list or quotation right inside a list belongs into an item of its own.
    fn wrap_in_item(&mut self, steps: &mut Vec<Step>) {
        if self.containers.last() == Some(&true) {
            self.writer.open_item();
            self.containers.push(false);
            steps.push(Step::Leave(Leave::Container));
        }
    }

    fn enter_in_pre(&mut self, node: &Handle, role: Role) {
        let Some((known, text)) = &mut self.pre else { return };
        match role {
            Role::Break => text.push('\n'),
            Role::Code if known.is_none() => *known = language(node),
            _ => {}
        }
    }

    /// Formulas as TeX.
    fn math(&mut self, node: &Handle) -> bool {
        let Some(tex) = tex(node) else { return true };
        let mark = if attribute(node, "display").as_deref() == Some("block") { "$$" } else { "$" };
        self.inline.raw(&format!("{mark}{tex}{mark}"));
        self.plain.push_str(&tex);
        false
    }

    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Block | Leave::Row => self.flush(),
            Leave::CellList => {
                self.cell_lists.pop();
                self.flush();
            }
            Leave::Heading(level) => self.heading(level),
            Leave::Mark(mark) => {
                self.marks.retain(|open| *open != mark);
                self.inline.close(mark);
            }
            Leave::Code => {
                if let Some(code) = self.code.take() {
                    if code.starts_with(char::is_whitespace) {
                        self.inline.space();
                    }
                    self.inline.code(&code);
                    if code.ends_with(char::is_whitespace) {
                        self.inline.space();
                    }
                    self.plain.push_str(&code);
                }
            }
            Leave::Pre => {
                let Some((language, text)) = self.pre.take() else { return };
                if self.grid.is_some() {
                    self.inline.space();
                    self.inline.code(&text);
                    self.inline.space();
                } else if !text.trim().is_empty() {
                    self.in_item(|w| w.code(language.as_deref(), without_blank_start(&text)));
                }
            }
            Leave::Link(href) => self.inline.close_with(LINK, &format!("]({href})")),
            Leave::Container => {
                self.flush();
                self.writer.close();
                self.containers.pop();
            }
            Leave::Term => {
                self.marks.retain(|open| *open != "**");
                self.inline.close("**");
                self.flush();
            }
            Leave::Table => {
                let mut caption = std::mem::take(&mut self.caption);
                caption.push_str(&std::mem::take(&mut self.inline).finish());
                let Some(grid) = self.grid.take() else { return };
                if let Some((outer, inline, outer_caption)) = self.outer.pop() {
                    // A table in a table follows it.
                    self.inner.push((caption, grid));
                    (self.grid, self.inline, self.caption) = (Some(outer), inline, outer_caption);
                    return;
                }
                let inner = std::mem::take(&mut self.inner);
                self.in_item(|w| {
                    for (caption, grid) in std::iter::once((caption, grid)).chain(inner) {
                        w.paragraph(&caption);
                        grid.write(w);
                    }
                });
            }
            Leave::Cell { columns, rows } => {
                let text = std::mem::take(&mut self.inline).finish();
                if let Some(grid) = &mut self.grid {
                    grid.cell(text, columns, rows);
                }
            }
        }
    }

    fn heading(&mut self, level: u8) {
        if self.grid.is_some() {
            self.inline.space();
            return;
        }
        let inline = std::mem::take(&mut self.inline).finish().replace('\n', " ");
        let plain = std::mem::take(&mut self.plain);
        if self.first_heading.is_none() && level == 1 {
            self.first_heading = Some(plain.clone());
        }
        self.in_item(|w| w.heading(level, &inline, &plain));
    }

    /// Ends the paragraph that is open. Inside a cell it only parts words.
    fn flush(&mut self) {
        self.plain.clear();
        if self.grid.is_some() {
            self.inline.space();
            return;
        }
        let inline = std::mem::take(&mut self.inline).finish();
        if !inline.trim().is_empty() {
            self.in_item(|w| w.paragraph(inline.trim()));
        }
    }

    /// Writes a block; one that stands right inside a list gets an item of its own.
    fn in_item(&mut self, write: impl FnOnce(&mut Writer)) {
        let bare = self.containers.last() == Some(&true);
        if bare {
            self.writer.open_item();
        }
        write(&mut self.writer);
        if bare {
            self.writer.close();
        }
    }
}

/// The number at which a list begins; `None` for bullets.
fn numbered_from(list: &Handle) -> Option<u64> {
    let counts = name(list) == Some("ol");
    counts.then(|| attribute(list, "start").and_then(|s| s.parse().ok()).unwrap_or(1))
}

/// Code without the empty lines in front of it.
fn without_blank_start(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n')
        && line.trim().is_empty()
    {
        rest = after;
    }
    rest
}

/// Whether what an image is called is the name of its file, which says nothing.
fn is_file_name(alt: &str) -> bool {
    let ending = crate::catalogue::extension(alt);
    let picture = ending.is_some_and(|e| {
        matches!(e.as_str(), "png" | "jpg" | "jpeg" | "gif" | "webp" | "svg" | "bmp" | "tif" | "tiff")
    });
    picture && !alt.trim().contains(' ')
}
