//! What a run asks: a question of the set, or one from a file.

use super::types::{Question, Right};
use crate::domain::QuestionId;

/// A question to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The question of the set that it is, if any.
    pub id: Option<QuestionId>,
    /// Its text.
    pub text: String,
    /// What answers it.
    pub right: Vec<CaseRight>,
}

/// What answers it.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseRight {
    /// A span, or a document.
    Known(Right),
    /// A document that the library does not hold, by the name that was given.
    Unknown(String),
}

impl From<&Question> for Case {
    fn from(question: &Question) -> Self {
        Self {
            id: Some(question.id),
            text: question.text.clone(),
            right: question.right.iter().cloned().map(CaseRight::Known).collect(),
        }
    }
}
