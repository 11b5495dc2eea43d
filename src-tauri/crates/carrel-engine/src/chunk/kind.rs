//! What kind of document a text is, by its blocks, its places and the look of its lines.

use super::Text;
use crate::domain::{Block, BlockKind, Span};

/// A kind of document with a preset of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A note, an FAQ, a chat.
    Short,
    /// An article, and whatever is mixed.
    Article,
    /// Law, contracts, manuals.
    Technical,
    /// Sheets, and reports that live from their tables.
    Tables,
    /// A source file.
    Code,
}

/// A text of fewer bytes is a note.
const NOTE: usize = 3_000;

/// The kind of a text. Reads each byte once.
pub(super) fn kind(text: &Text<'_>) -> Kind {
    let all = text.markdown.len().max(1);
    let bytes = |of: fn(&BlockKind) -> bool| -> usize {
        text.blocks.iter().filter(|block| of(&block.kind)).map(|block| block.span.len()).sum()
    };
    let code = bytes(|kind| matches!(kind, BlockKind::Code { .. }));
    let tables = bytes(|kind| matches!(kind, BlockKind::Table));
    if code * 10 > all * 9 && text.blocks.len() == 1 {
        return Kind::Code;
    }
    let paged = text.locations.iter().any(|located| located.location.page.is_some());
    if tables * 2 > all || (paged && tables * 5 > all) {
        return Kind::Tables;
    }
    let looks = Looks::of(text);
    if all < NOTE || looks.questions_and_answers() || looks.chat() {
        Kind::Short
    } else if looks.clauses() || code * 10 > all {
        Kind::Technical
    } else {
        Kind::Article
    }
}

/// Counts of what lines look like.
#[derive(Default)]
struct Looks {
    blocks: usize,
    questions: usize,
    clauses: usize,
    lines: usize,
    spoken: usize,
}

impl Looks {
    fn of(text: &Text<'_>) -> Self {
        let mut looks = Self::default();
        for block in text.blocks {
            looks.block(text.markdown, block);
        }
        looks
    }

    fn block(&mut self, markdown: &str, block: &Block) {
        let Some(body) = block.span.of(markdown) else { return };
        match block.kind {
            BlockKind::Heading { .. } | BlockKind::Paragraph => self.lines_of(body),
            BlockKind::List => {
                let items = block.children.iter().filter_map(|item| Span::of(&item.span, markdown));
                items.for_each(|item| self.lines_of(item));
            }
            _ => {}
        }
    }

    fn lines_of(&mut self, body: &str) {
        self.blocks += 1;
        for (n, line) in body.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
            self.lines += 1;
            self.spoken += usize::from(is_spoken(line));
            if n == 0 {
                let bare = line.trim_end_matches(['*', '_']);
                self.questions += usize::from(bare.ends_with(['?', '？']));
                self.clauses += usize::from(is_clause(line));
            }
        }
    }

    fn questions_and_answers(&self) -> bool {
        self.questions >= 3 && self.questions * 4 >= self.blocks
    }

    fn chat(&self) -> bool {
        self.spoken >= 6 && self.spoken * 5 >= self.lines * 3
    }

    fn clauses(&self) -> bool {
        self.clauses >= 5 && self.clauses * 5 >= self.blocks
    }
}

/// `Ann: yes`, `[10:04] Ann: yes`: a short name of few words in front of a colon.
fn is_spoken(line: &str) -> bool {
    let line = line.trim_start_matches(['*', '_', '-', ' ']);
    let line = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => rest.trim_start(),
        None => line,
    };
    let Some((name, said)) = line.split_once([':', '：']) else { return false };
    let name = name.trim_matches(['*', '_']);
    !name.is_empty()
        && name.chars().count() <= 24
        && name.split_whitespace().count() <= 3
        && name.chars().next().is_some_and(char::is_alphabetic)
        && !said.trim().is_empty()
        && !said.starts_with("//")
}

/// `§ 5`, `3.2.1 Scope`, `Article 7`, `(a) the Seller`, `第三条`.
fn is_clause(line: &str) -> bool {
    let line = line.trim_start_matches(['#', '*', '_', '-', ' ']).replace('\\', "");
    let first = line.split_whitespace().next().unwrap_or_default();
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'I' | 'V' | 'X'));
    if line.starts_with('§')
        || (line.starts_with('第') && line.chars().take(8).any(|c| matches!(c, '条' | '條' | '款')))
    {
        return true;
    }
    if matches!(first, "Article" | "Section" | "Clause" | "Art." | "Sec." | "Artikel" | "Abschnitt") {
        return line.split_whitespace().nth(1).is_some_and(number);
    }
    let parts: Vec<&str> = first.trim_end_matches('.').split('.').collect();
    let numbered = parts.len() >= 2
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit()));
    let lettered = first.len() <= 5
        && first
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
            .is_some_and(|inner| inner.chars().all(char::is_alphanumeric));
    numbered || lettered
}
