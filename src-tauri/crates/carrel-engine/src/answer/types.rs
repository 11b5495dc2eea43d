//! Questions and answers.

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

/// Whether sources carry a claim. Until answers are verified, a claim with a citation is `Supported` only when code
/// aligned it to a span.
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
    /// `top-k`, `small-talk`, `stopped`.
    pub mode: &'static str,
    /// Its sources, by number.
    pub citations: Vec<Citation>,
    /// Its sentences.
    pub claims: Vec<Claim>,
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
}
