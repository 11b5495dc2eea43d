//! Judging whether one text follows from another.

use super::ModelError;
use crate::cancel::Cancel;

/// How likely each is; the three add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The hypothesis follows from the premise.
    pub entailment: f32,
    /// The premise does not say.
    pub neutral: f32,
    /// The premise says otherwise.
    pub contradiction: f32,
}

/// A premise and what is claimed of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Premise<'a> {
    /// What a source says.
    pub premise: &'a str,
    /// What is claimed.
    pub hypothesis: &'a str,
}

/// Reads pairs of premise and hypothesis.
pub trait Entailment: Send + Sync {
    /// Catalogue id.
    fn id(&self) -> &str;

    /// ISO 639-1 codes of the languages that it reads; empty for many.
    fn languages(&self) -> &[String];

    /// One judgement per pair, in order. The same pair is judged the same alone and in any batch. A premise longer than the model's window
    /// is read in pieces, and the piece that decides most counts. Blocks; checks `cancel` at most 100 ms apart.
    fn judge(&self, pairs: &[Premise<'_>], cancel: &Cancel) -> Result<Vec<Judgement>, ModelError>;
}
