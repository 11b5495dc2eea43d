//! RTF through an own tokenizer: text in the encoding of its font, headings by style or outline, lists, tables, notes, comments.
//!
//! What was deleted under tracked changes and what is hidden is left out, and so is every destination that is not known. Groups
//! deeper than the limit are refused.

mod charset;
mod token;
mod words;

use super::{Progress, Source};
use crate::build::Draft;
use crate::build::flow::Flow;
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
    std::mem::take(&mut reader.body).write(&mut writer);
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
    Note,
    Comment,
    Frame,
    Running,
}

/// What a group sets, and its end undoes.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "facts that the file states one by one")]
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
    struck: bool,
    hidden: bool,
    style: i32,
    outline: Option<u8>,
    in_table: bool,
    depth: u32,
    list: bool,
    level: u8,
    /// Indent of the paragraph, in twentieths of a point.
    indent: i32,
    /// Whether the group began a flow.
    own: bool,
    link: Option<String>,
    /// The group began with `\*`.
    starred: bool,
}

struct Reader {
    states: Vec<State>,
    state: State,
    body: Flow,
    /// Flows that are open inside it.
    inner: Vec<(Own, Flow)>,
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
    /// Indents and levels of the items that are open inside each other.
    items: Vec<(i32, u8)>,
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
            struck: false,
            hidden: false,
            style: 0,
            outline: None,
            in_table: false,
            depth: 0,
            list: false,
            level: 0,
            indent: 0,
            own: false,
            link: None,
            starred: false,
        };
        Self {
            states: Vec::new(),
            state,
            body: Flow::default(),
            inner: Vec::new(),
            pending: Vec::new(),
            high_surrogate: None,
            passing: 0,
            file_charset: charset::of_codepage(1252),
            fonts: HashMap::new(),
            styles: HashMap::new(),
            defining: 0,
            name: String::new(),
            instruction: String::new(),
            label: String::new(),
            items: Vec::new(),
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
        while !self.inner.is_empty() {
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
        match self.inner.last_mut() {
            Some((_, flow)) => flow,
            None => &mut self.body,
        }
    }

    fn begin_flow(&mut self, own: Own) {
        self.inner.push((own, Flow::default()));
        let fresh = State {
            destination: Destination::Text,
            own: true,
            in_table: false,
            list: false,
            bold: false,
            italic: false,
            struck: false,
            style: 0,
            outline: None,
            ..self.state.clone()
        };
        self.state = fresh;
    }

    fn end_flow(&mut self) {
        let Some((own, flow)) = self.inner.pop() else { return };
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
            Own::Frame => {
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
            // What is known about the file has no font.
            Destination::Title => None,
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
                    let State { bold, italic, struck, .. } = self.state;
                    self.flow().runs.strike(struck);
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
            // Other fonts of symbols hold pictures; their letters are read as they are.
            Destination::Fonts
                if !name.starts_with("symbol")
                    && self.fonts.get(&self.defining) == Some(&Charset::Symbol) =>
            {
                self.fonts.insert(self.defining, charset::of_codepage(1252));
            }
            _ => {}
        }
    }
}
