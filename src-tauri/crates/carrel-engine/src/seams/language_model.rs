//! Generating text.

use super::{ModelError, Schema};
use crate::cancel::Cancel;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// What a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageModelSpec {
    /// Catalogue or endpoint id.
    pub id: String,
    /// Tokens of its context.
    pub context_tokens: usize,
    /// Whether it runs on this machine.
    pub local: bool,
    /// Tokens of document text that it reads well: given more, it answers worse.
    pub reads_tokens: usize,
    /// Whether searches gain by questions that it rewords: of itself, the program asks no other.
    pub rewords: bool,
    /// ISO 639-1 codes of the languages that it speaks; empty for many.
    pub languages: Vec<String>,
}

/// What to generate: begun with [`GenerateRequest::new`], so that what is not said has its usual value.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerateRequest {
    /// The conversation; the model's own chat template renders it.
    pub messages: Vec<Message>,
    /// Most tokens to generate.
    pub max_tokens: usize,
    /// How each token is picked.
    pub sampling: Sampling,
    /// Texts that end the generation where they would begin; no part of one is ever handed out.
    pub stop: Vec<String>,
    /// The JSON that the text must be. It then is, unless it was cancelled: what is not whole when the tokens run out is closed as
    /// briefly as its shape allows, and ends with [`Finish::Length`].
    pub schema: Option<Schema>,
}

impl GenerateRequest {
    /// The likeliest tokens, until the model ends or so many are written.
    pub fn new(messages: Vec<Message>, max_tokens: usize) -> Self {
        Self { messages, max_tokens, sampling: Sampling::default(), stop: Vec::new(), schema: None }
    }

    /// The same, sampled otherwise.
    #[must_use]
    pub fn sampled(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// The same, ending before any of these texts; empty ones say nothing.
    #[must_use]
    pub fn until<S: Into<String>>(mut self, stop: impl IntoIterator<Item = S>) -> Self {
        self.stop.extend(stop.into_iter().map(Into::into).filter(|s: &String| !s.is_empty()));
        self
    }

    /// The same as JSON of this shape. `stop` does not count then: the shape says where it ends.
    #[must_use]
    pub fn shaped(mut self, schema: Schema) -> Self {
        self.schema = Some(schema);
        self
    }
}

/// How the next token is picked. An endpoint is told what its protocol knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// 0 picks the likeliest token; above it, one is drawn, and what follows applies.
    pub temperature: f32,
    /// Only the likeliest tokens that together have this probability are drawn from; 1 for all.
    pub top_p: f32,
    /// Only so many of the likeliest tokens are drawn from; 0 for all.
    pub top_k: usize,
    /// Only tokens of at least this share of the likeliest one's probability are drawn from; 0 for all.
    pub min_p: f32,
    /// What was written lately becomes less likely by this factor, also at temperature 0; 1 for not at all. JSON of a schema repeats its
    /// own signs: there it does not apply.
    pub repetition_penalty: f32,
    /// The same seed draws the same text from the same model on the same machine, as far as rounding allows where an earlier conversation
    /// is continued; drawn anew where there is none.
    pub seed: Option<u64>,
}

impl Default for Sampling {
    /// The likeliest token, with what keeps a small model from looping.
    fn default() -> Self {
        Self { temperature: 0.0, top_p: 0.95, top_k: 0, min_p: 0.0, repetition_penalty: 1.1, seed: None }
    }
}

/// How generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended, or came to a text that ends it, or its JSON is whole.
    Stop,
    /// `max_tokens` was reached, or the end of the context.
    Length,
    /// It was stopped; the text so far stands.
    Cancelled,
}

/// What came of it. The text itself went to the callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// How it ended.
    pub finish: Finish,
    /// Tokens of the conversation.
    pub prompt_tokens: usize,
    /// Those at its beginning that were known from an earlier one and not read again; 0 where that is not known.
    pub reused_tokens: usize,
    /// Tokens written.
    pub tokens: usize,
}

/// A language model, local or behind an endpoint.
pub trait LanguageModel: Send + Sync {
    /// What it is.
    fn spec(&self) -> &LanguageModelSpec;

    /// Tokens of a text, by the model's own tokenizer; an upper estimate where an endpoint has none to offer.
    fn count_tokens(&self, text: &str) -> Result<usize, ModelError>;

    /// Generates, calling `on_text` with each new piece of valid UTF-8. Blocks. Halts within 200 ms after `cancel`
    /// and then returns [`Finish::Cancelled`].
    fn generate(
        &self,
        request: &GenerateRequest,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generated, ModelError>;
}
