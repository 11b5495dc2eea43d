//! How well what speaks for an answer tells questions that a library answers from others.

use super::workshop::Workshop;
use crate::dto::RetrievalOptions;
use crate::handlers::search_request;
use crate::problem::Problem;
use carrel_engine::cancel::Cancel;
use carrel_engine::evaluate;
use carrel_engine::retrieve::{self, Evidence};
use serde::Serialize;
use std::sync::Arc;

/// Two kinds of questions, told apart.
#[derive(Clone, Debug, Serialize)]
pub struct Apart {
    /// Area under the curve: how often a question that is answered has more evidence than one that is not.
    pub auc: f64,
    /// Evidence of each question that the collection answers: the best score by meaning, and the share of its words in one passage.
    pub answered: Vec<(Option<f32>, f32)>,
    /// The same of those that it does not.
    pub unrelated: Vec<(Option<f32>, f32)>,
}

/// Asks both.
pub(super) fn tell_apart(
    workshop: &Workshop,
    retrieval: &RetrievalOptions,
    answered: &[&str],
    unrelated: &[&str],
    cancel: &Cancel,
) -> Result<Apart, Problem> {
    let libraries = [Arc::clone(&workshop.library)];
    let ask = |questions: &[&str]| -> Result<Vec<Evidence>, Problem> {
        let one = |question: &&str| {
            let request = search_request(question, 10, retrieval)?;
            Ok(retrieve::search(&libraries, &request, &*workshop.models, cancel)?.evidence)
        };
        questions.iter().map(one).collect()
    };
    let (answered, unrelated) = (ask(answered)?, ask(unrelated)?);
    let scores = |all: &[Evidence]| -> Vec<f64> { all.iter().map(|e| f64::from(e.score())).collect() };
    let parts = |all: &[Evidence]| all.iter().map(|e| (e.dense, e.coverage)).collect();
    Ok(Apart {
        auc: evaluate::auc(&scores(&answered), &scores(&unrelated)),
        answered: parts(&answered),
        unrelated: parts(&unrelated),
    })
}
