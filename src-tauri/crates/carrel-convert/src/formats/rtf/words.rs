//! What the control words mean.

use super::charset;
use super::{Destination, Own, Reader, State};
use crate::build::flow::Paragraph;
use crate::build::lists::LEVELS;
use crate::formats::html::kept_link;

impl Reader {
    pub(super) fn symbol(&mut self, symbol: u8) {
        if self.passing > 0 {
            self.passing -= 1;
            return;
        }
        match symbol {
            b'~' => self.text(" "),
            b'_' => self.text("-"),
            b'*' => self.state.starred = true,
            b'\\' | b'{' | b'}' => self.text(char::from(symbol).to_string().as_str()),
            b'\r' | b'\n' => self.end_paragraph(),
            b'\t' => self.text(" "),
            _ => {}
        }
    }

    pub(super) fn paragraph_of(&self, state: &State) -> Paragraph {
        let style = self.styles.get(&state.style).map_or("", String::as_str);
        let by_name = style
            .strip_prefix("heading ")
            .or_else(|| style.strip_prefix("überschrift "))
            .and_then(|n| n.split([',', ';', ' ']).next())
            .and_then(|n| n.parse::<u8>().ok())
            .filter(|n| (1..=9).contains(n));
        let label = self.label.trim();
        let item = (state.list || !label.is_empty()).then(|| {
            let digits: String =
                label.trim_start_matches('(').chars().take_while(char::is_ascii_digit).collect();
            let letter = label.len() <= 4
                && label.trim_end_matches(['.', ')']).chars().all(|c| c.is_ascii_alphabetic())
                && label.ends_with(['.', ')']);
            let number = digits.parse().ok().filter(|_| label.len() <= 12);
            (state.level, number.or(letter.then_some(1)))
        });
        Paragraph {
            heading: by_name.or(state.outline),
            title: style == "title",
            in_table: state.in_table,
            depth: state.depth,
            item,
        }
    }

    pub(super) fn end_paragraph(&mut self) {
        if self.state.destination != Destination::Text {
            return;
        }
        let mut paragraph = self.paragraph_of(&self.state);
        // The number of a heading is part of it, and in a cell there are no lists.
        if paragraph.heading.is_some() || paragraph.in_table {
            self.put_label();
            paragraph.item = None;
        }
        self.label.clear();
        match &mut paragraph.item {
            Some((level, _)) => *level = self.nested(),
            None if !self.flow().runs.is_empty() => self.items.clear(),
            None => {}
        }
        self.flow().end_paragraph(paragraph);
    }

    /// How deep an item lies in those before it: programs write a list in a list as one of its own, of the first level, that is indented
    /// further.
    fn nested(&mut self) -> u8 {
        let own = (self.state.indent, self.state.level);
        while self.items.last().is_some_and(|last| *last > own) {
            self.items.pop();
        }
        if self.items.last() != Some(&own) && self.items.len() < LEVELS {
            self.items.push(own);
        }
        self.items.len().saturating_sub(1) as u8
    }

    /// Puts a label that is more than a bullet before the text.
    fn put_label(&mut self) {
        let label = std::mem::take(&mut self.label);
        if label.contains(char::is_alphanumeric) && !self.flow().runs.is_empty() {
            self.flow().label(&label);
        }
    }

    fn unicode(&mut self, number: i32) {
        let unit = number as u16;
        self.passing = self.state.skip;
        match (unit, self.high_surrogate.take()) {
            (0xd800..=0xdbff, _) => self.high_surrogate = Some(unit),
            (0xdc00..=0xdfff, Some(high)) => {
                let text = String::from_utf16_lossy(&[high, unit]);
                self.text(&text);
            }
            // Fonts of symbols put their characters here; in lists these are bullets.
            (0xf000..=0xf0ff, _) => self.text(if unit == 0xf0b7 { "•" } else { " " }),
            _ => {
                if let Some(c) = char::from_u32(u32::from(unit)) {
                    self.text(c.encode_utf8(&mut [0; 4]));
                }
            }
        }
    }

    /// Whether the word is a destination, which then is entered or passed over.
    fn destination(&mut self, word: &str) -> bool {
        let starred = std::mem::take(&mut self.state.starred);
        let skipping = self.state.destination == Destination::Skip;
        match word {
            // The Unicode form of what stands before it for old readers.
            "ud" => {
                let outer = self.states.iter().rev().nth(1).map(|s| s.destination);
                self.state.destination = outer.unwrap_or(Destination::Skip);
                return true;
            }
            _ if self.state.destination == Destination::SkipAll => return true,
            "shptxt" | "dptxbxtext" if self.in_text() => self.begin_flow(Own::Frame),
            _ if skipping && word != "shpinst" && word != "do" => return starred,
            "fonttbl" => self.state.destination = Destination::Fonts,
            "stylesheet" => self.state.destination = Destination::Styles,
            "title" if self.state.destination == Destination::Info => {
                self.state.destination = Destination::Title;
            }
            "info" => self.state.destination = Destination::Info,
            "fldinst" => {
                self.instruction.clear();
                self.state.destination = Destination::Instruction;
            }
            "fldrslt" => self.begin_result(),
            "listtext" | "pntext" => {
                self.label.clear();
                self.state.destination = Destination::Label;
            }
            "footnote" => self.begin_flow(Own::Note),
            "annotation" => self.begin_flow(Own::Comment),
            "atnauthor" => {
                self.author.clear();
                self.state.destination = Destination::Author;
            }
            "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl" | "footerr" | "footerf" => {
                self.begin_flow(Own::Running);
            }
            "shprslt" => self.state.destination = Destination::SkipAll,
            "colortbl" | "pict" | "nonshppict" | "objdata" | "sp" | "shpinst" | "do" | "upr" | "xe"
            | "tc" | "tcn" | "rxe" | "ftnsep" | "ftnsepc" | "ftncn" | "aftnsep" | "aftnsepc" | "aftncn"
            | "template" | "private1" | "revtbl" | "filetbl" | "mmathPr" | "atnid" | "pnseclvl"
            | "bkmkstart" | "bkmkend" | "objclass" | "objname" | "themedata" | "datastore" | "generator" => {
                self.state.destination = Destination::Skip;
            }
            // Formulas, and the picture of an object, are text.
            "moMath" | "mmath" | "mr" | "cs" | "ts" | "ds" if starred => return false,
            _ if starred => self.state.destination = Destination::Skip,
            _ => return false,
        }
        true
    }

    /// Whether the nearest group that is read is text.
    fn in_text(&self) -> bool {
        self.states.iter().rev().map(|s| s.destination).find(|d| *d != Destination::Skip)
            == Some(Destination::Text)
    }

    fn begin_result(&mut self) {
        self.state.destination = Destination::Text;
        let instruction = std::mem::take(&mut self.instruction);
        let target = instruction.trim().strip_prefix("HYPERLINK").map(|rest| {
            let rest = rest.trim();
            match rest.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap_or_default(),
                None => rest.split_whitespace().next().unwrap_or_default(),
            }
        });
        self.state.link = target.filter(|t| !t.starts_with('\\')).and_then(kept_link);
        if self.state.link.is_some() {
            self.flow().runs.open_link();
        }
    }

    pub(super) fn word(&mut self, word: &str, number: Option<i32>) {
        if self.destination(word)
            || matches!(self.state.destination, Destination::Skip | Destination::SkipAll)
        {
            return;
        }
        let on = number != Some(0);
        let text = match word {
            "u" => return self.unicode(number.unwrap_or(0)),
            "uc" => {
                self.state.skip = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(16);
                return;
            }
            "tab" | "emspace" | "enspace" | "qmspace" => " ",
            "emdash" => "—",
            "endash" => "–",
            "lquote" => "‘",
            "rquote" => "’",
            "ldblquote" => "“",
            "rdblquote" => "”",
            "bullet" => "•",
            _ => return self.property(word, number, on),
        };
        self.text(text);
    }

    fn property(&mut self, word: &str, number: Option<i32>, on: bool) {
        let n = number.unwrap_or(0);
        match word {
            "ansicpg" => self.file_charset = charset::of_codepage(n),
            "mac" => self.file_charset = charset::of_codepage(10000),
            "f" => {
                self.state.font = n;
                if self.state.destination == Destination::Fonts {
                    self.defining = n;
                }
            }
            "deff" if self.state.font < 0 => self.state.font = n,
            "fcharset" if self.state.destination == Destination::Fonts => {
                if let Some(charset) = charset::of_font(n) {
                    self.fonts.insert(self.defining, charset);
                }
            }
            "cpg" if self.state.destination == Destination::Fonts => {
                self.fonts.insert(self.defining, charset::of_codepage(n));
            }
            "dbch" => self.state.wide = true,
            "loch" | "hich" => self.state.wide = false,
            "af" if self.state.wide => self.state.wide_font = Some(n),
            "b" => self.state.bold = on,
            "i" => self.state.italic = on,
            "strike" | "striked" => self.state.struck = on,
            "v" | "deleted" => self.state.hidden = on,
            "plain" => {
                (self.state.bold, self.state.italic) = (false, false);
                (self.state.struck, self.state.hidden) = (false, false);
            }
            "s" => {
                self.state.style = n;
                self.defining = n;
            }
            "cs" | "ds" | "ts" if self.state.destination == Destination::Styles => self.defining = -1 - n,
            "outlinelevel" => self.state.outline = u8::try_from(n).ok().filter(|l| *l < 9).map(|l| l + 1),
            "pard" => {
                self.state.style = 0;
                self.state.outline = None;
                self.state.in_table = false;
                self.state.list = false;
                self.state.level = 0;
                self.state.indent = 0;
                self.state.depth = 0;
            }
            "intbl" => self.state.in_table = on,
            "itap" => {
                self.state.depth = u32::try_from(n).unwrap_or(0);
                self.state.in_table |= n > 0;
            }
            "li" | "lin" => self.state.indent = n,
            "ls" => self.state.list = n > 0,
            "ilvl" => self.state.level = u8::try_from(n).unwrap_or(0).min(8),
            "par" | "sect" | "page" | "column"
                if self.state.destination == Destination::Text
                    && (matches!(word, "par" | "sect") || !self.state.in_table) =>
            {
                self.end_paragraph();
            }
            "par" => self.text(" "),
            "line" if self.state.destination == Destination::Text => self.flow().runs.newline(),
            "cell" | "nestcell" if self.state.destination == Destination::Text => {
                self.put_label();
                self.flow().end_cell(word == "nestcell");
            }
            "row" | "nestrow" if self.state.destination == Destination::Text => {
                self.flow().end_row(word == "nestrow");
            }
            _ => {}
        }
    }
}
