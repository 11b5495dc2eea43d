//! The runs of a paragraph of an office file, and how they become inline Markdown.

use super::inline::{Inline, LINK};

/// How text stands out.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Look {
    bold: bool,
    italic: bool,
    struck: bool,
}

/// A piece of a paragraph.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text {
        text: String,
        look: Look,
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
    struck: bool,
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
        let look = Look { bold, italic, struck: self.struck };
        if let Some(Piece::Text { text: last, look: of_last }) = self.pieces.last_mut()
            && *of_last == look
        {
            last.push_str(text);
        } else if !text.is_empty() {
            self.pieces.push(Piece::Text { text: text.to_owned(), look });
        }
    }

    /// Whether the text that is appended from here on is struck out.
    pub(crate) fn strike(&mut self, struck: bool) {
        self.struck = struck;
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

    /// Inline Markdown. Emphasis that begins or ends inside a word is left out: the word must be found. What is struck out stays
    /// marked there, because it is no part of the word.
    pub(crate) fn markdown(&self, emphasis: bool) -> String {
        let mut pieces = self.pieces.clone();
        for i in 1..pieces.len() {
            let (head, tail) = pieces.split_at_mut(i);
            if let (Some(Piece::Text { text: a, look: one }), Some(Piece::Text { text: b, look: other })) =
                (head.last_mut(), tail.first_mut())
                && one.struck == other.struck
                && a.chars().next_back().is_some_and(char::is_alphanumeric)
                && b.chars().next().is_some_and(char::is_alphanumeric)
            {
                let plain = Look { struck: one.struck, ..Look::default() };
                (*one, *other) = (plain, plain);
            }
        }
        let mut inline = Inline::default();
        let mut now = Look::default();
        let mut set = |inline: &mut Inline, look: Look| {
            let next = if emphasis { look } else { Look { struck: look.struck, ..Look::default() } };
            // The outer mark is that of what is struck out, the inner one of italics.
            let struck_ends = next.struck != now.struck;
            let bold_ends = struck_ends || next.bold != now.bold;
            if now.italic && (bold_ends || !next.italic) {
                inline.close("*");
                now.italic = false;
            }
            if now.bold && bold_ends {
                inline.close("**");
                now.bold = false;
            }
            if now.struck && struck_ends {
                inline.close("~~");
            }
            if next.struck && struck_ends {
                inline.open("~~");
            }
            if next.bold && !now.bold {
                inline.open("**");
            }
            if next.italic && !now.italic {
                inline.open("*");
            }
            now = next;
        };
        // Emphasis ends before the line does.
        let mut lines = 0;
        for piece in &pieces {
            let shows = !matches!(piece, Piece::Break)
                && !matches!(piece, Piece::Text { text, .. } if text.trim().is_empty());
            if lines > 0 && shows {
                let look = if let Piece::Text { look, .. } = piece { *look } else { Look::default() };
                set(&mut inline, look);
                inline.newline();
                lines = 0;
            }
            match piece {
                Piece::Text { text, look } => {
                    if !text.trim().is_empty() {
                        set(&mut inline, *look);
                    }
                    inline.text(text);
                }
                Piece::Raw(markdown) => {
                    set(&mut inline, Look::default());
                    inline.raw(markdown);
                }
                Piece::Break => lines += 1,
                Piece::LinkStart => {
                    set(&mut inline, Look::default());
                    inline.open(LINK);
                }
                Piece::LinkEnd(target) => {
                    set(&mut inline, Look::default());
                    inline.close_with(LINK, &format!("]({target})"));
                }
            }
        }
        set(&mut inline, Look::default());
        inline.finish().trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_hug_words_and_what_is_struck_out_is_no_part_of_them() {
        let mut runs = Runs::default();
        runs.text("Em", true, false);
        runs.text("phasis ", false, false);
        runs.text("bold ", true, false);
        runs.strike(true);
        runs.text("old ", true, true);
        runs.text("10", false, false);
        runs.strike(false);
        runs.text("12", false, false);
        assert_eq!(runs.markdown(true), "Emphasis **bold** ~~***old*** 10~~12");
        assert_eq!(runs.markdown(false), "Emphasis bold ~~old 10~~12");
        assert_eq!(runs.plain(), "Emphasis bold old 1012");
    }
}
