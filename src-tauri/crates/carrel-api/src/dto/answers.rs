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
    /// How the answer is verified: `code`, `auto` or `thorough`; as the preset says when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub verify: Option<String>,
    /// In which order the model reads the passages: `ends` or `descending`; as the library says when not given.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub order: Option<String>,
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

/// One side of a conflict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ConflictSideDto {
    /// The document.
    pub document: HitDocument,
    /// The passage.
    pub passage: PassageDto,
    /// What it says, as it stands in the version's Markdown.
    pub quote: String,
    /// The same as people read it.
    pub excerpt: String,
    /// First byte of the quote in the version's Markdown.
    pub quote_start: u32,
    /// One past its last byte.
    pub quote_end: u32,
    /// The date of the document, as far as it is told: `2026-03-12`, `2026-03`, `2026`.
    pub date: Option<String>,
    /// Where the document lies.
    pub path: String,
}

/// Two sources that contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ConflictDto {
    /// What they tell differently: `number`, `date`, `name`, `denial`.
    pub difference: String,
    /// Both; the preferred one first.
    pub sides: Vec<ConflictSideDto>,
    /// Why they may differ: `age`, `kind` (of document), `unknown`.
    pub likely: String,
    /// Why the first is preferred: `later`, `rank`; not where nothing speaks for either.
    pub preferred: Option<String>,
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
    /// `top-k`, `exhaustive`, `summary`, `small-talk`, `stopped`.
    pub mode: String,
    /// Its sources.
    pub citations: Vec<CitationDto>,
    /// Its sentences.
    pub claims: Vec<ClaimDto>,
    /// Supported claims of all; not where nothing is claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub faithfulness: Option<f32>,
    /// Sources that contradict each other about what was asked.
    pub conflicts: Vec<ConflictDto>,
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
        /// `search`, `inventory`, `read`, `summarise`, `generate`, `verify`.
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
    /// A sentence was finished, or judged anew: a claim that begins where another did takes its place.
    Claim {
        /// It.
        claim: ClaimDto,
    },
    /// So much of what has to be read for a summary was read.
    Progress {
        /// Parts read.
        done: u32,
        /// Parts in all.
        total: u32,
    },
    /// A step of a question that one search does not answer.
    Hop {
        /// Its number.
        number: u32,
        /// What is looked up.
        question: String,
    },
    /// Sources contradict each other.
    Conflict {
        /// Both sides.
        conflict: Box<ConflictDto>,
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
