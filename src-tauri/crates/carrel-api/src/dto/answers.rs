//! Asking.

use super::{ChatScope, HitDocument, HitDto, PassageDto, RetrievalOptions, TraceDto};
use crate::problem::Problem;
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
    /// The chat it belongs to; `new` begins one; not kept when not given. What the question itself names (libraries, documents,
    /// filters of a kind) wins over the chat's scope.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub chat: Option<String>,
    /// A turn of the chat in whose place it is asked: a branch beside it, after what came before that turn.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub instead: Option<u32>,
    /// Where a new chat looks.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub scope: Option<ChatScope>,
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
    /// BLAKE3 of the quote, as hexadecimal digits; not in chats from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub quote_hash: Option<String>,
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
    /// `not_in_library`, `retrieval_failed`, `no_model` (with `model`: that one does not speak the question's language), `failed` (kept in a
    /// chat with its `problem`, and with what was written before).
    pub reason: Option<String>,
    /// `top-k`, `small-talk`, `stopped`, `failed`.
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
    /// As which turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn: Option<u32>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<Problem>,
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
