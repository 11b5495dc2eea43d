//! Questions and answers.

use super::conflicts::Conflict;
use super::verify::Verify;
use crate::domain::DocumentId;
use crate::retrieve::{Hit, SearchRequest, Trace};
use crate::seams::Message;

/// A question.
#[derive(Clone, Debug, PartialEq)]
pub struct AskRequest {
    /// The question as typed, with the retrieval options (`search.n` is the number of passages handed to the model).
    pub search: SearchRequest,
    /// Earlier turns of the chat, oldest first.
    pub history: Vec<Message>,
    /// Documents that the user named or attached: the gate does not filter them.
    pub documents: Vec<DocumentId>,
    /// The language model; `None` for the chosen one.
    pub model: Option<String>,
    /// How much is done to verify the answer.
    pub verify: Verify,
    /// In which order the model reads the passages.
    pub order: Order,
}

impl AskRequest {
    /// A question with the default search, no chat and no named documents.
    pub fn new(search: SearchRequest) -> Self {
        Self {
            search,
            history: Vec::new(),
            documents: Vec::new(),
            model: None,
            verify: Verify::default(),
            order: Order::default(),
        }
    }
}

/// In which order the model reads the passages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The strongest first and last, the weakest in the middle.
    #[default]
    Ends,
    /// The strongest first.
    Descending,
}

impl Order {
    /// By its word: `ends`, `descending`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "ends" => Some(Self::Ends),
            "descending" => Some(Self::Descending),
            _ => None,
        }
    }
}

/// Why nothing was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The library does not hold it.
    NotInLibrary,
    /// Retrieval failed; never masked by the model's own knowledge.
    RetrievalFailed,
    /// There is no language model, or none that speaks the language of the question: then the answer names the model.
    NoModel,
}

/// Whether sources carry a claim: code aligns it to a span that states its numbers, dates and names; models that read may find otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A source says so.
    Supported,
    /// No source given says so.
    Unsupported,
    /// A source says otherwise.
    Contradicted,
}

/// The tie from a sentence to a span of an active version.
#[derive(Clone, Debug, PartialEq)]
pub struct Citation {
    /// As it stands in the text: `[1]`.
    pub number: u32,
    /// The source.
    pub hit: Hit,
    /// The words of the source that carry the sentence.
    pub quote: String,
    /// First byte of the quote in the version's Markdown.
    pub quote_start: usize,
    /// One past its last byte.
    pub quote_end: usize,
}

/// A sentence of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The sentence.
    pub text: String,
    /// First byte in the answer.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Numbers of its citations.
    pub citations: Vec<u32>,
    /// Whether sources carry it.
    pub verdict: Verdict,
}

/// An answer, or the honest lack of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The text, with `[n]` marks.
    pub text: String,
    /// Whether it rests on the library.
    pub grounded: bool,
    /// Why nothing was answered.
    pub reason: Option<NoAnswer>,
    /// `top-k`, `exhaustive`, `summary`, `small-talk`, `stopped`.
    pub mode: &'static str,
    /// Its sources, by number.
    pub citations: Vec<Citation>,
    /// Its sentences.
    pub claims: Vec<Claim>,
    /// Supported claims of all; `None` where nothing is claimed.
    pub faithfulness: Option<f32>,
    /// Sources that contradict each other about what was asked.
    pub conflicts: Vec<Conflict>,
    /// The nearest passages, where the library does not hold an answer.
    pub nearest: Vec<Hit>,
    /// The model that answered, or that could not.
    pub model: Option<String>,
    /// What was done.
    pub trace: Trace,
}

/// What happens while an answer is made.
#[derive(Clone, Debug, PartialEq)]
pub enum AskEvent {
    /// A stage began (`search`, `read 6 passages from 3 documents`, `generate`).
    Stage {
        /// Stable name.
        name: &'static str,
        /// Passages read, where known.
        passages: usize,
        /// Documents they are from.
        documents: usize,
    },
    /// A piece of text.
    Token(String),
    /// A citation was attached.
    Citation(Box<Citation>),
    /// A sentence was finished.
    Claim(Claim),
    /// So much of what has to be read for a summary was read.
    Progress {
        /// Parts read.
        done: usize,
        /// Parts in all.
        total: usize,
    },
    /// A step of a question that one search does not answer.
    Hop {
        /// From 1.
        number: usize,
        /// What is looked up.
        question: String,
    },
    /// Sources contradict each other.
    Conflict(Box<Conflict>),
}

impl AskEvent {
    /// A stage that begins.
    pub(super) fn stage(name: &'static str) -> Self {
        Self::Stage { name, passages: 0, documents: 0 }
    }
}
