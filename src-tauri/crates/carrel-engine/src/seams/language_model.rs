//! Generating text.

use super::ModelError;
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

/// What to generate.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerateRequest {
    /// The conversation; the model's own chat template renders it.
    pub messages: Vec<Message>,
    /// Most tokens to generate.
    pub max_tokens: usize,
    /// 0 picks the likeliest token.
    pub temperature: f32,
}

/// How generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended.
    Stop,
    /// `max_tokens` was reached.
    Length,
    /// It was stopped; the text so far stands.
    Cancelled,
}

/// What came of it. The text itself went to the callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// How it ended.
    pub finish: Finish,
    /// Tokens read.
    pub prompt_tokens: usize,
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
