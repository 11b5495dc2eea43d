//! A judge of entailment that goes by words.

use carrel_engine::cancel::Cancel;
use carrel_engine::seams::{Entailment, Judgement, ModelError, Premise};
use std::sync::{Mutex, PoisonError};

/// Judges as it was told for hypotheses that hold certain words, and everything else as following. Remembers what it was asked.
#[derive(Default)]
pub struct ScriptedEntailment {
    contradicted: Vec<String>,
    unsaid: Vec<String>,
    asked: Mutex<Vec<(String, String)>>,
}

impl ScriptedEntailment {
    /// One that finds hypotheses with these words contradicted.
    #[must_use]
    pub fn contradicting(mut self, words: &str) -> Self {
        self.contradicted.push(words.to_owned());
        self
    }

    /// One that finds hypotheses with these words not said.
    #[must_use]
    pub fn missing(mut self, words: &str) -> Self {
        self.unsaid.push(words.to_owned());
        self
    }

    /// Premises and hypotheses so far.
    pub fn asked(&self) -> Vec<(String, String)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Entailment for ScriptedEntailment {
    fn id(&self) -> &str {
        "scripted-entailment"
    }

    fn languages(&self) -> &[String] {
        &[]
    }

    fn judge(&self, pairs: &[Premise<'_>], cancel: &Cancel) -> Result<Vec<Judgement>, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let judge = |pair: &Premise<'_>| {
            asked.push((pair.premise.to_owned(), pair.hypothesis.to_owned()));
            let holds = |all: &[String]| all.iter().any(|words| pair.hypothesis.contains(words));
            let (entailment, neutral, contradiction) = match (holds(&self.contradicted), holds(&self.unsaid))
            {
                (true, _) => (0.02, 0.03, 0.95),
                (false, true) => (0.03, 0.95, 0.02),
                (false, false) => (0.9, 0.08, 0.02),
            };
            Judgement { entailment, neutral, contradiction }
        };
        Ok(pairs.iter().map(judge).collect())
    }
}
