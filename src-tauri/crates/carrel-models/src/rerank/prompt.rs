//! The prompt of rerankers that are decoders and answer yes or no, as Qwen3-Reranker was trained with it.
//!
//! Invariant: nothing in a question or passage becomes a control token.

use crate::encode::tokenizer::TextTokenizer;
use carrel_engine::seams::ModelError;

const BEFORE: &str = "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. \
     Note that the answer can only be \"yes\" or \"no\".<|im_end|>\n<|im_start|>user\n";
const AFTER: &str = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n";
const TASK: &str = "Given a web search query, retrieve relevant passages that answer the query";
/// Tokens that may be more when a piece is read inside of the prompt than when it was counted alone.
const SLACK: usize = 4;

/// The prompt, with a tokenizer that takes a text by its letters alone.
pub(super) struct Prompt {
    tokenizer: TextTokenizer,
    before: Vec<u32>,
    after: Vec<u32>,
    answers: (u32, u32),
}

impl Prompt {
    /// Refuses a tokenizer that has no word for one of the answers.
    pub(super) fn new(tokenizer: &TextTokenizer) -> Result<Self, ModelError> {
        let word = |word: &str| {
            let id = tokenizer.id_of(word);
            id.ok_or_else(|| ModelError::Failed(format!("its tokenizer has no word for {word}")))
        };
        Ok(Self {
            before: tokenizer.plain_ids(BEFORE)?,
            after: tokenizer.plain_ids(AFTER)?,
            answers: (word("yes")?, word("no")?),
            tokenizer: tokenizer.literal(),
        })
    }

    /// The tokens that mean yes and no.
    pub(super) fn answers(&self) -> (u32, u32) {
        self.answers
    }

    /// Tokens of a prompt with an empty passage, and some more.
    pub(super) fn cost(&self, query: &str) -> Result<usize, ModelError> {
        Ok(self.ids(query, "")?.len() + SLACK)
    }

    /// The whole prompt.
    pub(super) fn ids(&self, query: &str, passage: &str) -> Result<Vec<u32>, ModelError> {
        let body = format!("<Instruct>: {TASK}\n<Query>: {query}\n<Document>: {passage}");
        Ok([&self.before[..], &self.tokenizer.plain_ids(&body)?, &self.after].concat())
    }
}
