//! From characters and their properties to paragraphs, tables and notes.

use super::fib::{Fib, Part, entries, table};
use super::lists::{Lists, Mark};
use super::properties::{self, Character, Runs};
use super::styles::Styles;
use crate::build::flow::{Flow, Paragraph};
use crate::build::inline::escaped;
use crate::build::writer::Writer;
use crate::formats::html::kept_link;
use crate::formats::ole::{u16_at, wide};
use carrel_engine::domain::BlockKind;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Fields inside each other.
const MAX_FIELDS: usize = 64;

/// A field that is open: what it does stands before what it shows.
struct Field {
    instruction: Vec<u16>,
    shows: bool,
    link: Option<String>,
}

struct Walk<'a> {
    fib: &'a Fib<'a>,
    paragraphs: Runs<properties::Paragraph>,
    characters: Runs<Character>,
    styles: Styles,
    lists: Lists,
    /// Texts of notes by the character that refers to them.
    marks: HashMap<usize, String>,
    notes: Vec<String>,
}

/// Writes the document.
pub(super) fn write(fib: &Fib<'_>, writer: &mut Writer) {
    let mut walk = Walk {
        fib,
        paragraphs: properties::paragraphs(fib.main, fib.table(table::PARAGRAPHS)),
        characters: properties::characters(fib.main, fib.table(table::CHARACTERS)),
        styles: Styles::read(fib.table(table::STYLES)),
        lists: Lists::read(fib),
        marks: HashMap::new(),
        notes: Vec::new(),
    };
    walk.read_notes(table::FOOTNOTE_MARKS, table::FOOTNOTES, Part::Footnotes);
    walk.read_notes(table::ENDNOTE_MARKS, table::ENDNOTES, Part::Endnotes);
    walk.read_notes(table::COMMENT_MARKS, table::COMMENTS, Part::Comments);
    walk.flow(fib.part(Part::Main)).write(writer);
    walk.flow(fib.part(Part::TextBoxes)).write(writer);
    walk.running(writer);
    for (note, number) in walk.notes.iter().zip(1..) {
        writer.verbatim(BlockKind::Paragraph, &format!("[^{number}]: {note}"));
    }
}

impl Walk<'_> {
    fn read_notes(&mut self, marks: usize, texts: usize, part: Part) {
        let comments = part == Part::Comments;
        let range = self.fib.part(part);
        let authors = commenters(self.fib.table(table::COMMENTERS));
        let texts: Vec<usize> = entries(self.fib.table(texts), 0).into_iter().map(|(at, _)| at).collect();
        let marks = entries(self.fib.table(marks), if comments { 30 } else { 2 });
        let mut read = range.start;
        for ((mark, data), text) in marks.into_iter().zip(texts.windows(2)) {
            let &[from, to] = text else { continue };
            // Notes follow each other: what says that they do not is read once all the same.
            let start = range.start.saturating_add(from).max(read).min(range.end);
            let end = range.start.saturating_add(to).min(range.end).max(start);
            read = end;
            let mut line = self.flow(start..end).line();
            if line.trim().is_empty() {
                continue;
            }
            if comments {
                let author = u16_at(data, 20).and_then(|i| authors.get(usize::from(i)));
                let by = author.map(|a| format!(" by {}", escaped(a))).unwrap_or_default();
                line = format!("Comment{by}: {line}");
            }
            self.marks.insert(mark, line);
        }
    }

    /// Headers and footers, each once.
    fn running(&mut self, writer: &mut Writer) {
        let mut seen = HashSet::new();
        let range = self.fib.part(Part::Headers);
        let text = self.fib.text.get(range.clone()).unwrap_or_default();
        let mut from = range.start;
        for paragraph in text.split_inclusive(|c| *c == 0x0d) {
            let to = from + paragraph.len();
            let line = self.flow(from..to).line();
            // A number alone is that of the page.
            if line.chars().any(char::is_alphabetic) && !seen.contains(&line) {
                writer.paragraph(&line);
                seen.insert(line);
            }
            from = to;
        }
    }

    /// The paragraphs and tables of a stretch of text.
    fn flow(&mut self, range: Range<usize>) -> Flow {
        let mut flow = Flow::default();
        let mut fields: Vec<Field> = Vec::new();
        let mut run: Vec<u16> = Vec::new();
        let mut set = Character::default();
        for at in range {
            let Some(&c) = self.fib.text.get(at) else { break };
            let place = self.fib.place(at);
            let now = self.characters.at(place);
            let control = c < 0x20 || c == 0xa0;
            if control || now != set {
                end_run(&mut run, set, &mut flow);
                set = now;
            }
            match c {
                0x13 if fields.len() < MAX_FIELDS => {
                    fields.push(Field { instruction: Vec::new(), shows: false, link: None });
                    continue;
                }
                0x14 => {
                    if let Some(field) = fields.last_mut() {
                        field.shows = true;
                        field.link = link(&field.instruction);
                        if field.link.is_some() {
                            flow.runs.open_link();
                        }
                    }
                    continue;
                }
                0x15 => {
                    if let Some(link) = fields.pop().and_then(|f| f.link) {
                        flow.runs.close_link(link);
                    }
                    continue;
                }
                _ => {}
            }
            if let Some(field) = fields.iter_mut().find(|f| !f.shows) {
                field.instruction.push(c);
                // A field does not reach over a paragraph: one that seems to is not ended.
                if c != 0x0d {
                    continue;
                }
                fields.clear();
            }
            match c {
                0x0d | 0x07 | 0x0c => self.end(c, place, &mut flow),
                0x0b => flow.runs.newline(),
                0x09 | 0xa0 | 0x0e => flow.runs.text(" ", now.bold, now.italic),
                0x1e => run.push(u16::from(b'-')),
                0x02 | 0x05 => {
                    if let Some(note) = self.marks.remove(&at) {
                        self.notes.push(note);
                        flow.runs.raw(format!("[^{}]", self.notes.len()));
                    }
                }
                0..0x20 => {}
                _ if now.gone => {}
                c => run.push(c),
            }
        }
        end_run(&mut run, set, &mut flow);
        flow
    }

    /// Ends a paragraph, cell or row.
    fn end(&mut self, c: u16, place: u32, flow: &mut Flow) {
        let own = self.paragraphs.at(place);
        let in_table = own.in_table || own.depth > 0;
        let inner = own.depth > 1;
        let of_style = self.styles.merged(own.style);
        let heading = own.outline.or_else(|| self.styles.heading(own.style));
        let list = own.list.or(of_style.list).filter(|l| *l > 0 && *l < 0xf800);
        let level = own.level.or(of_style.level).unwrap_or(0);
        let mut item = None;
        if let Some(list) = list
            && !flow.runs.is_empty()
        {
            match (self.lists.next(list, level), heading) {
                (Mark::Bullet, None) => item = Some((level, None)),
                (Mark::Number(n), None) => item = Some((level, Some(n))),
                _ => {}
            }
        }
        if in_table && let Some((_, Some(number))) = item {
            flow.label(&format!("{number}."));
        }
        match c {
            0x07 if own.row_end => return flow.end_row(false),
            0x07 => return flow.end_cell(false),
            _ if inner && own.inner_row_end => return flow.end_row(true),
            _ if inner && own.inner_cell => return flow.end_cell(true),
            _ => {}
        }
        flow.end_paragraph(Paragraph {
            heading,
            title: self.styles.is_title(own.style),
            in_table,
            depth: own.depth,
            item,
        });
    }
}

fn end_run(run: &mut Vec<u16>, set: Character, flow: &mut Flow) {
    if !run.is_empty() {
        flow.runs.strike(set.struck);
        flow.runs.text(&String::from_utf16_lossy(run), set.bold, set.italic);
        flow.runs.strike(false);
        run.clear();
    }
}

/// The target of a link, where the field is one.
fn link(instruction: &[u16]) -> Option<String> {
    let text = String::from_utf16_lossy(instruction);
    let rest = text.trim().strip_prefix("HYPERLINK")?.trim();
    kept_link(rest.strip_prefix('"')?.split('"').next()?)
}

/// The names of those who commented.
fn commenters(mut table: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(length) = u16_at(table, 0).map(usize::from) {
        let Some(name) = table.get(2..2 + 2 * length) else { break };
        names.push(wide(name));
        table = table.get(2 + 2 * length..).unwrap_or_default();
    }
    names
}
