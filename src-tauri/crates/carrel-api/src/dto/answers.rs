//! Asking, chats.

use super::{HitDocument, HitDto, PassageDto, RetrievalOptions, TraceDto};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// `ask`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct AskParams {
    /// The question.
    pub question: String,
    /// Which libraries; `default` when empty, `*` for all.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub libraries: Vec<String>,
    /// Attached documents (id, path or URI): the gate does not filter them.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub documents: Vec<String>,
    /// The chat it belongs to; `new` begins one; not kept when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub chat: Option<String>,
    /// Passages handed to the model; 5 when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub n: Option<u32>,
    /// How to retrieve.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub options: RetrievalOptions,
    /// The language model; the chosen one when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub model: Option<String>,
}

/// A source of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct CitationDto {
    /// As it stands in the text.
    pub number: u32,
    /// The document.
    pub document: HitDocument,
    /// The passage.
    pub passage: PassageDto,
    /// The words that carry the sentence, as they stand in the version's Markdown.
    pub quote: String,
    /// The same as people read them, without marks of Markdown; empty in chats from before it was kept.
    #[serde(default)]
    pub excerpt: String,
    /// Rank of the passage among the hits; not in chats from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rank: Option<u32>,
    /// As [`HitDto::ranks`].
    #[serde(default)]
    pub ranks: BTreeMap<String, u32>,
    /// As [`HitDto::scores`].
    #[serde(default)]
    pub scores: BTreeMap<String, f32>,
    /// As [`HitDto::named`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub named: Option<String>,
    /// As [`HitDto::matched_terms`].
    #[serde(default)]
    pub matched_terms: Vec<String>,
    /// First byte of the quote in the version's Markdown.
    pub quote_start: u32,
    /// One past its last byte.
    pub quote_end: u32,
}

impl CitationDto {
    /// The quote for people, in one line.
    pub fn shown(&self) -> &str {
        if self.excerpt.is_empty() { &self.quote } else { &self.excerpt }
    }
}

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClaimDto {
    /// The sentence.
    pub text: String,
    /// First byte in the answer.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Its citations.
    pub citations: Vec<u32>,
    /// `supported`, `unsupported`, `contradicted`.
    pub verdict: String,
}

/// An answer, or the honest lack of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct AnswerDto {
    /// The text, with `[n]` marks.
    pub answer: String,
    /// Whether it rests on the library.
    pub grounded: bool,
    /// `not_in_library`, `retrieval_failed`, `no_model` (with `model`: that one does not speak the question's language).
    pub reason: Option<String>,
    /// `top-k`, `small-talk`, `stopped`.
    pub mode: String,
    /// Its sources.
    pub citations: Vec<CitationDto>,
    /// Its sentences.
    pub claims: Vec<ClaimDto>,
    /// Sources that contradict each other.
    #[ts(type = "unknown[]")]
    pub conflicts: Vec<serde_json::Value>,
    /// Nearest passages where nothing was answered.
    #[serde(default)]
    pub nearest: Vec<HitDto>,
    /// The model that answered, or that could not.
    pub model: Option<String>,
    /// The chat it was kept in.
    pub chat: Option<String>,
    /// What was done.
    pub trace: TraceDto,
}

/// What happens while an answer is made: a line of the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AskStreamEvent {
    /// A stage began.
    Stage {
        /// `search`, `read`, `generate`.
        name: String,
        /// Passages read.
        passages: u32,
        /// Documents they are from.
        documents: u32,
    },
    /// A piece of text.
    Token {
        /// The text.
        text: String,
    },
    /// A citation was attached.
    Citation {
        /// It.
        citation: Box<CitationDto>,
    },
    /// A sentence was finished.
    Claim {
        /// It.
        claim: ClaimDto,
    },
}

/// A chat in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatDto {
    /// Its id.
    pub id: String,
    /// First question, or the user's title.
    pub title: String,
    /// When begun.
    pub created: String,
    /// When it last grew.
    pub updated: String,
    /// Questions in it.
    pub turns: u32,
}

/// `chats.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatList {
    /// Last grown first.
    pub chats: Vec<ChatDto>,
}

/// A chat by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatId {
    /// Its id.
    pub id: String,
}

/// `chats.rename`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatRename {
    /// Its id.
    pub id: String,
    /// New title.
    pub title: String,
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct TurnDto {
    /// From 1.
    pub number: u32,
    /// As typed.
    pub question: String,
    /// As kept.
    pub answer: AnswerDto,
    /// When.
    pub created: String,
}

/// `chats.show`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ChatView {
    /// The chat.
    pub chat: ChatDto,
    /// Oldest first.
    pub turns: Vec<TurnDto>,
}

/// `chats.export`: Markdown with sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChatExport {
    /// The text.
    pub markdown: String,
}
