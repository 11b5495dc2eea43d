//! A converter for Markdown and plain text: headings and paragraphs, nothing else.

use carrel_engine::cancel::Cancel;
use carrel_engine::domain::{Block, BlockKind, Converted, ConverterId, LocatedSpan, Location, Span};
use carrel_engine::seams::{ConvertError, ConvertInput, ConvertRequest, DocumentConverter, FilePart};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Reads `.md` and `.txt` (and anything else that `read_also` names). Fails where told to.
pub struct PlainConverter {
    version: AtomicU32,
    converted: AtomicUsize,
    refusals: Mutex<BTreeMap<String, ConvertError>>,
    endings: Mutex<Vec<String>>,
    others: Mutex<Vec<ConverterId>>,
    parts: Mutex<BTreeMap<String, u32>>,
}

impl Default for PlainConverter {
    fn default() -> Self {
        Self {
            version: AtomicU32::new(1),
            converted: AtomicUsize::new(0),
            refusals: Mutex::default(),
            endings: Mutex::new(vec![".md".to_owned(), ".txt".to_owned()]),
            others: Mutex::default(),
            parts: Mutex::default(),
        }
    }
}

impl PlainConverter {
    /// Files of this name are refused until [`PlainConverter::accept`].
    pub fn refuse(&self, name: &str, error: ConvertError) {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), error);
    }

    /// Files of this name are read again.
    pub fn accept(&self, name: &str) {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Learns a format, by the ending of its names (`.rst`).
    pub fn read_also(&self, ending: &str) {
        self.endings.lock().unwrap_or_else(PoisonError::into_inner).push(ending.to_owned());
    }

    /// Another converter is there from now on.
    pub fn bring(&self, id: &str) {
        let other = ConverterId { id: id.to_owned(), version: 1 };
        self.others.lock().unwrap_or_else(PoisonError::into_inner).push(other);
    }

    /// A file of this name is converted in so many parts, each of 20 ms.
    pub fn divide(&self, name: &str, parts: u32) {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), parts);
    }

    /// Raises its version.
    pub fn raise_version(&self) {
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    /// How many conversions it was asked for.
    pub fn conversions(&self) -> usize {
        self.converted.load(Ordering::SeqCst)
    }

    fn id(&self) -> ConverterId {
        ConverterId { id: "plain".to_owned(), version: self.version.load(Ordering::SeqCst) }
    }
}

/// Text and its block tree: lines that begin with `#` are headings, paragraphs are separated by empty lines.
pub(crate) fn read(text: String, converter: ConverterId, media_type: &str) -> Converted {
    let mut blocks = Vec::new();
    let mut locations = Vec::new();
    let mut title = None;
    let mut open: Option<(usize, usize)> = None;
    let close = |open: &mut Option<(usize, usize)>, blocks: &mut Vec<Block>| {
        if let Some((start, end)) = open.take() {
            blocks.push(Block {
                kind: BlockKind::Paragraph,
                span: Span::new(start, end),
                children: Vec::new(),
            });
        }
    };
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let body = line.trim_end();
        let span = Span::new(at, at + body.len());
        let level = body.bytes().take_while(|b| *b == b'#').count();
        if (1..=6).contains(&level) && body.as_bytes().get(level) == Some(&b' ') {
            close(&mut open, &mut blocks);
            let heading = body[level + 1..].trim().to_owned();
            title.get_or_insert_with(|| heading.clone());
            let kind = BlockKind::Heading { level: level as u8, text: heading };
            blocks.push(Block { kind, span, children: Vec::new() });
        } else if body.is_empty() {
            close(&mut open, &mut blocks);
        } else {
            open = Some((open.map_or(span.start, |(start, _)| start), span.end));
        }
        if !span.is_empty() {
            let location = Location { line: Some(number as u32 + 1), ..Location::default() };
            locations.push(LocatedSpan { span, location });
        }
        at += line.len();
    }
    close(&mut open, &mut blocks);
    Converted {
        markdown: text,
        blocks,
        locations,
        media_type: media_type.to_owned(),
        title,
        complete: true,
        warnings: Vec::new(),
        converter,
    }
}

impl DocumentConverter for PlainConverter {
    fn converter_for(&self, name: &str) -> Option<ConverterId> {
        let endings = self.endings.lock().unwrap_or_else(PoisonError::into_inner);
        endings.iter().any(|ending| name.ends_with(ending.as_str())).then(|| self.id())
    }

    fn converters(&self) -> Vec<ConverterId> {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::once(self.id()).chain(others.iter().cloned()).collect()
    }

    fn convert_by_parts(
        &self,
        request: &ConvertRequest,
        cancel: &Cancel,
        begun: &mut dyn FnMut(&FilePart),
    ) -> Result<Converted, ConvertError> {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner).get(&request.name).copied();
        for number in 1..=parts.unwrap_or(0) {
            begun(&FilePart { unit: "page".to_owned(), number, of: parts.unwrap_or(0) });
            if cancel.is_cancelled() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        if cancel.is_cancelled() {
            return Err(ConvertError::Cancelled);
        }
        self.converted.fetch_add(1, Ordering::SeqCst);
        if let Some(error) = self.refusals.lock().unwrap_or_else(PoisonError::into_inner).get(&request.name) {
            return Err(error.clone());
        }
        let bytes = match &request.input {
            ConvertInput::Path(path) => {
                std::fs::read(path).map_err(|e| ConvertError::Unreadable(e.to_string()))?
            }
            ConvertInput::Bytes(bytes) => bytes.clone(),
        };
        if self.converter_for(&request.name).is_none() && matches!(request.input, ConvertInput::Path(_)) {
            return Err(ConvertError::UnsupportedFormat { format: "unknown".to_owned() });
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| ConvertError::Damaged { detail: "it is not UTF-8".to_owned() })?;
        let plain = request.name.rsplit_once('.').is_some_and(|(_, ending)| ending == "txt");
        let media_type = if plain { "text/plain" } else { "text/markdown" };
        Ok(read(text, self.id(), media_type))
    }
}
