//! RTF through an own tokenizer: text in the encoding of its font, headings by style or outline, lists, tables, notes, comments.
//!
//! What was deleted under tracked changes and what is hidden is left out, and so is every destination that is not known. Groups
//! deeper than the limit are refused.

mod charset;
mod token;

pub(super) use charset::codepage;

use super::html::kept_link;
use super::{Progress, Source};
use crate::build::Draft;
use crate::build::flow::{Flow, Paragraph};
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use carrel_engine::domain::BlockKind;
use carrel_engine::seams::ConvertError;
use charset::Charset;
use std::collections::{HashMap, HashSet};
use token::{Token, Tokens};

/// Groups inside each other.
const MAX_DEPTH: usize = 1_000;

pub(super) fn convert(source: &Source<'_>) -> Result<Draft, ConvertError> {
    (source.progress)(Progress { unit: "part", part: 1, of: 1 });
    let mut reader = Reader::new(source.limits.output_bytes);
    reader.run(source.bytes)?;
    let mut writer = Writer::new(source.limits.output_bytes);
    writer.title(&reader.title);
    let body = reader.flows.drain(..).next().map(|(_, flow)| flow).unwrap_or_default();
    body.write(&mut writer);
    for line in reader.running {
        writer.paragraph(&line);
    }
    for (note, number) in reader.notes.iter().zip(1..) {
        if !note.is_empty() {
            writer.verbatim(BlockKind::Paragraph, &format!("[^{number}]: {note}"));
        }
    }
    writer.finish()
}

/// What the text of a group is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Destination {
    Text,
    Skip,
    /// What lies in it is passed over as well, whatever it is.
    SkipAll,
    /// Of what is known about the file only the title is read.
    Info,
    Fonts,
    Styles,
    Title,
    Instruction,
    /// The label of an item.
    Label,
    Author,
}

/// What a group that has a flow of its own is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Own {
    Body,
    Note,
    Comment,
    Frame,
    Running,
}

/// What a group sets, and its end undoes.
#[derive(Clone)]
struct State {
    destination: Destination,
    font: i32,
    /// The font of double-byte text, and whether such follows.
    wide_font: Option<i32>,
    wide: bool,
    /// Characters that stand for a Unicode one after it.
    skip: usize,
    bold: bool,
    italic: bool,
    hidden: bool,
    style: i32,
    outline: Option<u8>,
    in_table: bool,
    depth: u32,
    list: bool,
    level: u8,
    /// Whether the group began a flow.
    own: bool,
    link: Option<String>,
    /// The group began with `\*`.
    starred: bool,
}

struct Reader {
    states: Vec<State>,
    state: State,
    flows: Vec<(Own, Flow)>,
    /// Bytes that are decoded together.
    pending: Vec<u8>,
    high_surrogate: Option<u16>,
    /// Characters to pass over.
    passing: usize,
    file_charset: Charset,
    fonts: HashMap<i32, Charset>,
    styles: HashMap<i32, String>,
    /// The font or style that is being defined.
    defining: i32,
    name: String,
    instruction: String,
    label: String,
    author: String,
    title: String,
    notes: Vec<String>,
    running: Vec<String>,
    seen: HashSet<String>,
    size: u64,
    limit: u64,
}

impl Reader {
    fn new(limit: u64) -> Self {
        let state = State {
            destination: Destination::Text,
            font: -1,
            wide_font: None,
            wide: false,
            skip: 1,
            bold: false,
            italic: false,
            hidden: false,
            style: 0,
            outline: None,
            in_table: false,
            depth: 0,
            list: false,
            level: 0,
            own: false,
            link: None,
            starred: false,
        };
        Self {
            states: Vec::new(),
            state,
            flows: vec![(Own::Body, Flow::default())],
            pending: Vec::new(),
            high_surrogate: None,
            passing: 0,
            file_charset: Charset::Encoding(codepage(1252)),
            fonts: HashMap::new(),
            styles: HashMap::new(),
            defining: 0,
            name: String::new(),
            instruction: String::new(),
            label: String::new(),
            author: String::new(),
            title: String::new(),
            notes: Vec::new(),
            running: Vec::new(),
            seen: HashSet::new(),
            size: 0,
            limit,
        }
    }

    fn run(&mut self, bytes: &[u8]) -> Result<(), ConvertError> {
        let mut tokens = Tokens::new(bytes);
        while let Some(token) = tokens.next() {
            match token {
                Token::Byte(byte) => {
                    if self.passing > 0 {
                        self.passing -= 1;
                    } else {
                        self.pending.push(byte);
                    }
                    continue;
                }
                Token::Word("bin", count) => {
                    tokens.pass_over(usize::try_from(count.unwrap_or(0)).unwrap_or(0));
                    continue;
                }
                _ => {}
            }
            self.flush();
            match token {
                Token::Open => {
                    self.passing = 0;
                    if self.states.len() >= MAX_DEPTH {
                        return Err(ConvertError::Damaged {
                            detail: "its groups are nested too deeply".into(),
                        });
                    }
                    self.states.push(self.state.clone());
                    (self.state.own, self.state.link, self.state.starred) = (false, None, false);
                }
                Token::Close => {
                    self.passing = 0;
                    self.close();
                }
                Token::Symbol(symbol) => self.symbol(symbol),
                Token::Word(word, number) => self.word(word, number),
                Token::Byte(_) => {}
            }
            if self.size > self.limit {
                return Err(ConvertError::LimitExceeded { limit: "output" });
            }
        }
        self.flush();
        // Groups that the file does not end.
        while !self.states.is_empty() {
            self.close();
        }
        while self.flows.len() > 1 {
            self.end_flow();
        }
        Ok(())
    }

    fn close(&mut self) {
        if let Some(link) = self.state.link.take() {
            self.flow().runs.close_link(link);
        }
        match self.state.destination {
            Destination::Fonts | Destination::Styles => self.end_name(),
            _ => {}
        }
        if self.state.own {
            self.end_flow();
        }
        if let Some(state) = self.states.pop() {
            self.state = state;
        }
    }

    fn flow(&mut self) -> &mut Flow {
        if self.flows.is_empty() {
            self.flows.push((Own::Body, Flow::default()));
        }
        let last = self.flows.len() - 1;
        &mut self.flows[last].1
    }

    fn begin_flow(&mut self, own: Own) {
        self.flows.push((own, Flow::default()));
        let fresh = State {
            destination: Destination::Text,
            own: true,
            in_table: false,
            list: false,
            bold: false,
            italic: false,
            style: 0,
            outline: None,
            ..self.state.clone()
        };
        self.state = fresh;
    }

    fn end_flow(&mut self) {
        if self.flows.len() < 2 {
            return;
        }
        let Some((own, flow)) = self.flows.pop() else { return };
        match own {
            Own::Note => self.note(flow.line()),
            Own::Comment => {
                let author = std::mem::take(&mut self.author);
                let by = if author.trim().is_empty() {
                    "Comment: ".to_owned()
                } else {
                    format!("Comment by {}: ", escaped(author.trim()))
                };
                let text = flow.line();
                if !text.is_empty() {
                    self.note(format!("{by}{text}"));
                }
            }
            Own::Running => {
                let line = flow.line();
                // A number alone is that of the page.
                if line.chars().any(char::is_alphabetic) && self.seen.insert(line.clone()) {
                    self.running.push(line);
                }
            }
            Own::Frame | Own::Body => {
                let paragraph =
                    self.states.last().cloned().map(|s| self.paragraph_of(&s)).unwrap_or_default();
                self.flow().append(flow, paragraph);
            }
        }
    }

    fn note(&mut self, text: String) {
        if !text.trim().is_empty() {
            self.notes.push(text);
            let mark = format!("[^{}]", self.notes.len());
            self.flow().runs.raw(mark);
        }
    }

    /// Decodes the bytes that wait.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        let font = match self.state.wide_font {
            Some(font) if self.state.wide => font,
            _ => self.state.font,
        };
        let charset = match self.state.destination {
            // Names of fonts and styles are in the encoding of the font that is being defined.
            Destination::Fonts => self.fonts.get(&self.defining),
            _ => self.fonts.get(&font),
        };
        let charset = charset.copied().unwrap_or(self.file_charset);
        let text = match std::str::from_utf8(&bytes) {
            Ok(ascii) if ascii.is_ascii() && charset != Charset::Symbol => ascii.to_owned(),
            _ => charset.decode(&bytes).into_owned(),
        };
        self.text(&text);
    }

    fn text(&mut self, text: &str) {
        self.high_surrogate = None;
        match self.state.destination {
            Destination::Text => {
                if !self.state.hidden {
                    self.size += text.len() as u64;
                    let (bold, italic) = (self.state.bold, self.state.italic);
                    self.flow().runs.text(text, bold, italic);
                }
            }
            Destination::Fonts | Destination::Styles => {
                for part in text.split_inclusive(';') {
                    self.name.push_str(part);
                    if part.ends_with(';') {
                        self.end_name();
                    }
                }
            }
            Destination::Title => self.title.push_str(text),
            Destination::Instruction => self.instruction.push_str(text),
            Destination::Label => self.label.push_str(text),
            Destination::Author => self.author.push_str(text),
            Destination::Skip | Destination::SkipAll | Destination::Info => {}
        }
    }

    fn end_name(&mut self) {
        let name = std::mem::take(&mut self.name);
        let name = name.trim().trim_end_matches(';').to_lowercase();
        if name.is_empty() {
            return;
        }
        match self.state.destination {
            Destination::Styles => {
                self.styles.entry(self.defining).or_insert(name);
            }
            Destination::Fonts if !name.starts_with("symbol") => {
                // Other fonts of symbols hold pictures; their letters are read as they are.
                if self.fonts.get(&self.defining) == Some(&Charset::Symbol) {
                    self.fonts.insert(self.defining, Charset::Encoding(codepage(1252)));
                }
            }
            _ => {}
        }
    }

    fn symbol(&mut self, symbol: u8) {
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

    fn paragraph_of(&self, state: &State) -> Paragraph {
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

    fn end_paragraph(&mut self) {
        if self.state.destination != Destination::Text {
            return;
        }
        let mut paragraph = self.paragraph_of(&self.state);
        if let (Some(_), false, label) = (paragraph.heading, self.label.trim().is_empty(), self.label.clone())
        {
            // The number of a heading is part of it.
            let runs = std::mem::take(&mut self.flow().runs);
            if !runs.is_empty() {
                self.flow().runs.text(&format!("{} ", label.trim()), false, false);
                self.flow().runs.append(runs);
            }
            paragraph.item = None;
        }
        self.label.clear();
        self.flow().end_paragraph(paragraph);
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
            "title" if self.state.destination == Destination::Info => self.state.destination = Destination::Title,
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
            "colortbl" | "pict" | "nonshppict" | "objdata" | "sp" | "shpinst" | "do" | "upr"
            | "xe" | "tc" | "tcn" | "rxe" | "ftnsep" | "ftnsepc" | "ftncn" | "aftnsep" | "aftnsepc"
            | "aftncn" | "template" | "private1" | "revtbl" | "filetbl" | "mmathPr" | "atnid"
            | "pnseclvl" | "bkmkstart" | "bkmkend" | "objclass" | "objname" | "themedata" | "datastore"
            | "generator" => {
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

    fn word(&mut self, word: &str, number: Option<i32>) {
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
            "ansicpg" => self.file_charset = Charset::Encoding(codepage(n)),
            "mac" => self.file_charset = Charset::Encoding(codepage(10000)),
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
                self.fonts.insert(self.defining, Charset::Encoding(codepage(n)));
            }
            "dbch" => self.state.wide = true,
            "loch" | "hich" => self.state.wide = false,
            "af" if self.state.wide => self.state.wide_font = Some(n),
            "b" => self.state.bold = on,
            "i" => self.state.italic = on,
            "v" | "deleted" => self.state.hidden = on,
            "plain" => (self.state.bold, self.state.italic, self.state.hidden) = (false, false, false),
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
                self.state.depth = 0;
            }
            "intbl" => self.state.in_table = on,
            "itap" => {
                self.state.depth = u32::try_from(n).unwrap_or(0);
                self.state.in_table |= n > 0;
            }
            "ls" => self.state.list = n > 0,
            "ilvl" => self.state.level = u8::try_from(n).unwrap_or(0).min(8),
            "par" | "sect" | "page" | "column" if self.state.destination == Destination::Text => {
                if matches!(word, "par" | "sect") || !self.state.in_table {
                    self.end_paragraph();
                }
            }
            "par" => self.text(" "),
            "line" => {
                if self.state.destination == Destination::Text {
                    self.flow().runs.newline();
                }
            }
            "cell" | "nestcell" if self.state.destination == Destination::Text => {
                self.label.clear();
                self.flow().end_cell(word == "nestcell");
            }
            "row" | "nestrow" if self.state.destination == Destination::Text => {
                self.flow().end_row(word == "nestrow");
            }
            _ => {}
        }
    }
}
