//! A language model that says what it was told to say.

use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{
    Finish, GenerateRequest, Generated, LanguageModel, LanguageModelSpec, ModelError,
};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Answers with the scripted texts, in order, word by word; the last one is repeated. Remembers what it was asked.
pub struct ScriptedModel {
    spec: LanguageModelSpec,
    answers: Mutex<VecDeque<String>>,
    asked: Mutex<Vec<GenerateRequest>>,
}

impl ScriptedModel {
    /// A model that gives these answers.
    pub fn new(answers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            spec: LanguageModelSpec {
                id: "scripted".to_owned(),
                context_tokens: 8192,
                local: true,
                reads_tokens: 1_200,
                rewords: true,
                languages: Vec::new(),
            },
            answers: Mutex::new(answers.into_iter().map(Into::into).collect()),
            asked: Mutex::default(),
        }
    }

    /// The same, speaking these languages alone.
    #[must_use]
    pub fn speaking(mut self, languages: &[&str]) -> Self {
        self.spec.languages = languages.iter().map(|&l| l.to_owned()).collect();
        self
    }

    /// The same under another id.
    #[must_use]
    pub fn named(mut self, id: &str) -> Self {
        self.spec.id = id.to_owned();
        self
    }

    /// The same, not good at wording questions.
    #[must_use]
    pub fn clumsy(mut self) -> Self {
        self.spec.rewords = false;
        self
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<GenerateRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn next(&self) -> String {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() > 1 {
            answers.pop_front().unwrap_or_default()
        } else {
            answers.front().cloned().unwrap_or_default()
        }
    }
}

impl LanguageModel for ScriptedModel {
    fn spec(&self) -> &LanguageModelSpec {
        &self.spec
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(text.split_whitespace().count())
    }

    fn generate(
        &self,
        request: &GenerateRequest,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generated, ModelError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let prompt: usize = request.messages.iter().map(|m| m.content.split_whitespace().count()).sum();
        let answer = self.next();
        let mut tokens = 0;
        let generated =
            |finish, tokens| Generated { finish, prompt_tokens: prompt, reused_tokens: 0, tokens };
        for word in answer.split_inclusive(' ') {
            if cancel.is_cancelled() {
                return Ok(generated(Finish::Cancelled, tokens));
            }
            if tokens == request.max_tokens {
                return Ok(generated(Finish::Length, tokens));
            }
            on_text(word);
            tokens += 1;
        }
        Ok(generated(Finish::Stop, tokens))
    }
}
