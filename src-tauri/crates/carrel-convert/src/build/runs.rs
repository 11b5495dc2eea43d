//! The runs of a paragraph of an office file, and how they become inline Markdown.

use super::inline::{Inline, LINK};

/// A piece of a paragraph.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text {
        text: String,
        bold: bool,
        italic: bool,
    },
    /// Markdown as it is: a note, a formula.
    Raw(String),
    Break,
    LinkStart,
    LinkEnd(String),
}

/// What a paragraph holds.
#[derive(Default, Debug, Clone)]
pub(crate) struct Runs {
    pieces: Vec<Piece>,
}

impl Runs {
    /// Whether nobody would see anything of it.
    pub(crate) fn is_empty(&self) -> bool {
        !self.pieces.iter().any(|p| match p {
            Piece::Text { text, .. } => !text.trim().is_empty(),
            Piece::Raw(_) => true,
            _ => false,
        })
    }

    /// Appends text.
    pub(crate) fn text(&mut self, text: &str, bold: bool, italic: bool) {
        if let Some(Piece::Text { text: last, bold: b, italic: i }) = self.pieces.last_mut()
            && (*b, *i) == (bold, italic)
        {
            last.push_str(text);
        } else if !text.is_empty() {
            self.pieces.push(Piece::Text { text: text.to_owned(), bold, italic });
        }
    }

    /// Appends the runs of another.
    pub(crate) fn append(&mut self, mut other: Runs) {
        self.pieces.append(&mut other.pieces);
    }

    /// Appends Markdown as it is.
    pub(crate) fn raw(&mut self, markdown: String) {
        self.pieces.push(Piece::Raw(markdown));
    }

    /// Appends a formula in TeX; an empty one is none.
    pub(crate) fn formula(&mut self, tex: &str) {
        if !tex.is_empty() {
            self.raw(format!("${tex}$"));
        }
    }

    /// Ends a line inside the paragraph.
    pub(crate) fn newline(&mut self) {
        self.pieces.push(Piece::Break);
    }

    /// What is appended until [`Runs::close_link`] is the text of a link.
    pub(crate) fn open_link(&mut self) {
        self.pieces.push(Piece::LinkStart);
    }

    /// Ends a link to `target`, which must have been through `kept_link`.
    pub(crate) fn close_link(&mut self, target: String) {
        self.pieces.push(Piece::LinkEnd(target));
    }

    /// The text without marks.
    pub(crate) fn plain(&self) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text { text, .. } => out.push_str(text),
                Piece::Raw(text) if !text.starts_with("[^") => out.push_str(text),
                Piece::Break => out.push('\n'),
                _ => {}
            }
        }
        out
    }

    /// Inline Markdown on one line, for headings and cells.
    pub(crate) fn line(&self, emphasis: bool) -> String {
        self.markdown(emphasis).replace('\n', " ")
    }

    /// Inline Markdown. Emphasis that begins or ends inside a word is left out: the word must be found.
    pub(crate) fn markdown(&self, emphasis: bool) -> String {
        let mut pieces = self.pieces.clone();
        for i in 1..pieces.len() {
            let (head, tail) = pieces.split_at_mut(i);
            if let (
                Some(Piece::Text { text: a, bold: ab, italic: ai }),
                Some(Piece::Text { text: b, bold: bb, italic: bi }),
            ) = (head.last_mut(), tail.first_mut())
                && (*ab, *ai) != (*bb, *bi)
                && a.chars().next_back().is_some_and(char::is_alphanumeric)
                && b.chars().next().is_some_and(char::is_alphanumeric)
            {
                (*ab, *ai, *bb, *bi) = (false, false, false, false);
            }
        }
        let mut inline = Inline::default();
        let (mut bold, mut italic) = (false, false);
        let mut set = |inline: &mut Inline, b: bool, i: bool| {
            if italic && (!i || b != bold) {
                inline.close("*");
                italic = false;
            }
            if bold && !b {
                inline.close("**");
                bold = false;
            }
            if b && !bold {
                inline.open("**");
                bold = true;
            }
            if i && !italic {
                inline.open("*");
                italic = true;
            }
        };
        // Emphasis ends before the line does.
        let mut lines = 0;
        for piece in &pieces {
            let shows = !matches!(piece, Piece::Break)
                && !matches!(piece, Piece::Text { text, .. } if text.trim().is_empty());
            if lines > 0 && shows {
                if let Piece::Text { bold, italic, .. } = piece {
                    set(&mut inline, *bold && emphasis, *italic && emphasis);
                } else {
                    set(&mut inline, false, false);
                }
                inline.newline();
                lines = 0;
            }
            match piece {
                Piece::Text { text, bold, italic } => {
                    if !text.trim().is_empty() {
                        set(&mut inline, *bold && emphasis, *italic && emphasis);
                    }
                    inline.text(text);
                }
                Piece::Raw(markdown) => {
                    set(&mut inline, false, false);
                    inline.raw(markdown);
                }
                Piece::Break => lines += 1,
                Piece::LinkStart => {
                    set(&mut inline, false, false);
                    inline.open(LINK);
                }
                Piece::LinkEnd(target) => {
                    set(&mut inline, false, false);
                    inline.close_with(LINK, &format!("]({target})"));
                }
            }
        }
        set(&mut inline, false, false);
        inline.finish().trim().to_owned()
    }
}
