//! Markdown events as HTML with byte spans and marks.

use super::window::Piece;
use carrel_engine::domain::Span;
use carrel_engine::text::Stripper;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::fmt::Write as _;
use std::ops::Range;

/// Writes pieces one after another.
pub(super) struct Writer {
    html: String,
    marked: Option<Span>,
    first_mark_written: bool,
}

/// Where a parsed text stands in the document.
#[derive(Clone, Copy)]
struct Place {
    /// First byte of the lead in the document, and its length as parsed.
    lead: Option<(usize, usize)>,
    start: usize,
}

impl Place {
    fn of(self, at: usize) -> usize {
        match self.lead {
            Some((start, len)) if at < len => start + at,
            Some((_, len)) => self.start + (at - len),
            None => self.start + at,
        }
    }

    fn span(self, range: &Range<usize>) -> Span {
        let start = self.of(range.start);
        // A block that begins in a repeated header is a block of this piece.
        let start = if self.lead.is_some_and(|(_, len)| range.start < len && range.end > len) {
            self.start
        } else {
            start
        };
        Span { start, end: self.of(range.end).max(start) }
    }
}

impl Writer {
    pub(super) fn new(marked: Option<Span>, html: String) -> Self {
        Self { html, marked, first_mark_written: false }
    }

    pub(super) fn finish(self) -> String {
        self.html
    }

    /// Writes one piece.
    pub(super) fn piece(&mut self, piece: &Piece<'_>) {
        if let Some(language) = piece.code {
            let span = Span::new(piece.start, piece.start + piece.text.len());
            self.open_code(span, language);
            self.text(piece.text, Some(piece.start), span);
            self.html.push_str("</code></pre>");
            return;
        }
        match piece.lead {
            None => self.markdown(piece.text, Place { lead: None, start: piece.start }),
            Some((start, lead)) => {
                let joined = format!("{}\n{}", lead.trim_end_matches('\n'), piece.text);
                let len = joined.len() - piece.text.len();
                self.markdown(&joined, Place { lead: Some((start, len)), start: piece.start });
            }
        }
    }

    fn markdown(&mut self, source: &str, place: Place) {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut alignments: Vec<Alignment> = Vec::new();
        let mut column = 0;
        let mut in_head = false;
        let mut stripper = Stripper::default();
        for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
            let span = place.span(&range);
            match event {
                Event::Start(tag) => match tag {
                    Tag::Paragraph => self.open("p", span),
                    Tag::Heading { level, .. } => {
                        let name = ["h1", "h2", "h3", "h4", "h5", "h6"][level as usize - 1];
                        self.open(name, span);
                    }
                    Tag::BlockQuote(_) => self.open("blockquote", span),
                    Tag::CodeBlock(kind) => {
                        let language = match &kind {
                            CodeBlockKind::Fenced(info) => language(info),
                            CodeBlockKind::Indented => None,
                        };
                        self.open_code(span, language);
                    }
                    Tag::List(Some(first)) => {
                        let _ = write!(self.html, "<ol start=\"{first}\" {}>", Spanned(span));
                    }
                    Tag::List(None) => self.open("ul", span),
                    Tag::Item => self.open("li", span),
                    Tag::Table(columns) => {
                        alignments = columns;
                        self.html.push_str("<div class=\"table\">");
                        self.open("table", span);
                    }
                    Tag::TableHead => {
                        (in_head, column) = (true, 0);
                        self.html.push_str("<thead>");
                        self.open("tr", span);
                    }
                    Tag::TableRow => {
                        column = 0;
                        self.open("tr", span);
                    }
                    Tag::TableCell => {
                        let name = if in_head { "th" } else { "td" };
                        let class = match alignments.get(column) {
                            Some(Alignment::Right) => " class=\"right\"",
                            Some(Alignment::Center) => " class=\"center\"",
                            _ => "",
                        };
                        column += 1;
                        let _ = write!(self.html, "<{name}{class}>");
                    }
                    Tag::Emphasis => self.html.push_str("<em>"),
                    Tag::Strong => self.html.push_str("<strong>"),
                    Tag::Strikethrough => self.html.push_str("<del>"),
                    Tag::Link { dest_url, .. } => match outside(&dest_url) {
                        Some(address) => {
                            self.html.push_str("<a data-href=\"");
                            escape(&mut self.html, address);
                            self.html.push_str("\">");
                        }
                        None => self.html.push_str("<a>"),
                    },
                    Tag::Image { .. } => self.html.push_str("<span class=\"image\">"),
                    Tag::HtmlBlock => {
                        stripper = Stripper::default();
                        self.open("div", span);
                    }
                    _ => {}
                },
                Event::End(tag) => match tag {
                    TagEnd::Paragraph => self.html.push_str("</p>"),
                    TagEnd::Heading(level) => {
                        let _ = write!(self.html, "</h{}>", level as usize);
                    }
                    TagEnd::BlockQuote(_) => self.html.push_str("</blockquote>"),
                    TagEnd::CodeBlock => self.html.push_str("</code></pre>"),
                    TagEnd::List(true) => self.html.push_str("</ol>"),
                    TagEnd::List(false) => self.html.push_str("</ul>"),
                    TagEnd::Item => self.html.push_str("</li>"),
                    TagEnd::Table => self.html.push_str("</tbody></table></div>"),
                    TagEnd::TableHead => {
                        in_head = false;
                        self.html.push_str("</tr></thead><tbody>");
                    }
                    TagEnd::TableRow => self.html.push_str("</tr>"),
                    TagEnd::TableCell => self.html.push_str(if in_head { "</th>" } else { "</td>" }),
                    TagEnd::Emphasis => self.html.push_str("</em>"),
                    TagEnd::Strong => self.html.push_str("</strong>"),
                    TagEnd::Strikethrough => self.html.push_str("</del>"),
                    TagEnd::Link => self.html.push_str("</a>"),
                    TagEnd::Image => self.html.push_str("</span>"),
                    TagEnd::HtmlBlock => self.html.push_str("</div>"),
                    _ => {}
                },
                Event::Text(text) => {
                    // Text that stands in the source as it is can be marked in part; entities and the like only whole.
                    let verbatim = source.get(range.clone()) == Some(&*text);
                    self.text(&text, verbatim.then_some(span.start), span);
                }
                Event::Code(text) => {
                    self.html.push_str("<code>");
                    let inner = source.get(range.clone()).and_then(|s| s.find(&*text));
                    self.text(&text, inner.map(|offset| place.of(range.start + offset)), span);
                    self.html.push_str("</code>");
                }
                Event::Html(text) => {
                    let verbatim = source.get(range.clone()) == Some(&*text);
                    for kept in stripper.text_of(&text) {
                        let at = verbatim.then(|| place.of(range.start + kept.start));
                        self.text(&text[kept], at, span);
                    }
                }
                Event::InlineHtml(tag) if tag.to_ascii_lowercase().starts_with("<br") => {
                    self.html.push_str("<br>");
                }
                Event::SoftBreak => self.html.push('\n'),
                Event::HardBreak => self.html.push_str("<br>"),
                Event::Rule => {
                    let _ = write!(self.html, "<hr {}>", Spanned(span));
                }
                Event::TaskListMarker(done) => self.html.push_str(if done { "☑ " } else { "☐ " }),
                _ => {}
            }
        }
    }

    fn open(&mut self, name: &str, span: Span) {
        let _ = write!(self.html, "<{name} {}>", Spanned(span));
    }

    fn open_code(&mut self, span: Span, language: Option<&str>) {
        let _ = write!(self.html, "<pre {}><code", Spanned(span));
        if let Some(language) = language {
            self.html.push_str(" data-language=\"");
            escape(&mut self.html, language);
            self.html.push('"');
        }
        self.html.push('>');
    }

    /// Writes text, marked where it lies in the marked span. `at` is where it begins in the document, where it stands there as it
    /// is; else `whole` decides for all of it.
    fn text(&mut self, text: &str, at: Option<usize>, whole: Span) {
        let Some(marked) = self.marked else { return escape(&mut self.html, text) };
        let Some(at) = at else {
            if whole.overlaps(&marked) {
                self.mark(text);
            } else {
                escape(&mut self.html, text);
            }
            return;
        };
        let inside = |place: usize| {
            let mut offset = place.saturating_sub(at).min(text.len());
            while !text.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let (from, to) = (inside(marked.start), inside(marked.end));
        if from >= to {
            return escape(&mut self.html, text);
        }
        escape(&mut self.html, &text[..from]);
        self.mark(&text[from..to]);
        escape(&mut self.html, &text[to..]);
    }

    fn mark(&mut self, text: &str) {
        if text.trim().is_empty() {
            return escape(&mut self.html, text);
        }
        let id = if std::mem::replace(&mut self.first_mark_written, true) { "" } else { " id=\"passage\"" };
        let _ = write!(self.html, "<mark{id}>");
        escape(&mut self.html, text);
        self.html.push_str("</mark>");
    }
}

/// The name of a language in the line that opens a fence.
fn language(info: &str) -> Option<&str> {
    let word = info.split([' ', ',', '{']).next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "+#._-".contains(c);
    (!word.is_empty() && word.chars().all(plain)).then_some(word)
}

struct Spanned(Span);

impl std::fmt::Display for Spanned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "data-start=\"{}\" data-end=\"{}\"", self.0.start, self.0.end)
    }
}

/// An address that the window may offer to open in a browser.
fn outside(address: &str) -> Option<&str> {
    let lower = address.to_ascii_lowercase();
    ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme)).then_some(address)
}

fn escape(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
}
