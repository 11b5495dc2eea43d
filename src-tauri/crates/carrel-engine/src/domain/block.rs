//! What a conversion returns: the final text, its block tree, its locations.

use super::{LocatedSpan, Span};
use serde::{Deserialize, Serialize};

/// What a block is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum BlockKind {
    /// A heading; its text without the marks is in `text`.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Plain text, for heading paths.
        text: String,
    },
    /// A paragraph.
    Paragraph,
    /// A list; its children are items.
    List,
    /// A list item, with its own blocks as children.
    Item,
    /// A table; its children are rows.
    Table,
    /// A table row.
    Row {
        /// A header row (with its delimiter row), repeated in each passage of the table.
        header: bool,
    },
    /// Fenced or indented code, or a whole source file.
    Code {
        /// Language name as fences write it (`rust`, `python`), where known.
        language: Option<String>,
    },
    /// A part of a source file by its syntax; the parts in the body of a scope are its children.
    Part {
        /// What it is.
        part: CodePart,
        /// What stands in front of the body, on one line; empty where it defines nothing.
        signature: String,
    },
    /// A quotation, with its own blocks as children.
    Quote,
    /// Front matter.
    Meta,
    /// A rule or a piece of raw HTML: kept in the text, never searched alone.
    Other,
}

/// What a part of a source file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodePart {
    /// Imports.
    Import,
    /// A function, a method, a statement that stands for itself.
    Function,
    /// A class, a module, an implementation.
    Scope,
    /// Anything else.
    Other,
}

/// A node of the block tree. Children lie inside the parent's span, ascend, and do not overlap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    #[serde(flatten)]
    pub kind: BlockKind,
    /// Where it stands in the Markdown.
    pub span: Span,
    /// Its parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Block>,
}

/// A converter and its version: raising the version queues its documents again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConverterId {
    /// Stable name (`pdf`, `markdown`).
    pub id: String,
    /// Raised when its output changes.
    pub version: u32,
}

/// A part that could not be converted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Stable code, such as `no_text_layer`.
    pub code: String,
    /// A sentence for people, naming the part.
    pub message: String,
}

/// The result of a conversion: the final text. Nothing after it changes a byte or parses it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Converted {
    /// Markdown after cleaning and NFC.
    pub markdown: String,
    /// The block tree over `markdown`.
    pub blocks: Vec<Block>,
    /// Places in the original.
    pub locations: Vec<LocatedSpan>,
    /// The media type of the input as sniffed.
    pub media_type: String,
    /// The document's own title, where it has one.
    pub title: Option<String>,
    /// False where a part failed; `warnings` names it.
    pub complete: bool,
    /// Parts that failed.
    pub warnings: Vec<Warning>,
    /// Who made it.
    pub converter: ConverterId,
}
