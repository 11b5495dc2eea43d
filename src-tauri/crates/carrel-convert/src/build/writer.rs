//! Writes final Markdown block by block, and knows the tree and the locations of what it wrote without parsing it again.
//!
//! Invariant: every string it writes has been through [`crate::text::clean`], so the text is in NFC.

use super::inline::{guard_line_start, longest_run};
use super::{Draft, MAX_DEPTH};
use crate::text::clean;
use carrel_engine::domain::{Block, BlockKind, LocatedSpan, Location, Span, Warning};
use carrel_engine::seams::ConvertError;

/// A container that is being written.
struct Open {
    kind: BlockKind,
    start: usize,
    children: Vec<Block>,
    /// Number of the next item, for ordered lists.
    number: Option<u64>,
    /// Whether a list has the other marks, because it follows a list.
    alternate: bool,
    /// The same of the last list in it.
    last_alternate: bool,
    /// What its lines begin with, after the first.
    prefix: &'static str,
    /// Nothing was written in it yet.
    fresh: bool,
    /// How long the text was before it, and whether its parent was fresh: an empty container leaves no trace.
    before: (usize, bool),
}

/// The writer.
pub(crate) struct Writer {
    draft: Draft,
    stack: Vec<Open>,
    /// Containers asked for beyond the depth limit.
    flat: usize,
    here: Option<Location>,
    limit: usize,
    table_columns: Option<usize>,
    /// Whether the last list at the top has the other marks.
    last_alternate: bool,
    /// Drafts that were appended.
    appended: usize,
}

impl Writer {
    /// A writer that refuses more than `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            draft: Draft::default(),
            stack: Vec::new(),
            flat: 0,
            here: None,
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            table_columns: None,
            last_alternate: false,
            appended: 0,
        }
    }

    /// Where the blocks that follow come from.
    pub(crate) fn locate(&mut self, location: Option<Location>) {
        self.here = location;
    }

    /// Sets the title, if there is none yet.
    pub(crate) fn title(&mut self, title: &str) {
        if self.draft.title.is_none() && !title.trim().is_empty() {
            self.draft.title = Some(title.to_owned());
        }
    }

    /// Notes a part that is missing.
    pub(crate) fn missing(&mut self, code: &str, message: impl Into<String>) {
        self.draft.missing(code, message);
    }

    /// Whether the output limit was passed: the caller may stop.
    pub(crate) fn is_full(&self) -> bool {
        self.draft.markdown.len() > self.limit
    }

    /// A heading; `inline` is inline Markdown, `text` its plain text.
    pub(crate) fn heading(&mut self, level: u8, inline: &str, text: &str) {
        let level = level.clamp(1, 6);
        if inline.trim().is_empty() {
            return;
        }
        let start = self.begin(&BlockKind::Other);
        self.push(&"######"[..usize::from(level)]);
        self.push(" ");
        self.push(inline.trim());
        self.leaf(BlockKind::Heading { level, text: clean::line(text) }, start);
    }

    /// A paragraph of inline Markdown. Newlines in it stay.
    pub(crate) fn paragraph(&mut self, inline: &str) {
        self.paragraph_parts(&[(inline, None)]);
    }

    /// A paragraph from several places: each part with its own location, joined as they are.
    pub(crate) fn paragraph_parts(&mut self, parts: &[(&str, Option<Location>)]) {
        if parts.iter().all(|(text, _)| text.trim().is_empty()) {
            return;
        }
        let start = self.begin(&BlockKind::Paragraph);
        let mut line_start = true;
        for (text, location) in parts {
            let from = self.draft.markdown.len();
            for (i, line) in text.split('\n').enumerate() {
                if i > 0 {
                    self.newline();
                    line_start = true;
                }
                if line_start {
                    self.push_line_start(line);
                } else {
                    self.push(line);
                }
                line_start = false;
            }
            if location.is_some() {
                let here = std::mem::replace(&mut self.here, location.clone());
                self.record(Span::new(from, self.draft.markdown.len()));
                self.here = here;
            }
        }
        let located = parts.iter().any(|(_, l)| l.is_some());
        let span = Span::new(start, self.draft.markdown.len());
        self.attach(Block { kind: BlockKind::Paragraph, span, children: Vec::new() });
        if !located {
            self.record(span);
        }
    }

    /// A fenced block of code. `text` is cleaned of controls only.
    pub(crate) fn code(&mut self, language: Option<&str>, text: &str) {
        let text = clean::code(text);
        let text = text.trim_end_matches('\n');
        let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
        let start = self.begin(&BlockKind::Other);
        self.push(&fence);
        self.push(language.unwrap_or_default());
        for line in text.split('\n') {
            self.newline();
            self.push(line);
        }
        self.newline();
        self.push(&fence);
        self.leaf(BlockKind::Code { language: language.map(str::to_owned) }, start);
    }

    /// A rule.
    pub(crate) fn rule(&mut self) {
        let start = self.begin(&BlockKind::Other);
        // Hyphens would be front matter at the start, and with the marker of an item they would be a rule in its place.
        self.push("___");
        self.leaf(BlockKind::Other, start);
    }

    /// A block kept as it is.
    pub(crate) fn verbatim(&mut self, kind: BlockKind, text: &str) {
        let start = self.begin(&BlockKind::Other);
        for (i, line) in text.split('\n').enumerate() {
            if i > 0 {
                self.newline();
            }
            self.push(line);
        }
        self.leaf(kind, start);
    }

    /// Opens a quotation.
    pub(crate) fn open_quote(&mut self) {
        self.open(BlockKind::Quote, None, "> ", "> ");
    }

    /// Opens a list; ordered ones count from `start`.
    pub(crate) fn open_list(&mut self, start: Option<u64>) {
        self.open(BlockKind::List, start, "", "");
    }

    /// Opens an item of the list that is open.
    pub(crate) fn open_item(&mut self) {
        let (number, alternate) = match self.stack.last_mut() {
            Some(list) if self.flat == 0 => {
                let number = list.number;
                list.number = number.map(|n| n + 1);
                (number, list.alternate)
            }
            _ => (None, false),
        };
        let marker = match (number, alternate) {
            (None, false) => "- ".to_owned(),
            (None, true) => "* ".to_owned(),
            (Some(n), false) => format!("{n}. "),
            (Some(n), true) => format!("{n}) "),
        };
        let prefix = match marker.len() {
            0..=2 => "  ",
            3 => "   ",
            _ => "    ",
        };
        self.open(BlockKind::Item, None, &marker, prefix);
    }

    /// Closes the container opened last.
    pub(crate) fn close(&mut self) {
        if self.flat > 0 {
            self.flat -= 1;
            return;
        }
        let Some(open) = self.stack.pop() else { return };
        let end = self.draft.markdown.len();
        if open.children.is_empty() {
            let (length, fresh) = open.before;
            self.draft.markdown.truncate(length);
            if let Some(parent) = self.stack.last_mut() {
                parent.fresh = fresh;
            }
        } else {
            self.attach(Block { kind: open.kind, span: Span::new(open.start, end), children: open.children });
        }
    }

    /// Begins a table; its first row is the header.
    pub(crate) fn open_table(&mut self) {
        let before = self.state();
        let start = self.begin(&BlockKind::Other);
        self.stack.push(Open {
            before,
            alternate: false,
            last_alternate: false,
            kind: BlockKind::Table,
            start,
            children: Vec::new(),
            number: None,
            prefix: "",
            fresh: true,
        });
        self.table_columns = None;
    }

    /// A row of the table that is open. Cells are inline Markdown; pipes and newlines in them are escaped here.
    pub(crate) fn row<S: AsRef<str>>(&mut self, cells: &[S], location: Option<Location>) {
        if self.is_full() {
            return;
        }
        let columns = *self.table_columns.get_or_insert(cells.len().max(1));
        let header = self.stack.last().is_some_and(|t| t.children.is_empty());
        if !header {
            self.newline();
        }
        let start = self.draft.markdown.len();
        self.push("|");
        for i in 0..columns.max(cells.len()) {
            self.push(" ");
            let cell = cells.get(i).map(AsRef::as_ref).unwrap_or_default();
            self.draft.markdown.push_str(&cell_text(cell));
            self.push(if cell.is_empty() { "|" } else { " |" });
        }
        if header {
            self.newline();
            self.push("|");
            for _ in 0..columns {
                self.push(" --- |");
            }
        }
        let span = Span::new(start, self.draft.markdown.len());
        if let Some(table) = self.stack.last_mut() {
            table.fresh = false;
            table.children.push(Block { kind: BlockKind::Row { header }, span, children: Vec::new() });
        }
        let here = location.or_else(|| self.here.clone());
        let here = std::mem::replace(&mut self.here, here);
        self.record(span);
        self.here = here;
    }

    /// Ends the table.
    pub(crate) fn close_table(&mut self) {
        if self.stack.last().is_some_and(|table| table.children.is_empty()) {
            return self.close();
        }
        let Some(open) = self.stack.pop() else { return };
        let span = Span::new(open.start, self.draft.markdown.len());
        self.attach(Block { kind: BlockKind::Table, span, children: open.children });
    }

    /// Whether so many more bytes, and what makes them fit, are within the limit.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.draft.markdown.len().saturating_add(bytes).saturating_add(bytes / 8) <= self.limit
    }

    /// Appends a draft below headings of `level`. What it does not locate in a chapter lies in `part`.
    ///
    /// Stands between blocks of the top only.
    pub(crate) fn append(&mut self, draft: Draft, level: u8, part: Option<&str>) {
        if draft.markdown.trim().is_empty() {
            self.draft.warnings.extend(draft.warnings);
            self.draft.incomplete |= draft.incomplete;
            return;
        }
        self.appended += 1;
        let draft = super::embed::below(draft, level, &format!("{}-", self.appended));
        let start = self.begin(&BlockKind::Other);
        self.push(&draft.markdown);
        self.draft.blocks.extend(draft.blocks.into_iter().map(|block| moved(block, start)));
        let located = fill(draft.locations, draft.markdown.len(), part);
        self.draft.locations.extend(
            located
                .into_iter()
                .map(|l| LocatedSpan { span: Span::new(l.span.start + start, l.span.end + start), ..l }),
        );
        self.draft.warnings.extend(draft.warnings);
        self.draft.incomplete |= draft.incomplete;
    }

    /// Notes what a reader should know, where nothing is missing.
    pub(crate) fn note(&mut self, code: &str, message: impl Into<String>) {
        self.draft.warnings.push(Warning { code: code.into(), message: message.into() });
    }

    /// The draft, with everything closed.
    pub(crate) fn finish(mut self) -> Result<Draft, ConvertError> {
        self.flat = 0;
        while !self.stack.is_empty() {
            self.close();
        }
        if self.is_full() {
            return Err(ConvertError::LimitExceeded { limit: "output" });
        }
        Ok(self.draft)
    }

    fn open(&mut self, kind: BlockKind, number: Option<u64>, marker: &str, prefix: &'static str) {
        // A list without room for its items would be a list of whatever they hold.
        let levels = if kind == BlockKind::List { 2 } else { 1 };
        if self.flat > 0 || self.stack.len() + levels > MAX_DEPTH {
            self.flat += 1;
            return;
        }
        let before = self.state();
        // A list that does not count from 1 cannot follow a paragraph without a blank line.
        let spaced = number.is_some_and(|n| n != 1);
        let siblings = self.stack.last().map_or(&self.draft.blocks, |parent| &parent.children);
        let follows = kind == BlockKind::List && siblings.last().is_some_and(|b| b.kind == BlockKind::List);
        let last =
            self.stack.last_mut().map_or(&mut self.last_alternate, |parent| &mut parent.last_alternate);
        let alternate = follows && !*last;
        if kind == BlockKind::List {
            *last = alternate;
        }
        let start = self.begin(if spaced { &BlockKind::Other } else { &kind });
        self.push(marker);
        self.stack.push(Open {
            kind,
            start,
            children: Vec::new(),
            number,
            prefix,
            alternate,
            last_alternate: false,
            fresh: true,
            before,
        });
    }

    /// What [`Open::before`] keeps.
    fn state(&self) -> (usize, bool) {
        (self.draft.markdown.len(), self.stack.last().is_none_or(|parent| parent.fresh))
    }

    /// Separates the next block from what stands before it, and returns where it begins.
    fn begin(&mut self, kind: &BlockKind) -> usize {
        let (fresh, tight) = match self.stack.last() {
            None => (self.draft.markdown.is_empty(), false),
            Some(o) if o.kind == BlockKind::Item => (o.fresh, *kind == BlockKind::List),
            Some(o) => (o.fresh, o.kind == BlockKind::List),
        };
        if let Some(parent) = self.stack.last_mut() {
            parent.fresh = false;
        }
        if !fresh {
            self.newline();
            if !tight {
                // The line just begun stays empty: its prefix loses the white space at its end.
                let trimmed = self.draft.markdown.trim_end_matches(' ').len();
                self.draft.markdown.truncate(trimmed);
                self.newline();
            }
        }
        self.draft.markdown.len()
    }

    fn push_line_start(&mut self, line: &str) {
        let line = line.trim_start_matches(' ');
        match guard_line_start(line) {
            Some(at) => {
                self.push(&line[..at]);
                self.push("\\");
                self.push(&line[at..]);
            }
            None => self.push(line),
        }
    }

    fn newline(&mut self) {
        self.draft.markdown.push('\n');
        for open in &self.stack {
            self.draft.markdown.push_str(open.prefix);
        }
    }

    fn push(&mut self, text: &str) {
        self.draft.markdown.push_str(text);
    }

    fn leaf(&mut self, kind: BlockKind, start: usize) {
        let span = Span::new(start, self.draft.markdown.len());
        self.attach(Block { kind, span, children: Vec::new() });
        self.record(span);
    }

    fn attach(&mut self, block: Block) {
        match self.stack.last_mut() {
            Some(parent) => parent.children.push(block),
            None => self.draft.blocks.push(block),
        }
    }

    /// Notes where `span` comes from; a span that goes on in the same place extends the last one.
    fn record(&mut self, span: Span) {
        let Some(location) = &self.here else { return };
        if span.is_empty() || location.is_empty() {
            return;
        }
        if let Some(last) = self.draft.locations.last_mut()
            && last.location == *location
        {
            last.span.end = span.end;
        } else {
            self.draft.locations.push(LocatedSpan { span, location: location.clone() });
        }
    }
}

fn moved(block: Block, by: usize) -> Block {
    let children = block.children.into_iter().map(|child| moved(child, by)).collect();
    Block { kind: block.kind, span: Span::new(block.span.start + by, block.span.end + by), children }
}

/// Locations of a part: each names the part, and what lies between them does as well.
fn fill(located: Vec<LocatedSpan>, length: usize, part: Option<&str>) -> Vec<LocatedSpan> {
    let Some(part) = part else { return located };
    let mut out = Vec::with_capacity(located.len() + 1);
    let mut end = 0;
    let whole = |start, end| LocatedSpan {
        span: Span::new(start, end),
        location: Location { chapter: Some(part.to_owned()), ..Location::default() },
    };
    for mut next in located {
        if next.span.start > end {
            out.push(whole(end, next.span.start));
        }
        end = next.span.end;
        next.location.chapter = Some(match next.location.chapter.take() {
            Some(chapter) => format!("{part} / {chapter}"),
            None => part.to_owned(),
        });
        out.push(next);
    }
    if length > end {
        out.push(whole(end, length));
    }
    out
}

/// A cell on one line, its pipes escaped.
fn cell_text(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    for (i, line) in cell.split('\n').enumerate() {
        if i > 0 {
            out.push_str("<br>");
        }
        let mut escaped = false;
        for c in line.trim().chars() {
            if c == '|' && !escaped {
                out.push('\\');
            }
            escaped = c == '\\' && !escaped;
            out.push(c);
        }
    }
    out
}
